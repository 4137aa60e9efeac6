"""The command line of `pns strong`. This imports no search."""

from __future__ import annotations

import argparse

from pns.choices import MOST_PROCESSES
from pns.cli.parser import Parser, add_game, amount, game_name, positive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

DESCRIPTION = """\
Compute the value of every position of a small game, and look the values up.

A solution is a directory. `build` writes it slice by slice, from the last moves to the first.
After a stop, the same command continues. See docs/guides/strong.md."""
COUNTED = ("pentago",)
BOARDS = {"6x6": 6, "4x4": 4}
"""The side of each board of Pentago."""
EXAMPLES = (
    ("build mnk '3:...|...|...' ttt", "all positions of tic-tac-toe"),
    ("lands sprouts 5 lands5", "Grundy numbers of all lands of up to 5 lives"),
    ("look ttt '3:X..|.O.|...' --moves", "a position, and the value of each move"),
    ("check ttt --consistency", "check all bytes, and each value by its moves"),
    ("count pentago", "positions of 6×6 Pentago by slice, and what storing them takes"),
)
STATUS = """\
exit status: 0; 1 if a position given to `look` is not in the solution, or `check` finds a fault;
2 after invalid input, for a damaged solution, or if memory is too small; 130 if it was
stopped: the same command then continues."""


def processes(text: str) -> int:
    """A number of processes."""
    count = positive(text)
    if count > MOST_PROCESSES:
        wrong = "invalid count %d; expected a whole number from 1 to %d"
        raise argparse.ArgumentTypeError(wrong % (count, MOST_PROCESSES))
    return count


def add_run(verb: argparse.ArgumentParser) -> None:
    """Add the options of long runs."""
    verb.add_argument("--processes", metavar="N", type=processes, help="default: one for each core")
    verb.add_argument("--quiet", action="store_true", help="no progress")


def add_memory(verb: argparse.ArgumentParser) -> None:
    """Add the bound of the memory."""
    verb.add_argument(
        "--memory",
        metavar="BYTES",
        type=amount,
        help="memory limit of all processes, like 2G; default: the machine's memory",
    )


def add_solution(verb: argparse.ArgumentParser) -> None:
    """Add the directory of a solution, and the place of a game that is found nowhere else."""
    verb.add_argument("directory", metavar="DIR", help="the solution")
    add_game(verb, None, "default: that of the solution")


def strong_parser(prog: str) -> Parser:
    """The parser of `pns strong`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...] VERB [ARGUMENT ...]",
        description=DESCRIPTION,
        examples=EXAMPLES,
        status=STATUS,
    )
    subparsers = parser.add_subparsers(dest="verb", metavar="VERB", required=True)

    def add_verb(name: str, text: str, has_json: bool = True) -> argparse.ArgumentParser:
        verb: argparse.ArgumentParser = subparsers.add_parser(
            name,
            prog="%s %s" % (prog, name),
            help=text,
            description=text[0].upper() + text[1:] + ".",
        )
        if has_json:
            verb.add_argument("--json", action="store_true", help="print JSON objects")
        return verb

    add_builds(add_verb)
    look = add_verb("look", "print the values of positions")
    add_solution(look)
    look.add_argument("positions", metavar="POSITION", nargs="+", help="as the game writes them")
    look.add_argument("--moves", action="store_true", help="print all moves, the best first")
    add_check(add_verb("check", "check all bytes; then values by their moves, if that is asked"))
    samples = add_verb("samples", "print random positions with their values, and a digest", False)
    add_solution(samples)
    samples.add_argument("--count", metavar="N", type=positive, default=100, help="default: 100")
    samples.add_argument("--seed", metavar="N", type=amount, default=0, help="default: 0")
    add_solution(add_verb("stats", "count positions by slice and value"))
    counted = add_verb("count", "count all positions of a game by slice, without listing them")
    counted.add_argument("game", metavar="GAME", choices=COUNTED, help=" or ".join(COUNTED))
    counted.add_argument(
        "--board", choices=list(BOARDS), default="6x6", help="squares of the board; default: 6x6"
    )
    counted.add_argument(
        "--machines",
        metavar="N",
        type=positive,
        help="divide blocks among N machines at random; the largest load by the smallest",
    )
    return parser


def add_builds(add_verb: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the verbs that find values."""
    build = add_verb("build", "find the values of all positions, and write them")
    build.add_argument("game", metavar="GAME", type=game_name, help="its name, or MODULE:GAME")
    build.add_argument("position", metavar="POSITION", help="the root, from which play begins")
    build.add_argument("directory", metavar="DIR", help="a new one, or one where this was begun")
    add_memory(build)
    ways = build.add_mutually_exclusive_group()
    ways.add_argument(
        "--listed",
        action="store_true",
        help="list positions even if the game can rank them",
    )
    ways.add_argument(
        "--sections",
        action="store_true",
        help="rank 4×4 Pentago by sections, all rotations of a board at once",
    )
    build.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="address of a Ray cluster that computes ranked positions; `auto`: this machine's",
    )
    add_run(build)
    lands = add_verb("lands", "find the values of all lands of a few lives, and write them")
    lands.add_argument(
        "game", metavar="GAME", type=game_name, help="one that lists its small lands"
    )
    lands.add_argument("lives", metavar="LIVES", type=positive, help="at most")
    lands.add_argument("directory", metavar="DIR", help="a new one, or one where this was begun")
    add_memory(lands)
    add_run(lands)


def add_check(check: argparse.ArgumentParser) -> None:
    """Add the arguments of `pns strong check`."""
    add_solution(check)
    check.add_argument(
        "--consistency", action="store_true", help="compute each slice again from the one after it"
    )
    check.add_argument(
        "--samples",
        metavar="N",
        type=positive,
        default=0,
        help="compare N random positions with their moves under the rules",
    )
    check.add_argument(
        "--search",
        metavar="N",
        type=positive,
        default=0,
        help="also solve N random positions with DFPN, unless this takes long",
    )
    check.add_argument(
        "--against",
        metavar="FILE",
        help="compare with the samples in a file written by `samples`",
    )
    check.add_argument(
        "--seed", metavar="N", type=amount, default=0, help="of the samples; default: 0"
    )
    add_run(check)
