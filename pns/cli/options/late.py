"""The option by which late positions are solved in full when they come up."""

from __future__ import annotations

import argparse

from pns.cli.common import die


def add_late(parser: argparse._ActionsContainer) -> None:
    """Add --late."""
    parser.add_argument(
        "--late",
        action="store_true",
        help="solve late positions of Pentago, on 6x6 from 18 stones on, in full when they come "
        "up: with 20 stones some seconds of PyPy and 0.2 GB, with 18 about a minute and 1.2 GB",
    )


def check_late(args: argparse.Namespace) -> None:
    """Refuse --late for a game that has no such positions."""
    if args.late:
        from pns.finding import find_game
        from pns.strong.late import LateValues

        try:
            LateValues(find_game(args.game))
        except ValueError as error:
            die("argument --late: %s" % error)
