"""Write the reduced trees of small lands of Sprouts in misère play, for `pns.misere.kept`.

They are those of the lands that searches of 9, 10 and 11 spots meet, and of all that can follow.
It takes about a minute.
"""

from __future__ import annotations

import bootstrap  # noqa: F401

import sys

from pns.cli.common import run
from pns.cli.parser import Parser
from pns.dfpn import Search
from pns.facts import Facts
from pns.finding import find_game
from pns.misere.game import MisereGame
from pns.misere.kept import table_text
from pns.positions.couple import Couples
from pns.search.table import Table
from pns.sprouts import Sprouts
from pns.system.files import open_whole
from pns.system.package_data import data_path

SPOTS = (9, 10, 11)


def main() -> int:
    """Write the file."""
    parser = Parser(description=__doc__)
    parser.add_argument("--out", metavar="FILE", help="default: the package's own")
    args = parser.parse_args()
    out = args.out or data_path(Sprouts.misere_table)
    game = MisereGame(find_game("sprouts"), use_table=False)
    search = Search(Couples(game, Facts(game.name)), Table(2_000_000))
    for spots in SPOTS:
        search.outcome(game.parse("0*%d" % spots))
    known = game.known_trees()
    with open_whole(out) as stream:
        stream.write(table_text(game.trees, known.items()))
    print("%s: %d lands, %d trees" % (out, len(known), len(set(known.values()))))
    return 0


if __name__ == "__main__":
    sys.exit(run(main))
