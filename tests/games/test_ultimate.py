"""Ultimate tic-tac-toe: plain search by its rules on late positions, images, refusals."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import List, Optional, Tuple

import pytest

import pns
from pns.finding import find_game
from pns.game import NotationError

pytestmark = pytest.mark.search

GAME = find_game("ultimate")
LINES = ("012", "345", "678", "036", "147", "258", "048", "246")
Boards = Tuple[str, ...]
"""Nine boards of nine squares, with all their stones."""


def owner(board: str) -> str:
    """Who has a board: X, O, # for nobody, . while it is open."""
    for letter in "XO":
        if any([all([board[int(i)] == letter for i in line]) for line in LINES]):
            return letter
    return "." if "." in board else "#"


def moves(boards: Boards, target: Optional[int]) -> List[Tuple[int, int]]:
    """(board, square) of each legal move."""
    is_open = [owner(board) == "." for board in boards]
    allowed = [target] if target is not None and is_open[target] else range(9)
    return [(b, s) for b in allowed if is_open[b] for s in range(9) if boards[b][s] == "."]


def after(boards: Boards, number: int, square: int, mover: str) -> Boards:
    board = boards[number][:square] + mover + boards[number][square + 1 :]
    return (*boards[:number], board, *boards[number + 1 :])


@lru_cache(maxsize=None)
def value(boards: Boards, target: Optional[int], mover: str) -> int:
    """1, 0 or -1 for the player to move."""
    other = "XO".replace(mover, "")
    if owner("".join(map(owner, boards)).replace(".", "#")) == other:
        return -1
    results = [
        -value(after(boards, number, square, mover), square, other)
        for number, square in moves(boards, target)
    ]
    return max(results, default=0)


def text_of(boards: Boards, target: Optional[int], mover: str) -> str:
    rows = [
        "".join([boards[r // 3 * 3 + b][r % 3 * 3 : r % 3 * 3 + 3] for b in range(3)])
        for r in range(9)
    ]
    return "%s%s:%s" % (mover, "*" if target is None else target + 1, "|".join(rows))


def late_position(seed: int, left: int) -> Tuple[Boards, Optional[int], str]:
    """A position after moves at random, with few squares to play in."""
    rng = random.Random(seed)
    boards: Boards = ("." * 9,) * 9
    target: Optional[int] = None
    mover = "X"
    while is_going_on(boards) and len(moves(boards, None)) > left:
        number, square = rng.choice(moves(boards, target))
        boards, target, mover = (
            after(boards, number, square, mover),
            square,
            "XO".replace(mover, ""),
        )
    return boards, target, mover


def is_going_on(boards: Boards) -> bool:
    return owner("".join(map(owner, boards)).replace(".", "#")) == "#"


def test_late_positions() -> None:
    names = {1: "win", 0: "draw", -1: "loss"}
    found = set()
    for seed in range(30):
        boards, target, mover = late_position(seed, 7)
        expected = names[value(boards, target, mover)]
        assert pns.value(text_of(boards, target, mover), "ultimate") == expected, seed
        found.add(expected)
    assert found == {"win", "draw", "loss"}


def test_images_are_one_land() -> None:
    boards, target, mover = late_position(3, 20)
    land = GAME.parse(text_of(boards, target, mover))
    mirror = (2, 1, 0, 5, 4, 3, 8, 7, 6)
    mirrored = tuple(["".join([boards[i][j] for j in mirror]) for i in mirror])
    other = None if target is None else mirror[target]
    assert GAME.parse(text_of(mirrored, other, mover)) == land != ()


ROWS = "|".join(["." * 9] * 9)


@pytest.mark.parametrize(
    "text, wrong",
    [
        (ROWS, "the player to move is missing"),
        ("X0:" + ROWS, "the player to move is missing"),
        ("X*:...|...", "a board of another size"),
        ("X*:" + ROWS.replace(".", "#", 1), "a partly blocked board"),
        (
            "X*:" + ROWS.replace("...", "XXX", 1).replace("|...", "|OOO", 1),
            "both players have a row",
        ),
        ("X*:" + ROWS.replace("." * 9, "X" * 9, 1), "X has a row of boards"),
    ],
)
def test_refused(text: str, wrong: str) -> None:
    with pytest.raises(NotationError) as caught:
        GAME.parse(text)
    assert wrong in str(caught.value)
