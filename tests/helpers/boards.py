"""Cram, NoGo and Clobber written down from their rules, for whole boards, and nothing more."""

from __future__ import annotations

from functools import lru_cache
from typing import Callable, Dict, Iterator, List, Set, Tuple

Board = Tuple[str, ...]
"""The rows of a board."""


def neighbours(board: Board, r: int, c: int) -> Iterator[Tuple[int, int]]:
    for other in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
        if 0 <= other[0] < len(board) and 0 <= other[1] < len(board[0]):
            yield other


def squares(board: Board, letters: str) -> List[Tuple[int, int]]:
    return [(r, c) for r, row in enumerate(board) for c, at in enumerate(row) if at in letters]


def changed(board: Board, changes: Dict[Tuple[int, int], str]) -> Board:
    return tuple(
        "".join([changes.get((r, c), at) for c, at in enumerate(row)])
        for r, row in enumerate(board)
    )


def cram(board: Board) -> Iterator[Board]:
    for square in squares(board, "."):
        for other in neighbours(board, *square):
            if board[other[0]][other[1]] == ".":
                yield changed(board, {square: "#", other: "#"})


def clobber(board: Board) -> Iterator[Board]:
    for square in squares(board, "XO"):
        stone = board[square[0]][square[1]]
        for other in neighbours(board, *square):
            if {stone, board[other[0]][other[1]]} == {"X", "O"}:
                yield changed(board, {square: ".", other: stone})


def is_legal(board: Board) -> bool:
    """Whether every group of a NoGo board has a liberty."""
    return all(has_liberty(board, square) for square in squares(board, "XO"))


def has_liberty(board: Board, square: Tuple[int, int]) -> bool:
    stone = board[square[0]][square[1]]
    seen: Set[Tuple[int, int]] = {square}
    queue = [square]
    for at in queue:
        for r, c in neighbours(board, *at):
            if board[r][c] == ".":
                return True
            if board[r][c] == stone and (r, c) not in seen:
                seen.add((r, c))
                queue.append((r, c))
    return False


def nogo(board: Board) -> Iterator[Board]:
    for square in squares(board, "."):
        for stone in "XO":
            after = changed(board, {square: stone})
            if is_legal(after):
                yield after


MOVES: Dict[str, Callable[[Board], Iterator[Board]]] = {
    "cram": cram,
    "clobber": clobber,
    "nogo": nogo,
}


@lru_cache(maxsize=None)
def plain_grundy(game: str, board: Board) -> int:
    """The Grundy number of a board by its definition."""
    numbers = {plain_grundy(game, after) for after in MOVES[game](board)}
    return min(set(range(len(numbers) + 1)) - numbers)
