"""Pentago: place a stone, then turn a quadrant by a quarter; five in a row win [irving2014].

The board has 6 × 6 squares and four quadrants of 3 × 3. A move that makes a row before the turn
ends the game at once. If a turn makes rows of both players, or the board is full without one, the
game is a draw. The small board has 4 × 4 squares, quadrants of 2 × 2 and rows of four.

X moves first, so X is to move where both have as many stones. `x:` or `o:` before the board says
for whom a draw counts as a win, as in m,n,k games; without it a draw counts against the player
to move. A land is a whole board, or an image of it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Dict, List, Optional, Tuple

from pns.game import Game, Land, NotationError, Picture, Sum
from pns.games.board import (
    EMPTY_POSITION,
    canonical,
    format_boards,
    image_maps,
    mask_of,
    one_board,
    player_to_move,
    read_land,
)
from pns.games.board_svg import board_picture
from pns.games.mnk import has_row, row_test
from pns.games.pentago.late import LateRanking
from pns.games.pentago.quadrants import ROWS
from pns.games.pentago.sections import SectionRanking
from pns.games.stones import StoneRanking, StoneRules
from pns.positions.ranking import Ranking

EMPTY, FIRST, SECOND = b".XO"
HEADS = ("x:", "o:")
EXAMPLE = "X...|....|....|...."
MOST_LATE_FREE = 18
"""Free squares of a board that is solved when it is asked for."""


@lru_cache(maxsize=None)
def turns(side: int) -> List[Tuple[int, ...]]:
    """For each quadrant and direction, the square that each square gets its stone from."""
    half = side // 2
    found = []
    for top in (0, half):
        for left in (0, half):
            source = list(range(side * side))
            for r in range(half):
                for c in range(half):
                    source[(top + c) * side + left + half - 1 - r] = (top + r) * side + left + c
            found.append(tuple(source))
            back = [0] * len(source)
            for square, other in enumerate(source):
                back[other] = square
            found.append(tuple(back))
    return found


class Pentago:
    """The game contract for Pentago."""

    name = "pentago"
    decomposes = False
    examples = (
        "XO..|.X..|..O.|....",
        "x:XOXO|OX.X|X.XO|..O.",
        "XOXOXO|OXOXOX|.XOXOX|XOXOX.|O.OXO.|OXOX..",
    )

    def parse(self, text: str) -> Sum:
        """The land of a board; () for one that the player to move has lost.

        >>> Pentago().parse("...X|....|....|....")
        (b'x:....|....|....|...X',)
        """
        if text == EMPTY_POSITION:
            return ()
        letter = text[:1] if text.startswith(HEADS) else ""
        start = 2 if letter else 0
        board = one_board(text, ".XO", EXAMPLE, start)
        if board.width not in ROWS or len(board.cells) != board.width**2:
            raise NotationError(
                text, start, "a board of another size", "write 6 rows of 6, or 4 of 4"
            )
        moves_first = player_to_move(text, board)
        draws_for_first = letter == "x" if letter else not moves_first
        return position(draws_for_first, board.cells, board.width)

    def format(self, lands: Sum) -> str:
        return format_boards(lands)

    def questions(self, text: str) -> Tuple[Sum, Sum]:
        """The position with a draw as a loss of the player to move, and with a draw as a win."""
        rest = text[2:] if text.startswith(HEADS) else text
        if rest == EMPTY_POSITION:
            return (), ()
        against = self.parse(rest)
        letter = "x" if rest.count("X") == rest.count("O") else "o"
        return against, self.parse("%s:%s" % (letter, rest))

    def names_drawer(self, text: str) -> bool:
        """Whether a letter says for whom a draw counts."""
        return text.startswith(HEADS)

    def ranking(self, text: str) -> Optional[Ranking]:
        """The index of all positions after one: of all arrangements of stones on the small board,
        or of the descendants of a board with some stones (`pns.positions.ranking`).

        Raises ValueError if too many squares are free.
        """
        _, cells, side = self._read_board(text)
        if not cells:
            return None
        if side != 4 or cells.strip(b"."):
            return LateRanking(cells, side, self._read_cells)
        wins = row_test(ROWS[side], side + 1)
        maps = image_maps(len(cells), side)
        rules = StoneRules(
            cells, side, "", self._read_board, (wins, wins), maps, False, turns(side)
        )
        return StoneRanking(rules)

    def section_ranking(self, text: str) -> Optional[Ranking]:
        """The same for the small board by sections, None from another root than the empty one."""
        _, cells, side = self._read_board(text)
        return None if side != 4 or cells.strip(b".") else SectionRanking(side, self._read_cells)

    def late_ranking(self, text: str) -> Optional[Ranking]:
        """The index of what follows a board with few free squares, None if play is over.

        On 6×6 these are the boards with at least 18 stones (`pns.positions.ranking`).
        """
        _, cells, side = self._read_board(text)
        if not cells or is_over(cells, side) or cells.count(EMPTY) > MOST_LATE_FREE:
            return None
        return LateRanking(cells, side, self._read_cells)

    def _read_cells(self, text: str) -> bytes:
        return self._read_board(text)[1]

    def _read_board(self, text: str) -> Tuple[str, bytes, int]:
        """("", the squares, the width); none for the position without moves."""
        self.parse(text)
        rest = text[2:] if text.startswith(HEADS) else text
        if rest == EMPTY_POSITION:
            return "", b"", 0
        board = one_board(rest, ".XO", EXAMPLE)
        return "", board.cells, board.width

    def draw(self, land: Land) -> Picture:
        cells, _ = read_land(land[2:])
        player = "X" if _moves_first(cells) else "O"
        return board_picture(land[2:].decode("ascii"), note=player + " is to move")

    def children(self, land: Land) -> List[Sum]:
        """The positions after each stone and turn; only `()` where one wins at once.

        >>> len(Pentago().children(b"o:....|....|....|...."))
        3
        """
        draws_for_first = land[:1] == b"x"
        cells, side = read_land(land[2:])
        if is_over(cells, side):
            return [()]
        letter = b"X" if _moves_first(cells) else b"O"
        found: Dict[Sum, None] = {}
        for square, cell in enumerate(cells):
            if cell != EMPTY:
                continue
            placed = cells[:square] + letter + cells[square + 1 :]
            if has_row(mask_of(placed, side, letter[0]), ROWS[side], side + 1):
                return [()]
            for source in turns(side):
                child = position(draws_for_first, bytes([placed[i] for i in source]), side)
                if not child:
                    return [()]
                found[child] = None
        return list(found)

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(the empty squares and one, the stones and turns)."""
        empty = land.count(b".")
        return empty + 1, 8 * empty


def rows_of(cells: bytes, side: int) -> Tuple[bool, bool]:
    """Whether X, and whether O, has a row."""
    stones = [mask_of(cells, side, letter) for letter in (FIRST, SECOND)]
    first, second = [has_row(mask, ROWS[side], side + 1) for mask in stones]
    return first, second


def is_over(cells: bytes, side: int) -> bool:
    """Whether somebody has a row, or the board is full."""
    return EMPTY not in cells or any(rows_of(cells, side))


def position(draws_for_first: bool, cells: bytes, side: int) -> Sum:
    """The land of a board; () if the game is over and the player to move has lost."""
    first, second = rows_of(cells, side)
    if first or second or EMPTY not in cells:
        first_wins = first if first != second else draws_for_first
        if first_wins != _moves_first(cells):
            return ()
    return ((b"x:" if draws_for_first else b"o:") + canonical(cells, side),)


def _moves_first(cells: bytes) -> bool:
    return cells.count(FIRST) == cells.count(SECOND)


GAME: Game = Pentago()
