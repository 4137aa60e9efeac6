"""A process of a parallel search: what `pdfpn.py` and `spdfpn.py` have in common.

Every process runs the search of `dfpn.py` over a table and positions that all share. What it
proves of a position all others see at once, after the fact is in its log, so that whoever
collects the logs has with a fact those that it rests on. No fact rests on the table or on a hash:
positions are found by their exact text.
"""

from __future__ import annotations

from time import monotonic
from typing import Any, Iterable

from pns.dfpn import CacheFull, Search
from pns.facts import Facts
from pns.facts.staged import StagedFacts
from pns.game import Land
from pns.parallel.child_store import SharedGame
from pns.parallel.shared_couples import SharedCouples
from pns.parallel.shared_state import (
    EXPANSIONS,
    GENERATED,
    ROOM,
    ROOM_UNIT,
    ROOT_DN,
    ROOT_PN,
    USED,
    SharedState,
)
from pns.positions.exchange import Record
from pns.positions.interned import HEAP, HEAP_BITS
from pns.search.bounds import Numbers
from pns.search.counted_search import RestartDue
from pns.search.table import Table

REMARK_SECONDS = 0.2


class LogExchange:
    """The exchange of a process: it writes facts to its log, for its parent.

    From the others it receives nothing, since their numbers are where it can see them. After the
    end of the search publishing may raise SearchOver.
    """

    def __init__(self, state: SharedState, process: int) -> None:
        self._state = state
        self._process = process

    def publish(self, kind: int, number: int, land: Land) -> None:
        self._state.append(self._process, kind, number, land, self._state.stopped)

    def poll(self) -> Iterable[Record]:
        return ()


class SearchProcess(Search):
    """The search of the process with the index `process`; subclasses decide how it chooses.

    `base` is only read, when a land gets its id.
    """

    def __init__(
        self,
        state: SharedState,
        process: int,
        game: Any,
        base: Facts,
        table: Table,
        seed: int = 0,
        prior: Any = None,
        rereads_facts: bool = False,
        batch: int = 0,
        **options: Any,
    ) -> None:
        self.state = state
        self.process = process
        self.game = SharedGame(game, state.store, process) if state.store else game
        self.exchange = LogExchange(state, process)
        self.couples: SharedCouples
        couples = SharedCouples(
            self.game,
            StagedFacts(base),
            state.positions,
            process,
            seed,
            prior,
            self.exchange,
            rereads_facts,
        )
        couples.batch = batch
        super().__init__(couples, table, **options)
        self._start = [state.get(process, word) for word in (EXPANSIONS, GENERATED)]
        self._used = table.used - state.get(process, USED)
        """Entries of the table that other processes count as theirs."""
        self._restarts = state.restarts()
        self._remarked = 0.0

    @property
    def children_generated(self) -> int:
        """The children that this process has generated, without those in a store."""
        if isinstance(self.game, SharedGame):
            return self.game.children_generated
        return self.couples.children_generated

    def _observe(self) -> None:
        room = self.state.get(self.process, ROOM)
        if room:
            self.max_bytes = room * ROOM_UNIT
        super()._observe()
        restarts = self.state.restarts()
        if restarts != self._restarts:
            self._restarts = restarts
            raise RestartDue

    def restart_all(self) -> None:
        """Clear the table, and make all processes begin again at the root."""
        self.state.restart(self.table)
        self.forget_numbers()

    def forget_numbers(self) -> None:
        """Count the entries of the table from 0, since it has been cleared for all processes."""
        self._used = self.table.used

    def _exchange(self) -> None:
        self.report()
        if self.state.stopped():
            self.stop.stop("the end of the search")
        if self.couples.must_go_on:
            raise CacheFull
        if self.couples.exchange_records():
            for depth in range(len(self.line)):
                if self._is_decided(self.line[depth]):
                    self._decided(depth)
                    break

    def _known(self, land: int, heap: int, key: int, start: int) -> Numbers:
        couples = self.couples
        if couples.numbers[land] >= 0 and land not in couples.proved_here:
            couples.generation += 1  # lists still have the land: fold them before they are used
        return super()._known(land, heap, key, start)

    def _expand_rest(self, land: int, heap: int) -> None:
        """Take the next children from others, without an expansion, or generate a batch."""
        if not self.couples.take_shared(land):
            super()._expand_rest(land, heap)

    def _decided(self, depth: int) -> None:
        """React to records that decide the couple at that depth of the line."""

    def _is_decided(self, code: int) -> bool:
        """Whether what is known by now decides a couple, or folds a sum."""
        couples = self.couples
        i = code >> HEAP_BITS
        if couples.is_sum(i):
            return couples.fold(code) != code
        return couples.numbers[i] >= 0 or bool(couples.option_numbers[i] >> (code & HEAP) & 1)

    def report(self) -> None:
        """Publish the counters, the root's numbers, and at times a remark."""
        state, me = self.state, self.process
        expansions, generated = self._start
        state.set(me, EXPANSIONS, expansions + self.expansions)
        state.set(me, GENERATED, generated + self.children_generated)
        state.set(me, USED, self.table.used - self._used)
        state.set(me, ROOT_PN, self.root[0])
        state.set(me, ROOT_DN, self.root[1])
        now = monotonic()
        if now - self._remarked >= REMARK_SECONDS:
            self._remarked = now
            line = self.line[-3:]
            state.set_remark(
                me,
                "depth %d: %s" % (len(self.line), " > ".join(map(self.couples.describe, line))),
            )
