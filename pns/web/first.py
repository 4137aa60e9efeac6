"""Answers to what the page as static files asks first, so that it is there before its solver.

They are under the question as `core/transport-browser.js` writes it.
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import chain
from typing import Any, Dict, Iterator, Mapping, Tuple

from pns.choices import is_drawn
from pns.finding import find_game
from pns.web.browser import PageAnswers
from pns.web.introductions import OFFERED, introduction
from pns.web.session import standard_start

NamedQuestion = Tuple[str, Dict[str, Any]]
"""A name and its data."""


def first_answers(game: str, position: str) -> Dict[str, object]:
    """The answers with which a page begins that shows a position of a game."""
    answers = PageAnswers(game, position, lambda message: None)
    named = {"game": game}
    return _answered(
        answers, ("about", named), ("games", named), ("position", {**named, "start": position})
    )


@lru_cache(maxsize=2)
def start_answers(game: str) -> Dict[str, object]:
    """The answers for the starts of all games: in Sprouts of each size, elsewhere the usual one.

    `game` is that of the page.
    """
    answers = PageAnswers(game, standard_start(find_game(game)), lambda message: None)
    return _answered(answers, *chain.from_iterable(map(_start_questions, OFFERED)))


def _start_questions(name: str) -> Iterator[NamedQuestion]:
    """What is asked to begin a game: what it is, and its starts."""
    named = {"game": name}
    yield "about", named
    yield "games", named
    found = introduction(find_game(name))
    sizes: Dict[str, int] = {size["name"]: size["value"] for size in found["sizes"]}
    if is_drawn(name):
        (size,) = found["sizes"]
        for count in range(size["least"], size["most"] + 1):
            text = found["start"].format(**{size["name"]: count})
            yield "start", {**named, "sizes": {size["name"]: count}}
            yield "position", {**named, "start": text}
    else:
        yield "start", {**named, "sizes": sizes}
        yield "position", {**named, "start": found["start"]}


def _answered(answers: PageAnswers, *questions: NamedQuestion) -> Dict[str, object]:
    found: Dict[str, object] = {}
    for name, data in questions:
        answer = json.loads(answers.ask(name, json.dumps(data)))
        if "answer" in answer:
            found[written(name, data)] = answer["answer"]
    return found


def written(name: str, data: Mapping[str, object]) -> str:
    """A question as the page writes it."""
    pairs = [list(pair) for pair in sorted(data.items())]
    return "%s %s" % (name, json.dumps(pairs, separators=(",", ":"), ensure_ascii=False))
