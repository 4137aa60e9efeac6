"""Collect the entries of all certificates of a game as the facts that come with the package.

Those of the package are in pns/data/certificates, larger ones in data/results. Each certificate
proves its entries, so together they prove one another.
"""

from __future__ import annotations

import bootstrap

import os
import sys
from glob import glob
from typing import Tuple

from pns.cli.common import die, run
from pns.cli.parser import Parser, add_game
from pns.facts import Contradiction, Facts
from pns.facts.known import file_name, write_known
from pns.proofs.certificate import read_certificate
from pns.system.package_data import data_path


def patterns(game: str) -> Tuple[str, str]:
    """The names of the certificates of a game."""
    return (
        os.path.join(data_path("certificates"), game + "-*.cert.gz"),
        os.path.join(bootstrap.ROOT, "data", "results", game, "*.cert.gz"),
    )


def collected(game: str) -> Facts:
    """The entries of the certificates of a game; raises Contradiction if they disagree."""
    facts = Facts(game)
    for pattern in patterns(game):
        for path in sorted(glob(pattern)):
            for land, number in read_certificate(path)[1].items():
                facts.add(land, number)
    return facts


def main() -> int:
    """Write the file of a game."""
    parser = Parser(description=__doc__)
    add_game(parser)
    parser.add_argument("--out", metavar="FILE", help="default: the package's own")
    args = parser.parse_args()
    out = args.out or data_path(file_name(args.game))
    try:
        facts = collected(args.game)
    except Contradiction as error:
        die(str(error))
    if not len(facts):
        die("there is no certificate of %s: %s" % (args.game, " or ".join(patterns(args.game))))
    print("%s: %d facts" % (out, write_known(out, facts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(run(main))
