"""A position as sheets, one drawing for each land of its start, and steps of play on them."""

from __future__ import annotations

from collections import OrderedDict
from typing import FrozenSet, Tuple, Union

from pns.game import Game, NotationError, Sum, children_of, find_game
from pns.sprouts import notation
from pns.sprouts.drawing import Land, Move, draw, exact_lands, find_move, settle

Sheets = Tuple[Land, ...]
DrawnStep = Tuple[int, int, int, FrozenSet[int]]
"""Sheet, first and second corner, and what lies on the left (`pns.sprouts.drawing.Move`)."""
Step = Union[str, DrawnStep]
"""A move: as it is drawn, or the text of the position that it leads to."""

MOST_MOVES = 20_000
"""The most moves, by their estimate, that a position may have for them to be listed."""
KEPT = 200
"""Positions that are kept, so that only the last step is played again."""
ROUNDS = 16
"""Rounds of forces after a move (`pns.sprouts.drawing.relaxing`)."""


class IllegalStep(ValueError):
    """A step that the position does not have."""


def lands_of(sheets: Sheets) -> Sum:
    """The lands on all sheets."""
    return tuple(sorted([land for sheet in sheets for land in notation.parse(sheet.text)]))


def branching_of(game: Game, lands: Sum) -> int:
    """The estimated number of moves."""
    return sum([game.estimate(land)[1] for land in lands])


class Sketchbook:
    """The positions that games on the page have led to; each is drawn once."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Tuple[str, Tuple[Step, ...]], Sheets] = OrderedDict()

    def at(self, start: str, steps: Tuple[Step, ...]) -> Sheets:
        """The sheets after steps from a position; raises NotationError and IllegalStep."""
        key = (start, steps)
        sheets = self._kept.pop(key, None)
        if sheets is None:
            sheets = played(self.at(start, steps[:-1]), steps[-1]) if steps else draw(start).lands
        self._kept[key] = sheets
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return sheets


def played(sheets: Sheets, step: Step) -> Sheets:
    """The sheets after a step; raises IllegalStep, which is a ValueError, for a bad one."""
    if isinstance(step, str):
        return _played_to(sheets, step)
    number, first, second, left = step
    if not 0 <= number < len(sheets):
        raise IllegalStep("there is no sheet %d" % number)
    return _drawn(sheets, number, Move(first, second, left))


def _played_to(sheets: Sheets, text: str) -> Sheets:
    """The move to a position, where one is drawn; otherwise a new drawing of that position."""
    try:
        wanted_lands = notation.parse(text)
    except NotationError as error:
        raise IllegalStep(str(error)) from error
    game, lands = find_game("sprouts"), lands_of(sheets)
    if branching_of(game, lands) > MOST_MOVES:
        raise IllegalStep("too many moves to look for one")
    if wanted_lands not in children_of(game, lands):
        raise IllegalStep("no move leads to %s" % notation.format_position(wanted_lands))
    wanted = exact_lands(wanted_lands)
    for number, sheet in enumerate(sheets):
        rest = exact_lands(lands_of(sheets[:number] + sheets[number + 1 :]))
        if sheet.board is not None and not rest - wanted:
            move = find_move(sheet.board.map, wanted - rest)
            if move is not None:
                return _drawn(sheets, number, move)
    return draw(text).lands


def _drawn(sheets: Sheets, number: int, move: Move) -> Sheets:
    sheet = sheets[number]
    if sheet.board is None:
        raise IllegalStep("sheet %d is not drawn; choose a move of the list" % number)
    board = sheet.board.copy()
    new = board.play(move)
    settle(board, ROUNDS)
    after = [other._replace(new=None) for other in sheets]
    after[number] = Land(board.map.text(), board, sheet.choice, new)
    return tuple(after)
