"""Domineering, Hex and m,n,k games written down from their rules, for whole boards."""

from __future__ import annotations

from functools import lru_cache
from typing import Iterator, Tuple

from helpers.boards import Board, changed, squares

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


@lru_cache(maxsize=None)
def domineering_wins(board: Board, is_vertical: bool) -> bool:
    """Whether the player to move wins."""
    down, right = (1, 0) if is_vertical else (0, 1)
    free = squares(board, ".")
    for r, c in free:
        other = r + down, c + right
        if other in free:
            after = changed(board, {(r, c): "#", other: "#"})
            if not domineering_wins(after, not is_vertical):
                return True
    return False


def after_stones(board: Board, letter: str) -> Iterator[Board]:
    for square in squares(board, "."):
        yield changed(board, {square: letter})


def mover(board: Board) -> str:
    """X began."""
    return "X" if len(squares(board, "X")) == len(squares(board, "O")) else "O"


def joins(board: Board, letter: str) -> bool:
    """Whether a player of Hex has joined the two sides."""
    stones = set(squares(board, letter))
    axis = 0 if letter == "X" else 1
    last = len(board) - 1 if letter == "X" else len(board[0]) - 1
    reached = [square for square in stones if square[axis] == 0]
    for r, c in reached:
        for step in ((0, 1), (1, 0), (1, -1)):
            for sign in (1, -1):
                near = r + sign * step[0], c + sign * step[1]
                if near in stones and near not in reached:
                    reached.append(near)
    return any([square[axis] == last for square in reached])


@lru_cache(maxsize=None)
def hex_wins(board: Board) -> bool:
    """Whether the player to move wins."""
    letter = mover(board)
    return any(joins(after, letter) or not hex_wins(after) for after in after_stones(board, letter))


def has_line(board: Board, letter: str, k: int) -> bool:
    stones = set(squares(board, letter))
    return any(
        all((r + i * down, c + i * right) in stones for i in range(k))
        for r, c in stones
        for down, right in STEPS
    )


@lru_cache(maxsize=None)
def mnk_value(board: Board, k: int, falls: bool) -> int:
    """1, 0 or -1 for the player to move, by plain search."""
    letter = mover(board)
    best = -2
    for r, c in squares(board, "."):
        if falls and r + 1 < len(board) and board[r + 1][c] == ".":
            continue
        after = changed(board, {(r, c): letter})
        best = max(best, 1 if has_line(after, letter, k) else -mnk_value(after, k, falls))
    return 0 if best == -2 else best


def random_line(board: Board, moves: int, choose: "Tuple[int, ...]", falls: bool) -> Board:
    """The board after some moves of both players, by the numbers in `choose`."""
    for i in range(moves):
        free = [
            (r, c)
            for r, c in squares(board, ".")
            if not falls or r + 1 == len(board) or board[r + 1][c] != "."
        ]
        if not free:
            break
        board = changed(board, {free[choose[i] % len(free)]: mover(board)})
    return board


def turned(board: Board, top: int, left: int, clockwise: bool) -> Board:
    """A board of Pentago with a quadrant turned."""
    half = len(board) // 2
    part = [board[top + r][left : left + half] for r in range(half)]
    part = ["".join(row) for row in (zip(*part[::-1]) if clockwise else list(zip(*part))[::-1])]
    squares_there = ((r, c) for r in range(half) for c in range(half))
    return changed(board, {(top + r, left + c): part[r][c] for r, c in squares_there})


@lru_cache(maxsize=None)
def pentago_value(board: Board) -> int:
    """1, 0 or -1 for the player to move, by plain search."""
    k, half, letter = {4: 4, 6: 5}[len(board)], len(board) // 2, mover(board)
    other = "XO".replace(letter, "")
    own, others = has_line(board, letter, k), has_line(board, other, k)
    if own or others or not squares(board, "."):
        return own - others
    best = -1
    for placed in after_stones(board, letter):
        if has_line(placed, letter, k):
            return 1
        for top, left in ((0, 0), (0, half), (half, 0), (half, half)):
            for clockwise in (True, False):
                best = max(best, -pentago_value(turned(placed, top, left, clockwise)))
        if best == 1:
            break
    return best
