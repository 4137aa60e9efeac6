"""Hex: X joins the top with the bottom, O the left side with the right one [hayward2006].

A cell touches its neighbours in its row, those above it and above to the right, and those below
it and below to the left. X moves first, so X is to move where both have as many stones. One
player always wins, and on an empty n×n board the one who begins [nash1952]. A land is the whole
board, or the board turned by half a turn.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from pns.game import Game, Land, NotationError, Picture, Sum
from pns.games.board import (
    EMPTY_POSITION,
    MOVE_WEIGHT,
    board_text,
    format_boards,
    mask_of,
    one_board,
    player_to_move,
    read_land,
)
from pns.games.board_svg import board_picture
from pns.games.scenes.hexagons import HexScenes
from pns.games.scenes.standalone import standalone
from pns.games.stones import StoneRanking, StoneRules

EMPTY, FIRST, SECOND = b".XO"
LEAD_WEIGHT = 8
"""The branching that an estimate counts for each stone that the mover's opponent needs more."""


def beside(cells: int, stride: int) -> int:
    """The neighbours of cells, some of these cells, and bits outside the board."""
    straight = cells << 1 | cells >> 1 | cells << stride | cells >> stride
    return straight | cells << stride - 1 | cells >> stride - 1


def joined(stones: int, stride: int, start: int, end: int) -> bool:
    """Whether stones join two sets of cells.

    >>> joined(0b0001_0010_0010, 4, 0b0111, 0b0111 << 8)
    True
    """
    return stones_missing(stones, 0, stride, start, end) == 0


def stones_missing(stones: int, empty: int, stride: int, start: int, end: int) -> int:
    """The least number of empty cells that with the stones join two sets of cells, -1 if none do.

    >>> stones_missing(0b0000_0010_0000, 0b0111_0101_0111, 4, 0b0111, 0b0111 << 8)
    2
    """
    missing = 0
    reached = stones & start
    while True:
        while True:
            grown = reached | beside(reached, stride) & stones
            if grown == reached:
                break
            reached = grown
        if reached & end:
            return missing
        reached |= (beside(reached, stride) | start) & empty
        if reached == grown:
            return -1
        missing += 1


def sides(first: bool, width: int, height: int) -> Tuple[int, int]:
    """The cells at the two sides that a player joins."""
    stride = width + 1
    if first:
        row = (1 << width) - 1
        return row, row << stride * (height - 1)
    column = sum([1 << stride * r for r in range(height)])
    return column, column << width - 1


class Hex:
    """The game contract for Hex."""

    name = "hex"
    decomposes = False
    examples = ("...|...|...", "X..|.O.|...", "..|..|..", "....|.OX.|....")

    def __init__(self) -> None:
        self.scenes = HexScenes(
            "Hex",
            "Take turns to put a stone of your colour on a free cell. "
            "Blue wins by a chain from top to bottom, orange by one from left to right.",
            (5, 5),
            self.parse,
        )

    def parse(self, text: str) -> Sum:
        """The land of a board like X..|.O.|...; () for a board that the player to move has lost.

        >>> Hex().parse("..X|.O.|...")
        (b'...|.O.|X..',)
        """
        if text == EMPTY_POSITION:
            return ()
        board = one_board(text, ".XO", "X..|.O.|...")
        moves_first = player_to_move(text, board)
        height = len(board.cells) // board.width
        for first, letter in ((True, FIRST), (False, SECOND)):
            stones = mask_of(board.cells, board.width, letter)
            if joined(stones, board.width + 1, *sides(first, board.width, height)):
                if first == moves_first:
                    wrong = "%s has joined its sides and is to move" % chr(letter)
                    raise NotationError(text, 0, wrong, "write a position before the last move")
                return ()
        return (_least(board.cells, board.width),)

    def format(self, lands: Sum) -> str:
        return format_boards(lands)

    def ranking(self, text: str) -> Optional[StoneRanking]:
        """The index of all positions from a board on (`pns.positions.ranking`)."""
        if text == EMPTY_POSITION:
            return None
        _, cells, width = self._read_board(text)
        stride, height = width + 1, len(cells) // width
        top, bottom = sides(True, width, height)
        left, right = sides(False, width, height)
        wins = (
            lambda stones: joined(stones, stride, left, right),
            lambda stones: joined(stones, stride, top, bottom),
        )
        stay = tuple(range(len(cells)))
        maps = (stay, stay[::-1])
        return StoneRanking(StoneRules(cells, width, "", self._read_board, wins, maps))

    def _read_board(self, text: str) -> Tuple[str, bytes, int]:
        """("", the squares, the width)."""
        self.parse(text)
        board = one_board(text, ".XO", "X..|.O.|...")
        return "", board.cells, board.width

    def draw(self, land: Land) -> Picture:
        cells, _ = read_land(land)
        player = "X, top to bottom" if _moves_first(cells) else "O, left to right"
        text = land.decode("ascii")
        rows = board_picture(text, 0.5, player + ", is to move").text
        return standalone(self.scenes.scene(text))._replace(text=rows)

    def children(self, land: Land) -> List[Sum]:
        """The positions after each stone; only `()` where one joins the sides.

        >>> Hex().children(b"..|OX")
        [()]
        """
        cells, width = read_land(land)
        first = _moves_first(cells)
        stride = width + 1
        letter = b"X" if first else b"O"
        stones = mask_of(cells, width, letter[0])
        ends = sides(first, width, len(cells) // width)
        found: Dict[Sum, None] = {}
        for square, cell in enumerate(cells):
            if cell != EMPTY:
                continue
            placed = stones | 1 << square // width * stride + square % width
            if joined(placed, stride, *ends):
                return [()]
            found[(_least(cells[:square] + letter + cells[square + 1 :], width),)] = None
        return list(found)

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(the empty cells, these weighted, and more the farther the other player is from joining).

        What counts is the stones that both players still need, as if they could place them at once.
        """
        cells, width = read_land(land)
        empty = mask_of(cells, width, EMPTY)
        needed = []
        for first, letter in ((True, FIRST), (False, SECOND)):
            stones = mask_of(cells, width, letter)
            ends = sides(first, width, len(cells) // width)
            needed.append(stones_missing(stones, empty, width + 1, *ends))
        lead = needed[1] - needed[0] if _moves_first(cells) else needed[0] - needed[1]
        moves = cells.count(EMPTY)
        return moves, max(0, MOVE_WEIGHT * moves + LEAD_WEIGHT * lead)


def _moves_first(cells: bytes) -> bool:
    return cells.count(FIRST) == cells.count(SECOND)


def _least(cells: bytes, width: int) -> Land:
    return board_text(min(cells, cells[::-1]), width)


GAME: Game = Hex()
