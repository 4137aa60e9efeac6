"""What the page can ask: functions from a session and a JSON object to a JSON object.

Each refuses bad input with `BadRequest`, and does a bounded amount of work.
"""

from __future__ import annotations

from functools import wraps
from typing import Callable, Dict, Tuple, Type

from pns.choices import DFPN, PARALLEL
from pns.facts import FactsError
from pns.front.options import OptionError, Options
from pns.game import TooLarge
from pns.system.machine import physical_cores
from pns.web.certificates import check
from pns.web.gallery import gallery, parts
from pns.web.introductions import games, start
from pns.web.lookups import ALGORITHMS, about, facts, look, statistics
from pns.web.positions import marks, picture, reply, settle, why
from pns.web.reading import BadRequest, Json, number_in, position_in, session_in, text_in
from pns.web.scenes import position
from pns.web.searches import QueueFull
from pns.web.session import WebSession
from pns.web.strokes import stroke

MOST_SECONDS = 7 * 24 * 3600


def start_search(session: WebSession, data: Json) -> Json:
    """Search a position, after the search that runs; its facts go to the session's database."""
    if not session.can_search:
        raise BadRequest("a search adds to a database; this session has none")
    wanted = session.game.format(position_in(session, data, "position"))
    algorithm = text_in(data, "algorithm", DFPN)
    if algorithm not in ALGORITHMS:
        raise BadRequest("invalid algorithm; expected one of %s" % ", ".join(ALGORITHMS))
    if algorithm in session.search.unavailable:
        why_not = session.search.unavailable[algorithm]
        raise BadRequest("%s is not available: %s" % (algorithm, why_not))
    options: Json = {
        "algorithm": algorithm,
        "grundy": data.get("grundy") is True,
        "max_seconds": float(number_in(data, "seconds", 1, MOST_SECONDS)),
    }
    if algorithm in PARALLEL:
        options["processes"] = number_in(data, "processes", 1, max(2, physical_cores()), 2)
    try:
        Options(**options).check()
        session.search.start(session.specification(wanted, options))
    except (OptionError, QueueFull) as error:
        raise BadRequest(str(error)) from error
    return session.search.state


def stop_search(session: WebSession, data: Json) -> Json:
    """Stop the search, and begin the next one that waits; what it proved is kept."""
    session.search.stop()
    return session.search.state


def forget_search(session: WebSession, data: Json) -> Json:
    """Take a position from those that wait to be searched."""
    session.search.forget(session.game.name, text_in(data, "position"))
    return session.search.state


PageQuestion = Callable[[WebSession, Json], Json]


def of_its_game(question: PageQuestion) -> PageQuestion:
    """A question that is asked of the session of the game that the request names."""

    @wraps(question)
    def answer(session: WebSession, data: Json) -> Json:
        return question(session_in(session, data), data)

    return answer


ASKED: Dict[str, PageQuestion] = {
    "about": about,
    "games": games,
    "start": start,
    "position": position,
    "settle": settle,
    "marks": marks,
    "reply": reply,
    "stroke": stroke,
    "why": why,
    "drawing": picture,
    "parts": parts,
    "gallery": gallery,
    "check": check,
    "facts": facts,
    "look": look,
    "statistics": statistics,
    "search": start_search,
    "stop": stop_search,
    "forget": forget_search,
}
QUESTIONS = {name: of_its_game(question) for name, question in ASKED.items()}
"""What can be asked by name, of either transport; the server has it at /api/NAME. Each takes a
`game`, which may be missing."""
CHANGING = frozenset(("search", "stop", "forget"))
"""The questions that change something; all others only look."""
REFUSALS: Tuple[Type[Exception], ...] = (BadRequest, FactsError, TooLarge)
"""What a question raises that cannot be answered; the message says why."""
