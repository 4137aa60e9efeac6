"""The command `pns`: finds the subcommand, parses its command line, and imports nothing before."""

from __future__ import annotations

import os
import sys

from pns.system import start
from pns.version import VERSION

TYPE_CHECKING = False  # importing typing takes longer than all else here
if TYPE_CHECKING:
    from typing import Any, Callable

COMMANDS = {
    "solve": (
        "options.solve:solve_parser",
        "commands.solve:main",
        "find out who wins a position, and store the proof",
    ),
    "worker": (
        "options.worker:worker_parser",
        "commands.worker:main",
        "work for a master, here or on another machine",
    ),
    "worker keygen": ("options.worker:keygen_parser", "commands.worker:keygen", ""),
    "simulate": (
        "options.simulate:simulate_parser",
        "commands.simulate:main",
        "search with many workers on a virtual clock",
    ),
    "cluster": (
        "options.cluster:cluster_parser",
        "commands.cluster:main",
        "keep workers on every node of a Ray cluster",
    ),
    "draw": (
        "options.draw:draw_parser",
        "commands.draw:main",
        "draw a position as SVG, PNG or text",
    ),
    "play": (
        "options.play:play_parser",
        "commands.play:main",
        "play against the solver in the terminal",
    ),
    "explore": (
        "options.explore:explore_parser",
        "commands.explore:main",
        "draw moves and see proofs in the browser",
    ),
    "db": (
        "options.database:db_parser",
        "commands.database:main",
        "query and change databases of Grundy numbers",
    ),
    "strong": (
        "options.strong:strong_parser",
        "commands.strong:main",
        "find, check and look up the value of every position of a small game",
    ),
    "why": (
        "options.why:why_parser",
        "commands.why:main",
        "explain who wins a position, and print the proof",
    ),
    "audit": (
        "options.audit:audit_parser",
        "commands.audit:main",
        "check a database or a certificate, without any search",
    ),
    "audit certify": ("options.audit:certify_parser", "commands.audit:certify", ""),
    "certify": (
        "options.audit:certify_parser",
        "commands.audit:certify",
        "check a database, and write a certificate",
    ),
    "check": (
        "options.check:check_parser",
        "commands.certificates:check",
        "check certificates with a single-file program",
    ),
    "check-game": (
        "options.check_game:check_game_parser",
        "commands.check_game:main",
        "check that a game satisfies its contract",
    ),
    "games": (
        "options.games:games_parser",
        "commands.games:main",
        "list the games, with one example of each",
    ),
    "octal": (
        "options.octal:octal_parser",
        "commands.octal:main",
        "Grundy numbers and the period of an octal game",
    ),
    "estimate": (
        "options.estimate:estimate_parser",
        "commands.estimate:main",
        "estimate the size of a game tree from random games",
    ),
    "doctor": (
        "options.doctor:doctor_parser",
        "commands.doctor:main",
        "check whether this machine is ready for a long search",
    ),
    "completion": (
        "commands.completion:completion_parser",
        "commands.completion:main",
        "print completions for bash, zsh or fish",
    ),
    "manual": ("commands.manual:manual_parser", "commands.manual:main", "write man pages"),
}
"""The subcommands: in pns.cli, the module and the function that makes its parser, and those that
run it; what it does, "" for a verb that has no line of its own in the help."""

HELP = """\
usage: pns COMMAND [ARGUMENT ...]

Finds out who wins combinatorial games, above all Sprouts, and proves it.

commands:
%s

options:
  -h, --help  show this help and exit
  --version   show the version and exit

`pns COMMAND --help` says more about a command.

examples:
  pns solve '0*11'
  pns why '0*11'
  pns games
  pns solve --game nim '3+5+6'
""" % "\n".join(["  %-10s %s" % (name, text) for name, (*_, text) in COMMANDS.items() if text])

SEARCHES = ("solve", "worker")
"""The subcommands that do little but search."""
WRITE_FAILED, READER_GONE = 2, 141


def main() -> None:
    """Run the command line; exits with the status of the subcommand."""
    start.need_posix()
    start.expect_signals()
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    if " ".join(sys.argv[1:3]) in COMMANDS:
        run_command(" ".join(sys.argv[1:3]), 3)
    if word in COMMANDS:
        run_command(word, 2)
    sys.argv[0] = "pns"
    if word in ("-h", "--help"):
        sys.exit(show(HELP))
    if word == "--version":
        sys.exit(show("pns %s\n" % VERSION))
    print("pns: %s" % why_none(word), file=sys.stderr)
    sys.exit(2)


def run_command(name: str, count: int) -> None:
    """Run a subcommand of the first words, which sees `pns NAME` as its program's name.

    Its command line is parsed before PyPy starts again and before a search is imported. Does
    not return.
    """
    sys.argv[:count] = ["pns " + name]
    start.need_descriptors()
    start.need_memory()
    from pns.cli.common import run_loaded

    make_parser, function, _ = COMMANDS[name]

    def load() -> Callable[[], int]:
        args = find(make_parser)(sys.argv[0]).parse_args(sys.argv[1:])
        start.start_with_settings()
        program = find(function)
        return lambda: program(args)

    run_loaded(load, name in SEARCHES)


def find(place: str) -> Any:
    """What a text like "commands.solve:main" names in pns.cli."""
    from importlib import import_module

    module, _, name = place.partition(":")
    return getattr(import_module("pns.cli." + module), name)


def why_none(word: str) -> str:
    """Why a first word is not a subcommand, and what to write.

    >>> why_none("slove")
    "unknown command 'slove'; did you mean solve? See pns --help"
    >>> why_none("help")
    "unknown command 'help'; did you mean --help? See pns --help"
    >>> why_none("0*5")
    "unknown command '0*5'; did you mean pns solve '0*5'? See pns --help"
    """
    if not word:
        return "a command is missing; see pns --help"
    if word.startswith("-"):
        return "unknown option %s; see pns --help" % ascii(word[:60])
    from difflib import get_close_matches

    shown = ascii(word[:60])
    names = get_close_matches(word[:60], [*COMMANDS, "--help", "--version"], n=1)
    if not names and any([letter.isdigit() for letter in word[:60]]):  # a position
        names = ["pns solve " + shown]
    hint = "did you mean %s? See" % names[0] if names else "see"
    return "unknown command %s; %s pns --help" % (shown, hint)


def show(text: str) -> int:
    """Print a text; returns the exit status."""
    try:
        os.write(1, text.encode())
    except BrokenPipeError:
        return READER_GONE
    except OSError as error:
        print("pns: standard output: %s" % error.strerror, file=sys.stderr)
        return WRITE_FAILED
    return 0
