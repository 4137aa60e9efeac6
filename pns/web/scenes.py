"""The question `position` for games whose positions lie on a table (`pns.game.Scenes`).

A step is the text of the scene after it, or of a position that a move leads to.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Dict, List, Optional, Tuple

from pns.finding import find_game
from pns.front.draws import DrawRules, outcomes
from pns.game import (
    NotationError,
    Scene,
    SceneMove,
    Sum,
    SupportsDraws,
    SupportsScenes,
    TooLarge,
    children_of,
)
from pns.play.engine import Engine
from pns.proofs.check import UNKNOWN
from pns.proofs.why import Explainer
from pns.web import positions
from pns.web.knowledge import PageFacts
from pns.web.reading import BadRequest, Json, parsed, source_in, steps_in, text_in
from pns.web.session import WebSession

KEPT = 2000
"""Scenes, and positions of moves, that are kept."""
SECONDS = 1.0
"""The longest that two positions with distinct lands are compared."""


@lru_cache(maxsize=KEPT)
def scene_of(name: str, text: str) -> Optional[Scene]:
    """The scene of a text of a game, without moves where play is over; None if it is too large.

    Raises NotationError.
    """
    game = find_game(name)
    assert isinstance(game, SupportsScenes)
    try:
        scene = game.scenes.scene(text)
        asked = questions_of(name, scene.position)
    except TooLarge:
        return None
    rules = DrawRules(game, len(asked) > 1)
    return scene if rules.moves(position_of(asked)) else scene._replace(moves=[])


@lru_cache(maxsize=KEPT * 10)
def questions_of(name: str, text: str) -> Tuple[Sum, ...]:
    """The questions about a position: two in a game with draws, unless the text asks one."""
    game = find_game(name)
    if isinstance(game, SupportsDraws) and not game.names_drawer(text):
        return game.questions(text)
    return (game.parse(text),)


def position_of(asked: Tuple[Sum, ...]) -> Sum:
    """The position that stands for some questions: that of the first which is still open."""
    return next((lands for lands in asked if lands), ())


def position(session: WebSession, data: Json) -> Json:
    """The position after steps from a start: its scene or drawing, its moves, and what is known."""
    if not isinstance(session.game, SupportsScenes):
        return positions.position(session, data)
    parsed_start = text_in(data, "start")
    try:
        scene = scene_of(session.game.name, parsed_start)
    except NotationError as error:
        raise BadRequest(str(error)) from error
    if scene is None:
        return positions.position(session, data)
    parsed(session, scene.position)  # refuses one that is too large to be dealt with
    source = source_in(session, data)
    start = scene.text
    for step in steps_in(data):
        if not isinstance(step, str):
            raise BadRequest("steps: this game has texts only")
        after = scene_of(session.game.name, move_to(session, source, scene, step).after)
        assert after is not None
        scene = after
    return {"start": start, **shown(session, source, scene)}


def move_to(session: WebSession, source: PageFacts, scene: Scene, step: str) -> SceneMove:
    """The move of a scene that a step means; raises BadRequest."""
    name = session.game.name
    for move in scene.moves:
        if move.after == step:
            return move
    parsed(session, step)
    wanted = questions_of_step(session, scene, step)
    for move in scene.moves:
        if questions_of(name, move.position) == wanted:
            return move
    children = children_of(session.game, position_of(questions_of(name, scene.position)))
    if session.game.decomposes and wanted[0] in children:  # whose lands are written differently
        engine = session.engine(source)
        for move in scene.moves:
            lands = questions_of(name, move.position)[0]
            if lands not in children and is_same(engine, lands, wanted[0]):
                return move
    raise BadRequest("no move leads to %s" % step)


def questions_of_step(session: WebSession, scene: Scene, step: str) -> Tuple[Sum, ...]:
    """The questions about the position of a step, as those about the scenes of the moves."""
    game = session.game
    if isinstance(game, SupportsDraws) and not game.names_drawer(scene.position):
        return game.questions(step)
    return (game.parse(step),)


def is_same(engine: Engine, one: Sum, other: Sum) -> bool:
    """Whether two positions have the same Grundy number: whether their sum is lost."""
    return engine.judge(tuple(sorted((*one, *other))), SECONDS).wins is False


def shown(session: WebSession, source: PageFacts, scene: Scene) -> Json:
    """A scene, its moves, and what is known; the fields are those of `pns.web.positions`."""
    name, write = session.game.name, session.game.format
    explainer = Explainer(session.game, source.get)
    asked = questions_of(name, scene.position)
    lands = position_of(asked)
    session.solve_late(write(lands), source)
    step = explainer.outcome(lands)
    outcome = outcome_of(explainer, asked)
    listed: Dict[str, Json] = {}
    moves: List[Json] = []
    for move in scene.moves:
        after = questions_of(name, move.position)
        to = write(position_of(after))
        moves.append({"parts": move.parts, "changes": move.changes, "to": to, "step": move.after})
        if to not in listed:
            listed[to] = {"to": to, **worth(explainer, after)}
    winning = [to for to, move in listed.items() if move["number"] == 0]
    best = None if step.move is None else write(step.move)
    answer: Json = {
        "sheets": [],
        "restless": False,
        "position": write(lands),
        **positions.known_of(outcome, step.number),
        "moves": sorted(listed.values(), key=rank),
        "best": best if best in winning else next(iter(winning), None),
        "sources": [] if outcome is None else source.titles_of(step.lands),
        "scene": {
            "text": scene.text,
            "svg": scene.svg,
            "rows": scene.rows,
            "turn": scene.turn,
            "moves": moves,
        },
    }
    positions.add_values(session, source, answer)
    return answer


def outcome_of(explainer: Explainer, asked: Tuple[Sum, ...]) -> Optional[str]:
    """The outcome of a position by the answers to its questions, None where that is too little."""
    names = outcomes(asked)
    for lands, outcome in zip(asked, names):
        wins = explainer.outcome(lands).wins
        if wins is not False:
            return outcome if wins else None
    return names[-1]


def worth(explainer: Explainer, after: Tuple[Sum, ...]) -> Json:
    """What is known of a move to a position: its number, and in a game with draws its value."""
    if len(after) == 1:
        number = explainer.number(after[0])
        return {"number": None if number == UNKNOWN else number}
    value = positions.FOR_THE_OTHER.get(outcome_of(explainer, after))
    return {"number": 0 if value == "win" else None, "value": value}


def rank(move: Json) -> Tuple[int, bool, int]:
    """Orders moves, those that win first."""
    number = move["number"]
    return positions.BEST_FIRST.index(move.get("value")), number is None, number or 0
