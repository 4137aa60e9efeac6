"""Check that a game keeps the laws of its contract, by random play from some positions."""

from __future__ import annotations

import argparse
import random
from typing import Any, List

from pns.cli.common import Parser, amount, die, game_name, run
from pns.game import Game, find_game
from pns.games.laws import LawBroken, check_laws

GAMES_FROM_EACH = 20
EPILOG = """\
Every position on the way is written and read back, with mistakes too; children are counted,
compared and asked for again; every line of play ends. docs/architecture.md has the contract.

exit status: 0 when all laws hold, 1 when one is broken, 2 after bad input."""


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = Parser(
        description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("game", metavar="GAME", type=game_name, help="a game's name, or MODULE:GAME")
    add(
        "positions",
        metavar="POSITION",
        nargs="*",
        help="where play begins; default: the examples of the game, if it has any",
    )
    add(
        "--times",
        metavar="N",
        type=amount,
        default=GAMES_FROM_EACH,
        help="times to play from each position; default: %(default)s",
    )
    add("--seed", metavar="N", type=amount, default=0, help="of the random moves; default: 0")
    return parser.parse_args()


def start_positions(game: Game, given: List[str]) -> List[str]:
    """The texts of the positions to play from; exits if there are none."""
    texts = given or list(getattr(game, "examples", ()))
    if not texts:
        die("name a position: %s has no examples" % game.name)
    return texts


def main() -> int:
    """Do what the command line says; returns the exit status."""
    args: Any = parse_arguments()
    game = find_game(args.game)
    texts = start_positions(game, args.positions)
    for text in texts:
        position = game.parse(text)
        moves = 0
        for time in range(args.times):
            try:
                moves += check_laws(game, position, random.Random("%d %d" % (args.seed, time)))
            except LawBroken as error:
                print("%s, from %s: %s" % (game.name, text, error))
                return 1
        print("%s: %d moves in %d games, all laws hold" % (text, moves, args.times))
    return 0


if __name__ == "__main__":
    run(main)
