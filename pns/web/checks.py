"""The independent checker at work on certificates that a person brings to the page.

It is loaded with the first of them, so that the page starts sooner in a browser.
"""

from __future__ import annotations

import io
import time
from collections import OrderedDict
from itertools import count
from typing import Any, Dict, Iterator, List

MOST_BAD = 5
"""Faults that are shown."""
KEPT = 4
"""Checks that may be under way."""


class CertificateCheck:
    """The check of one certificate; raises ValueError for what is not a certificate."""

    def __init__(self, packed: bytes) -> None:
        from pns.checker.reading import certificate_in

        self._certificate = certificate_in(io.BytesIO(packed))
        self._bad: List[str] = []
        self._done = 0
        self._verdict = ""
        self._steps = self._checked()

    def go_on(self, seconds: float) -> Dict[str, Any]:
        """Check for some seconds; says how far it is, and in the end the verdict."""
        end = time.monotonic() + seconds
        for _ in self._steps:
            if time.monotonic() >= end:
                break
        found = self._certificate
        return {
            "game": found.game,
            "position": found.position,
            "outcome": "win" if found.wins else "loss",
            "done": self._done,
            "entries": len(found.entries),
            "bad": self._bad[:MOST_BAD],
            "verdict": self._verdict,
        }

    def _checked(self) -> Iterator[None]:
        """Check the exchanges, each entry, and the claim."""
        from pns.checker.check import Checker
        from pns.checker.reading import work_for

        found = self._certificate
        yield
        checker = Checker(found.entries, found.game, found.exchanges)
        self._bad += ["exchange %s %s" % pair for pair in checker.bad_exchanges]
        for land, number in found.entries:
            with work_for("entry", land):
                why = checker.why_bad(land, number)
            if why:
                self._bad.append("%s %d: %s" % (land, number, why))
            self._done += 1
            yield
        with work_for("the claim", found.position):
            is_proved = checker.proves(found.position, found.wins)
        self._verdict = "proved" if is_proved and not self._bad else "not proved"


class CertificateChecks:
    """The checks that are under way, by number."""

    def __init__(self) -> None:
        self._checks: OrderedDict[int, CertificateCheck] = OrderedDict()
        self._numbers = count(1)

    def begin(self, check: CertificateCheck) -> int:
        number = next(self._numbers)
        self._checks[number] = check
        if len(self._checks) > KEPT:
            self._checks.popitem(last=False)
        return number

    def at(self, number: int) -> CertificateCheck:
        """Raises KeyError for a check that has ended, or was given up for others."""
        return self._checks[number]

    def end(self, number: int) -> None:
        self._checks.pop(number, None)
