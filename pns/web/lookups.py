"""What the page can ask about a source of facts: what it is, its facts, and their counts."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import List

from pns.choices import DFPN, PARALLEL, TREES
from pns.proofs.check import UNKNOWN
from pns.proofs.why import Explainer
from pns.system.machine import physical_cores
from pns.web.introductions import board_of, is_misere
from pns.web.knowledge import shipped_names
from pns.web.reading import BadRequest, Json, number_in, parsed, source_in, text_in
from pns.web.session import WebSession
from pns.web.sheets import MOST_MOVES, branching_of

MOST_FACTS = 200
MOST_SCANNED = 500_000
"""Facts that are sent at a time, and facts that are looked at for one request."""
LARGEST_START = 60
"""The largest n for which G(0*n) is looked up."""
ALGORITHMS = (DFPN, *PARALLEL, *TREES)


def about(session: WebSession, data: Json) -> Json:
    """What the page needs to begin, and what the source is."""
    source = source_in(session, data)
    solution = session.solution if source is session.own else None
    return {
        "game": session.game.name,
        "position": session.position,
        "board": board_of(session.game),
        "drawn": session.is_drawn,
        "pictures": session.has_pictures,
        "numbers": session.game.decomposes,
        "misere": is_misere(session.game),
        "algorithms": list(ALGORITHMS) if session.can_search else [],
        "parallel": list(PARALLEL),
        "unavailable": session.search.unavailable,
        "cores": physical_cores(),
        "source": {
            "layers": [
                {"kind": layer.kind, "name": layer.title, "facts": len(layer.facts)}
                for layer in source.layers.layers
            ],
            "claim": None if source.claim is None else list(source.claim),
            "table": solution.position if solution else None,
        },
        "gallery": [{"name": name, "bytes": size} for name, size in shipped_names()]
        if session.is_drawn and session.game.decomposes
        else [],
    }


def look(session: WebSession, data: Json) -> Json:
    """What `pns strong look` prints in JSON of a position and its moves."""
    solution = session.solution
    if solution is None:
        raise BadRequest("no strong solution is served")
    text = text_in(data, "position")
    if branching_of(session.game, parsed(session, text)) > MOST_MOVES // 10:
        raise BadRequest("too many moves to look up")
    return solution.look(text, with_moves=True)


def facts(session: WebSession, data: Json) -> Json:
    """Facts whose text contains a text, and whose Grundy number is a given one.

    `shows` says whether the page can show the position.
    """
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
                found.append({"land": text, "number": value, "shows": session.can_show(text)})
    return {"facts": found, "more": seen > skipped + MOST_FACTS, "known": len(source.layers)}


def statistics(session: WebSession, data: Json) -> Json:
    """Facts by Grundy number and by lives, and what is known of 0*n."""
    source = source_in(session, data)
    numbers: Counter[int] = Counter()
    lives: Counter[int] = Counter()
    for land, value in islice(source.items(), MOST_SCANNED):
        numbers[value] += 1
        lives[session.game.estimate(land)[0]] += 1
    starts: List[Json] = []
    if session.is_drawn and session.game.decomposes:
        explainer = Explainer(session.game, source.get)
        for n in range(1, LARGEST_START + 1):
            text = "0*%d" % n if n > 1 else "0"
            value = explainer.number(session.game.parse(text))
            if value != UNKNOWN:
                starts.append({"n": n, "number": value})
    return {
        "counted": sum(numbers.values()),
        "known": len(source.layers),
        "by_number": sorted(numbers.items()),
        "by_lives": sorted(lives.items()),
        "starts": starts,
    }
