"""Ask databases of Grundy numbers, exchange their facts, or reduce them to a proof."""

from __future__ import annotations

import argparse
from typing import Callable, Dict, Optional

from pns.cli.commands import database_certify, database_extend, why
from pns.cli.commands import database_queries as queries
from pns.cli.commands import database_verbs as verbs
from pns.cli.common import program, run
from pns.cli.options.database import db_parser
from pns.finding import find_game
from pns.game import Game

VERBS: Dict[str, Callable[[argparse.Namespace, Game], int]] = {
    "get": queries.get,
    "list": queries.show,
    "stats": queries.stats,
    "table": queries.table,
    "conjecture": queries.conjecture,
    "export": verbs.export,
    "import": verbs.load,
    "merge": verbs.merge,
    "diff": verbs.diff,
    "check": verbs.check_file,
    "repair": verbs.repair_file,
    "convert": verbs.convert_file,
    "why": why.explain,
    "reduce": verbs.reduce,
    "certify": database_certify.certify,
    "extend": database_extend.extend,
}


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None:
        args = db_parser(program()).parse_args()
    return VERBS[args.verb](args, find_game(args.game))


if __name__ == "__main__":
    run(main)
