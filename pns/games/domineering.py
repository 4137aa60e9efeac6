"""Domineering: one player places dominoes vertically, the other horizontally [gardner1974].

Who cannot move loses. A land is written for a vertical player to move: where the horizontal
one is to move the board is turned, its rows becoming columns. It is a sum of regions of free
squares (`.`), separated by `+`, each with the least rectangle around it. What keeps the winner
(all of it is in [berlekamp1982]):

- A region and its turned image are negatives of each other and cancel.
- A region in which only one player can move is a strip. It is worth as many moves as dominoes fit
  in, and strips are added up to one of even length, or to none.
- A player who has more moves left in strips than the other has anywhere wins.
"""

from __future__ import annotations

from collections import Counter
from typing import Dict, Iterable, List, Optional, Tuple

from pns.game import Game, Land, NotationError, Picture, Sum
from pns.games.board import (
    CACHE_BYTES,
    LONGEST_BOARD,
    MOVE_WEIGHT,
    TextCache,
    bounds,
    count,
    format_boards,
    mask_of,
    parse_boards,
    parts,
    read_land,
    transposed,
)
from pns.games.board_svg import board_picture
from pns.games.scenes.placed import PartisanDominoScenes

FREE, BLOCKED = b".#"
PLAYERS = {"V:": False, "H:": True}
"""How a text begins, and whether its boards are turned to be read."""
BYTES_PER_REGION = 400
"""About the memory of a cached region."""


class RegionShape:
    """What is known of a region: its size, its moves, and its turned image."""

    def __init__(self, text: Land) -> None:
        cells, width = read_land(text)
        self.width = width
        self.free = mask_of(cells, width, FREE)
        self.squares = count(self.free)
        stride = width + 1
        self.dominoes = self.free & self.free >> stride
        self.vertical = _fitting(self.free, stride)
        self.horizontal = _fitting(self.free, 1)
        self.turned = _least(transposed(cells, width), len(cells) // width)

    @property
    def is_strip(self) -> bool:
        """Whether only one player can move."""
        return not self.vertical or not self.horizontal


def _fitting(free: int, step: int) -> int:
    """The dominoes of one direction that fit into a region: half of each run."""
    found = 0
    while True:
        starts = free & ~(free << step)
        pairs = starts & free >> step
        if not pairs:
            free &= ~starts
            if not free:
                return found
            continue
        found += count(pairs)
        free &= ~(starts | pairs << step)


def _least(cells: bytes, width: int) -> Land:
    """The least text of a region under the symmetries that keep columns columns."""
    rows = [cells[i : i + width] for i in range(0, len(cells), width)]
    mirrored = [row[::-1] for row in rows]
    return min([b"|".join(some) for some in (rows, rows[::-1], mirrored, mirrored[::-1])])


class Domineering:
    """The game contract for Domineering."""

    name = "domineering"
    decomposes = False
    examples = ("....|....", "H:...|...|...", "..#|...|#..", ".....|..#..+..|..")

    scenes = PartisanDominoScenes(
        "Domineering",
        "Blue puts dominoes upright on two free squares, orange lays them flat. "
        "Who has no room for another one loses.",
        (5, 5),
    )

    def __init__(self) -> None:
        self._texts: TextCache[int] = TextCache()
        self.limit_caches(None)

    def parse(self, text: str) -> Sum:
        """Boards like ..#|... for the vertical player to move, or H:..#|... for the other.

        >>> Domineering().parse("H:...|..#")
        (b'#.|..|..',)
        """
        is_turned = PLAYERS.get(text[:2])
        start = 0 if is_turned is None else 2
        regions: List[Land] = []
        for board in parse_boards(text, ".#", "..#|...", start):
            cells, width = board.cells, board.width
            if is_turned:
                cells, width = transposed(cells, width), len(cells) // width
            regions += self._regions(mask_of(cells, width, FREE), width + 1)
        found = self._position(regions)
        if sum([len(land) for land in found]) > LONGEST_BOARD:
            raise NotationError(text, 0, "the boards are too large", "write fewer squares")
        return found

    def format(self, lands: Sum) -> str:
        return format_boards(lands)

    def draw(self, land: Land) -> Picture:
        return board_picture(side_by_side(land), note="the vertical player to move")

    def children(self, land: Land) -> List[Sum]:
        """The positions after each vertical domino, turned; only `()` where one wins at once.

        >>> Domineering().children(b"...|...|...")
        [(b'##.|...|...',), (b'...|##.|...',)]
        """
        texts = land.split(b"+")
        found: Dict[Sum, None] = {}
        others = [self._region(text).turned for text in texts]
        if self._is_won(texts):
            return [()]
        for i, text in enumerate(texts):
            if text in texts[:i]:
                continue
            region = self._region(text)
            rest = others[:i] + others[i + 1 :]
            stride = region.width + 1
            left = region.dominoes
            while left:
                square = left & -left
                left ^= square
                after = region.free ^ square ^ square << stride
                turned = [self._region(part).turned for part in self._regions(after, stride)]
                child = self._position(rest + turned)
                if not child:
                    return [()]
                found[child] = None
        return list(found)

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(half the squares, the weighted vertical dominoes)."""
        regions = [self._region(text) for text in land.split(b"+")]
        return (
            sum([region.squares for region in regions]) // 2,
            MOVE_WEIGHT * sum([count(region.dominoes) for region in regions]),
        )

    def limit_caches(self, most_bytes: Optional[int]) -> None:
        self._texts.limit(most_bytes)
        self._known: Dict[Land, RegionShape] = {}
        self._most = (CACHE_BYTES if most_bytes is None else most_bytes) // BYTES_PER_REGION

    def _region(self, text: Land) -> RegionShape:
        region = self._known.get(text)
        if region is None:
            if len(self._known) >= self._most:
                self._known.clear()
            region = self._known[text] = RegionShape(text)
        return region

    def _regions(self, free: int, stride: int) -> List[Land]:
        """The texts of the regions of free squares, without single squares."""
        return [self._text(part, stride) for part in parts(free, stride) if part & part - 1]

    def _text(self, mask: int, stride: int) -> Land:
        first, height, width = bounds(mask, stride)
        mask >>= first
        text = self._texts.texts.get(stride, {}).get(mask)
        if text is None:
            cells = bytearray()
            for start in range(0, height * stride, stride):
                row = mask >> start
                cells += bytes([FREE if row >> column & 1 else BLOCKED for column in range(width)])
            text = _least(bytes(cells), width)
            self._texts.add(stride, mask, text)
        return text

    def _position(self, texts: Iterable[Land]) -> Sum:
        """The land of some regions, the vertical player to move; () if that player has lost."""
        counts = Counter(texts)
        moves = 0
        kept: List[Land] = []
        for text, times in counts.items():
            region = self._region(text)
            if region.is_strip:
                moves += times * (region.vertical - region.horizontal)
                continue
            if region.turned == text:
                times %= 2
            else:
                times -= counts.get(region.turned, 0)
            kept += [text] * times
        vertical = sum([self._region(text).vertical for text in kept])
        if vertical <= -moves:
            return ()
        if moves:
            kept.append(b"." * (-2 * moves) if moves < 0 else b"|".join([b"."] * 2 * moves))
        return (b"+".join(sorted(kept)),)

    def _is_won(self, texts: List[Land]) -> bool:
        """Whether the vertical player has more moves in strips than the other has anywhere."""
        moves = horizontal = 0
        for text in texts:
            region = self._region(text)
            horizontal += region.horizontal
            if region.is_strip:
                moves += region.vertical
        return moves > horizontal


def side_by_side(land: Land) -> str:
    """The regions of a land as one board, with blocked columns between them."""
    boards = [text.decode("ascii").split("|") for text in land.split(b"+")]
    height = max(map(len, boards))
    padded = [rows + ["#" * len(rows[0])] * (height - len(rows)) for rows in boards]
    return "|".join(["#".join(row) for row in zip(*padded)])


GAME: Game = Domineering()
