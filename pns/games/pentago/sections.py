"""All positions of Pentago from the empty board on, counted off by sections [irving2014].

A slice is divided into sections, the counts of stones in each quadrant, of which those are kept
that are the least of their images (`pentago_quadrants`). A section is an array of four dimensions,
one for each quadrant, along which its standard states lie: those that are the least of their four
turns. An element of it stands for the 256 boards that turns of the quadrants make of it, so it has
256 entries. Where a quadrant is an image of itself, or a section is, positions have several
entries (section IV of the paper).

A stone changes the state of one quadrant. Its board is brought to a standard section by a
symmetry, and to standard states by turns, which together permute the 256 values of the child. Then
all of them are treated at once: a byte each, in an int of 2048 bits. The lowest bit of a byte says
that the player to move draws at least, the one above it that he wins.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from itertools import product
from math import prod
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from pns.games.board import board_text
from pns.games.pentago.quadrants import (
    QUADRANTS,
    TURNS,
    QuadrantStones,
    Section,
    StoneCounts,
    fixed_turns,
    mirrored_masks,
    rows_of_board,
    section_images,
    sections,
    squares_of_quadrants,
    standard_states,
    states_by_counts,
    symmetries,
    turned_masks,
)
from pns.positions.ranking import DRAW, LOSS, WIN, Codes, code_at, pack

EMPTY, FIRST, SECOND = b".XO"
ROTATIONS = TURNS**QUADRANTS
MOST_CACHED = 1 << 14
CACHE_BYTES = 100_000_000
"""About the memory of the caches: sets of rotations and permutations."""
DRAWS = int.from_bytes(b"\1" * ROTATIONS, "little")
WINS = DRAWS * 3
FOR_MOVER = bytes.maketrans(bytes((LOSS, DRAW, WIN)), bytes((3, 1, 0)))
"""What the player to move has by a move, from the code of the other player."""
TO_CODE = bytes.maketrans(bytes((0, 1, 3)), bytes((LOSS, DRAW, WIN)))
STEPS = [8 * TURNS ** (QUADRANTS - 1 - quadrant) for quadrant in range(QUADRANTS)]
"""By how many bits a turn of each quadrant moves a value."""

States = Tuple[QuadrantStones, ...]
"""Of the four quadrants."""


class Element(NamedTuple):
    """An element of a section with the symmetry and turns that lead from a board to it."""

    number: int
    """In its slice."""
    symmetry: int
    turns: Tuple[int, ...]
    """Of each quadrant, from the element to the image of the board."""


class Slice:
    """The sections of a slice, and where they begin."""

    def __init__(self, half: int, stones: int) -> None:
        self.sections = list(sections(half, stones))
        states = states_by_counts(half)
        self.starts: Dict[Section, Tuple[int, List[int]]] = {}
        """The first element of each section, and its size along each quadrant."""
        self.elements = 0
        for section in self.sections:
            sizes = [len(states[counts]) for counts in section]
            self.starts[section] = self.elements, sizes
            self.elements += prod(sizes)
        self.firsts = [first for first, _ in self.starts.values()]


class SectionRanking:
    """The `pns.positions.ranking.Ranking` of all arrangements of stones, by sections."""

    needs_marks = False

    def __init__(
        self, side: int, read: Callable[[str], bytes], slices: Optional[int] = None
    ) -> None:
        """`read` gives the squares of a text; only the first `slices` have entries, if given."""
        self._side, self._half, self._read = side, side // 2, read
        last = side * side if slices is None else slices - 1
        self._slices = [Slice(self._half, stones) for stones in range(last + 1)]
        self.sizes = [found.elements * ROTATIONS for found in self._slices]
        self._states = states_by_counts(self._half)
        self._places = {
            state: place for states in self._states.values() for place, state in enumerate(states)
        }
        """The place of each standard state among those of its counts."""
        self.bytes = CACHE_BYTES
        self._rows = lru_cache(maxsize=MOST_CACHED)(self._find_rows)

    # --- positions ---------------------------------------------------------------------------

    def rank(self, text: str) -> Optional[Tuple[int, int]]:
        cells = self._read(text)
        slice = len(cells) - cells.count(EMPTY)
        if len(cells) != self._side**2 or slice >= len(self.sizes):
            return None
        found = self._find(self._states_of(cells))
        return slice, found.number * ROTATIONS + rotation_number(found.turns)

    def _states_of(self, cells: bytes) -> States:
        """The states of the quadrants of a board."""
        found = []
        for squares in squares_of_quadrants(self._side):
            first, second = [
                sum([1 << i for i, square in enumerate(squares) if cells[square] == letter])
                for letter in (FIRST, SECOND)
            ]
            found.append((first, second))
        return tuple(found)

    def _find(self, board: States) -> Element:
        """The element that stands for a board."""
        section, symmetry = standard_section(tuple([counts_of(state) for state in board]))
        is_mirrored, turns, places = symmetries()[symmetry]
        masks, mirrored = turned_masks(self._half)[turns], mirrored_masks(self._half)
        standard = standard_states(self._half)
        found = [0] * QUADRANTS
        back = [0] * QUADRANTS
        for (first, second), place in zip(board, places):
            if is_mirrored:
                first, second = mirrored[first], mirrored[second]
            known = standard[masks[first], masks[second]]
            found[place], back[place] = self._places[known.state], known.turns
        stones = sum([a + b for a, b in section])
        number, sizes = self._slices[stones].starts[section]
        return Element(number + number_in(found, sizes), symmetry, tuple(back))

    def _element(self, slice: int, number: int) -> Tuple[Section, States]:
        """The section and the standard states of an element."""
        known = self._slices[slice]
        section = known.sections[bisect_right(known.firsts, number) - 1]
        first, sizes = known.starts[section]
        number -= first
        found = []
        for counts, size in zip(section[::-1], sizes[::-1]):
            number, place = divmod(number, size)
            found.append(self._states[counts][place])
        return section, tuple(found[::-1])

    def text(self, slice: int, entry: int) -> str:
        number, rotation = divmod(entry, ROTATIONS)
        states = self._turned(self._element(slice, number)[1], rotation)
        cells = bytearray(EMPTY for _ in range(self._side**2))
        for state, squares in zip(states, squares_of_quadrants(self._side)):
            for letter, mask in zip((FIRST, SECOND), state):
                for i, square in enumerate(squares):
                    if mask >> i & 1:
                        cells[square] = letter
        return board_text(bytes(cells), self._side).decode("ascii")

    def _turned(self, states: States, rotation: int) -> States:
        """States after the quarter turns of a rotation."""
        masks = turned_masks(self._half)
        found = []
        for (first, second), times in zip(states, rotation_at(rotation)):
            found.append((masks[times][first], masks[times][second]))
        return tuple(found)

    def children(self, slice: int, entry: int) -> Iterator[int]:
        number, rotation = divmod(entry, ROTATIONS)
        board = self._turned(self._element(slice, number)[1], rotation)
        is_second = slice % 2
        if self._has_row(board, 0) or self._has_row(board, 1):
            return
        masks = turned_masks(self._half)
        for after in self._placed(board, is_second):
            if self._has_row(after, is_second):
                yield -1
                continue
            for quadrant, turns in product(range(QUADRANTS), (1, TURNS - 1)):
                first, second = after[quadrant]
                state = masks[turns][first], masks[turns][second]
                found = self._find((*after[:quadrant], state, *after[quadrant + 1 :]))
                yield found.number * ROTATIONS + rotation_number(found.turns)

    def _placed(self, board: States, is_second: int) -> Iterator[States]:
        """The states after each stone of X, or of O."""
        for quadrant, (first, second) in enumerate(board):
            for square in range(self._half**2):
                stone = 1 << square
                if not (first | second) & stone:
                    state = (first, second | stone) if is_second else (first | stone, second)
                    yield (*board[:quadrant], state, *board[quadrant + 1 :])

    def _has_row(self, board: States, is_second: int) -> bool:
        return bool(self._rows(tuple([state[is_second] for state in board])) & 1)

    def _find_rows(self, stones: Tuple[int, ...]) -> int:
        """3 in the bytes of the rotations that make a row of some stones by quadrant."""
        found = 0
        for parts in rows_by_quadrant(self._side):
            shown = WINS
            for quadrant, rotations in parts:
                shown &= rotations[stones[quadrant]]
                if not shown:
                    break
            found |= shown
        return found

    # --- parts of a slice --------------------------------------------------------------------

    def mark(self, slice: int, start: int, stop: int, before: Codes, out: Codes) -> None:
        raise NotImplementedError  # needs_marks is False

    def fill(self, slice: int, start: int, stop: int, after: Codes, out: Codes) -> List[int]:
        counts = [0] * 4
        fixed = fixed_turns(self._half)
        for number in range(start // ROTATIONS, stop // ROTATIONS):
            section, board = self._element(slice, number)
            codes = self._values(slice, board, after)
            images = len(set(section_images(section)))
            entries = prod([fixed[state] for state in board])
            for code in (LOSS, DRAW, WIN):
                counts[code] += codes.count(code) * images // entries
            pack(bytearray(codes), out, number * ROTATIONS)
        return counts

    def _values(self, slice: int, board: States, after: Codes) -> bytes:
        """The codes of the 256 boards that turns make of one."""
        is_second = slice % 2
        own = self._rows(tuple([state[is_second] for state in board]))
        other = self._rows(tuple([state[not is_second] for state in board]))
        best = row = 0
        for placed in self._placed(board, is_second):
            row |= self._rows(tuple([state[is_second] for state in placed]))
            found = self._find(placed)
            values = unpacked(after, found.number).translate(FOR_MOVER)
            order = seen_from(found.symmetry, found.turns)
            best |= int.from_bytes(bytes([values[i] for i in order]), "little")
        best = mixed(best) | row
        if slice == self._side**2:
            best = DRAWS
        best = best & ~(own | other) | own & ~(other & DRAWS * 2)
        return best.to_bytes(ROTATIONS, "little").translate(TO_CODE)


@lru_cache(maxsize=MOST_CACHED)
def standard_section(section: Section) -> Tuple[Section, int]:
    """The least image of a section, and the number of a symmetry that leads to it."""
    images = section_images(section)
    least = min(images)
    return least, images.index(least)


def counts_of(state: QuadrantStones) -> StoneCounts:
    """The stones of X and of O in a quadrant."""
    return bin(state[0]).count("1"), bin(state[1]).count("1")


def number_in(places: Sequence[int], sizes: Sequence[int]) -> int:
    """The number of an element of an array, the last dimension fastest.

    >>> number_in((1, 2), (5, 4))
    6
    """
    number = 0
    for place, size in zip(places, sizes):
        number = number * size + place
    return number


def rotation_number(turns: Sequence[int]) -> int:
    """The number of a rotation: the turns of the quadrants as digits.

    >>> rotation_number((0, 0, 1, 3))
    7
    """
    return number_in(turns, [TURNS] * QUADRANTS)


@lru_cache(maxsize=None)
def rotation_at(number: int) -> Tuple[int, ...]:
    """The turns of the quadrants."""
    return tuple([number // TURNS**i % TURNS for i in range(QUADRANTS - 1, -1, -1)])


@lru_cache(maxsize=None)
def with_turns(quadrant: int, turns: Tuple[int, ...]) -> int:
    """3 in the bytes of the rotations that turn a quadrant by one of some numbers of turns."""
    shown = [3 * (rotation_at(i)[quadrant] in turns) for i in range(ROTATIONS)]
    return int.from_bytes(bytes(shown), "little")


@lru_cache(maxsize=None)
def rows_by_quadrant(side: int) -> List[List[Tuple[int, List[int]]]]:
    """For each row that wins, the quadrants that it crosses, with what stones there contribute.

    By the mask of these stones: 3 in the bytes of the rotations that show this part of the row.
    """
    masks = turned_masks(side // 2)
    found = []
    for row in rows_of_board(side):
        parts = []
        for quadrant in sorted({quadrant for quadrant, _ in row}):
            needed = sum([1 << square for other, square in row if other == quadrant])
            shown = []
            for stones in range(len(masks[0])):
                turns = [t for t in range(TURNS) if not needed & ~masks[t][stones]]
                shown.append(with_turns(quadrant, tuple(turns)))
            parts.append((quadrant, shown))
        found.append(parts)
    return found


@lru_cache(maxsize=None)
def seen_from(symmetry: int, turns: Tuple[int, ...]) -> List[int]:
    """For each rotation of a board, that of its element which shows an image of the same.

    The arguments are those of its `Element`. A mirror image turns the other way.
    """
    is_mirrored, _, places = symmetries()[symmetry]
    sign = -1 if is_mirrored else 1
    found = []
    for number in range(ROTATIONS):
        image = list(turns)
        for place, times in zip(places, rotation_at(number)):
            image[place] = (image[place] + sign * times) % TURNS
        found.append(rotation_number(image))
    return found


def mixed(values: int) -> int:
    """The best of the values to which a quarter turn of one quadrant leads: `rmax` of the paper."""
    found = 0
    for quadrant, step in enumerate(STEPS):
        up = with_turns(quadrant, (1, 2, 3)) & values
        last = with_turns(quadrant, (3,)) & values
        found |= up >> step | (values ^ up) << 3 * step
        found |= (values ^ last) << step | last >> 3 * step
    return found


@lru_cache(maxsize=None)
def four_codes() -> List[bytes]:
    """The codes that each byte has."""
    return [bytes([code_at([byte], i) for i in range(4)]) for byte in range(256)]


def unpacked(codes: Codes, number: int) -> bytes:
    """The 256 codes of an element."""
    four = four_codes()
    start = number * ROTATIONS // 4
    return b"".join([four[codes[i]] for i in range(start, start + ROTATIONS // 4)])
