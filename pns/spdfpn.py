"""SPDFPN: processes that take jobs from the root down [pawlewicz2014].

A process goes down from the root to the most proving couple and stops at the first one
with less work than WORK_LIMIT. That is its job: a search by `dfpn.py` until its thresholds are
passed or WORK_LIMIT expansions are done. Meanwhile the others regard the job as solved: as a win
if its proof number is not above its disproof number, else as a loss. The virtual numbers
that follow for the couples above it are published in the shared state with the line of
play. A process that looks for a job chooses by virtual numbers where there are any. So
processes work on different subtrees: each on the one that the search would turn to next
if the others got the results that they expect.

A virtually solved couple has the number VIRTUAL, not infinity. So the virtual numbers
always have a best child, and if all that is left is in work a process helps below
another's job, at its second best child.

Unlike the paper there is no lock around the choice of a job: two processes that choose at
the same moment may do the same work for the length of a job.

The visits above a job stand beside those of `pns.dfpn.Search` because they do other things after
each child: they do at least one job, publish its line, read the jobs of others, and read all
children again. Speed is not the reason. With virtual numbers beside the true ones in the loop of
`Search._visit_land` DFPN takes 1.006 times the processor seconds on 23 spots, by five pairs of
runs on one core.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Set, Tuple

from pns.choices import WORK_LIMIT
from pns.dfpn import UNCONFIRMED
from pns.parallel.search_process import SearchProcess
from pns.positions.interned import HEAP, HEAP_BITS
from pns.search.bounds import (
    INF,
    LOSS,
    MAX_NUMBER,
    ROOT,
    WIN,
    Numbers,
    dt_of_child,
    most_proving_below,
    mt_of_land,
    pt_of_child,
)
from pns.search.table import WORK

VIRTUAL = UNCONFIRMED + 1
"""The disproof number of a virtual win, the proof number of a virtual loss."""
UNPRODUCTIVE_SHARE = 4
"""A job may have max(work_limit, unproductive // UNPRODUCTIVE_SHARE) expansions.

`unproductive` counts the expansions of jobs that proved nothing; a proof halves it.
"""

Level = Tuple[int, bool, List[int], List[int], int]
"""A couple above the job: (key, whether a sum, children's virtual pns, dns, chosen index)."""


class SpdfpnProcess(SearchProcess):
    """A process of SPDFPN."""

    def __init__(self, *arguments: Any, work_limit: int = WORK_LIMIT, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.work_limit = work_limit
        self._unproductive = 0
        self._limit = work_limit
        self._levels: List[Level] = []
        self._virtual: Dict[int, Numbers] = {}
        self._jobs: Set[int] = set()

    def _search(self, code: int) -> Numbers:
        """Take a job and do it, or several short ones.

        During a job DFPN keeps numbers along its line that a small table drops. So jobs get
        longer while nothing is proved.
        """
        proved, start = self.couples.proved, self.expansions
        self._limit = max(self.work_limit, self._unproductive // UNPRODUCTIVE_SHARE)
        self.job_ends = self.expansions + self._limit
        del self._levels[:]
        self._read_jobs()
        try:
            return self._go_down(code, False, *ROOT)
        finally:
            self.job_ends = sys.maxsize
            if self.couples.proved > proved:
                self._unproductive //= 2
            else:
                self._unproductive += self.expansions - start

    def _decided(self, depth: int) -> None:
        self.job_ends = 0

    def _read_jobs(self) -> None:
        self.state.jobs(self.process, self._virtual, self._jobs)

    def _key(self, code: int) -> int:
        return self.couples.keys[code >> HEAP_BITS] ^ self.couples.heap_keys[code & HEAP]

    def _go_down(
        self, code: int, occupied: bool, pt: int, dt: int, mt: int, ps: int, ds: int
    ) -> Numbers:
        """Do at least one job below a couple; return its numbers.

        `occupied` says that the couple is in another process's job.
        """
        if code <= HEAP:
            return WIN if code else LOSS
        key = self._key(code)
        occupied = occupied or key in self._jobs
        is_sum = self.couples.is_sum(code >> HEAP_BITS)
        if not is_sum and not occupied:
            entry = self.table.find(key)
            if entry < 0 or self.table.words[entry + WORK] < self._limit:
                return self._do_job(code, key, pt, dt, mt, ps, ds)
        self.expansions += 1
        self.line.append(code)
        if is_sum:
            numbers = self._down_sum(code, occupied, pt, dt, mt, ps, ds)
        else:
            numbers = self._down_land(code, key, occupied, pt, dt, mt, ps, ds)
        self.line.pop()
        return numbers

    def _do_job(self, code: int, key: int, pt: int, dt: int, mt: int, ps: int, ds: int) -> Numbers:
        """Search a couple as a job; its first numbers may exceed the thresholds."""
        pn, dn = self.numbers(code)
        line = [(key, 1, VIRTUAL) if pn <= dn else (key, VIRTUAL, 1)]
        for key_above, is_sum, pns, dns, best in reversed(self._levels):
            pns[best], dns[best] = line[-1][1:]
            if is_sum:
                virtual = _virtual_sum(pns, dns)
            else:
                virtual = min(dns), min(sum(pns), MAX_NUMBER)
            line.append((key_above, *virtual))
        line.reverse()
        self.state.publish_job(self.process, line)
        try:
            return self._visit(
                code, max(pt, pn + 1), max(dt, dn + 1), max(mt, min(pn + ps, dn + ds) + 1), ps, ds
            )
        finally:
            self.state.leave(self.process, 0)

    def _down_land(
        self, code: int, key: int, occupied: bool, pt: int, dt: int, mt: int, ps: int, ds: int
    ) -> Numbers:
        """Do jobs below an atomic couple, as Search._visit_land, but by virtual numbers."""
        couples = self.couples
        land, heap = code >> HEAP_BITS, code & HEAP
        start = self.expansions - 1
        corrects = self.table.is_solved(key)
        held: Dict[int, Numbers] = {}
        first = True
        while True:
            children = couples.children(land, heap)
            if couples.numbers[land] >= 0 or couples.option_numbers[land] >> heap & 1:
                return self._known(land, heap, key, start)
            if not couples.is_complete(land):
                couples.more_children(land, heap)
                continue
            if not children:
                couples.prove(land, heap)
                return LOSS
            pn, dn = INF, 0
            pns: List[int] = []
            dns: List[int] = []
            for child in children:
                numbers = self.numbers(child, held.get(child))
                dn += numbers[0]
                pn = min(pn, numbers[1])
                numbers = self._virtual.get(self._key(child), numbers)
                pns.append(numbers[0])
                dns.append(numbers[1])
            dn = min(dn, MAX_NUMBER)
            if len(self.line) == 1:
                self.root = (pn, dn)
            virtual_pn, virtual_dn = min(dns), min(sum(pns), MAX_NUMBER)
            below = most_proving_below(virtual_pn, virtual_dn, pt, dt, mt, ps, ds)
            if not first and (self.expansions >= self.job_ends or not below):
                self.table.store(key, pn, dn, self.expansions - start, corrects)
                return pn, dn
            best, second = _two_least(dns)
            if occupied and second >= 0:
                best, second = second, best
            dt_below = dt_of_child(pt, INF if second < 0 else dns[second], self.epsilon)
            self._levels.append((key, False, pns, dns, best))
            chosen = children[best]
            held[chosen] = self._go_down(
                chosen,
                occupied and second < 0,
                pt_of_child(dt, virtual_dn, pns[best]),
                dt_below,
                mt,
                ds + virtual_dn - pns[best],
                ps,
            )
            self._levels.pop()
            first = False
            self._read_jobs()

    def _down_sum(
        self, code: int, occupied: bool, pt: int, dt: int, mt: int, ps: int, ds: int
    ) -> Numbers:
        """Do jobs below a sum of unknown lands, as Search._visit_sum, but by virtual numbers."""
        couples = self.couples
        held: Dict[int, Numbers] = {}
        first = True
        while True:
            code = couples.fold(code)
            if code <= HEAP:
                return WIN if code else LOSS
            lands = couples.parts[code >> HEAP_BITS]
            if not lands:
                if not first:
                    return self.numbers(code)
                return self._go_down(code, occupied, pt, dt, mt, ps, ds)
            total, virtual_total = 0, 0
            candidates: List[int] = []
            pns: List[int] = []
            dns: List[int] = []
            least: List[int] = []
            for land in lands:
                candidate = couples.least_couple(land)
                candidates.append(candidate)
                pn, dn = self.numbers(candidate, held.get(candidate))
                total += min(pn, dn)
                pn, dn = self._virtual.get(self._key(candidate), (pn, dn))
                pns.append(pn)
                dns.append(dn)
                least.append(_virtual_number(pn, dn))
            total = min(total, MAX_NUMBER)
            if len(self.line) == 1:
                self.root = (total, total)
            virtual_total, _ = _virtual_sum(pns, dns)
            below = most_proving_below(virtual_total, virtual_total, pt, dt, mt, ps, ds)
            if not first and (self.expansions >= self.job_ends or not below):
                return total, total
            best, second = _two_least(least)
            if occupied and second >= 0:
                best, second = second, best
            mt_of_best = mt_of_land(virtual_total, least[best], least[second], pt, dt, mt, ps, ds)
            self._levels.append((self._key(code), True, pns, dns, best))
            couple = candidates[best]
            held[couple] = self._go_down(couple, False, INF, INF, mt_of_best, 0, 0)
            self._levels.pop()
            first = False
            self._read_jobs()


def _virtual_number(pn: int, dn: int) -> int:
    """The virtual number of a land in a sum: VIRTUAL if it is regarded as solved."""
    return VIRTUAL if max(pn, dn) >= VIRTUAL else min(pn, dn)


def _virtual_sum(pns: List[int], dns: List[int]) -> Numbers:
    """The virtual numbers of a sum: the total of the lands not regarded as solved."""
    total = 0
    for i in range(len(pns)):
        number = _virtual_number(pns[i], dns[i])
        if number < VIRTUAL:
            total += number
    return (min(total, MAX_NUMBER), min(total, MAX_NUMBER)) if total else (1, VIRTUAL)


def _two_least(numbers: List[int]) -> Tuple[int, int]:
    """The indices of the least number and of the second least, -1 if there is none."""
    best = second = -1
    for i in range(len(numbers)):
        if best < 0 or numbers[i] < numbers[best]:
            best, second = i, best
        elif second < 0 or numbers[i] < numbers[second]:
            second = i
    return best, second
