"""What the expansions of simulated workers are spent on, and what its master works on.

Each expansion of a worker is counted once, under the first of KINDS that fits it. So the shares
say how much of an overhead is due to what. All this is seen from outside, by the simulation: no
worker and no master knows it.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Set

from pns.dfpn import Search
from pns.positions.interned import HEAP, HEAP_BITS
from pns.search.bounds import Numbers

KINDS = LATE, AHEAD, BEYOND, REPEATED, ASTRAY, USEFUL = (
    "late",
    "ahead",
    "beyond",
    "repeated",
    "astray",
    "useful",
)
"""late: at or below a couple that another worker has decided, or in a job whose leaf is not needed
any more. ahead: after a job was handed in, until the next one has come. beyond: in a job whose
thresholds are passed, up to its least length. repeated: of a couple that another worker has
expanded. astray: of a couple that DFPN alone never expands. useful: all others, the expansions of
a worker's own couples again included, as in DFPN. A sum of lands is neither repeated nor astray:
it is followed by one of its couples."""

TASKS = MESSAGES, JOBS, CHILDREN, FACTS = "messages", "jobs", "children", "facts"
"""The master's work: to receive and send messages; to find jobs and to take in their numbers; to
generate and take in the children of leaves; to take in and to send facts."""


class Ledger:
    """The expansions of all workers by kind; `alone` has the keys of those of DFPN, if known."""

    def __init__(self, alone: Optional[Set[int]] = None) -> None:
        self.alone = alone
        self.counts = dict.fromkeys(KINDS, 0)
        self.first: Dict[int, int] = {}
        """The worker that was the first to expand a couple, by the couple's key."""
        self.decided: Dict[int, int] = {}
        """The worker that was the first to decide a couple, or a land, by its key."""

    def shares(self) -> Dict[str, Optional[float]]:
        """The part of the expansions of each kind, None where they are not known."""
        total = sum(self.counts.values())
        shares: Dict[str, Optional[float]] = dict.fromkeys(KINDS)
        if total:
            shares.update({kind: count / total for kind, count in self.counts.items()})
        if self.alone is None:
            shares[ASTRAY] = None
        return shares


class Watched(Search):
    """A search whose expansions are entered in a ledger.

    `phase` says which kind an expansion is of for the state of the worker's job, or "".
    """

    def __init__(
        self, ledger: Ledger, worker: int, phase: Callable[[], str], *args: Any, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._ledger = ledger
        self._worker = worker
        self._phase = phase
        self._below_decided = 0
        """How many couples of the line others have decided."""

    def outcome(self, *args: Any) -> bool:
        self._below_decided = 0
        return super().outcome(*args)

    def _visit(self, code: int, *limits: int) -> Numbers:
        ledger, me, couples = self._ledger, self._worker, self.couples
        land, heap = code >> HEAP_BITS, code & HEAP
        if code <= HEAP:
            return super()._visit(code, *limits)
        if couples.is_sum(land):
            self._enter(0)
            return super()._visit(code, *limits)
        of_land = couples.keys[land]
        key = of_land ^ couples.heap_keys[heap]
        decided = ledger.decided
        by_others = decided.get(key, me) != me or decided.get(-of_land, me) != me
        self._below_decided += by_others
        self._enter(key)
        numbers = super()._visit(code, *limits)
        self._below_decided -= by_others
        if not numbers[0]:
            decided.setdefault(key, me)
        elif not numbers[1]:
            decided.setdefault(-of_land, me)
        return numbers

    def _expand_rest(self, land: int, heap: int) -> None:
        self._enter(self.couples.keys[land] ^ self.couples.heap_keys[heap])
        super()._expand_rest(land, heap)

    def _enter(self, key: int) -> None:
        """Count the expansion of a couple with a key, or of a sum."""
        ledger = self._ledger
        phase = self._phase()
        first = ledger.first.setdefault(key, self._worker) if key else self._worker
        if self._below_decided:
            phase = LATE
        elif not phase and first != self._worker:
            phase = REPEATED
        elif not phase:
            astray = key and ledger.alone is not None and key not in ledger.alone
            phase = ASTRAY if astray else USEFUL
        ledger.counts[phase] += 1


class Recorded(Search):
    """A search that records the keys of the couples that it expands."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.keys: Set[int] = set()

    def _visit(self, code: int, *limits: int) -> Numbers:
        couples, land = self.couples, code >> HEAP_BITS
        if code > HEAP and not couples.is_sum(land):
            self.keys.add(couples.keys[land] ^ couples.heap_keys[code & HEAP])
        return super()._visit(code, *limits)
