"""Random games on drawings: after every move exact tests of the geometry, the text, the moves.

    pypy3 tests/tools/drawn_games.py --seconds 600 --seed 1
    pypy3 tests/tools/drawn_games.py --times

Games of 2 to 12 spots are played to the end; one in forty is of 29 spots, for twenty moves. Up to
`MOST_LISTED` spots the moves of the drawing are those of the rules, too. A failure prints the
spots and the seed of its game, and ends the program with status 1. `--times` measures moves
instead.
"""

from __future__ import annotations

import argparse
import random
import sys
import traceback
from collections import Counter
from pathlib import Path
from time import monotonic, process_time
from typing import Dict, List, Tuple

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "scripts")]

import bootstrap  # noqa: E402, F401

from helpers.drawings import assert_moves, play_random_game, random_move  # noqa: E402

from pns.sprouts.drawing import Board, settle  # noqa: E402

LARGE, LARGE_MOVES, LARGE_EVERY = 29, 20, 40
MOST_LISTED = 4
WARM_GAMES, TIMED_GAMES = 5, 20
ROUNDS = 16
"""The rounds of forces after a measured move."""
WIDTH = 10
"""Numbers of lines in a row of the table."""


def play_for(seconds: float, seed: int) -> bool:
    """Play until the time is over, or a test fails; prints how many games and moves."""
    ends = monotonic() + seconds
    games: Counter[int] = Counter()
    moves = 0
    while monotonic() < ends:
        number = sum(games.values())
        spots = LARGE if number % LARGE_EVERY == LARGE_EVERY - 1 else 2 + number % 11
        try:
            board = play_random_game(
                spots,
                seed,
                LARGE_MOVES if spots == LARGE else 1 << 20,
                check=assert_moves if spots <= MOST_LISTED else None,
            )
        except Exception:
            traceback.print_exc()
            print("failed: %d spots, seed %d" % (spots, seed))
            return False
        games[spots] += 1
        moves += len(board.map.lives) - spots
        seed += 1
    large = games.pop(LARGE, 0)
    found = sum(games.values()), large, moves
    print("%d games of 2 to 12 spots, %d of 29 spots; %d moves; nothing crosses" % found)
    return True


def measure() -> None:
    """Print a table of milliseconds for a move, by the number of lines before it."""
    times: Dict[int, List[Tuple[float, float]]] = {}
    for game in range(WARM_GAMES + TIMED_GAMES):
        rng = random.Random(game)
        board = Board.of_spots(LARGE if game % 2 else 12)
        while True:
            try:
                move = random_move(board.map, rng)
            except IndexError:
                break
            row = len(board.paths) // WIDTH
            began = process_time()
            board.play(move)
            drawn = process_time()
            settle(board, ROUNDS)
            if game >= WARM_GAMES:
                spent = (1000 * (drawn - began), 1000 * (process_time() - drawn))
                times.setdefault(row, []).append(spent)
    print("| lines | moves | drawn | improved | longest in all |\n|---|---|---|---|---|")
    for row, found in sorted(times.items()):
        drawn, improved = (sorted(part)[len(found) // 2] for part in zip(*found))
        print(
            "| %d to %d | %d | %.1f | %.0f | %.0f |"
            % (
                WIDTH * row,
                WIDTH * row + WIDTH - 1,
                len(found),
                drawn,
                improved,
                max([sum(pair) for pair in found]),
            )
        )


def main() -> int:
    """Do what the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="default: %(default)g")
    parser.add_argument("--seed", type=int, default=1, help="of the first game; default: 1")
    parser.add_argument("--times", action="store_true", help="measure moves instead")
    args = parser.parse_args()
    if args.times:
        measure()
        return 0
    return 0 if play_for(args.seconds, args.seed) else 1


if __name__ == "__main__":
    sys.exit(main())
