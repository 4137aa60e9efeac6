"""What the page can ask about results that are known: who wins n spots, and first results."""

from __future__ import annotations

from typing import List, Optional, Tuple

from pns.facts.layers import package_layer
from pns.finding import find_game, misere_name
from pns.game import Sum, for_play
from pns.proofs.check import UNKNOWN
from pns.proofs.why import Explainer
from pns.web.introductions import is_misere
from pns.web.knowledge import shipped_names
from pns.web.reading import Json, position_in, source_in
from pns.web.session import WebSession

SPROUTS = "sprouts"
MOST_SPOTS, MOST_MISERE = 44, 16
"""The largest n of which the facts of the package say who wins, in normal and in misère play."""
FIRSTS = (
    ("nogo", "25", "." * 25, "win"),
    ("nogo", "26", "." * 26, "win"),
    ("nogo", "27", "." * 27, "loss"),
    ("nogo", "2×10", "|".join(["." * 10] * 2), "win"),
    ("clobber", "2×14", "|".join(["XO" * 7, "OX" * 7]), "loss"),
)
"""(game, size, position, outcome) of results first published here (docs/first-results.md)."""


def start_of(spots: int) -> str:
    """The text of a number of isolated spots.

    >>> start_of(1), start_of(5)
    ('0', '0*5')
    """
    return "0" if spots == 1 else "0*%d" % spots


def proof_of(first: Tuple[str, str, str, str]) -> str:
    """The name of the certificate of a first result.

    >>> proof_of(FIRSTS[3])
    'nogo-2x10'
    """
    return "%s-%s" % (first[0], first[1].replace("×", "x"))


def gallery(session: WebSession, data: Json) -> Json:
    """Who wins n spots, and the first results of other games, which misère play has not.

    `certificate` is the source that proves a result alone, null where the package has none; all
    first results have one. The first move of a result is what `why` says of its start.
    """
    if is_misere(session.game):
        return {"spots": _spots(misere_name(SPROUTS), MOST_MISERE), "firsts": []}
    firsts = [
        {**dict(zip(("game", "size", "start", "outcome"), first)), "certificate": proof_of(first)}
        for first in FIRSTS
    ]
    return {"spots": _spots(SPROUTS, MOST_SPOTS), "firsts": firsts}


def _spots(game: str, most: int) -> List[Json]:
    """Who wins 1 to `most` spots."""
    rules = for_play(find_game(game))
    explainer = Explainer(rules, package_layer(game).facts.get)
    shipped = {name for name, _ in shipped_names()}
    spots: List[Json] = []
    for n in range(1, most + 1):
        name = "%s-%d" % (game, n)
        spots.append(
            {
                "game": game,
                "n": n,
                "start": start_of(n),
                "outcome": _outcome(explainer, rules.parse(start_of(n))),
                "certificate": name if name in shipped else None,
            }
        )
    return spots


def _outcome(explainer: Explainer, lands: Sum) -> Optional[str]:
    number = explainer.number(lands)
    wins = explainer.outcome(lands).wins if number == UNKNOWN else number > 0
    return None if wins is None else "win" if wins else "loss"


def parts(session: WebSession, data: Json) -> Json:
    """The lands of a position, each with its Grundy number, and the number of their sum.

    Numbers are null where they are unknown.
    """
    lands = position_in(session, data, "position")
    explainer = Explainer(session.game, source_in(session, data).get)
    numbers = [explainer.number((land,)) for land in lands]
    total = 0
    for number in numbers:
        total = UNKNOWN if UNKNOWN in (number, total) else total ^ number
    return {
        "parts": [
            {"text": session.game.format((land,)), "number": None if number == UNKNOWN else number}
            for land, number in zip(lands, numbers)
        ],
        "number": None if total == UNKNOWN else total,
    }
