"""Sprouts positions as drawings: lines in the plane, moves that cross nothing, and pictures.

A drawing is a *combinatorial map* (`planemap.py`): spots, lines as pairs of darts, the
order of darts around each spot, and faces as lists of boundaries, of which a face has several
where parts of the drawing lie inside it. A move joins two corners of a face. On one
boundary it divides the face, and says which other boundaries lie on its left. The text of the
drawing, and all its moves, follow from the map alone.

Coordinates are integers, in a triangulation of a square of whose edges lines are made
(`mesh.py`). Its triangles are counterclockwise, exactly, and that is enough: nothing crosses.
A new line passes from triangle to triangle (`routing.py`), so that every move can be drawn
(`board.py`). Forces then make lines round and distances even, while each vertex moves only as
far as its triangles allow (`relaxing.py`), as in PrEd [bertault2000] and ImPrEd [simonetto2011].
Corners are rounded where a test of triangles shows that the curves stay apart (`curves.py`).

A text is realised by gluing its regions along the spots that they share (`realise.py`).

Moves are those of the game. The rules of `pns.sprouts` also lay the spots of a region
with two or three lives on one boundary, which changes moves but no Grundy number; only after such
a step may a text have other moves than its drawing.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import List, NamedTuple, Optional, Sequence, Tuple

from pns.checker import sprouts as plain
from pns.game import Sum, children_of
from pns.sprouts import GAME, notation
from pns.sprouts.drawing import svg, terminal
from pns.sprouts.drawing.board import Board
from pns.sprouts.drawing.lines import lines
from pns.sprouts.drawing.planemap import IllegalMove, Move, PlaneMap
from pns.sprouts.drawing.realise import Choice, place, realise
from pns.sprouts.drawing.relaxing import relax, settle
from pns.sprouts.drawing.schema import schema

__all__ = [
    "Board",
    "Drawing",
    "IllegalMove",
    "Move",
    "PlaneMap",
    "draw",
    "draw_move",
    "exact_lands",
    "find_move",
    "relax",
    "settle",
    "text_without",
]

SHOWN_MOVES = 6
LONGEST = 60
"""Moves, and characters of a position, that a refusal shows."""
QUICK_MOVES = 1500
"""The most moves of a drawing whose canonical texts are compared with that of a wanted one."""


class DrawnLand(NamedTuple):
    """A land: its text, its drawing where one was found, what was chosen, and a new spot."""

    text: str
    board: Optional[Board]
    choice: Optional[Choice] = None
    new: Optional[int] = None


class Drawing(NamedTuple):
    """A position, land by land, and the text of the position that a move on it leads to."""

    lands: Tuple[DrawnLand, ...]
    child: str = ""

    def svg(self) -> str:
        """An SVG document."""
        pictures = [
            svg.picture(land.board, land.new) if land.board else schema(land.text)
            for land in self.lands
        ]
        return svg.document(pictures, self.title, "; ".join(self.notes()))

    def text(self) -> str:
        """Lines for a terminal, with a legend."""
        parts = []
        for i, (text, board, _, new) in enumerate(self.lands):
            parts.append("\n".join(terminal.lines_of(board, i, new) if board else [text]))
        return "\n\n".join([*parts, terminal.LEGEND]) + "\n"

    def drawn(self, number: int, move: Move) -> Drawing:
        """The drawing after a move on one of its lands; raises IllegalMove."""
        lands = [land._replace(new=None) for land in self.lands]
        before = lands[number].board
        if before is None:
            raise IllegalMove("%s is not drawn" % lands[number].text)
        board = before.copy()
        new = board.play(move)
        settle(board)
        lands[number] = DrawnLand(board.map.text(), board, lands[number].choice, new)
        return Drawing(tuple(lands))

    def played(self, child: str) -> Drawing:
        """The drawing after a move to a child, whose new spot is marked; raises NotationError.

        All other lines stay, in about their places. Where no drawn move leads there, the land
        that changes is drawn again, from its text; and all of them, where `child` is not a child.
        """
        wanted = notation.parse(child)
        lands = [land._replace(new=None) for land in self.lands]
        texts = [notation.parse(land.text) for land in lands]
        rest = [tuple(chain(*texts[:i], *texts[i + 1 :])) for i in range(len(lands))]
        for i, land in enumerate(lands):
            move = find_move(land.board.map, rest[i], wanted) if land.board else None
            if move is not None:
                return self.drawn(i, move)
        exact = exact_lands(wanted)
        fitting = [i for i in range(len(lands)) if not exact_lands(rest[i]) - exact]
        if not fitting:
            return draw(child)
        again = exact - exact_lands(rest[fitting[-1]])
        drawn = draw("+".join(again.elements()) or notation.EMPTY).lands
        return Drawing((*lands[: fitting[-1]], *drawn, *lands[fitting[-1] + 1 :]))

    @property
    def title(self) -> str:
        """The text of the position, and where the move leads."""
        texts = [land.text for land in self.lands if land.text != notation.EMPTY]
        text = "+".join(texts) or notation.EMPTY
        return "%s → %s" % (text, self.child) if self.child else text

    def notes(self) -> List[str]:
        """What was chosen where the text leaves it open, for each land."""
        notes: List[str] = []
        for land in self.lands:
            if land.board is None:
                notes.append("%s: no drawing found; its regions are shown as cards" % land.text)
            elif land.choice and str(land.choice):
                notes.append("%s: %s" % (land.text, land.choice))
        return notes


def draw(text: str) -> Drawing:
    """The drawing of a position; raises NotationError."""
    lands = notation.parse(text)
    drawn = {land: _drawn(land) for land in set(lands)}
    return Drawing(tuple([drawn[land] for land in lands]))


def draw_move(text: str, child: str) -> Drawing:
    """The drawing of a position with the move to a child, highlighted.

    It is that of the child alone where the drawing of the position does not have this move. Raises
    NotationError, and IllegalMove where no move leads there.
    """
    before = draw(text)
    after = before.played(child)
    if all([land.new is None for land in after.lands]):
        moves = children_of(GAME, notation.parse(text))
        if notation.parse(child) not in moves:
            raise IllegalMove(no_move(text, child, [GAME.format(lands) for lands in moves]))
        return after
    lands = [new._replace(text=old.text) for old, new in zip(before.lands, after.lands)]
    lands.sort(key=lambda land: land.new is None)
    return Drawing(tuple(lands), notation.format_position(notation.parse(child)))


def no_move(text: str, child: str, moves: Sequence[str]) -> str:
    """That no move leads from one position to another, and which moves there are.

    >>> no_move("0*2", "0*9", ["0.1a1a", "1a1a", "AB|AB"])
    'no move leads from 0*2 to 0*9; there are 0.1a1a, 1a1a, AB|AB'
    """
    more = len(moves) - SHOWN_MOVES
    names = ", ".join(moves[:SHOWN_MOVES]) + (" and %d more" % more if more > 0 else "")
    end = "there are %s" % names if moves else "there are none"
    return "no move leads from %s to %s; %s" % (text[:LONGEST], child[:LONGEST], end)


def _drawn(key: bytes) -> DrawnLand:
    land = key.decode("ascii")
    realised = realise(land)
    if realised is None:
        return DrawnLand(land, None)
    return DrawnLand(land, place(realised.map), realised.choice)


def exact_lands(lands: Sequence[bytes]) -> Counter[str]:
    """The exactly canonical texts of lands."""
    return Counter([plain.canonical(plain.read(land.decode("ascii"))) for land in lands])


def text_without(lands: Sum, others: Sum) -> Optional[str]:
    """The canonical text of lands without others; None unless all of these are there."""
    rest = Counter(lands)
    rest.subtract(others)
    if any([count < 0 for count in rest.values()]):
        return None
    return notation.format_position(tuple(sorted(rest.elements())))


def find_move(drawn: PlaneMap, others: Sum, wanted: Sum) -> Optional[Move]:
    """A move on a drawn land after which it and other lands are the wanted ones; None if none is.

    Canonical texts are compared first, which is quick. Equivalent lands may differ in them, so that
    exactly canonical texts are compared then.
    """
    text = text_without(wanted, others)
    if text is not None:
        for move, after in lines(drawn, QUICK_MOVES) or ():
            if after == text:
                return move
    exact, exact_others = exact_lands(wanted), exact_lands(others)
    return None if exact_others - exact else _find_exactly(drawn, exact - exact_others)


def _find_exactly(drawn: PlaneMap, wanted: Counter[str]) -> Optional[Move]:
    """A move to lands with these exactly canonical texts; None if there is none."""
    profiles = sorted(
        [plain.profile(land) for text in wanted.elements() for land in _parts(plain.read(text))]
    )
    for move in drawn.moves():
        lands = _parts(drawn.played(move).position())
        if sorted([plain.profile(land) for land in lands]) == profiles and wanted == Counter(
            [plain.least_text(land) for land in lands]
        ):
            return move
    return None


def _parts(position: plain.Position) -> List[plain.Land]:
    return plain.lands(plain.reduced(position))
