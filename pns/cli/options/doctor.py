"""The command line of `pns doctor`. This imports no search."""

from __future__ import annotations

from pns.cli.parser import Parser, add_game

DESCRIPTION = """\
Check whether this machine is ready for a long search: the interpreter, packages, memory, the disk
of the database, cores and limits. Each line is ok, a warning or a problem, and says what to do.
Optional parts make a search faster, or are needed only by some commands."""
EXAMPLES = (
    ("", "everything, for the user's own database"),
    ("--db /scratch/big.lmdb", "for a database on another disk"),
    ("--json", "one JSON object, for programs"),
)
STATUS = "exit status: 0; 1 when there is a problem; 2 after bad input"


def doctor_parser(prog: str) -> Parser:
    """The parser of `pns doctor`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...]",
        description=DESCRIPTION,
        examples=EXAMPLES,
        status=STATUS,
    )
    group = parser.add_argument_group("what is checked")
    group.add_argument("--db", metavar="PATH", help="the database; default: the user's own")
    add_game(group)
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print one JSON object")
    return parser
