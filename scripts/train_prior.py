"""Train a game's prior on searches of small positions.

Each position is searched without a prior, once for each seed. The prior gets the
facts of all searches, and the Grundy numbers of all small lands in them, which are
computed by brute force. The same arguments give the same file, byte for byte.
"""

from __future__ import annotations

import bootstrap  # noqa: F401

import argparse
import sys
from typing import Any, Dict, Set, Tuple

from pns.cli.common import run
from pns.cli.parser import Parser, add_game, amount
from pns.dfpn import Search
from pns.facts import Facts
from pns.finding import find_game
from pns.game import Game, Land
from pns.positions import prior
from pns.positions.couple import Couples
from pns.positions.interned import hash_key
from pns.search.table import Table

POSITIONS = {"sprouts": ["0*%d" % spots for spots in range(1, 14)]}
CAPACITY = 1_000_000
SLOTS_PER_ENTRY = 1.5


def search(game: Game, position: str, seed: int) -> Tuple[Dict[Land, int], Set[Land]]:
    """The facts that a search proves, and all lands that it generates."""
    facts = Facts(game.name)
    couples = Couples(game, facts, seed)
    Search(couples, Table(CAPACITY)).outcome(game.parse(position))
    return dict(facts.items()), set(couples.lands())


def grundy_number(game: Game, land: Land, known: Dict[Land, int]) -> int:
    """The Grundy number of a small land by brute force; `known` remembers all on the way."""
    number = known.get(land)
    if number is None:
        option_numbers = set()
        for child in game.children(land):
            value = 0
            for part in child:
                value ^= grundy_number(game, part, known)
            option_numbers.add(value)
        number = known[land] = min(set(range(len(option_numbers) + 1)) - option_numbers)
    return number


def parse_arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = Parser(description=__doc__)
    add = parser.add_argument
    add(
        "positions", metavar="POSITION", nargs="*", help="positions to search; default: 0*1 to 0*13"
    )
    add_game(parser)
    add("--seeds", metavar="N", type=amount, default=10, help="searches of each; default: 10")
    add("--size", metavar="N", type=amount, default=10, help="largest of small lands; default: 10")
    add("--out", metavar="FILE", help="default: the file that searches read, in pns/data/")
    args = parser.parse_args()
    args.positions = args.positions or POSITIONS.get(args.game, [])
    if not args.positions or not args.seeds:
        parser.error("nothing to learn from: give positions and at least one seed")
    return args


def main() -> int:
    """Train and save a prior; return the exit status."""
    args: Any = parse_arguments()
    game = find_game(args.game)
    learned: Dict[Land, int] = {}
    small: Set[Land] = set()
    for position in args.positions:
        for seed in range(args.seeds):
            facts, lands = search(game, position, seed)
            learned.update(facts)
            small.update([land for land in lands if game.estimate(land)[0] <= args.size])
        print("%s: %d facts, %d small lands" % (position, len(learned), len(small)), flush=True)
    known: Dict[Land, int] = {}
    for land in small:
        learned[land] = grundy_number(game, land, known)
    numbers = {hash_key(land): learned[land] for land in sorted(learned)}
    slots = int(SLOTS_PER_ENTRY * len(numbers)) + 1
    file = args.out or prior.path(game.name)
    prior.save(prior.build(numbers, slots), game.name, file)
    print("%s: %d Grundy numbers" % (file, len(numbers)))
    return 0


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    run(main)
