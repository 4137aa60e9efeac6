"""Write the tails of Sprouts that may give way to smaller ones, for `pns.sprouts.tails`.

Those of at most 6 lives take about ten minutes, in normal play and in misère play.
"""

from __future__ import annotations

import bootstrap  # noqa: F401

import sys

from pns.cli.common import run
from pns.cli.parser import Parser
from pns.misere.trees import Trees
from pns.sprouts.misere_tails import MisereTails
from pns.sprouts.small_lands import LEAST_LIVES, MOST_LIVES
from pns.sprouts.tail_play import exchanges, heap_beside, small_tails
from pns.sprouts.tails import FILE, MISERE_FILE
from pns.system.files import open_whole
from pns.system.package_data import data_path


def main() -> int:
    """Write the file."""
    parser = Parser(description=__doc__)
    parser.add_argument(
        "--lives",
        type=int,
        choices=range(LEAST_LIVES - 1, MOST_LIVES),
        default=MOST_LIVES - 1,
        help="the most lives of a tail; default: %d" % (MOST_LIVES - 1),
    )
    parser.add_argument("--misere", action="store_true", help="those of misère play")
    parser.add_argument("--out", metavar="FILE", help="default: the package's own")
    args = parser.parse_args()
    out = args.out or data_path(MISERE_FILE if args.misere else FILE)
    heap_of = MisereTails(Trees()).heap_beside if args.misere else heap_beside
    found = exchanges(small_tails(args.lives), heap_of)
    lines = [b"%s %s %d\n" % exchange for exchange in found]
    with open_whole(out) as stream:
        stream.writelines(lines)
    print("%s: %d tails" % (out, len(lines)))
    return 0


if __name__ == "__main__":
    sys.exit(run(main))
