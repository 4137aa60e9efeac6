"""Games that the server plays by itself while nobody asks, so that PyPy compiles its code.

The first clicks would take several times as long as later ones.
"""

from __future__ import annotations

import random
from typing import Iterator, List

from pns.web.positions import marks, position, settle
from pns.web.reading import Json
from pns.web.session import WebSession

STARTS = ("0*7", "0*10")


def warm_up(session: WebSession) -> Iterator[None]:
    """Play random games; each step is a request's worth of work."""
    rng = random.Random(1)
    for start in STARTS if session.is_drawn else ():
        steps: List[object] = []
        while True:
            data: Json = {"start": start, "steps": steps}
            found = position(session, data)
            yield
            sheets = marks(session, data)["sheets"]
            yield
            while found["restless"]:
                found = settle(session, data)
                yield
            lines = [[i, line] for i, sheet in enumerate(sheets) for line in sheet["lines"]]
            if not lines:
                break
            i, (first, second, *_) = rng.choice(lines)
            steps = [*steps, [i, first, second, []]]
