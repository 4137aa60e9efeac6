"""All positions of Pentago after a late one, counted off, with half of the rotations at once.

This is the way in which the explorer of [irving2014] finds values that no table has (section
VIII). The descendants of a position are its stones with further ones on its free squares, under
all rotations of the quadrants. A move places a stone and turns one quadrant by a quarter, so after
n moves only the rotations with the parity of n are needed. Nothing is standardised: symmetries of
the board are rare so late in a game.

Slice n has the boards with n further stones: for each set of X, in the order of combinatorial
numbers, the sets of O among the squares that are left. Each has 128 entries, one for each rotation
(`pentago_loops`), also for those that no play reaches. Rotations that show the same are counted
each. Mirror images and whole turns of a board are looked up under its entry.
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from itertools import product
from math import comb
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from pns.games.board import board_text, images
from pns.games.pentago.loops import (
    ENTRIES,
    WORDS,
    Moves,
    count_codes,
    fill_boards,
    place_of,
    rotation_at,
)
from pns.games.pentago.quadrants import (
    QUADRANTS,
    TURNS,
    rows_of_board,
    squares_of_quadrants,
    turned_masks,
)
from pns.games.stone_loops import mask_at, masks_from, moved_bits, ranks
from pns.positions.ranking import DRAW, LOSS, WIN, Codes, signed_words

EMPTY, FIRST, SECOND = b".XO"
MOST_FREE = 20
"""Free squares of a root: the tables of rows have four words for each set of them."""
TOO_EARLY = "the board is too early: more than %d free squares" % MOST_FREE
BYTES_PER_SET = 8 * 4 * WORDS
"""Of the tables of rows: two players, two parities, words of eight bytes."""
SMALL_TABLES = 20_000_000
"""About the memory of all others, and of counts of codes."""


class LateStones(NamedTuple):
    """The further stones of a position, as bits by the number of the free square."""

    firsts: int
    seconds: int

    def own(self, is_first: bool) -> int:
        """The stones of X or O."""
        return self.firsts if is_first else self.seconds


class LateRanking:
    """The `pns.positions.ranking.Ranking` of the positions after a late one."""

    needs_marks = False

    def __init__(self, cells: bytes, side: int, read: Callable[[str], bytes]) -> None:
        """`read` gives the squares of a text; raises ValueError for too many free squares."""
        self._cells, self._side, self._read = cells, side, read
        quadrants = squares_of_quadrants(side)
        self._free = [
            (quadrant, i)
            for quadrant, squares in enumerate(quadrants)
            for i, square in enumerate(squares)
            if cells[square] == EMPTY
        ]
        """The quadrant of each free square, and its number there."""
        if len(self._free) > MOST_FREE:
            raise ValueError(TOO_EARLY)
        self._numbers = {square: number for number, square in enumerate(self._free)}
        self._given = [
            self._masks([cells[square] == letter for square in range(side * side)])
            for letter in (SECOND, FIRST)
        ]
        """By quadrant, the stones of O, and those of X."""
        self._first_moves = cells.count(FIRST) == cells.count(SECOND)
        self._rows: Dict[Tuple[bool, int], List[int]] = {}
        free = len(self._free)
        self.sizes = [
            ENTRIES * comb(free, stones) * comb(stones, self._firsts(stones))
            for stones in range(free + 1)
        ]
        moves = max(
            [comb(free - stones // 2, (stones + 1) // 2) * free for stones in range(free + 1)]
        )
        self.bytes = (BYTES_PER_SET << free) + 32 * moves + SMALL_TABLES

    def _masks(self, has_stone: List[bool]) -> List[int]:
        """Squares of the board as masks by quadrant."""
        return [
            sum([1 << i for i, square in enumerate(squares) if has_stone[square]])
            for squares in squares_of_quadrants(self._side)
        ]

    def _firsts(self, slice: int) -> int:
        """The further stones of X in a slice."""
        return (slice + 1) // 2 if self._first_moves else slice // 2

    def _mover(self, slice: int) -> bool:
        """Whether X moves next."""
        return self._first_moves ^ bool(slice % 2)

    # --- positions ---------------------------------------------------------------------------

    def rank(self, text: str) -> Optional[Tuple[int, int]]:
        cells = self._read(text)
        slice = len(self._free) - cells.count(EMPTY)
        if len(cells) == len(self._cells) and slice >= 0:
            for image in dict.fromkeys(images(cells, self._side)):
                entry = self._entry(slice, image)
                if entry is not None:
                    return slice, entry
        return None

    def _entry(self, slice: int, cells: bytes) -> Optional[int]:
        """The entry of a board, None if no rotation of it has the stones of the root."""
        firsts = self._masks([cell == FIRST for cell in cells])
        seconds = self._masks([cell == SECOND for cell in cells])
        masks = turned_masks(self._side // 2)
        choices = [
            [
                turns
                for turns in range(TURNS)
                if not self._given[1][q] & ~masks[-turns][firsts[q]]
                and not self._given[0][q] & ~masks[-turns][seconds[q]]
            ]
            for q in range(QUADRANTS)
        ]
        for rotation in product(*choices):
            if sum(rotation) % 2 == slice % 2:
                back = [masks[-turns] for turns in rotation]
                board = LateStones(
                    self._further([back[q][firsts[q]] for q in range(QUADRANTS)], self._given[1]),
                    self._further([back[q][seconds[q]] for q in range(QUADRANTS)], self._given[0]),
                )
                return self._number(board) * ENTRIES + place_of(rotation)
        return None

    def _further(self, masks: List[int], given: List[int]) -> int:
        """Stones by quadrant without the given ones, by the numbers of free squares."""
        left = [mask & ~known for mask, known in zip(masks, given)]
        return sum([1 << i for i, (q, square) in enumerate(self._free) if left[q] >> square & 1])

    def _number(self, board: LateStones) -> int:
        """The number of a board in its slice."""
        free = len(self._free)
        others = compressed(board.seconds, board.firsts, free)
        firsts, seconds = ones(board.firsts), ones(board.seconds)
        colours = comb(free - firsts, seconds)
        return rank_of(board.firsts, free, firsts) * colours + rank_of(
            others, free - firsts, seconds
        )

    def _board(self, slice: int, number: int) -> LateStones:
        free = len(self._free)
        count = self._firsts(slice)
        rank, other = divmod(number, comb(free - count, slice - count))
        firsts = mask_at(rank, count)
        left = [i for i in range(free) if not firsts >> i & 1]
        others = mask_at(other, slice - count)
        return LateStones(firsts, sum([1 << i for k, i in enumerate(left) if others >> k & 1]))

    def text(self, slice: int, entry: int) -> str:
        number, place = divmod(entry, ENTRIES)
        board = self._board(slice, number)
        masks = turned_masks(self._side // 2)
        turns = rotation_at(place, slice % 2)
        cells = bytearray(EMPTY for _ in self._cells)
        for letter, own, given in zip((SECOND, FIRST), board[::-1], self._given):
            stones = list(given)
            for i, (q, square) in enumerate(self._free):
                stones[q] |= (own >> i & 1) << square
            for q, squares in enumerate(squares_of_quadrants(self._side)):
                turned = masks[turns[q]][stones[q]]
                for i, square in enumerate(squares):
                    if turned >> i & 1:
                        cells[square] = letter
        return board_text(bytes(cells), self._side).decode("ascii")

    def children(self, slice: int, entry: int) -> Iterator[int]:
        number, place = divmod(entry, ENTRIES)
        board, parity = self._board(slice, number), slice % 2
        if any(
            [self._has_row(player, parity, board.own(player), place) for player in (False, True)]
        ):
            return
        is_first = self._mover(slice)
        rotation = rotation_at(place, parity)
        for i in range(len(self._free)):
            if (board.firsts | board.seconds) >> i & 1:
                continue
            if self._has_row(is_first, parity, board.own(is_first) | 1 << i, place):
                yield -1
                continue
            stone = 1 << i
            firsts, seconds = board
            after = (
                LateStones(firsts | stone, seconds)
                if is_first
                else LateStones(firsts, seconds | stone)
            )
            base = self._number(after) * ENTRIES
            for q in range(QUADRANTS):
                for turns in (1, TURNS - 1):
                    turned = list(rotation)
                    turned[q] = (turned[q] + turns) % TURNS
                    yield base + place_of(turned)

    def _has_row(self, is_first: bool, parity: int, own: int, place: int) -> bool:
        word = self.rows(is_first, parity)[own * WORDS + place // 32]
        return bool(word >> 2 * (place % 32) & 1)

    # --- rows --------------------------------------------------------------------------------

    def rows(self, is_first: bool, parity: int) -> List[int]:
        """For each set of further stones of a player, the rotations of a parity that show a row.

        The sets that a row needs are set first, and then all that contain them.
        """
        found = self._rows.get((is_first, parity))
        if found is None:
            found = [0] * (WORDS << len(self._free))
            for rotation in product(range(TURNS), repeat=QUADRANTS):
                if sum(rotation) % 2 == parity:
                    word, entry = divmod(place_of(rotation), 32)
                    for needed in self._needed(is_first, rotation):
                        found[needed * WORDS + word] |= 1 << 2 * entry
            for i in range(len(self._free)):
                spread(found, WORDS << i)
            self._rows[is_first, parity] = found
        return found

    def _needed(self, is_first: bool, rotation: Tuple[int, ...]) -> Iterator[int]:
        """The further stones that each row takes under a rotation, of rows that are not barred."""
        masks = turned_masks(self._side // 2)
        for row in rows_of_board(self._side):
            needed = 0
            for q, square in row:
                source = masks[-rotation[q]][1 << square]
                number = self._numbers.get((q, source.bit_length() - 1))
                if number is not None:
                    needed |= 1 << number
                elif not self._given[is_first][q] & source:
                    break
            else:
                yield needed

    # --- parts of a slice --------------------------------------------------------------------

    def mark(self, slice: int, start: int, stop: int, before: Codes, out: Codes) -> None:
        raise NotImplementedError  # needs_marks is False

    def fill(self, slice: int, start: int, stop: int, after: Codes, out: Codes) -> List[int]:
        free = len(self._free)
        is_first, firsts = self._mover(slice), self._firsts(slice)
        seconds = slice - firsts
        moves = moves_of(free - firsts, seconds, is_first)
        colours = len(moves.masks)
        later = comb(free - firsts - is_first, seconds + (not is_first))
        own_rows = self.rows(is_first, slice % 2)
        other_rows = self.rows(not is_first, slice % 2)
        words, into = signed_words(after), signed_words(out)
        number, last = start // ENTRIES, stop // ENTRIES
        while number < last:
            rank, first = divmod(number, colours)
            count = min(last - number, colours - first)
            board = mask_at(rank, firsts)
            squares = [i for i in range(free) if not board >> i & 1]
            bits = [1 << i for i in squares]
            if is_first:
                base = [rank_of(board | bit, free, firsts + 1) * later for bit in bits]
            else:
                base = [rank * later for _ in bits]
            fill_boards(
                moves,
                first,
                first + count,
                base,
                bits,
                board,
                moved_bits(squares),
                is_first,
                own_rows,
                other_rows,
                words,
                into,
                number * WORDS,
            )
            number += count
        total = count_codes(into, start // ENTRIES * WORDS, last * WORDS, counts_of_codes())
        won, drawn = divmod(total, 1 << 32)
        counts = [0] * 4
        counts[WIN], counts[DRAW], counts[LOSS] = won, drawn, stop - start - won - drawn
        return counts


def ones(mask: int) -> int:
    """The bits that are set."""
    return bin(mask).count("1")


def spread(table: List[int], size: int) -> None:
    """Add each half of `size` words to the one after it, in pairs of such halves."""
    for i in range(len(table)):
        if i & size:
            table[i] |= table[i ^ size]


def compressed(mask: int, without: int, places: int) -> int:
    """A mask among the places that another one leaves.

    >>> bin(compressed(0b1001, 0b0010, 4))
    '0b101'
    """
    left = [i for i in range(places) if not without >> i & 1]
    return sum([1 << k for k, i in enumerate(left) if mask >> i & 1])


@lru_cache(maxsize=64)
def rank_tables(places: int, count: int) -> Any:
    """The tables of `ranks`."""
    return ranks(places, count)


def rank_of(mask: int, places: int, count: int) -> int:
    """The combinatorial number of a mask."""
    low, high, half = rank_tables(places, count)
    rank: int = low[mask & (1 << half) - 1] + high[mask >> half]
    return rank


@lru_cache(maxsize=2)
def moves_of(places: int, count: int, is_first: bool) -> Moves:
    """The moves of X, or of O, from all sets of O with some stones among places."""
    masks = masks_from((1 << count) - 1, comb(places, count))
    moved: List[int] = []
    steps: List[int] = []
    for mask in masks:
        for place in range(places):
            if mask >> place & 1:
                continue
            moved.append(place)
            if is_first:  # the place is gone
                after = mask & (1 << place) - 1 | mask >> place + 1 << place
                steps.append(rank_of(after, places - 1, count))
            else:
                steps.append(rank_of(mask | 1 << place, places, count + 1))
    return Moves(places - count, moved, steps, masks)


@lru_cache(maxsize=None)
def counts_of_codes() -> "array[int]":
    """For each 16 bits with eight codes, how many are draws, and 2**32 times how many are wins."""
    values = {LOSS: 0, DRAW: 1, WIN: 1 << 32}
    found = [0]
    for _ in range(8):
        found = [count + values.get(code, 0) for code in range(4) for count in found]
    return array("q", found)
