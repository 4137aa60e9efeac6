"""What somebody did over time: exactly, or as shares of equal parts of the time."""

from __future__ import annotations

from typing import Dict, List, Tuple

SEARCHING, SEARCHING_ON, TALKING, WAITING = "searching", "searching on", "talking", "waiting"
ANSWERING = "answering"
DOINGS = SEARCHING, SEARCHING_ON, TALKING, WAITING
"""What a worker does. searching: a job. searching on: after it was handed in. talking: a message
is on its way, or the master has not answered it yet. waiting: there is no job."""

FIRST_SECONDS = 0.02
MOST_PARTS = 800


class Diary:
    """What somebody did from which time on, in virtual seconds.

    >>> diary = Diary()
    >>> diary.note(1.0, "talking"); diary.note(1.5, "searching"); diary.note(2.0, "searching")
    >>> diary.totals(4.0)
    {'talking': 0.5, 'searching': 2.5}
    """

    def __init__(self) -> None:
        self.entries: List[Tuple[float, str]] = []

    @property
    def doing(self) -> str:
        """What was noted last, at first WAITING."""
        return self.entries[-1][1] if self.entries else WAITING

    def note(self, now: float, doing: str) -> None:
        """Do something else from now on."""
        if not self.entries or self.entries[-1][1] != doing:
            self.entries.append((now, doing))

    def spans(self, end: float) -> List[Tuple[float, float, str]]:
        """(from, to, what) up to the end."""
        times = [time for time, _ in self.entries[1:]] + [end]
        return [
            (time, min(end, until), doing)
            for (time, doing), until in zip(self.entries, times)
            if time < end
        ]

    def totals(self, end: float) -> Dict[str, float]:
        """The seconds for each thing that was done."""
        found: Dict[str, float] = {}
        for time, until, doing in self.spans(end):
            found[doing] = found.get(doing, 0.0) + until - time
        return found


class Strip:
    """The seconds of every doing in each of at most `most` equal parts of the time.

    Its parts become twice as long when there are too many, so it fits any time.

    >>> strip = Strip(1.0)
    >>> strip.add(0.0, 4.0, {"searching": 3.0, "waiting": 1.0})
    >>> strip.kinds(4.0, 4)
    ['searching', 'searching', 'searching', 'searching']
    """

    def __init__(self, width: float = FIRST_SECONDS, most: int = MOST_PARTS) -> None:
        """`width` is the length of a part at first, in seconds; `most` is even."""
        self.width, self.most = width, most
        self.columns: List[Dict[str, float]] = []

    def add(self, begin: float, end: float, seconds: Dict[str, float]) -> None:
        """Add `seconds`, by activity, spread evenly between two times."""
        while end > self.most * self.width:
            self._fold()
        if end <= begin:
            return
        first, last = int(begin / self.width), int(end / self.width)
        while len(self.columns) <= last:
            self.columns.append({})
        for i in range(first, last + 1):
            part = min(end, (i + 1) * self.width) - max(begin, i * self.width)
            if part > 0:
                column, share = self.columns[i], part / (end - begin)
                for doing, value in seconds.items():
                    column[doing] = column.get(doing, 0.0) + share * value

    def _fold(self) -> None:
        """Merge every two columns that follow each other."""
        even, odd = self.columns[::2], [*self.columns[1::2], {}]
        self.width *= 2
        self.columns = [
            {doing: a.get(doing, 0.0) + b.get(doing, 0.0) for doing in {**a, **b}}
            for a, b in zip(even, odd)
        ]

    def kinds(self, end: float, count: int) -> List[str]:
        """What takes most of each of `count` parts of the time up to the end, "" for nothing."""
        found: List[str] = []
        for i in range(count):
            at = int(end * (i + 0.5) / count / self.width)
            column = self.columns[at] if at < len(self.columns) else {}
            found.append(max(column, key=lambda doing: column[doing]) if column else "")
        return found
