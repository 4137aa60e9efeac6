"""Boards of squares: notation, bit masks, symmetries and parts, for the games on them.

The text of a board has its rows separated by `|`; one row is a line. A board in play is an int
in which a row takes `stride` bits, one more than it has squares, so that shifts by 1 and by
the stride lead from a square to its neighbours or to a bit that is never set. Boards of up to 62
bits are machine words to PyPy; larger ones are slower and right all the same.
"""

from __future__ import annotations

import re
from typing import (
    Dict,
    Generic,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Set,
    Tuple,
    TypeVar,
)

from pns.game import Land, NotationError, Sum

EMPTY_POSITION = "!"
FREE, BLOCKED = b".#"
LONGEST_BOARD = 1000
"""Characters of a board: what a certificate can hold."""
MOST_BOARDS = 1000
"""Boards of a text, and parts of the position that it denotes."""
CACHE_BYTES = 200_000_000
"""The default bound of the caches of a game."""
MOVE_WEIGHT = 2
"""The branching that an estimate counts for each move.

Games on boards take fewer expansions if the disproof numbers of leaves differ more than 1 + moves.
"""
BYTES_PER_TEXT = 300
"""About the memory of a cached text and its key."""


MOST_SHOWN = 100
"""Squares of a board that a refusal shows."""


class ParsedBoard(NamedTuple):
    """A board as read: its squares row by row, and where they begin in the text."""

    cells: bytes
    width: int
    offset: int

    def at(self, square: int) -> int:
        """The offset of a square in the text."""
        return self.offset + square + square // self.width


def parse_boards(text: str, letters: str, example: str, start: int = 0) -> List[ParsedBoard]:
    """The boards of a text from `start` on, separated by `+`; raises NotationError.

    `letters` are those of squares, `example` shows a board.
    """
    boards = []
    offset = start
    for part in split_boards(text, start):
        boards.append(parse_board(text, part, offset, letters, example))
        offset += len(part) + 1
    return boards


def split_boards(text: str, start: int = 0) -> List[str]:
    """The texts of the boards from `start` on; raises NotationError if they are too many."""
    if text[start:] == EMPTY_POSITION:
        return []
    if text.count("+") >= MOST_BOARDS:
        right = "write at most %d boards" % MOST_BOARDS
        raise NotationError(text, 0, "the text is too long", right)
    return text[start:].split("+")


def parse_board(text: str, part: str, offset: int, letters: str, example: str) -> ParsedBoard:
    """The board that a part of a text at an offset denotes; raises NotationError."""
    if len(part) > LONGEST_BOARD:
        most = "write at most %d characters" % LONGEST_BOARD
        raise NotationError(text, offset, "the board is too large", most)
    rows = part.split("|")
    width = len(rows[0])
    at = offset
    for row in rows:
        for i, letter in enumerate(row):
            if letter not in letters:
                wrong = "invalid square %s" % ascii(letter)
                raise NotationError(text, at + i, wrong, squares(part, letters, example))
        if not row:
            right = "write the rows separated by |, like %s" % example
            raise NotationError(text, at, "a row is missing", right)
        if len(row) != width:
            wrong = "a row of %d squares after one of %d" % (len(row), width)
            raise NotationError(text, at, wrong, "write rows of equal length")
        at += len(row) + 1
    return ParsedBoard("".join(rows).encode("ascii"), width, offset)


def squares(part: str, letters: str, example: str) -> str:
    """What to write in place of a board with other letters, which may be a size.

    >>> squares("2x3", ".#", "..#|...")
    'write ...|... for an empty board of 2x3, or squares of . #, as in ..#|...'
    >>> squares("2x!", ".#", "..#|...")
    'write squares of . #, as in ..#|...'
    """
    known = " ".join(letters)
    size = re.fullmatch("([0-9]{1,2})x([0-9]{1,2})", part, re.ASCII)
    if size and 0 < int(size[1]) * int(size[2]) <= MOST_SHOWN:
        empty = "|".join(["." * int(size[2])] * int(size[1]))
        words = "write %s for an empty board of %s, or squares of %s, as in %s"
        return words % (empty, part, known, example)
    return "write squares of %s, as in %s" % (known, example)


def one_board(text: str, letters: str, example: str, start: int = 0) -> ParsedBoard:
    """The only board of a text from `start` on; raises NotationError."""
    boards = parse_boards(text, letters, example, start)
    if len(boards) != 1:
        at = boards[1].offset - 1 if boards else start
        raise NotationError(text, at, "not exactly one board", "write one, like %s" % example)
    return boards[0]


def player_to_move(text: str, board: ParsedBoard) -> bool:
    """Whether X moves next, who began: it depends on the stones; raises NotationError."""
    first, second = board.cells.count(b"X"), board.cells.count(b"O")
    if first - second not in (0, 1):
        right = "X begins and has as many stones as O, or one more"
        wrong = "%d of X and %d of O" % (first, second)
        raise NotationError(text, board.offset, wrong, right)
    return first == second


def board_text(cells: bytes, width: int) -> Land:
    """The squares of a board with its rows separated."""
    return b"|".join([cells[i : i + width] for i in range(0, len(cells), width)])


def format_boards(lands: Sum) -> str:
    """The boards of a position, separated by `+`."""
    return b"+".join(lands).decode("ascii") or EMPTY_POSITION


def read_land(land: Land) -> Tuple[bytes, int]:
    """(squares, width) of a land.

    >>> read_land(b"..#|...")
    (b'..#...', 3)
    """
    width = land.find(b"|")
    return land.replace(b"|", b""), len(land) if width < 0 else width


def masks_of(cells: bytes, width: int, letters: bytes) -> List[int]:
    """For each of some letters the squares that have it, as bits.

    >>> [bin(mask) for mask in masks_of(b"..#X..", 3, b"#X")]
    ['0b100', '0b10000']
    """
    masks = [0] * 128
    bit = 1
    column = 0
    for cell in cells:
        masks[cell] |= bit
        bit <<= 1
        column += 1
        if column == width:
            bit <<= 1
            column = 0
    return [masks[letter] for letter in letters]


def mask_of(cells: bytes, width: int, letter: int) -> int:
    """The squares that have a letter, as bits.

    >>> bin(mask_of(b"..#...", 3, ord("#")))
    '0b100'
    """
    return masks_of(cells, width, bytes([letter]))[0]


def count(mask: int) -> int:
    """The number of squares."""
    return bin(mask).count("1")


def around(mask: int, stride: int) -> int:
    """The neighbours of squares, some of these squares, and bits outside the board."""
    return mask << 1 | mask >> 1 | mask << stride | mask >> stride


def connected(seed: int, within: int, stride: int) -> int:
    """The squares of `within` that are connected with those of `seed`."""
    while True:
        grown = (seed | seed << 1 | seed >> 1 | seed << stride | seed >> stride) & within
        if grown == seed:
            return seed
        seed = grown


def parts(mask: int, stride: int) -> List[int]:
    """The connected parts of a set of squares."""
    found = []
    while mask:
        part = connected(mask & -mask, mask, stride)
        found.append(part)
        mask ^= part
    return found


def bounds(mask: int, stride: int) -> Tuple[int, int, int]:
    """(first bit, height, width) of the least rectangle around squares, at least one."""
    low = mask & -mask
    row = (low.bit_length() - 1) // stride
    rest = mask >> row * stride
    columns = height = 0
    full = (1 << stride) - 1
    while rest:
        columns |= rest & full
        rest >>= stride
        height += 1
    column = (columns & -columns).bit_length() - 1
    return row * stride + column, height, columns.bit_length() - column


def transposed(cells: bytes, width: int) -> bytes:
    """The squares column by column.

    >>> transposed(b"abcdef", 3)
    b'adbecf'
    """
    return b"".join([cells[i::width] for i in range(width)])


def images(cells: bytes, width: int) -> List[bytes]:
    """The images of squares under the symmetries that keep rows of this width."""
    size = len(cells)
    found = [cells, cells[::-1]]
    if size > width:
        flipped = b"".join([cells[i : i + width] for i in range(size - width, -1, -width)])
        found += [flipped, flipped[::-1]]
        if size == width * width:
            turned = transposed(cells, width)
            flipped = b"".join([turned[i : i + width] for i in range(size - width, -1, -width)])
            found += [turned, turned[::-1], flipped, flipped[::-1]]
    return found


def image_maps(size: int, width: int, mirrored_only: bool = False) -> List[Tuple[int, ...]]:
    """Where each square goes under the symmetries of a board, or the mirror of its columns only.

    Raises ValueError for more than 256 squares.

    >>> image_maps(4, 2, mirrored_only=True)
    [(0, 1, 2, 3), (1, 0, 3, 2)]
    """
    if size > 256:
        raise ValueError("the board is too large: more than 256 squares")
    squares = bytes(range(size))
    found = images(squares, width)
    if mirrored_only:
        rows = [squares[i : i + width][::-1] for i in range(0, size, width)]
        found = [squares, b"".join(rows)]
    return [tuple([image.index(square) for square in squares]) for image in found]


def canonical(cells: bytes, width: int, swap: Optional[bytes] = None) -> Land:
    """The least text of a board and its images; its rows are not shorter than its columns.

    `swap` exchanges letters, for games in which colours can be exchanged.

    >>> canonical(b"#...#.", 2)
    b'#.#|...'
    """
    if len(cells) > width * width:
        cells, width = transposed(cells, width), len(cells) // width
    found = images(cells, width)
    least = min(found)
    if swap is not None:
        least = min(least, min([cells.translate(swap) for cells in found]))
    return board_text(least, width)


K = TypeVar("K")


class TextCache(Generic[K]):
    """Canonical texts by board, up to a number of bytes; beyond it all are dropped."""

    def __init__(self) -> None:
        self.texts: Dict[int, Dict[K, Land]] = {}
        """By stride, then by a key of the board, as its mask."""
        self.limit(None)

    def limit(self, most_bytes: Optional[int]) -> None:
        """Set the bound; None restores the default."""
        most_bytes = CACHE_BYTES if most_bytes is None else most_bytes
        self._most = max(1, most_bytes // BYTES_PER_TEXT)
        self.texts.clear()
        self._left = self._most

    def add(self, stride: int, key: K, text: Land) -> None:
        """Keep a text."""
        self._left -= 1
        if self._left < 0:
            self.texts.clear()
            self._left = self._most
        self.texts.setdefault(stride, {})[key] = text


def region_text(region: int, stride: int, cache: TextCache[int]) -> Land:
    """The canonical text of a set of free squares (`.`) in the least rectangle around it."""
    first, height, width = bounds(region, stride)
    region >>= first
    texts = cache.texts.get(stride)
    text = texts.get(region) if texts else None
    if text is None:
        cells = bytearray()
        for start in range(0, height * stride, stride):
            row = region >> start
            for column in range(width):
                cells.append(FREE if row >> column & 1 else BLOCKED)
        text = canonical(bytes(cells), width)
        cache.add(stride, region, text)
    return text


def distinct(children: Iterable[Sum]) -> Iterator[Sum]:
    """Children as they come, each once."""
    seen: Set[Sum] = set()
    for child in children:
        if child not in seen:
            seen.add(child)
            yield child


def sum_of(lands: Iterable[Land]) -> Sum:
    """The position of some lands."""
    return tuple(sorted(lands))


def read_sum(text: str, lands: List[Land]) -> Sum:
    """The position that a text denotes, by its lands; raises NotationError for too many.

    So the text of every position that is read can be read, too.
    """
    if len(lands) > MOST_BOARDS:
        right = "write boards with at most %d in all" % MOST_BOARDS
        raise NotationError(text, 0, "a position of %d parts" % len(lands), right)
    return sum_of(lands)
