"""What the commands share beside `pns.system.program`: refusals of options and packages."""

from __future__ import annotations

import os
import re
import sys

from pns.system import program as programs
from pns.system.program import STOPPED, die, explain_notation, program, warn
from pns.system.start import ROOT, packages

TYPE_CHECKING = False  # importing typing takes longer than all else here
if TYPE_CHECKING:
    from socket import socket
    from typing import Callable, NoReturn

    from pns.front.options import OptionError, Options
    from pns.game import Game

__all__ = [
    "A_SIGNAL",
    "IS_CHECKOUT",
    "STOPPED",
    "THEN",
    "check_options",
    "die",
    "die_of_missing",
    "die_of_option",
    "explain_notation",
    "first_position",
    "how_to_install",
    "in_flags",
    "listen",
    "program",
    "run",
    "run_loaded",
    "warn",
]

THEN, A_SIGNAL = " jobs done, then: ", "a signal"
"""What a worker prints at its end before the reason, and the reason after SIGTERM or Ctrl-C."""
IS_CHECKOUT = os.path.exists(os.path.join(ROOT, "scripts", "setup.sh"))
EXTRAS = {
    "wire": "'msgpack<2' 'pyzmq<27.3'",
    "web": "'starlette<1' 'uvicorn<1'",
}
"""The packages of each extra of setup.cfg that a program may miss, as pip takes them."""
FLAGS = {"prior": "--no-prior"}
"""Options of the library whose flag has another name."""
ADVISED = ("algorithm", "capacity", "keys", "max_memory")
"""Options of the library that its messages advise."""


def run(main: Callable[[], int], searches: bool = False) -> NoReturn:
    """Run a program as `pns.system.program.run` does; messages name flags."""
    programs.run(main, searches, in_flags)


def run_loaded(load: Callable[[], Callable[[], int]], searches: bool = False) -> NoReturn:
    """Run a program as `pns.system.program.run_loaded` does; messages name flags."""
    programs.run_loaded(load, searches, in_flags)


def listen(port: int, option: str) -> socket:
    """A socket that listens at a port of the loopback address; exits if it cannot be had."""
    from pns.system import loopback

    try:
        return loopback.listen(port)
    except OSError as error:
        die("argument %s: %d: %s; 0 chooses a free port" % (option, port, error.strerror))


def first_position(game: Game) -> str:
    """What is played or shown unless a position is given; exits where a game has no examples."""
    from pns.game import first_example

    return first_example(game) or die("%s has no examples; give a position" % game.name)


def how_to_install(extra: str) -> str:
    """What to do about a missing package of an extra."""
    by_pip = "run %s -m pip install %s" % (sys.executable, EXTRAS[extra])
    if not IS_CHECKOUT:
        return by_pip
    if os.path.exists(os.path.join(ROOT, ".venv", "installed")) and packages() not in sys.path:
        return "start %s, whose PyPy has it, or %s" % (os.path.join(ROOT, ".venv/bin/pns"), by_pip)
    return "run sh scripts/setup.sh, or %s" % by_pip.replace("run ", "", 1)


def check_options(options: Options) -> None:
    """Exit if an option is bad; names it as the command line does."""
    from pns.front.options import OptionError

    try:
        options.check()
    except OptionError as error:
        die_of_option(error)


def die_of_option(error: OptionError) -> NoReturn:
    """Exit for a bad option; names it as the command line does."""
    die("argument %s: %s" % (flag_of(error.option), error.wrong))


def flag_of(option: str) -> str:
    """The flag of an option of the library."""
    return FLAGS.get(option, "--" + option.replace("_", "-"))


def in_flags(message: str) -> str:
    """A message of the library whose advice, after the last semicolon, names flags for options.

    >>> in_flags("no memory for the tree; a smaller capacity or max_memory takes less")
    'no memory for the tree; a smaller --capacity or --max-memory takes less'
    """
    wrong, semicolon, advice = message.rpartition("; ")
    for option in ADVISED:
        advice = re.sub(r"\b%s\b" % option, flag_of(option), advice)
    return wrong + semicolon + advice


def die_of_missing(error: ImportError) -> NoReturn:
    """Exit for want of a package that messages need."""
    die("%s is missing: %s" % (error.name, how_to_install("wire")))
