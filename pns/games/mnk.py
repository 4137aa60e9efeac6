"""m,n,k games: the first with k stones in a row, in any direction, wins; a full board is a draw.

Tic-tac-toe is `3:...|...|...`. With gravity, `4v:....|....`, a stone falls to the lowest empty
square of its column, as in Connect-4 [allis1988]. X moves first, so X is to move where both have
as many stones. A letter after k says for whom a draw counts as a win: `3x:...` asks whether X gets
a draw at least, `3o:...` whether X wins. Without it the draw counts against the player to move.

A land is a whole board, or an image of it under the symmetries of the game. Where the player
whom draws do not help can fill no row any more, the other has won.
"""

from __future__ import annotations

import re
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

from pns.game import Game, Land, NotationError, Picture, Sum
from pns.games.board import (
    EMPTY_POSITION,
    board_text,
    canonical,
    format_boards,
    image_maps,
    mask_of,
    one_board,
    player_to_move,
    read_land,
    transposed,
)
from pns.games.board_svg import board_picture
from pns.games.scenes.placed import LineScenes
from pns.games.stones import StoneRanking, StoneRules

EMPTY, FIRST, SECOND = b".XO"
HEAD = re.compile(r"([1-9][0-9]?)(v?)([xo]?):")
EXAMPLE = "3:X..|.O.|..."


class MnkRules(NamedTuple):
    """What comes before the board: the length of a row, gravity, and for whom a draw counts."""

    k: int
    falls: bool
    draws_for_first: bool

    def head(self) -> bytes:
        letter = "x" if self.draws_for_first else "o"
        return ("%d%s%s:" % (self.k, "v" * self.falls, letter)).encode("ascii")


def has_row(stones: int, k: int, stride: int) -> bool:
    """Whether k of some squares are in a row.

    >>> has_row(0b0100_0010_0001, 3, 4), has_row(0b0111_0000, 4, 4)
    (True, False)
    """
    for step in (1, stride - 1, stride, stride + 1):
        starts, length = stones, 1
        while length < k:
            more = min(length, k - length)
            starts &= starts >> step * more
            length += more
        if starts:
            return True
    return False


def row_test(k: int, stride: int) -> Callable[[int], bool]:
    """`has_row` for many boards of one width: without loops, for rows of up to 8.

    >>> test = row_test(3, 4)
    >>> test(0b0100_0010_0001), test(0b0011_0011)
    (True, False)
    """
    shifts: List[int] = []
    length = 1
    while length < k:
        more = min(length, k - length)
        shifts.append(more)
        length += more
    if len(shifts) > 3:
        return lambda stones: has_row(stones, k, stride)
    one, two, three = [*shifts, 0, 0, 0][:3]
    d1, d2, d3 = one * (stride - 1), two * (stride - 1), three * (stride - 1)
    r1, r2, r3 = one * stride, two * stride, three * stride
    e1, e2, e3 = one * (stride + 1), two * (stride + 1), three * (stride + 1)

    def test(stones: int) -> bool:
        starts = stones & stones >> one
        starts &= starts >> two
        if starts & starts >> three:
            return True
        starts = stones & stones >> d1
        starts &= starts >> d2
        if starts & starts >> d3:
            return True
        starts = stones & stones >> r1
        starts &= starts >> r2
        if starts & starts >> r3:
            return True
        starts = stones & stones >> e1
        starts &= starts >> e2
        return starts & starts >> e3 != 0

    return test


class MnkGame:
    """The game contract for m,n,k games."""

    name = "mnk"
    decomposes = False
    examples = ("3:...|...|...", "3x:X..|.O.|...", "3v:....|....|....", "4vx:....|....|....|....")

    def __init__(self) -> None:
        self.scenes = LineScenes(
            "Tic-tac-toe",
            "Take turns to put a stone of your colour on a free square; three in a row win, on "
            "larger boards four. If nobody can get a row any more, it is a draw.",
            (3, 3),
            self.parse,
        )

    def parse(self, text: str) -> Sum:
        """The land of a board; () for one that the player to move has lost.

        >>> MnkGame().parse("3:..X|...|..O")
        (b'3o:...|...|O.X',)
        """
        if text == EMPTY_POSITION:
            return ()
        match = HEAD.match(text)
        if not match:
            right = "begin with the length of a row, like %s" % EXAMPLE
            raise NotationError(text, 0, "the length of a row is missing", right)
        board = one_board(text, ".XO", EXAMPLE, match.end())
        moves_first = player_to_move(text, board)
        letter = match.group(3)
        draws_for_first = letter == "x" if letter else not moves_first
        rules = MnkRules(int(match.group(1)), bool(match.group(2)), draws_for_first)
        cells, width = board.cells, board.width
        if rules.falls:
            for square in range(len(cells) - width):
                if cells[square] != EMPTY and cells[square + width] == EMPTY:
                    right = "with gravity, stones fall to the bottom row"
                    raise NotationError(
                        text, board.at(square), "this stone has an empty square below it", right
                    )
        stones = [mask_of(cells, width, letter) for letter in (FIRST, SECOND)]
        mover, other = stones if moves_first else stones[::-1]
        if has_row(mover, rules.k, width + 1):
            wrong = "the player to move has a row"
            raise NotationError(text, 0, wrong, "write a position before the last move")
        wants_draw = draws_for_first == moves_first
        if has_row(other, rules.k, width + 1):
            return ()
        if not wants_draw and _is_hopeless(mover, cells, width, rules.k):
            return ()
        return (_land(rules, cells, width),)

    def format(self, lands: Sum) -> str:
        return format_boards(lands)

    def questions(self, text: str) -> Tuple[Sum, Sum]:
        """The position with a draw as a loss of the player to move, and with a draw as a win."""
        match = HEAD.match(text)
        if not match:
            self.parse(text)
            return (), ()
        head, rest = match.group(1) + match.group(2), text[match.end() :]
        against = self.parse("%s:%s" % (head, rest))
        letter = "x" if _moves_first(rest.encode("ascii")) else "o"
        return against, self.parse("%s%s:%s" % (head, letter, rest))

    def names_drawer(self, text: str) -> bool:
        """Whether a letter says for whom a draw counts."""
        match = HEAD.match(text)
        return bool(match and match.group(3))

    def ranking(self, text: str) -> Optional[StoneRanking]:
        """The index of all positions from a board on (`pns.positions.ranking`)."""
        if text == EMPTY_POSITION:
            return None
        head, cells, width = self._read_board(text)
        k, falls = int(head.rstrip("v:")), "v" in head
        wins = row_test(k, width + 1)

        def read(text: str) -> Tuple[str, bytes, int]:
            found, own, columns = self._read_board(text)
            if not falls and columns != width and columns * width == len(own):  # lands lie down
                own, columns = transposed(own, columns), width
            return found, own, columns

        maps = image_maps(len(cells), width, mirrored_only=falls)
        return StoneRanking(StoneRules(cells, width, head, read, (wins, wins), maps, falls))

    def _read_board(self, text: str) -> Tuple[str, bytes, int]:
        """(what precedes the board, without the letter for draws; its squares; its width)."""
        self.parse(text)
        match = HEAD.match(text)
        assert match
        board = one_board(text, ".XO", EXAMPLE, match.end())
        return match.group(1) + match.group(2) + ":", board.cells, board.width

    def draw(self, land: Land) -> Picture:
        rules, cells, _ = _read(land)
        player = "X" if _moves_first(cells) else "O"
        board = land.decode("ascii").partition(":")[2]
        return board_picture(board, note="%s is to move; %d in a row win" % (player, rules.k))

    def children(self, land: Land) -> List[Sum]:
        """The positions after each stone; only `()` where one wins at once.

        >>> MnkGame().children(b"2o:..|..")
        [(b'2o:..|.X',)]
        """
        rules, cells, width = _read(land)
        first = _moves_first(cells)
        letter, answer = (FIRST, SECOND) if first else (SECOND, FIRST)
        stride = width + 1
        own = mask_of(cells, width, letter)
        is_asked = rules.draws_for_first != first
        other = mask_of(cells, width, answer)
        free = mask_of(cells, width, EMPTY)
        if not is_asked and not has_row(other | free, rules.k, stride):
            return [()]
        found: Dict[Sum, None] = {}
        for square, cell in enumerate(cells):
            below = square + width
            if cell != EMPTY or rules.falls and cells[below : below + 1] == b".":
                continue
            bit = 1 << square // width * stride + square % width
            if has_row(own | bit, rules.k, stride):
                return [()]
            if not is_asked and not has_row(other | free ^ bit, rules.k, stride):
                return [()]
            after = cells[:square] + bytes([letter]) + cells[square + 1 :]
            found[(_land(rules, after, width),)] = None
        return list(found)

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(the empty squares and one, the empty squares)."""
        empty = land.count(b".")
        return empty + 1, empty


def _moves_first(cells: bytes) -> bool:
    return cells.count(FIRST) == cells.count(SECOND)


def _read(land: Land) -> Tuple[MnkRules, bytes, int]:
    head, _, board = land.partition(b":")
    letters = head.decode("ascii")
    rules = MnkRules(int(letters.rstrip("vxo")), "v" in letters, letters[-1] == "x")
    return (rules, *read_land(board))


def _land(rules: MnkRules, cells: bytes, width: int) -> Land:
    """The least image of a board, under its rules."""
    if not rules.falls:
        return rules.head() + canonical(cells, width)
    mirrored = b"".join([cells[i : i + width][::-1] for i in range(0, len(cells), width)])
    return rules.head() + board_text(min(cells, mirrored), width)


def _is_hopeless(own: int, cells: bytes, width: int, k: int) -> bool:
    """Whether a player can fill no row any more."""
    return not has_row(own | mask_of(cells, width, EMPTY), k, width + 1)


GAME: Game = MnkGame()
