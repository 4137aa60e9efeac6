"""Check that a game keeps the laws of its contract, by random play from some positions."""

from __future__ import annotations

import argparse
import random
from typing import List, Optional

from pns.cli.common import die, program
from pns.cli.options.check_game import check_game_parser
from pns.finding import find_game
from pns.game import Game
from pns.tools.laws import LawBroken, check_laws


def start_positions(game: Game, given: List[str]) -> List[str]:
    """The texts of the positions to play from; exits if there are none."""
    texts = given or list(getattr(game, "examples", ()))
    if not texts:
        die("%s has no examples; give a position" % game.name)
    return texts


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None:
        args = check_game_parser(program()).parse_args()
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
