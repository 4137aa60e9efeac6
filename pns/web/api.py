"""What the page can ask: functions from a session and a JSON object to a JSON object.

Each refuses bad input with `BadRequest`, and does a bounded amount of work.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Tuple

from pns.choices import DFPN, PARALLEL, TREES
from pns.game import NotationError, Sum, children_of
from pns.machine import physical_cores
from pns.options import OptionError, Options
from pns.proofs.check import UNKNOWN
from pns.proofs.why import Explainer, Step
from pns.sprouts.drawing import Land, draw, svg
from pns.sprouts.drawing.handles import handles
from pns.sprouts.drawing.planemap import IllegalMove
from pns.sprouts.drawing.schema import schema
from pns.web import sheets
from pns.web.knowledge import Source, shipped_names
from pns.web.search import Busy
from pns.web.session import Session
from pns.web.sheets import branching_of

MOST_LETTERS = 2000
MOST_LIVES = 200
"""The longest text of a position, and the most lives that it may have."""
MOST_STEPS = 600
MOST_FACTS = 200
MOST_SCANNED = 500_000
"""Facts that are sent at a time, and facts that are looked at for one request."""
MOST_SECONDS = 7 * 24 * 3600
LARGEST_START = 60
"""The largest n for which G(0*n) is looked up."""
ALGORITHMS = (DFPN, *PARALLEL, *TREES)

Json = Dict[str, Any]


class BadRequest(ValueError):
    """A request that cannot be answered; the message says why."""


# Reading requests


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


def position_in(session: Session, data: Json, name: str) -> Sum:
    """A position of a request, of a size that can be dealt with."""
    return parsed(session, text_in(data, name))


def parsed(session: Session, text: str) -> Sum:
    """The lands of a text."""
    try:
        lands = session.game.parse(text)
    except NotationError as error:
        raise BadRequest("%s" % error) from error
    if sum([session.game.estimate(land)[0] for land in lands]) > MOST_LIVES:
        raise BadRequest("a position of more than %d lives" % MOST_LIVES)
    return lands


def source_in(session: Session, data: Json) -> Source:
    """The facts that a request names."""
    try:
        return session.source(text_in(data, "source", ""))
    except KeyError as error:
        raise BadRequest("source: no such certificate") from error


def steps_in(data: Json) -> Tuple[sheets.Step, ...]:
    """The steps of a request: texts, or lists of a sheet, two corners and what lies left."""
    found = data.get("steps", [])
    if not isinstance(found, list) or len(found) > MOST_STEPS:
        raise BadRequest("steps: not a list of at most %d" % MOST_STEPS)
    steps: List[sheets.Step] = []
    for step in found:
        if isinstance(step, str) and len(step) <= MOST_LETTERS:
            steps.append(step)
        elif isinstance(step, list) and len(step) == 4 and isinstance(step[3], list):
            numbers = [*step[:3], *step[3]]
            if len(numbers) > MOST_LIVES or not all([type(n) is int for n in numbers]):
                raise BadRequest("steps: a step has whole numbers only")
            left: FrozenSet[int] = frozenset(step[3])
            steps.append((step[0], step[1], step[2], left))
        else:
            raise BadRequest("steps: a step is a text, or [sheet, corner, corner, [left ...]]")
    return tuple(steps)


# Positions


def position(session: Session, data: Json) -> Json:
    """The position after steps from a start: its drawing, its moves, and what is known."""
    start = session.game.format(position_in(session, data, "start"))
    steps = steps_in(data)
    source = source_in(session, data)
    shown: List[Json] = []
    if session.is_drawn:
        try:
            found = session.sketchbook.at(start, steps)
        except (sheets.IllegalStep, IllegalMove) as error:
            raise BadRequest(str(error)) from error
        lands = sheets.lands_of(found)
        shown = [sheet_of(land) for land in found]
    else:
        lands = listed_position(session, start, steps)
    explainer = Explainer(session.game, source.get)
    answer: Json = {"position": session.game.format(lands), "start": start, "sheets": shown}
    branching = branching_of(session.game, lands)
    if branching > sheets.MOST_MOVES:
        number = explainer.number(lands)
        wins = None if number == UNKNOWN else number > 0
        return {**answer, **known_of(wins, number), "moves": None, "branching": branching}
    step = explainer.outcome(lands)
    return {**answer, **known_of(step.wins, step.number), "moves": moves_of(session, step)}


def listed_position(session: Session, start: str, steps: Tuple[sheets.Step, ...]) -> Sum:
    """The position after steps of a game without drawings."""
    lands = session.game.parse(start)
    for step in steps:
        if not isinstance(step, str):
            raise BadRequest("steps: this game has texts only")
        after = parsed(session, step)
        if after not in children_of(session.game, lands):
            raise BadRequest("no move leads to %s" % session.game.format(after))
        lands = after
    return lands


def sheet_of(land: Land) -> Json:
    """A land as it is drawn, with the corners that lines can start from."""
    shown = svg.picture(land.board, land.new) if land.board else schema(land.text)
    note = "" if land.board else "no drawing found; its regions are shown as cards"
    return {
        "text": land.text,
        "svg": svg.document([shown], land.text),
        "note": note or str(land.choice or ""),
        "drawn": land.board is not None,
        "lives": list(land.board.map.lives) if land.board else [],
        "corners": [list(handle) for handle in handles(land.board)] if land.board else [],
    }


def known_of(wins: Optional[bool], number: int) -> Json:
    """What is known of a position: null where nothing is."""
    return {
        "outcome": None if wins is None else "win" if wins else "loss",
        "number": None if number == UNKNOWN else number,
    }


def moves_of(session: Session, step: Step) -> List[Json]:
    """The moves of a position with what is known of them; those that win come first.

    A move wins if the position that it leads to is lost.
    """
    write = session.game.format
    moves = sorted(step.moves, key=lambda move: (move.number == UNKNOWN, move.number))
    return [
        {
            "to": write(move.position),
            "number": None if move.number == UNKNOWN else move.number,
            **({"answer": write(move.answer)} if move.answer is not None else {}),
        }
        for move in moves
    ]


def why(session: Session, data: Json) -> Json:
    """A node of the proof: the winning move, or the answers to all moves."""
    lands = position_in(session, data, "position")
    if branching_of(session.game, lands) > sheets.MOST_MOVES // 10:
        raise BadRequest("too many moves to explain")
    step = Explainer(session.game, source_in(session, data).get).explain(lands)
    best = None if step.move is None else session.game.format(step.move)
    moves = moves_of(session, step) if step.wins is False else []
    return {
        "position": session.game.format(lands),
        **known_of(step.wins, step.number),
        "best": best,
        "answers": moves,
    }


def drawing(session: Session, text: str) -> str:
    """The SVG of a position, for small pictures."""
    if not session.is_drawn or len(text) > MOST_LETTERS:
        raise BadRequest("no drawing")
    return draw(session.game.format(parsed(session, text))).svg()


# Facts


def about(session: Session, data: Json) -> Json:
    """What the page needs to begin, and what the source is."""
    source = source_in(session, data)
    return {
        "game": session.game.name,
        "position": session.position,
        "drawn": session.is_drawn,
        "algorithms": list(ALGORITHMS) if session.can_search else [],
        "parallel": list(PARALLEL),
        "cores": physical_cores(),
        "source": {
            "kind": source.kind,
            "facts": len(source.facts),
            "claim": None if source.claim is None else list(source.claim),
        },
        "gallery": [{"name": name, "bytes": size} for name, size in shipped_names()]
        if session.is_drawn
        else [],
    }


def facts(session: Session, data: Json) -> Json:
    """Facts whose text contains a text, and whose Grundy number is a given one."""
    part = text_in(data, "contains", "")
    number = number_in(data, "number", -1, 250, -1)
    skipped = number_in(data, "skip", 0, MOST_SCANNED, 0)
    source = source_in(session, data)
    seen = 0
    found: List[Json] = []
    for land, value in islice(source.items(), MOST_SCANNED):
        text = land.decode("ascii")
        if part in text and number in (-1, value):
            seen += 1
            if seen > skipped + MOST_FACTS:
                break
            if seen > skipped:
                found.append({"land": text, "number": value})
    return {"facts": found, "more": seen > skipped + MOST_FACTS, "known": len(source.facts)}


def statistics(session: Session, data: Json) -> Json:
    """Facts by Grundy number and by lives, and what is known of 0*n."""
    source = source_in(session, data)
    numbers: Counter[int] = Counter()
    lives: Counter[int] = Counter()
    for land, value in islice(source.items(), MOST_SCANNED):
        numbers[value] += 1
        lives[session.game.estimate(land)[0]] += 1
    starts: List[Json] = []
    if session.is_drawn:
        explainer = Explainer(session.game, source.get)
        for n in range(1, LARGEST_START + 1):
            text = "0*%d" % n if n > 1 else "0"
            value = explainer.number(session.game.parse(text))
            if value != UNKNOWN:
                starts.append({"n": n, "number": value})
    return {
        "counted": sum(numbers.values()),
        "known": len(source.facts),
        "by_number": sorted(numbers.items()),
        "by_lives": sorted(lives.items()),
        "starts": starts,
    }


# The search


def start_search(session: Session, data: Json) -> Json:
    """Start a search; its facts go to the session's database."""
    if not session.can_search:
        raise BadRequest("a search adds to a database; this session has a %s" % session.own.kind)
    wanted = session.game.format(position_in(session, data, "position"))
    algorithm = text_in(data, "algorithm", DFPN)
    if algorithm not in ALGORITHMS:
        raise BadRequest("algorithm: there are %s" % ", ".join(ALGORITHMS))
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
    except (OptionError, Busy) as error:
        raise BadRequest(str(error)) from error
    return session.search.state


def stop_search(session: Session, data: Json) -> Json:
    """Stop the search; what it proved is kept."""
    session.search.stop()
    return session.search.state


QUESTIONS: Dict[str, Callable[[Session, Json], Json]] = {
    "about": about,
    "position": position,
    "why": why,
    "facts": facts,
    "statistics": statistics,
    "search": start_search,
    "stop": stop_search,
}
"""What can be posted to /api/NAME."""
