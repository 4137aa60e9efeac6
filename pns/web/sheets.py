"""A position as sheets, one drawing for each land of its start, and steps of play on them."""

from __future__ import annotations

from collections import OrderedDict
from typing import FrozenSet, NamedTuple, Optional, Sequence, Tuple, Union

from pns.game import Game, NotationError, Sum, children_of
from pns.sprouts import GAME, notation
from pns.sprouts.drawing import DrawnLand, Move, draw, find_move, settle, text_without
from pns.web.names import Names

Sheets = Tuple[DrawnLand, ...]
DrawnStep = Tuple[int, int, int, FrozenSet[int], Optional[bool], Tuple[int, ...]]
"""Sheet, first and second corner, what lies on the left (`pns.sprouts.drawing.Move`), whether that
is outside, and the points that the line passes (`pns.sprouts.drawing.Board.play`): x, y, x, y, ...
in hundredths of a unit."""
SheetMove = Union[str, DrawnStep]
"""A move: as it is drawn, or the text of the position that it leads to."""

MOST_MOVES = 20_000
"""The most moves, by their estimate, that a position may have for them to be listed."""
KEPT = 200
"""Positions that are kept, so that only the last step is played again."""
ROUNDS = (2, 4, 5, 5)
"""Rounds of forces (`pns.sprouts.drawing.relaxing`) with a move, and each time that more are asked
for: a click is answered at once, and the drawing then comes to rest."""


class IllegalStep(ValueError):
    """A step that the position does not have."""


def lands_of(sheets: Sheets) -> Sum:
    """The lands on all sheets."""
    return tuple(sorted([land for sheet in sheets for land in notation.parse(sheet.text)]))


def others_of(sheets: Sheets, number: int) -> Sum:
    """The lands on all sheets but one."""
    return lands_of(sheets[:number] + sheets[number + 1 :])


def branching_of(game: Game, lands: Sum) -> int:
    """The estimated number of moves."""
    return sum([game.estimate(land)[1] for land in lands])


class Sketch(NamedTuple):
    """The drawings of a position, and how often they have been settled."""

    sheets: Sheets
    settled: int = 1

    @property
    def is_at_rest(self) -> bool:
        """Whether settling it does nothing."""
        return self.settled == len(ROUNDS) or not any(
            [land.new is not None for land in self.sheets]
        )


class Sketchbook:
    """The positions that games on the page have led to; each is drawn once."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Tuple[str, Tuple[SheetMove, ...]], Sketch] = OrderedDict()

    def at(self, start: str, steps: Tuple[SheetMove, ...]) -> Sketch:
        """The drawings after steps from a position; raises NotationError and IllegalStep."""
        key = (start, steps)
        sketch = self._kept.pop(key, None)
        if sketch is None:
            if steps:
                sheets = played(self.at(start, steps[:-1]).sheets, steps[-1])
            else:
                sheets = draw(start).lands
            sketch = Sketch(sheets)
        return self._keep(key, sketch)

    def settle(self, start: str, steps: Tuple[SheetMove, ...]) -> Sketch:
        """The same with the drawing of the last move nearer to its rest."""
        sketch = self.at(start, steps)
        if sketch.is_at_rest:
            return sketch
        sheets = [_settled(land, ROUNDS[sketch.settled]) for land in sketch.sheets]
        return self._keep((start, steps), Sketch(tuple(sheets), sketch.settled + 1))

    def _keep(self, key: Tuple[str, Tuple[SheetMove, ...]], sketch: Sketch) -> Sketch:
        self._kept[key] = sketch
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return sketch


def _settled(land: DrawnLand, rounds: int) -> DrawnLand:
    """A land that is at rest already, or a copy that is nearer to it."""
    if land.board is None or land.new is None:
        return land
    board = land.board.copy()
    settle(board, rounds)
    return land._replace(board=board)


def played(sheets: Sheets, step: SheetMove) -> Sheets:
    """The sheets after a step; raises IllegalStep, which is a ValueError, for a bad one."""
    if isinstance(step, str):
        return _played_to(sheets, step)
    number, first, second, left, outside, along = step
    if not 0 <= number < len(sheets):
        raise IllegalStep("there is no sheet %d" % number)
    points = [(x / 100, y / 100) for x, y in zip(along[::2], along[1::2])]
    return _drawn(sheets, number, Move(first, second, left), outside=outside, along=points)


def _played_to(sheets: Sheets, text: str) -> Sheets:
    """The move to a position, where one is drawn; otherwise a new drawing of that position."""
    try:
        wanted = notation.parse(text)
    except NotationError as error:
        raise IllegalStep(str(error)) from error
    lands = lands_of(sheets)
    if branching_of(GAME, lands) > MOST_MOVES:
        raise IllegalStep("too many moves to look for one")
    if wanted not in children_of(GAME, lands):
        raise IllegalStep("no move leads to %s" % notation.format_position(wanted))
    for number, sheet in enumerate(sheets):
        if sheet.board is None:
            continue
        move = find_move(sheet.board.map, others_of(sheets, number), wanted)
        if move is not None:
            return _drawn(sheets, number, move, wanted)
    return draw(text).lands


def _drawn(
    sheets: Sheets,
    number: int,
    move: Move,
    after: Optional[Sum] = None,
    outside: Optional[bool] = None,
    along: Sequence[Tuple[float, float]] = (),
) -> Sheets:
    """The sheets after a move on one of them; `after` is the position, if it is known."""
    sheet = sheets[number]
    if sheet.board is None:
        raise IllegalStep("sheet %d is not drawn; choose a move of the list" % number)
    board = sheet.board.copy()
    new = board.play(move, outside, along)
    settle(board, ROUNDS[0])
    others = others_of(sheets, number)
    text = board.map.text()
    if after is None:
        lands = lands_of(sheets)
        if branching_of(GAME, lands) <= MOST_MOVES:
            after = Names(GAME, lands).of(tuple(sorted((*others, *notation.parse(text)))))
    if after is not None:
        text = text_without(after, others) or text
    moved = [other._replace(new=None) for other in sheets]
    moved[number] = DrawnLand(text, board, sheet.choice, new)
    return tuple(moved)
