"""What the page can ask about positions: drawings, moves, what is known, and why."""

from __future__ import annotations

from functools import lru_cache
from typing import Callable, Dict, List, Optional, Tuple

from pns.front.draws import known_outcome
from pns.front.pictures import picture_of
from pns.game import Sum, SupportsDraw, SupportsDraws, children_of
from pns.play.engine import BOUNDS
from pns.play.mistakes import careless_move
from pns.proofs.check import UNKNOWN
from pns.proofs.why import Explainer, Step
from pns.sprouts import GAME, notation
from pns.sprouts.drawing import QUICK_MOVES, DrawnLand, draw, svg
from pns.sprouts.drawing.handles import handles
from pns.sprouts.drawing.lines import alike, lines
from pns.sprouts.drawing.planemap import IllegalMove
from pns.sprouts.drawing.schema import schema
from pns.web import sheets
from pns.web.knowledge import PageFacts
from pns.web.names import Names
from pns.web.reading import (
    MOST_LETTERS,
    BadRequest,
    Json,
    number_in,
    parsed,
    position_in,
    session_of,
    source_in,
    steps_in,
    text_in,
)
from pns.web.session import WebSession
from pns.web.sheets import branching_of, lands_of, others_of

MOST_PICTURES = 40
"""Lands of a sum that are shown."""
BEST_FIRST = ("win", "draw", "loss", None)
FOR_THE_OTHER: Dict[Optional[str], str] = {"win": "loss", "draw": "draw", "loss": "win"}
"""A value for the player to move by that for the other one."""
KEPT = 500
"""Small pictures that are kept."""
PERFECT, HUMAN = "perfect", "human"
"""How strong the solver is when it replies."""
MOST_SECONDS = 10
"""The longest that the solver may think about a move; others wait meanwhile."""


def position(session: WebSession, data: Json) -> Json:
    """The position after steps from a start: its drawing, its moves, and what is known.

    `best` is a winning move, `sources` is where the verdict comes from. `restless` says that
    `settle` improves the drawing.
    """
    start, steps = play_in(session, data)
    source = source_in(session, data)
    answer: Json = {"start": start, "sheets": [], "restless": False}
    if session.is_drawn:
        sketch = sketch_of(session.sketchbook.at, start, steps)
        lands = session.position_on(sketch.sheets)
        answer.update(sheets=[sheet_of(land) for land in sketch.sheets])
        answer.update(restless=not sketch.is_at_rest)
    else:
        lands = listed_position(session, start, steps)
        answer.update(sheets=pictures_of(session, lands))
    explainer = Explainer(session.game, source.get)
    answer["position"] = session.game.format(lands)
    session.solve_late(answer["position"], source)
    branching = branching_of(session.game, lands)
    if branching > sheets.MOST_MOVES:
        number = explainer.number(lands)
        outcome = None if number == UNKNOWN else "win" if number > 0 else "loss"
        sources = [] if outcome is None else source.titles_of(lands)
        unlisted = {"moves": None, "best": None, "branching": branching, "sources": sources}
        return {**answer, **known_of(outcome, number), **unlisted}
    step = explainer.outcome(lands)
    outcome = outcome_of(session, explainer, lands)
    best = None if step.move is None else session.game.format(step.move)
    sources = [] if outcome is None else source.titles_of(step.lands)
    listed = {"moves": moves_of(session, step), "best": best, "sources": sources}
    answer.update(**known_of(outcome, step.number), **listed)
    add_values(session, source, answer)
    return answer


def settle(session: WebSession, data: Json) -> Json:
    """The same drawings nearer to their rest, and whether they can come nearer still."""
    if not session.is_drawn:
        raise BadRequest("no drawing")
    sketch = sketch_of(session.sketchbook.settle, *play_in(session, data))
    shown = [sheet_of(land) for land in sketch.sheets]
    return {"sheets": shown, "restless": not sketch.is_at_rest}


def marks(session: WebSession, data: Json) -> Json:
    """What is known of each line that can be drawn on the sheets of a position.

    A line is [corner, corner, whether it joins two boundaries, Grundy number or null, text of
    the position after it]. Interchangeable corners have one line together: `alike` has the
    corner that stands for each. Sheets with too many lines have null.
    """
    if not session.is_drawn:
        raise BadRequest("no drawing")
    start, steps = play_in(session, data)
    number_of = Explainer(session.game, source_in(session, data).get).number
    found = sketch_of(session.sketchbook.at, start, steps).sheets
    if branching_of(GAME, lands_of(found)) > sheets.MOST_MOVES:
        return {"sheets": [None] * len(found)}
    write, names = session.game.format, Names(GAME, lands_of(found))
    marked: List[Optional[Json]] = []
    for i, land in enumerate(found):
        drawn = None if land.board is None else lines(land.board.map, QUICK_MOVES)
        if land.board is None or drawn is None:
            marked.append(None)
            continue
        others = others_of(found, i)
        known: Dict[str, Tuple[Optional[int], str]] = {}
        for _, text in drawn:
            if text not in known:
                child = names.of(tuple(sorted((*others, *notation.parse(text)))))
                after = session.position_of(child)
                number = number_of(after)
                known[text] = None if number == UNKNOWN else number, write(after)
        shown = []
        for (first, second, _), text in drawn:
            joins = second not in land.board.map.boundary(first)
            shown.append([first, second, joins, *known[text]])
        marked.append({"lines": shown, "alike": sorted(alike(land.board.map).items())})
    return {"sheets": marked}


def reply(session: WebSession, data: Json) -> Json:
    """The solver's move: the text of the position that it leads to, null where there is none.

    `wins` says whether the player to move wins, where that is known; `source` is as in
    `pns.play.engine.Judgement`. With the `strength` "human" the move is a mistake now and then,
    by the number `seed`.
    """
    lands = position_in(session, data, "position")
    if branching_of(session.game, lands) > sheets.MOST_MOVES // 10:
        raise BadRequest("too many moves for the solver to choose at once")
    source = source_in(session, data)
    session.solve_late(session.game.format(lands), source)
    engine = session.engine(source)
    engine.seconds = float(number_in(data, "seconds", 0, MOST_SECONDS, 1))
    judged = engine.judge(lands)
    chosen = judged.move
    if data.get("strength", PERFECT) == HUMAN:
        seed = number_in(data, "seed", 0, 1 << 31, 0)
        chosen = careless_move(session.game, lands, seed) or chosen
    move = None if chosen is None else session.game.format(chosen)
    if judged.wins is False and move is not None:
        outcome = known_outcome(session.game, lands, lambda asked: engine.known(asked).wins)
        if outcome != "loss":  # perhaps it is a draw
            return {"to": move, "wins": None, "source": BOUNDS}
    return {"to": move, "wins": judged.wins, "source": judged.source}


def play_in(session: WebSession, data: Json) -> Tuple[str, Tuple[sheets.SheetMove, ...]]:
    """The canonical text of a start, and the steps from it."""
    return session.game.format(position_in(session, data, "start")), steps_in(data)


def sketch_of(
    draw_at: Callable[[str, Tuple[sheets.SheetMove, ...]], sheets.Sketch],
    start: str,
    steps: Tuple[sheets.SheetMove, ...],
) -> sheets.Sketch:
    """The drawings after steps; raises BadRequest for steps that do not exist."""
    try:
        return draw_at(start, steps)
    except (sheets.IllegalStep, IllegalMove) as error:
        raise BadRequest(str(error)) from error


def listed_position(session: WebSession, start: str, steps: Tuple[sheets.SheetMove, ...]) -> Sum:
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


def pictures_of(session: WebSession, lands: Sum) -> List[Json]:
    """The lands of a game without drawn moves, as it shows them; none if it does not."""
    game = session.game
    if not isinstance(game, SupportsDraw):
        return []
    bare: Json = {"note": "", "drawn": False, "lives": [], "corners": []}
    return [
        {"text": game.format((land,)), "svg": game.draw(land).svg, **bare}
        for land in lands[:MOST_PICTURES]
    ]


def sheet_of(land: DrawnLand) -> Json:
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


def outcome_of(session: WebSession, explainer: Explainer, lands: Sum) -> Optional[str]:
    """The outcome of a position by the facts, with draws where the game has them.

    Of such a game the position without moves is a lost board or a drawn one, so None.
    """
    if not lands and isinstance(session.game, SupportsDraws):
        return None
    return known_outcome(session.game, lands, lambda asked: explainer.outcome(asked).wins)


def known_of(outcome: Optional[str], number: int) -> Json:
    """What is known of a position: null where nothing is."""
    return {
        "outcome": outcome,
        "number": None if number == UNKNOWN or outcome in (None, "draw") else number,
    }


def moves_of(session: WebSession, step: Step) -> List[Json]:
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


def add_values(session: WebSession, source: PageFacts, answer: Json) -> None:
    """Add the value of a position and what each move is worth, where the session has values.

    Both are for the player to move, null where there is none. The best moves come first.
    """
    if not session.has_values or source is not session.own:
        return
    answer["value"] = session.value(answer["position"])
    for move in answer["moves"]:
        move["value"] = FOR_THE_OTHER.get(session.value(move["to"]))
    answer["moves"].sort(key=lambda move: BEST_FIRST.index(move["value"]))


def why(session: WebSession, data: Json) -> Json:
    """A node of the proof: the winning move, or the answers to all moves."""
    lands = position_in(session, data, "position")
    if branching_of(session.game, lands) > sheets.MOST_MOVES // 10:
        raise BadRequest("too many moves to explain")
    source = source_in(session, data)
    explainer = Explainer(session.game, source.get)
    step = explainer.explain(lands)
    best = None if step.move is None else session.game.format(step.move)
    moves = moves_of(session, step) if step.wins is False else []
    return {
        "position": session.game.format(lands),
        **known_of(outcome_of(session, explainer, lands), step.number),
        "sources": [] if step.wins is None else source.titles_of(step.lands),
        "best": best,
        "answers": moves,
    }


def picture(session: WebSession, data: Json) -> Json:
    """A small picture of a position, or with `steps` of the drawing after these steps of `start`.

    The latter shows the last step as a new line.
    """
    if "steps" not in data or not session.is_drawn:
        return {"svg": drawing(session, text_in(data, "position"))}
    found = sketch_of(session.sketchbook.at, *play_in(session, data)).sheets
    shown = [
        svg.picture(land.board, land.new) if land.board else schema(land.text) for land in found
    ]
    return {"svg": svg.document(shown, notation.format_position(lands_of(found)))}


def drawing(session: WebSession, text: str, game: str = "") -> str:
    """The SVG of a position, for small pictures; `game` is as in requests."""
    session = session_of(session, game)
    if len(text) > MOST_LETTERS:
        raise BadRequest("no drawing")
    lands = parsed(session, text)
    if session.is_drawn:
        return _document(session.game.format(lands))
    picture = picture_of(session.game, lands)
    if picture is None:
        raise BadRequest("no drawing")
    return picture.svg


@lru_cache(maxsize=KEPT)
def _document(text: str) -> str:
    return draw(text).svg()
