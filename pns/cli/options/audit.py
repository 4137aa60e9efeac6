"""The command lines of `pns audit` and `pns certify`. This imports no search."""

from __future__ import annotations

import argparse

from pns.cli.common import die
from pns.cli.parser import Parser, add_game, amount, check_output, positive
from pns.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Tuple

AUDIT = """\
Check a database of Grundy numbers, a .spr file or a certificate, without any search.

Every entry of FILE is checked against the others."""
AUDIT_EXAMPLES = (
    ("~/.local/share/pns/sprouts.lmdb", "check every fact of a database"),
    ("7.spr --claim '0*7=loss'", "and whether they prove a claim"),
    ("big.lmdb --sample 100k --json", "check 100,000 random facts"),
    ("sprouts-9.cert.gz --independent", "check with the second implementation of Sprouts"),
)
CERTIFY = """\
Check a database of Grundy numbers, a .spr file or a certificate, without any search, and write
a certificate of a claim.

Every entry of FILE is checked against the others. Reduce a database first, so that the
certificate is small."""
CERTIFY_EXAMPLES = (
    ("'0*7=loss' 7.spr 7.cert.gz", "write a certificate that 7 spots are lost"),
    (
        "'0*7=loss' 7.spr 7.cert.gz --independent",
        "checked with the second implementation of Sprouts",
    ),
    ("--game nim '3+5=win' 35.spr 35.cert.gz", "of another game"),
)
EXIT_STATUS = """\
exit status: 0 when all entries that were checked hold and the claim is proved, 1 when
not, 2 after bad input, 130 when it was stopped: the same command then goes on from
there."""


def audit_parser(prog: str) -> Parser:
    """The parser of `pns audit`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...] FILE\n"
        "       %(prog)s certify [OPTION ...] POSITION=win|loss FILE OUT",
        description=AUDIT,
        examples=AUDIT_EXAMPLES,
        status=EXIT_STATUS,
        check=check,
    )
    group = parser.add_argument_group("what is checked")
    add_file(group)
    group.add_argument(
        "--claim", metavar="POSITION=win|loss", type=claim, help="the claim to prove"
    )
    group.add_argument("--sample", metavar="N", type=positive, help="check N random entries")
    group.add_argument(
        "--seed", metavar="N", type=amount, default=0, help="seed of the sample; default: 0"
    )
    add_work(parser)
    add_output(parser)
    return parser


def certify_parser(prog: str) -> Parser:
    """The parser of `pns certify`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...] POSITION=win|loss FILE OUT",
        description=CERTIFY,
        examples=CERTIFY_EXAMPLES,
        status=EXIT_STATUS,
        check=check,
    )
    group = parser.add_argument_group("what is certified")
    group.add_argument("claim", metavar="POSITION=win|loss", type=claim, help="the claim to prove")
    add_file(group)
    group.add_argument("out", metavar="OUT", help="the certificate to write, like 0x12.cert.gz")
    add_work(parser)
    add_output(parser)
    return parser


def add_file(group: argparse._ArgumentGroup) -> None:
    """Add the file and its game."""
    group.add_argument("path", metavar="FILE", help="database, .spr file or certificate")
    add_game(group, None, "default: sprouts, or that of the certificate")


def add_work(parser: Parser) -> None:
    """Add how it is checked."""
    group = parser.add_argument_group("how it is checked")
    group.add_argument(
        "--processes",
        metavar="N",
        type=amount,
        help="default: one for each core",
    )
    group.add_argument(
        "--independent", action="store_true", help="use the slow second implementation of Sprouts"
    )


def add_output(parser: Parser) -> None:
    """Add a group of options for what is printed."""
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print one JSON object")
    group.add_argument("--quiet", action="store_true", help="no progress")
    group.add_argument("--version", action="version", version="pns " + VERSION)


def claim(text: str) -> Tuple[str, bool]:
    """Parse a claim for argparse."""
    from pns.proofs.certificate import parse_claim

    try:
        return parse_claim(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def check(args: argparse.Namespace) -> None:
    """Exit for a bad number of processes, or a place where no certificate can be written."""
    if args.processes is not None and not 1 <= args.processes <= 1000:
        wrong = "invalid count %d; expected a whole number from 1 to 1000"
        die("argument --processes: " + wrong % args.processes)
    if "out" in args:
        check_output("OUT", args.out)
