"""Checks certificates of impartial games: one file that needs only Python 3.9 or newer.

    python3 check_certificate.py FILE [FILE ...] [--sample N] [--seed N] [--json]

A certificate claims that a position is won or lost for the player to move, and lists
lands with their Grundy numbers, the *entries*. This program trusts none of them:

- the options of a position are its children, the positions after one move;
- known(X), for a position X, is the xor of the entries of its lands, if all are there;
- an entry Q -> n holds if for every i < n some option of Q has known = i, and if every
  option of Q has known, different from n, or has itself an option with known = n;
- if all entries hold, all are right, by induction on the number of moves left: n is
  the least number that no option of Q has, which is what a Grundy number is;
- then the position is lost if known = 0, and won if some option has known = 0.

A certificate may also list exchanges of parts of a position that leave its Grundy number as it is.
Each is proved here, by play, before it is used: then another position may stand for an option, if
exchanges lead to it and each of its lands, or in misère play all of it, has fewer lives than Q.

With --sample only N entries, chosen at random, are checked. Exit status: 0 if all that
was checked holds, 1 if something does not, 2 if a file is not a certificate or exceeds
the bounds below (MOST_ENTRIES and on). The bounds stop a file that was made to fill the
memory or to keep the machine busy.

The rules of Sprouts come first, then exchanges, then the rules of the games whose positions fall
into parts, of which GAMES has the names, then the reading of a certificate, then the check.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, NoReturn, Optional

from pns.checker.check import check


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, "%s: %s; see --help\n" % (self.prog, message))

    def _print_message(self, message: str, file: Any = None) -> None:
        """Raises OSError for a help that cannot be written, which argparse would not say."""
        if message:
            (file or sys.stderr).write(message)


def sample_size(text: str) -> int:
    """A number of entries: a sample of none would hold."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text)):
        wrong = "invalid count %s; expected a whole number such as 20"
        raise argparse.ArgumentTypeError(wrong % ascii(text[:20]))
    return int(text)


def make_parser(prog: Optional[str] = None) -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = Parser(
        prog=prog, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", metavar="FILE", nargs="+")
    parser.add_argument(
        "--sample", metavar="N", type=sample_size, help="check N entries, at random"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of the sample")
    parser.add_argument("--json", action="store_true", help="print a JSON object for each file")
    return parser


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Check the files on the command line, unless it is given parsed; returns the exit status."""
    if args is None:
        args = make_parser().parse_args()
    status = 0
    for path in args.files:
        try:
            if not check(path, args.sample, args.seed, args.json):
                status = max(status, 1)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            print("%s: %s" % (path, reason), file=sys.stderr)
            status = 2
    return status


def run() -> NoReturn:
    """Run the program; its status is 130 after Ctrl-C, 2 or 141 if its output cannot be written."""
    status: Any
    try:
        try:
            status = main()
        except SystemExit as ended:  # after a help or a bad option
            status = ended.code
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = 130
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what is still buffered
        status = 141 if isinstance(error, BrokenPipeError) else 2
        if status == 2:
            print("standard output: %s" % error.strerror, file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    run()
