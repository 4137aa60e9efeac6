"""What people call options elsewhere, and what some ask for that is not there.

Imported only for a refusal.
"""

from __future__ import annotations

from difflib import get_close_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

OWN_NAMES = {
    "--max-seconds": "time-limit time-out timeout time max-time seconds limit-seconds duration",
    "--seconds": "time-limit time-out timeout time max-time max-seconds think movetime",
    "--max-memory": "memory-limit mem-limit max-mem mem memory ram max-ram",
    "--max-expansions": "nodes max-nodes node-limit expansions limit max-iterations steps",
    "--processes": "j threads thread jobs cores cpus parallel concurrency",
    "--capacity": "hash hash-size table-size tt-size tt cache-size",
    "--out": "output outfile out-file save destination",
    "--algorithm": "method solver engine algo alg search strategy",
    "--db": "database data facts lmdb store",
    "--grundy": "nimber nim-value number value mex",
    "--game": "rules variant",
    "--misere": "misère misere-play reverse",
    "--quiet": "q silent no-progress",
    "--seed": "random-seed rng",
    "--second": "solver-first computer-first",
    "--no-known": "no-facts from-scratch fresh",
    "--listen": "bind host serve address",
    "--connect": "master server host address",
    "--json": "format",
    "--resume": "continue restore",
    "--checkpoint": "save state snapshot",
    "--text": "ascii unicode",
}
"""The options of `pns`, and the words for them in other programs; the first that a command has is
meant."""
NOT_THERE = {
    "spots": "the number of spots is part of the position, like '0*5'",
    "position": "give the position without an option, as in pns solve '0*5'",
}
"""What is asked for by no option, and what to say about it."""
CLOSE = 0.7
"""The least ratio of difflib at which two options are near."""


def about(name: str, options: Sequence[str]) -> str:
    """The end of a refusal of an unknown option, for a command with some options.

    >>> about("--time-limit", ["--max-seconds", "--timeline"])
    '; did you mean --max-seconds? See --help'
    >>> about("--gruny", ["--game", "--grundy"]), about("--verbose", ["--version"])
    ('; did you mean --grundy? See --help', '; see --help')
    """
    word = name.lstrip("-").lower().replace("_", "-")
    missing = NOT_THERE.get(word)
    if missing:
        return ": " + missing
    meant = [own for own, others in OWN_NAMES.items() if word in others.split() and own in options]
    if not meant:
        near = get_close_matches(word[:60], [option[2:] for option in options], 1, CLOSE)
        meant = ["--" + option for option in near]
    return "; did you mean %s? See --help" % meant[0] if meant else "; see --help"
