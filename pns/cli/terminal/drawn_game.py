"""The drawings of a game of Sprouts, and the moves that a person draws."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from pns.game import Land, Sum
from pns.play.session import PlayError, Session
from pns.sprouts import notation
from pns.sprouts.drawing import Drawing, Move, draw, exact_lands
from pns.sprouts.drawing.spot_names import Line, lines_between


class DrawnGame:
    """The positions of a game, each drawn on the one before."""

    def __init__(self) -> None:
        self._drawn: List[Tuple[Sum, Drawing]] = []
        self._lines: Dict[Sum, Tuple[int, Move]] = {}
        """The lines that `find` has found, by the moves that they make."""

    def at(self, session: Session) -> Drawing:
        """The drawing of the position: what was drawn stays, and the moves since are added."""
        positions = session.positions
        same = 0
        for position, (before, _) in zip(positions, self._drawn):
            if position != before:
                break
            same += 1
        del self._drawn[same:]
        for position in positions[same:]:
            name = session.game.format(position)
            drawing = self._drawn[-1][1].played(name) if self._drawn else draw(name)
            self._drawn.append((position, drawing))
        return self._drawn[-1][1]

    def find(self, session: Session, line: Line) -> List[Sum]:
        """The moves that draw a line, at least one; raises PlayError if there is none."""
        lands = self.at(session).lands
        board = lands[line.land].board if line.land < len(lands) else None
        if board is None or not {*line.ends, *line.beside} <= {*range(len(board.map.lives))}:
            raise PlayError("unknown spot; expected one of the drawing")
        found: Dict[Sum, Tuple[int, Move]] = {}
        moves = list(lines_between(board.map, line.ends, line.beside))
        for move in moves:
            texts = [land.text for land in lands]
            texts[line.land] = board.map.played(move).text()
            child = same_move(session, [key for text in texts for key in notation.parse(text)])
            if child is not None:
                found.setdefault(child, (line.land, move))
        if not found:
            raise PlayError(
                "the simplified position does not have this line; type moves for a list"
                if moves
                else "no line joins these spots like that"
            )
        self._lines = found
        return list(found)

    def draw_move(self, session: Session, child: Sum) -> None:
        """Draw a move as the line by which it was found, if it was, before it is played."""
        chosen = self._lines.get(child)
        if chosen:
            self._drawn.append((child, self.at(session).drawn(*chosen)))

    def forget_lines(self) -> None:
        """Forget the lines that were found in the position before."""
        self._lines = {}


def same_move(session: Session, lands: List[Land]) -> Optional[Sum]:
    """The move to these lands, perhaps with another canonical text; None if there is none."""
    write = session.game.format
    child = notation.position_in(session.game, tuple(sorted(lands)))
    if child in session.moves:
        return child
    wanted = exact_lands(lands)
    return next(
        (move for move in session.moves if exact_lands(notation.parse(write(move))) == wanted), None
    )
