"""Small boards of games of outcomes, wholly by plain search, and the outcomes of others."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any, Dict, List, Tuple

import pytest
from helpers.boards import Board
from helpers.partisan import (
    after_stones,
    has_line,
    hex_wins,
    joins,
    mnk_value,
    mover,
    pentago_value,
)
from helpers.searches import search_of

from pns.dfpn import Search
from pns.finding import find_game

pytestmark = pytest.mark.search

Columns = Tuple[str, ...]
"""The stones of a board with gravity, column by column, from the bottom up."""


def value(game: Any, search: Search, text: str) -> int:
    """1, 0 or -1 for the player to move, by both questions."""
    wins, draws = game.questions(text)
    assert not search.outcome(wins) or search.outcome(draws)
    return 1 if search.outcome(wins) else 0 if search.outcome(draws) else -1


def test_all_positions_of_tic_tac_toe() -> None:
    game = find_game("mnk")
    search = search_of(game, capacity=1 << 16)
    positions: Dict[Board, None] = {("...",) * 3: None}
    waiting = list(positions)
    for board in waiting:
        if any(has_line(board, letter, 3) for letter in "XO"):
            found = -1
        else:
            found = mnk_value(board, 3, False)
            new = [b for b in after_stones(board, mover(board)) if b not in positions]
            positions.update(dict.fromkeys(new))
            waiting += new
        assert value(game, search, "3:" + "|".join(board)) == found, board
    assert len(positions) == 5478


def completes(columns: Columns, c: int) -> bool:
    """Whether the highest stone of a column is in a row of four."""
    letter, height = columns[c][-1], len(columns[c]) - 1

    def length(right: int, up: int) -> int:
        n, x, y = 0, c + right, height + up
        while 0 <= x < len(columns) and 0 <= y < len(columns[x]) and columns[x][y] == letter:
            n, x, y = n + 1, x + right, y + up
        return n

    steps = ((1, 0), (0, 1), (1, 1), (1, -1))
    return any(1 + length(*step) + length(-step[0], -step[1]) >= 4 for step in steps)


def drops(columns: Columns, height: int, letter: str) -> List[Tuple[Columns, int]]:
    """The boards after each stone, and its column."""
    return [
        ((*columns[:c], stones + letter, *columns[c + 1 :]), c)
        for c, stones in enumerate(columns)
        if len(stones) < height
    ]


@lru_cache(maxsize=None)
def connect_four_value(columns: Columns, height: int, letter: str) -> int:
    """1, 0 or -1 for the player to move, by plain search."""
    best = -2
    other = "XO".replace(letter, "")
    for after, c in drops(columns, height, letter):
        result = 1 if completes(after, c) else -connect_four_value(after, height, other)
        best = max(best, result)
        if best == 1:
            break
    return 0 if best == -2 else best


def text_of(columns: Columns, height: int) -> str:
    filled = [stones.ljust(height, ".") for stones in columns]
    return "4v:" + "|".join("".join(row) for row in zip(*filled))[::-1]


@pytest.mark.slow
def test_connect_four_on_4x4() -> None:
    game = find_game("mnk")
    search = search_of(game, capacity=1 << 16)
    rng = random.Random(4)
    found = set()
    for moves in [0] + [rng.randrange(1, 14) for _ in range(60)]:
        columns: Columns = ("",) * 4
        letter, is_over = "X", False
        for _ in range(moves):
            columns, c = rng.choice(drops(columns, 4, letter))
            letter, is_over = "XO".replace(letter, ""), completes(columns, c)
            if is_over:
                break
        result = -1 if is_over else connect_four_value(columns, 4, letter)
        assert value(game, search, text_of(columns, 4)) == result, columns
        assert moves or result == 0
        found.add(result)
    assert found == {1, 0, -1}


def test_pentago_on_4x4() -> None:
    game = find_game("pentago")
    search = search_of(game, capacity=1 << 16)
    rng = random.Random(6)
    found = set()
    for empty in (3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6):
        stones = 16 - empty
        cells = rng.sample("X" * (stones - stones // 2) + "O" * (stones // 2) + "." * empty, 16)
        board = tuple("".join(cells[i : i + 4]) for i in range(0, 16, 4))
        assert value(game, search, "|".join(board)) == pentago_value(board), board
        found.add(pentago_value(board))
    assert found == {1, 0, -1}


HEX = ["...X", "..X.", ".X..", "X..."]
"""The winning first moves on 4x4; plain search through 2,330,510 positions finds the same."""


@pytest.mark.slow
def test_first_moves_of_hex_on_4x4() -> None:
    game = find_game("hex")
    search = search_of(game, capacity=1 << 16)
    for board in list(after_stones(("....",) * 4, "X"))[:8]:  # the others are turned by a half
        wins = not search.outcome(game.parse("|".join(board)))
        assert wins == any(row == wanted for row, wanted in zip(board, HEX)), board


def test_late_positions_of_hex_on_4x4() -> None:
    game, rng = find_game("hex"), random.Random(5)
    search = search_of(game, capacity=1 << 16)
    found = set()
    for stones in (7, 8, 9, 10) * 5:
        free = "." * (16 - stones)
        cells = rng.sample("X" * (stones - stones // 2) + "O" * (stones // 2) + free, 16)
        board = tuple("".join(cells[i : i + 4]) for i in range(0, 16, 4))
        if not joins(board, "X") and not joins(board, "O"):
            assert search.outcome(game.parse("|".join(board))) == hex_wins(board), board
            found.add(hex_wins(board))
    assert found == {True, False}


DOMINEERING = [
    *[(height, 3, True) for height in range(2, 9)],
    *[(2, 5, True), (4, 5, True), (2, 7, True), (2, 9, True), (2, 11, True)],
    *[(3, width, False) for width in range(4, 9)],
    *[(5, 2, False), (5, 4, False), (9, 2, False)],
]
"""Height, width, whether the vertical player wins who moves first [uiterwijk2014]."""


@pytest.mark.parametrize("height, width, wins", DOMINEERING)
def test_domineering_on_rectangles(height: int, width: int, wins: bool) -> None:
    game = find_game("domineering")
    position = game.parse("|".join(["." * width] * height))
    assert search_of(game, capacity=1 << 16).outcome(position) == wins
