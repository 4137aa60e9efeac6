"""What the page can ask about the games that there are: their rules, and how they begin."""

from __future__ import annotations

import re
import sys
from typing import List

from pns.choices import DRAWN_GAMES, GAMES, MISERE_SUFFIX, is_drawn, normal_name
from pns.finding import find_game
from pns.game import Game, SceneSize, SupportsScenes
from pns.web.reading import BadRequest, Json, number_in
from pns.web.session import WebSession, standard_start

LIST = "list"
"""The board of a game of which only moves are listed."""
SPOTS = SceneSize("spots", 1, 44, 5)
DRAWN_RULES = (
    "Join two spots, or a spot with itself, by a line that crosses no other, and put a new spot on "
    "it; no spot may have more than three lines. "
)
LAST_WINS, LAST_LOSES = "Who cannot draw a line loses.", "Who draws the last line loses."
OFFERED = (*DRAWN_GAMES, *[name + MISERE_SUFFIX for name in DRAWN_GAMES])
OFFERED += tuple([name for name in GAMES if name not in DRAWN_GAMES])
"""The games that the page offers, those first whose moves are drawn."""
SENTENCE = re.compile(r"(?<=\.)\s+")


def board_of(game: Game) -> str:
    """The kind of board on which the page shows a game."""
    if is_drawn(game.name):
        return normal_name(game.name)
    return game.scenes.kind if isinstance(game, SupportsScenes) else LIST


def is_misere(game: Game) -> bool:
    """Whether the last move of a game loses."""
    return game.name.endswith(MISERE_SUFFIX)


def introduction(game: Game) -> Json:
    """What a person needs to begin a game.

    `start` is a text in which a size in braces stands for its value; where there is none, the
    question `start` makes the text for other sizes.
    """
    sizes: List[SceneSize] = []
    misere = is_misere(game)
    if is_drawn(game.name):
        title, sizes = board_of(game).title() + (", misère" if misere else ""), [SPOTS]
        rules = DRAWN_RULES + (LAST_LOSES if misere else LAST_WINS)
        start = "0*{%s}" % SPOTS.name
    elif isinstance(game, SupportsScenes):
        title, rules, sizes = game.scenes.title, game.scenes.rules, list(game.scenes.sizes)
        start = standard_start(game)
    else:
        title, start = game.name.replace("-", " ").capitalize(), standard_start(game)
        text = (sys.modules[type(game).__module__].__doc__ or "").strip().partition("\n\n")
        about = re.sub(r" ?\[[\w-]+\]", "", " ".join(text[0].split()))
        more = SENTENCE.split(" ".join(text[2].partition("\n\n")[0].split()))[0]
        rules = " ".join([about, more]).strip()
    return {
        "name": game.name,
        "title": title,
        "rules": rules,
        "sizes": [size._asdict() for size in sizes],
        "start": start,
        "board": board_of(game),
        "numbers": game.decomposes,
        "misere": misere,
    }


def games(session: WebSession, data: Json) -> Json:
    """The games that the page offers, that of the session first."""
    own = session.game.name
    others = [name for name in OFFERED if name != own]
    return {"games": [introduction(find_game(name)) for name in (own, *others)]}


def start(session: WebSession, data: Json) -> Json:
    """The text of a start of some sizes, given by their names; those that are missing are usual."""
    found = introduction(session.game)
    wanted = data.get("sizes", {})
    if not isinstance(wanted, dict):
        raise BadRequest("sizes: not an object of whole numbers")
    values = {
        size["name"]: number_in(wanted, size["name"], size["least"], size["most"], size["value"])
        for size in found["sizes"]
    }
    if isinstance(session.game, SupportsScenes):
        return {"start": session.game.scenes.start(list(values.values()))}
    return {"start": found["start"].format(**values) if values else found["start"]}
