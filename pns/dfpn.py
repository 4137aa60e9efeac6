"""Depth-first proof-number search with Grundy numbers: the search core.

The algorithm of [cizek2025], section "DFPN with Grundy Numbers", on couples.
The children of an atomic couple P + *n are those of P beside *n, and P beside
smaller heaps. A sum is searched through the couples of its unknown lands until one
land is left. A Grundy node is replaced by the couple with the least heap that is not
known to be a win.
"""

from __future__ import annotations

import gc
import sys
from typing import Any, Callable, Dict, List, Optional

from pns.game import Sum
from pns.positions.couple import Couples
from pns.positions.interned import HEAP, HEAP_BITS, IS_SUM
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
from pns.search.counted_search import CountedSearch, RestartDue, Stopped
from pns.search.table import Table
from pns.system.machine import recursion_limit

REST = -1
"""In place of the number of a child: those not yet generated."""

UNCONFIRMED = MAX_NUMBER // 2
"""The disproof number of a couple that is a win in the table but not by facts.

A visit confirms the win or corrects it.
"""

LEAST_BETWEEN = 1000
"""The least number of expansions before room is made among the interned positions again."""

KEPT = 0.75
"""The share of the memory of positions that stays when it is full."""

RECURSION_LIMIT = 100_000


class CacheFull(Exception):
    """The interned positions reached their limit: make room and search on from the root."""


SearchObserver = Callable[["Search"], None]


class Search(CountedSearch):
    """A depth-first proof-number search over a table and the facts of `couples`.

    `expansions` counts visits to nodes. `line` holds the codes of the couples being visited,
    from the root on; `root` holds the numbers of the root. At `job_ends` expansions all visits
    return and store their numbers in the table; Stopped ends them without that. The root is
    searched within the thresholds `limits`. `shared` is True if other processes search below
    the same couples, as in `pdfpn.py`. Of the unknown lands of a sum the one with the least
    number is searched next, or with `first_land` that of `Couples.first_of`.
    """

    shared = False

    def __init__(
        self,
        couples: Couples,
        table: Table,
        epsilon: float = 0.0,
        max_bytes: int = sys.maxsize,
        first_land: bool = False,
        **counting: Any,
    ) -> None:
        super().__init__(**counting)
        self.couples = couples
        self.table = table
        self.epsilon = epsilon
        self.max_bytes = max_bytes
        self.first_land = first_land
        self._forgotten = 0
        self.line: List[int] = []
        self.root: Numbers = (1, 1)
        self.job_ends = sys.maxsize
        self.limits = ROOT

    @property
    def entries(self) -> int:
        """The entries of the table in use."""
        return self.table.used

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins lands + *heap; raises Stopped."""
        sys.setrecursionlimit(recursion_limit(RECURSION_LIMIT))
        while True:
            del self.line[:]
            try:
                pn, dn = self._search(self.couples.code(lands) ^ heap)
            except CacheFull:
                self.couples.make_room(int(self.max_bytes * KEPT))
                gc.collect()
                self._forgotten = self.expansions
                continue
            except RestartDue:
                self.forget_numbers()
                continue
            if pn == 0 or dn == 0:
                return pn == 0
            if self.expansions >= self.job_ends or self.limits != ROOT:
                raise Stopped("the job's end")

    def forget_numbers(self) -> None:
        self.table.clear()

    def _search(self, code: int) -> Numbers:
        """Search the root until it is solved, or until the next call is due."""
        return self._visit(code, *self.limits)

    def _visit(self, code: int, pt: int, dt: int, mt: int, ps: int, ds: int) -> Numbers:
        """Search a folded couple until the most proving node is no longer below it."""
        if code <= HEAP:
            return WIN if code else LOSS
        self._count_expansion()
        self.line.append(code)
        if self.couples.is_sum(code >> HEAP_BITS):
            numbers = self._visit_sum(code, pt, dt, mt, ps, ds)
        else:
            numbers = self._visit_land(code >> HEAP_BITS, code & HEAP, pt, dt, mt, ps, ds)
        self.line.pop()
        return numbers

    def _visit_land(  # noqa: C901  (the innermost loop: calls would cost seconds)
        self, land: int, heap: int, pt: int, dt: int, mt: int, ps: int, ds: int
    ) -> Numbers:
        """Search the atomic couple land + *heap, equations (4) and (10)."""
        couples = self.couples
        key = couples.keys[land] ^ couples.heap_keys[heap]
        corrects = self.table.is_solved(key)
        start = self.expansions - 1
        while True:
            children = couples.children(land, heap)
            generation = couples.generation
            if couples.numbers[land] >= 0 or couples.option_numbers[land] >> heap & 1:
                return self._known(land, heap, key, start)
            is_complete = couples.is_complete(land)
            if not is_complete and len(self.line) == 1:  # what is known decides the root at once
                couples.more_children(land, heap)
                continue
            if not children and is_complete:
                couples.prove(land, heap)
                return LOSS
            # without a rest: the numbers of a win, which add nothing and are never chosen
            rest_pn, rest_dn = WIN if is_complete else couples.rest_numbers(land)
            pns: List[int] = []
            dns: List[int] = []
            for child in children:
                child_pn, child_dn = self.numbers(child)
                pns.append(child_pn)
                dns.append(child_dn)
            others = [0] * len(children)
            if self.shared:
                self._refresh(children, pns, dns, others)
            while couples.generation == generation and (children or not is_complete):
                best = 0
                pn = least = second = INF
                dn = rest_pn
                for i in range(len(dns)):
                    dn += pns[i]
                    child_dn = dns[i]
                    if child_dn < pn:
                        pn = child_dn
                    child_dn += others[i]
                    if child_dn < least:
                        second = least
                        least = child_dn
                        best = i
                    elif child_dn < second:
                        second = child_dn
                if rest_dn < least:
                    best, second = REST, least
                elif rest_dn < second:
                    second = rest_dn
                pn = min(pn, rest_dn)
                dn = min(dn, MAX_NUMBER)
                if len(self.line) == 1:
                    self.root = (pn, dn)
                if (
                    not most_proving_below(pn, dn, pt, dt, mt, ps, ds)
                    or self.expansions >= self.job_ends
                ):
                    self.table.store(key, pn, dn, self.expansions - start, corrects)
                    return pn, dn
                if best == REST:
                    self._expand_rest(land, heap)
                    break
                dt_below = dt_of_child(pt, second, self.epsilon, others[best])
                mt_below = mt
                if dns[best] > pn:  # others are below the most proving child: take another one
                    dt_below = max(dt_below, dns[best] + 1)
                    mt_below = max(mt, dns[best] + ps + 1)
                child_pn, child_dn = self._visit(
                    children[best],
                    pt_of_child(dt, dn, pns[best]),
                    dt_below,
                    mt_below,
                    ds + dn - pns[best],
                    ps,
                )
                if child_pn:
                    pns[best] = child_pn
                    dns[best] = child_dn
                else:
                    del children[best], pns[best], dns[best], others[best]
                if self.shared:
                    self._refresh(children, pns, dns, others)

    def _known(self, land: int, heap: int, key: int, start: int) -> Numbers:
        """The numbers of a couple that the number of its land, or of an option, decides."""
        couples = self.couples
        if couples.numbers[land] >= 0:
            return LOSS if couples.numbers[land] == heap else WIN
        couples.publish_win(land, heap)
        self.table.store(key, 0, INF, self.expansions - start)
        return WIN

    def _expand_rest(self, land: int, heap: int) -> None:
        """Generate the next batch of children of land + *heap."""
        self._count_expansion()
        self.couples.more_children(land, heap)

    def _visit_sum(self, code: int, pt: int, dt: int, mt: int, ps: int, ds: int) -> Numbers:
        """Search a sum of unknown lands, equations (6), (7), (11) and (12)."""
        couples = self.couples
        held: Dict[int, Numbers] = {}
        while True:
            code = couples.fold(code)
            if code <= HEAP:
                return WIN if code else LOSS
            lands = couples.parts[code >> HEAP_BITS]
            if not lands:
                pn, dn = self.numbers(code)
                if not most_proving_below(pn, dn, pt, dt, mt, ps, ds):
                    return pn, dn
                return self._visit(code, pt, dt, mt, ps, ds)
            candidates = [couples.least_couple(land) for land in lands]
            others = self._others_below(candidates)
            total = 0
            first = couples.first_of(lands) if self.first_land else 0
            best, number_of_best, least, second = 0, INF, INF, INF
            for i in range(len(candidates)):
                number = min(self.numbers(candidates[i], held.get(candidates[i])))
                total += number
                if first and lands[i] != first:
                    continue
                virtual = number + others[i]
                if virtual < least:
                    second = least
                    best, number_of_best, least = i, number, virtual
                elif virtual < second:
                    second = virtual
            total = min(total, MAX_NUMBER)
            if len(self.line) == 1:
                self.root = (total, total)
            if (
                not most_proving_below(total, total, pt, dt, mt, ps, ds)
                or self.expansions >= self.job_ends
            ):
                return total, total
            second -= others[best]
            mt_of_best = mt_of_land(total, number_of_best, second, pt, dt, mt, ps, ds)
            couple = candidates[best]
            held[couple] = self._visit(couple, INF, INF, mt_of_best, 0, 0)

    def _others_below(self, codes: List[int]) -> List[int]:
        """The amount added to the number of each couple for other processes below it.

        Always 0 in a single search.
        """
        return [0] * len(codes)

    def _refresh(
        self, children: List[int], pns: List[int], dns: List[int], others: List[int]
    ) -> None:
        """Read the numbers of children again, and what `others` adds to them."""

    def numbers(self, code: int, fallback: Optional[Numbers] = None) -> Numbers:
        """The proof and disproof number of a folded couple.

        If the table has none, `fallback` or the numbers of a leaf. A caller that visits a
        couple repeatedly passes its last numbers, since a full table may drop them.
        """
        couples = self.couples
        i = code >> HEAP_BITS
        if couples.numbers[i] == IS_SUM:
            total = 0
            for land in couples.parts[i]:
                total += min(self.numbers(couples.least_couple(land)))
            total = min(total, MAX_NUMBER)
            return total, total
        heap = code & HEAP
        if couples.option_numbers[i] >> heap & 1:
            return WIN
        found = self.table.get(couples.keys[i] ^ couples.heap_keys[heap])
        if not found:
            return fallback or couples.start_numbers(code)
        return found if found[0] else self._numbers_of_hint(i, heap)

    def _numbers_of_hint(self, land: int, heap: int) -> Numbers:
        """The numbers of a couple that is a win in the table, but not by what is known here."""
        return 1, UNCONFIRMED

    def _observe(self) -> None:
        super()._observe()
        is_due = self.expansions - self._forgotten >= LEAST_BETWEEN
        if is_due and self.couples.bytes() > self.max_bytes:
            raise CacheFull
        self._exchange()

    def _exchange(self) -> None:
        """Publish records and apply those of others."""
        self.couples.exchange_records()
