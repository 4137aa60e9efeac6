"""Reads requests of the page: JSON objects of strangers, of which all is checked.

What cannot be answered is refused with `BadRequest`.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from pns.game import NotationError, Sum
from pns.web import sheets
from pns.web.knowledge import PageFacts
from pns.web.session import WebSession

MOST_LETTERS = 2000
MOST_LIVES = 200
"""The longest text of a position, and the most lives that it may have."""
MOST_STEPS = 600
MOST_ALONG, FARTHEST = 200, 1 << 20
"""The most coordinates of a line that was drawn by hand, and the largest one."""

Json = Dict[str, Any]


class BadRequest(ValueError):
    """A request that cannot be answered; the message says why."""


def text_in(data: Json, name: str, default: Optional[str] = None) -> str:
    """A text of a request."""
    value = data.get(name, default)
    if not isinstance(value, str) or len(value) > MOST_LETTERS:
        raise BadRequest("%s: not a text of at most %d letters" % (name, MOST_LETTERS))
    return value


def number_in(data: Json, name: str, least: int, most: int, default: Optional[int] = None) -> int:
    """A whole number of a request."""
    value = data.get(name, default)
    if type(value) is not int or not least <= value <= most:
        raise BadRequest("%s: not a whole number from %d to %d" % (name, least, most))
    return value


def session_in(session: WebSession, data: Json) -> WebSession:
    """The session of the game that a request names, by default the game of the server."""
    return session_of(session, text_in(data, "game", ""))


def session_of(session: WebSession, name: str) -> WebSession:
    """The session of a game; raises BadRequest where there is none."""
    try:
        return session.of(name)
    except ValueError as error:
        raise BadRequest("game: %s" % error) from error


def position_in(session: WebSession, data: Json, name: str) -> Sum:
    """A position of a request, of a size that can be dealt with."""
    return parsed(session, text_in(data, name))


def parsed(session: WebSession, text: str) -> Sum:
    """The lands of a text."""
    try:
        lands = session.game.parse(text)
    except NotationError as error:
        raise BadRequest("%s" % error) from error
    if not session.can_show(text):
        raise BadRequest("a tree cannot be drawn; expected a position of lands alone")
    if sum([session.game.estimate(land)[0] for land in lands]) > MOST_LIVES:
        raise BadRequest("a position of more than %d lives" % MOST_LIVES)
    return lands


def source_in(session: WebSession, data: Json) -> PageFacts:
    """The facts that a request names."""
    try:
        return session.source(text_in(data, "source", ""))
    except KeyError as error:
        raise BadRequest("source: unknown certificate") from error


def steps_in(data: Json) -> Tuple[sheets.SheetMove, ...]:
    """The steps of a request: texts, or lists that are `pns.web.sheets.DrawnStep`."""
    found = data.get("steps", [])
    if not isinstance(found, list) or len(found) > MOST_STEPS:
        raise BadRequest("steps: not a list of at most %d" % MOST_STEPS)
    steps: List[sheets.SheetMove] = []
    for step in found:
        if isinstance(step, str) and len(step) <= MOST_LETTERS:
            steps.append(step)
        elif isinstance(step, list) and 4 <= len(step) <= 6 and isinstance(step[3], list):
            steps.append(_drawn_step(*step))
        else:
            raise BadRequest("steps: a step is a text, or [sheet, corner, corner, [left ...]]")
    return tuple(steps)


def _drawn_step(
    sheet: Any, first: Any, second: Any, left: List[Any], outside: Any = None, along: Any = ()
) -> sheets.DrawnStep:
    """A drawn move of a request."""
    numbers = (sheet, first, second, *left)
    if len(numbers) > MOST_LIVES or not all([type(n) is int for n in numbers]):
        raise BadRequest("steps: a step has whole numbers only")
    if outside not in (True, False, None) or type(outside) is int:
        raise BadRequest("steps: the fifth part of a step is true, false or null")
    is_list = isinstance(along, (list, tuple)) and len(along) <= MOST_ALONG and len(along) % 2 == 0
    if not is_list or not all([type(n) is int and abs(n) <= FARTHEST for n in along]):
        raise BadRequest("steps: the sixth part of a step is [x, y, x, y, ...] in hundredths")
    return sheet, first, second, frozenset(left), outside, tuple(along)
