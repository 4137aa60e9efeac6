"""All positions of a game in which players place stones in turn, counted off.

A position is a shape, which is the set of squares with a stone, and a colouring of it. Slice n
has the positions with n stones more than the root. Its entries are its shapes, up to the symmetries
of the game, and for each shape the colourings in the order of their combinatorial numbers. So no
position is stored. Only shapes are standardised, not colourings: a position whose shape is an
image of itself may have several entries, a cost that [irving2014] accepts, too (section IV).

The squares that the root leaves free are numbered in the order of the board. A shape is a mask of
such numbers. A colouring is a mask of places in a shape, those of X; place 0 is the square with
the least number.
"""

from __future__ import annotations

from math import comb, prod
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from pns.games.board import EMPTY_POSITION, board_text, mask_of
from pns.games.stone_loops import (
    CLOSED,
    Halves,
    Stones,
    judge_arrangements,
    judge_positions,
    judge_reached,
    mark_reached,
    mask_at,
    masks_from,
    moved_bits,
    raise_values,
    ranks,
    win_at_once,
)
from pns.positions.ranking import DRAW, LOSS, OPEN, WIN, Codes, code_at, pack

EMPTY, FIRST, SECOND = b".XO"
MOST_SQUARES = 25
"""Free squares of a root: tables of half the squares have at most 2**13 words."""
MOST_SHAPES = 1_000_000
TOO_LARGE = "the board is too large: more than %d free squares, or about %d sets of them" % (
    MOST_SQUARES,
    MOST_SHAPES,
)
BYTES_PER_SHAPE = 200
"""About the memory of a shape in the tables."""

WITHOUT_CLOSED = bytes([code & 3 for code in range(256)])

Permutation = Tuple[int, ...]
"""Where each square goes."""


class StoneRules(NamedTuple):
    """What the ranking has to know of a game. Squares are numbers, row by row."""

    cells: bytes
    """The squares of the root: `.`, `X` and `O`. X is to move where both have as many stones."""
    width: int
    head: str
    """What precedes the board in a text."""
    read: Callable[[str], Tuple[str, bytes, int]]
    """The head, squares and width of a text; raises NotationError."""
    wins: Tuple[Callable[[int], bool], Callable[[int], bool]]
    """Whether stones of O, and whether stones of X win; squares as bits, as `board.mask_of`."""
    symmetries: Sequence[Permutation]
    """The symmetries of the board that keep the rules; the identity is one."""
    falls: bool = False
    """Whether a square can be taken only when the one below it is."""
    turns: Sequence[Permutation] = ()
    """How all squares move once a stone is placed; the player chooses one. Empty: they stay."""


class StandardImage(NamedTuple):
    """The standard image of a set of squares: its number in its slice, and how it is reached."""

    number: int
    mask: int
    image: Permutation


class StoneRanking:
    """The `pns.positions.ranking.Ranking` of a game with stones.

    A row of the last mover ends the game, which is lost for the next player. Without turns a
    position counts if it is reached by play in which nobody won before: with gravity marks
    tell, otherwise one stone of the last mover that is part of all rows. With turns every
    arrangement of stones counts, as in [irving2014], and rows of both players are a draw.
    """

    def __init__(self, rules: StoneRules) -> None:
        self.rules = rules
        cells, width = rules.cells, rules.width
        self._free = [square for square, cell in enumerate(cells) if cell == EMPTY]
        free = self._free
        if len(free) > MOST_SQUARES:
            raise ValueError(TOO_LARGE)
        self._first_moves = cells.count(FIRST) == cells.count(SECOND)
        self._places = [square // width * (width + 1) + square % width for square in free]
        self._given = [mask_of(cells, width, letter) for letter in (SECOND, FIRST)]
        number = {square: i for i, square in enumerate(free)}
        self._images = [
            tuple([number[image[square]] for square in free])
            for image in rules.symmetries
            if all([cells[image[square]] == cell for square, cell in enumerate(cells)])
        ]
        stay = tuple(range(len(cells)))
        self._turns = [tuple([number[turn[s]] for s in free]) for turn in rules.turns or [stay]]
        self._below = [number.get(square + width, -1) if rules.falls else -1 for square in free]
        self._image_masks = [moved_bits(image) for image in self._images]
        self._list_shapes()
        self._ranks: Dict[int, Halves] = {}
        self.colours = [comb(n, self._firsts(n)) for n in range(len(free) + 1)]
        self.sizes = [len(s) * c for s, c in zip(self._shapes, self.colours)]
        self.needs_marks = rules.falls
        self.bytes = sum(map(len, self._shapes)) * BYTES_PER_SHAPE

    # --- shapes and colourings ---------------------------------------------------------------

    def _list_shapes(self) -> None:
        """The standard shapes of each slice, and how many images each has."""
        heights = [0] * len(self._free)
        for square in range(len(self._free) - 1, -1, -1):
            below = self._below[square]
            heights[square] = 1 + (heights[below] if below >= 0 else 0)
        covered = set(self._below)
        tops = [height for square, height in enumerate(heights) if square not in covered]
        if prod([height + 1 for height in tops]) > MOST_SHAPES * len(self._images):
            raise ValueError(TOO_LARGE)
        self._shapes: List[List[int]] = [[0]]
        self._numbers: List[Dict[int, int]] = [{0: 0}]
        self._orbits: List[List[int]] = [[1]]
        for _ in self._free:
            found = {
                self._least(shape | 1 << square)[0]
                for shape in self._shapes[-1]
                for square in self._open_squares(shape)
            }
            self._shapes.append(sorted(found))
            self._numbers.append({shape: i for i, shape in enumerate(self._shapes[-1])})
            self._orbits.append([len(set(self._all_images(shape))) for shape in self._shapes[-1]])

    def _firsts(self, n: int) -> int:
        """How many of the stones of a slice are of X."""
        return (n + 1) // 2 if self._first_moves else n // 2

    def _all_images(self, mask: int) -> List[int]:
        return [
            low[mask & (1 << half) - 1] | high[mask >> half]
            for low, high, half in self._image_masks
        ]

    def _least(self, mask: int) -> Tuple[int, Permutation]:
        """The least image of a set of squares, and the symmetry that makes it."""
        images = self._all_images(mask)
        least = min(images)
        return least, self._images[images.index(least)]

    def _shape(self, n: int, mask: int) -> StandardImage:
        least, image = self._least(mask)
        return StandardImage(self._numbers[n][least], least, image)

    def _open_squares(self, shape: int) -> List[int]:
        """The squares on which a stone can be placed."""
        return [
            square
            for square, below in enumerate(self._below)
            if not shape >> square & 1 and (below < 0 or shape >> below & 1)
        ]

    def _removable(self, shape: int) -> List[int]:
        """The squares of a shape with no stone that rests on them."""
        covered = {self._below[square] for square in squares_of(shape)}
        return [square for square in squares_of(shape) if square not in covered]

    def _rank_tables(self, n: int) -> Halves:
        if n not in self._ranks:
            self._ranks[n] = ranks(n, self._firsts(n))
        return self._ranks[n]

    def _mover(self, n: int) -> bool:
        """Whether X is to move in a slice."""
        return self._first_moves == (n % 2 == 0)

    # --- one position ------------------------------------------------------------------------

    def rank(self, text: str) -> Optional[Tuple[int, int]]:
        if text == EMPTY_POSITION:
            return None
        head, cells, width = self.rules.read(text)
        if not self._is_board(head, cells, width):
            return None
        for image in self.rules.symmetries:
            moved = bytearray(cells)
            for square, cell in enumerate(cells):
                moved[image[square]] = cell
            place = self._rank_of(moved)
            if place is not None:
                return place
        return None

    def shares_board(self, text: str) -> bool:
        return text == EMPTY_POSITION or self._is_board(*self.rules.read(text))

    def _is_board(self, head: str, cells: bytes, width: int) -> bool:
        """Whether a board has the head and the sides of the root."""
        own = self.rules
        return (head, width, len(cells)) == (own.head, own.width, len(own.cells))

    def _rank_of(self, cells: bytearray) -> Optional[Tuple[int, int]]:
        """The place of a board, None if it has not all stones of the root."""
        if any([own not in (cell, EMPTY) for own, cell in zip(self.rules.cells, cells)]):
            return None
        letters = [cells[square] for square in self._free]
        mask = sum([1 << i for i, letter in enumerate(letters) if letter != EMPTY])
        n = len(squares_of(mask))
        least, _ = self._least(mask)
        if letters.count(FIRST) != self._firsts(n) or least not in self._numbers[n]:
            return None
        return n, self._entry(n, mask, {i for i, k in enumerate(letters) if k == FIRST})

    def _entry(self, n: int, mask: int, first: Set[int]) -> int:
        shape = self._shape(n, mask)
        squares = squares_of(shape.mask)
        own = {shape.image[square] for square in first}
        colour = sum([1 << place for place, square in enumerate(squares) if square in own])
        low, high, half = self._rank_tables(n)
        rank = low[colour & (1 << half) - 1] + high[colour >> half]
        return shape.number * self.colours[n] + rank

    def _position(self, slice: int, entry: int) -> Tuple[int, Set[int]]:
        """The shape of an entry, and the squares of X in it."""
        number, rank = divmod(entry, self.colours[slice])
        shape = self._shapes[slice][number]
        colour = mask_at(rank, self._firsts(slice))
        squares = squares_of(shape)
        return shape, {square for place, square in enumerate(squares) if colour >> place & 1}

    def text(self, slice: int, entry: int) -> str:
        shape, first = self._position(slice, entry)
        cells = bytearray(self.rules.cells)
        for square in squares_of(shape):
            cells[self._free[square]] = FIRST if square in first else SECOND
        return self.rules.head + board_text(bytes(cells), self.rules.width).decode("ascii")

    def children(self, slice: int, entry: int) -> Iterator[int]:
        shape, first = self._position(slice, entry)
        moves_first = self._mover(slice)
        if any([self._has_won(is_first, shape, first) for is_first in (False, True)]):
            return
        for square in self._open_squares(shape):
            after = shape | 1 << square
            own = first | {square} if moves_first else first
            if self.rules.turns and self._has_won(moves_first, after, own):
                yield -1
                continue
            for turn in self._turns:
                turned = sum([1 << turn[i] for i in squares_of(after)])
                yield self._entry(slice + 1, turned, {turn[i] for i in own})

    def _has_won(self, is_first: bool, shape: int, first: Set[int]) -> bool:
        squares = first if is_first else set(squares_of(shape)) - first
        stones = sum([1 << self._places[square] for square in squares])
        return self.rules.wins[is_first](stones | self._given[is_first])

    # --- parts of a slice --------------------------------------------------------------------

    def mark(self, slice: int, start: int, stop: int, before: Codes, out: Codes) -> None:
        best = bytearray(stop - start)
        if not slice:
            best[0] = OPEN
        for number, colours, at in self._parts(slice, start, stop):
            shape = self._shapes[slice][number]
            squares = squares_of(shape)
            for square in self._removable(shape):
                earlier = self._shape(slice - 1, shape ^ 1 << square)
                places = places_in(earlier, [s for s in squares if s != square])
                gone = squares.index(square)
                mark_reached(
                    colours,
                    best,
                    at,
                    before,
                    earlier.number * self.colours[slice - 1],
                    moved_bits([*places[:gone], -1, *places[gone:]]),
                    self._rank_tables(slice - 1),
                    gone,
                    int(not self._mover(slice)),
                )
            if slice:
                going_on = OPEN if slice < len(self._free) else DRAW
                judge_reached(colours, best, at, self._stones(slice, shape), going_on)
        pack(best, out, start)

    def fill(self, slice: int, start: int, stop: int, after: Codes, out: Codes) -> List[int]:
        best = bytearray(stop - start)
        parts = self._parts(slice, start, stop)
        if self.needs_marks:
            for i in range(start, stop):
                code = code_at(out, i)
                best[i - start] = LOSS if code == OPEN else CLOSED | code
        for number, colours, at in parts:
            shape = self._shapes[slice][number]
            stones = self._stones(slice, shape)
            is_full = slice == len(self._free)
            if self.rules.turns:
                judge_arrangements(colours, best, at, stones, is_full)
            elif not self.needs_marks:
                judge_positions(colours, best, at, stones, is_full)
            for square in self._open_squares(shape):
                if self.rules.turns:
                    win_at_once(colours, best, at, stones, 1 << self._places[square])
                for turn in self._turns:
                    self._raise(slice, shape, square, turn, colours, best, at, after)
        best = best.translate(WITHOUT_CLOSED)
        counts = [0] * 4
        for number, colours, at in parts:
            part = best[at : at + len(colours)]
            for code in (LOSS, DRAW, WIN):
                counts[code] += part.count(code) * self._orbits[slice][number]
        pack(best, out, start)
        return counts

    def _raise(
        self,
        slice: int,
        shape: int,
        square: int,
        turn: Permutation,
        colours: List[int],
        best: bytearray,
        at: int,
        after: Codes,
    ) -> None:
        """Raise the best values of a shape by a stone on a square and a turn."""
        squares = squares_of(shape)
        turned = [turn[s] for s in squares]
        child = self._shape(slice + 1, sum([1 << s for s in turned]) | 1 << turn[square])
        also = 1 << places_in(child, [turn[square]])[0] if self._mover(slice) else 0
        base = child.number * self.colours[slice + 1]
        moved = moved_bits(places_in(child, turned), also)
        raise_values(colours, best, at, after, base, moved, self._rank_tables(slice + 1))

    def _parts(self, slice: int, start: int, stop: int) -> List[Tuple[int, List[int], int]]:
        """(shape, colourings, how many entries precede them) for the entries of a part."""
        found = []
        entry = start
        while entry < stop:
            number, rank = divmod(entry, self.colours[slice])
            count = min(stop - entry, self.colours[slice] - rank)
            first = mask_at(rank, self._firsts(slice))
            found.append((number, masks_from(first, count), entry - start))
            entry += count
        return found

    def _stones(self, slice: int, shape: int) -> Stones:
        """The stones of a shape on the board, and when they win."""
        places = [self._places[square] for square in squares_of(shape)]
        last = not self._mover(slice)
        return Stones(
            moved_bits(places),
            sum([1 << place for place in places]),
            last,
            self._given[last],
            self._given[not last],
            self.rules.wins[last],
            self.rules.wins[not last],
        )


def squares_of(mask: int) -> List[int]:
    """The numbers in a set of squares, ascending."""
    found = []
    while mask:
        low = mask & -mask
        mask ^= low
        found.append(low.bit_length() - 1)
    return found


def places_in(shape: StandardImage, squares: Sequence[int]) -> List[int]:
    """The places in a standard shape of squares before its symmetry."""
    order = {square: place for place, square in enumerate(squares_of(shape.mask))}
    return [order[shape.image[square]] for square in squares]
