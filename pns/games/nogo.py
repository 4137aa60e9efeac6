"""Impartial NoGo: place a stone of either colour so that no group loses its last liberty.

A group is a connected set of stones of one colour, a liberty an empty neighbour of it. After
each move every group must have a liberty. This is the impartial form of NoGo: both players may
place either colour.

Stones are never removed, so a move that is illegal stays so. What follows keeps the moves and
their sequels, and so the Grundy number:

- An empty square where neither colour may ever be placed is a liberty for good (`-`).
- A group next to such a square is safe. Its stones (`x`, `o`) matter only as neighbours:
  a stone of their colour next to them is safe too, and any may be placed beside them.
- Squares interact if they are neighbours, unless stones of different colours, or safe ones,
  are between them. So a board falls into parts. Of what is around a part only `-`, `x` and `o`
  matter; all else is blocked (`#`).
- A stone is blocked if its group has the same liberties without it. On a line, of a row of
  stones of one colour one is kept.

A land is a part with the least rectangle around it. Colours can be exchanged in each.
"""

from __future__ import annotations

from typing import Iterator, List, Optional, Tuple

from pns.game import Game, Land, NotationError, Picture, Sum
from pns.games import nogo_grid, nogo_line
from pns.games.board import (
    MOVE_WEIGHT,
    ParsedBoard,
    around,
    count,
    distinct,
    format_boards,
    parse_boards,
    read_land,
    read_sum,
)
from pns.games.board_svg import board_picture
from pns.games.nogo_grid import EMPTY, LETTERS, Masks, groups, read_masks
from pns.games.scenes.placed import NoGoScenes

TITLE = "NoGo"
RULES = (
    "Put a blue or an orange stone on a free square; every group of one colour must keep a free "
    "square beside it. Who cannot place a stone loses."
)
GRID_WEIGHT = 2 * MOVE_WEIGHT
"""The branching that an estimate counts for each move on a grid, where more saves expansions.

3x5 takes a fifth fewer children than by `MOVE_WEIGHT`, lines of 19 to 21 about twice as many.
"""


class NoGo:
    """The game contract for impartial NoGo."""

    name = "nogo"
    decomposes = True
    examples = ("...", "......", "..X.O..", "...|...", "..O|X..|...")

    def __init__(self) -> None:
        self._lines = nogo_line.LineMoves()
        self._grids = nogo_grid.GridMoves()
        self.scenes = NoGoScenes(TITLE, RULES, (3, 4), self.parse)

    def parse(self, text: str) -> Sum:
        """The parts of boards like ..X|...; raises NotationError for a group without liberty.

        >>> NoGo().parse("..XO..")
        (b'..O', b'..O')
        """
        lands: List[Land] = []
        for board in parse_boards(text, LETTERS, "..X|..."):
            masks = read_masks(board.cells, board.width)
            _check_groups(text, board, masks)
            lands += self._grids.lands(masks)
        return read_sum(text, lands)

    def format(self, lands: Sum) -> str:
        return format_boards(lands)

    def draw(self, land: Land) -> Picture:
        return board_picture(land.decode())

    def children(self, land: Land) -> Iterator[Sum]:
        """The positions after each stone, those first that have parted.

        >>> list(NoGo().children(b".."))
        [()]
        """
        cells, width = read_land(land)
        if len(cells) == width:
            return distinct(self._lines.children(cells))
        return distinct(self._grids.children(read_masks(cells, width)))

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(the empty squares, the weighted moves)."""
        cells, width = read_land(land)
        masks = read_masks(cells, width)
        if len(cells) == width:
            weight, moves = MOVE_WEIGHT, nogo_line.legal_moves(*masks[:-1])
        else:
            weight, moves = GRID_WEIGHT, nogo_grid.legal_moves(masks)
        return cells.count(EMPTY), weight * (count(moves[0]) + count(moves[1]))

    def limit_caches(self, most_bytes: Optional[int]) -> None:
        self._lines.limit(most_bytes)
        self._grids.cache.limit(most_bytes)


def _check_groups(text: str, board: ParsedBoard, masks: Masks) -> None:
    """Raise NotationError for a group without liberty."""
    stride = masks.stride
    free = masks.empty | masks.eternal
    for stones, safe in ((masks.black, masks.safe_black), (masks.white, masks.safe_white)):
        for group, _ in groups(stones, masks.empty, stride):
            if not around(group, stride) & (free | safe):
                bit = (group & -group).bit_length() - 1
                square = bit // stride * board.width + bit % stride
                right = "every group needs an empty neighbour"
                raise NotationError(text, board.at(square), "this group has no liberty", right)


GAME: Game = NoGo()
