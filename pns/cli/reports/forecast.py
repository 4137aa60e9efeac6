"""How long a search is likely to go on, by how searches of the past went on.

A proof-number search does not know how much is left. But the proof and the disproof number of
its root grow as long as it opens new positions, and the smaller growth shrinks before the end.
So searches that were recorded (data/figures/forecasts.csv) are divided by that growth since half
of the expansions, and what was left of them gives the quartiles of what is left of this one.
That is a statistic, not a bound: half of the truth lies outside the quartiles.
"""

from __future__ import annotations

import time
from typing import Callable, List, NamedTuple, Optional, Tuple

from pns import Solver
from pns.cli.layout import rough_duration
from pns.search.bounds import INF

LEAST_EXPANSIONS = 1000
"""Nothing is forecast earlier."""
STEP = 1.05
"""The factor between the expansions of two notes that are kept."""
NOTE_SECONDS = 0.2

GROWTHS = (0.75, 1.02, 1.35)
"""Bounds between classes: by what factor the smaller growth of the two numbers was."""
QUARTILES = (
    (0.18, 0.43, 1.00),
    (0.33, 0.82, 1.86),
    (0.54, 1.22, 4.00),
    (1.00, 2.33, 5.67),
)
"""For each class, the quartiles of the expansions still to come, in units of those so far."""


class Note(NamedTuple):
    """The root of a search at a time."""

    expansions: int
    pn: int
    dn: int
    seconds: float


class Forecast(NamedTuple):
    """Quartiles of the seconds that a search still takes."""

    low: float
    middle: float
    high: float


def class_of(growth: float) -> int:
    """The class of a growth, an index of QUARTILES."""
    return sum([growth >= bound for bound in GROWTHS])


class Forecaster:
    """Forecasts of one search, from the notes of its root.

    >>> forecaster = Forecaster()
    >>> for expansions, pn in ((1000, 50), (2000, 50), (4000, 50)):
    ...     forecaster.note(Note(expansions, pn, 2 * pn, expansions / 1000))
    >>> forecaster.growth(), forecaster.forecast()
    (1.0, Forecast(low=1.32, middle=3.28, high=7.44))
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = clock()
        self._notes: List[Note] = []
        """From a STEP of expansions to the next, the newest apart."""
        self._last: Optional[Note] = None
        self._due = 0.0
        self._next_mark = 2 * LEAST_EXPANSIONS
        self._marks: List[float] = []
        """The medians of the totals that were forecast at doubling expansions."""

    def observe(self, solver: Solver) -> None:
        """Note the root of a search if it is time to; to be called while it runs."""
        seconds = self._clock() - self._start
        if seconds >= self._due:
            self._due = seconds + NOTE_SECONDS
            found = solver.progress()
            self.note(Note(found.expansions, *found.root, seconds))

    def note(self, note: Note) -> None:
        """Add a note, later than all before."""
        if not (0 < note.pn < INF and 0 < note.dn < INF):
            self._last = None
            return
        if not self._notes or note.expansions >= STEP * self._notes[-1].expansions:
            self._notes.append(note)
        self._last = note
        if note.expansions >= self._next_mark:
            self._next_mark = 2 * note.expansions
            growth = self.growth()
            if growth is not None:
                self._marks.append(note.expansions * (1 + QUARTILES[class_of(growth)][1]))

    def _half(self) -> Optional[Note]:
        """The newest note that was kept from a quarter to half of the expansions."""
        assert self._last
        now = self._last.expansions
        notes = reversed(self._notes)
        return next((note for note in notes if now / 4 <= note.expansions <= now / 2), None)

    def growth(self) -> Optional[float]:
        """By what factor the number of the root that grew less has grown since half of the
        expansions; None if it is too early to say, or the search is decided."""
        last = self._last
        if not last or last.expansions < LEAST_EXPANSIONS:
            return None
        half = self._half()
        return min(last.pn / half.pn, last.dn / half.dn) if half else None

    def forecast(self) -> Optional[Forecast]:
        """How long the search still takes at the pace since half of its expansions."""
        growth = self.growth()
        if growth is None:
            return None
        half, last = self._half(), self._last
        assert half and last
        pace = (last.seconds - half.seconds) / (last.expansions - half.expansions)
        return Forecast(*[pace * last.expansions * part for part in QUARTILES[class_of(growth)]])

    def record(self) -> Tuple[int, int]:
        """How many forecasts at doubling expansions have been too short so far, of how many."""
        now = self._last.expansions if self._last else 0
        return sum([now > total for total in self._marks]), len(self._marks)


def left_text(forecaster: Forecaster) -> str:
    """The forecast in words; "" while there is none."""
    found = forecaster.forecast()
    if not found:
        return ""
    middle, low, high = map(rough_duration, (found.middle, found.low, found.high))
    short, marks = forecaster.record()
    text = "perhaps %s (%s to %s)" % (middle, low, high)
    return text + ("; %d of %d such forecasts too short" % (short, marks) if marks else "")
