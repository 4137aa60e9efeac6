"""A process of a parallel search: what `pdfpn.py` and `spdfpn.py` have in common.

Every process runs the search of `dfpn.py` over a table that all share. It writes facts
to its log in the shared state and to a store; all others read the log every few expansions.
Wins go into a store, and others take them from there. No fact rests on the table or on a hash:
the logs and the stores hold exact text.
"""

from __future__ import annotations

from time import monotonic
from typing import Any, Callable, Iterator

from pns.dfpn import Search
from pns.facts import Facts
from pns.game import Land
from pns.parallel.child_store import SharedGame
from pns.parallel.fact_store import ProcessFacts
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
from pns.parallel.win_store import take_win
from pns.positions.exchange import WIN, Record
from pns.positions.interned import HEAP, HEAP_BITS
from pns.search.bounds import Numbers
from pns.search.counted_search import RestartDue
from pns.search.table import Table

REMARK_SECONDS = 0.2


class LogExchange:
    """The exchange of a process with the others of a shared state, by their notices and logs.

    It puts wins into the store of all, and receives none. Of the facts of others it receives
    those that `knows` may know by the hash of a land's text and its key, and those that no store
    has. `noticed` counts all of them. After the end of the search publishing may raise
    SearchOver.
    """

    def __init__(self, state: SharedState, process: int) -> None:
        self.knows: Callable[[int, int], bool] = lambda text_hash, key: True
        self.noticed = 0
        self._state = state
        self._process = process
        self._counts = [0] * state.processes

    def publish(self, kind: int, number: int, land: Land) -> None:
        if kind == WIN:
            self._state.wins.add(land, number)
        else:
            self._state.publish_fact(self._process, number, land, self._state.stopped)

    def poll(self) -> Iterator[Record]:
        state = self._state
        new, found = state.notices.read(self._process, self._counts, self.knows)
        self.noticed += new
        for other, position in found:
            record = state.record_at(other, position)
            if record:
                yield record


class SearchProcess(Search):
    """The search of the process with the index `process`; subclasses decide how it chooses.

    `base` is only read. What it lacks of the facts of others, this process finds in their store.
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
        self.game = SharedGame(game, state.store, process)
        self.exchange = LogExchange(state, process)
        facts = ProcessFacts(base, state.facts)
        couples = SharedCouples(self.game, facts, seed, prior, self.exchange, rereads_facts)
        couples.batch = batch
        self.exchange.knows = couples.may_have
        super().__init__(couples, table, **options)
        self._shared_couples = couples
        self._start = [state.get(process, word) for word in (EXPANSIONS, GENERATED)]
        self._used = table.used - state.get(process, USED)
        """Entries of the table that other processes count as theirs."""
        self._restarts = state.restarts()
        self._remarked = 0.0

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
        changed = self.couples.exchange_records()
        if self._take_wins_of_line() or changed:
            for depth in range(len(self.line)):
                if self._is_decided(self.line[depth]):
                    self._decided(depth)
                    break

    def _take_wins_of_line(self) -> bool:
        """Whether others have meanwhile shown a couple of the line to be a win."""
        option_numbers = self.couples.option_numbers
        for code in self.line:
            is_known = option_numbers[code >> HEAP_BITS] >> (code & HEAP) & 1
            if not is_known and self.takes(code):
                return True
        return False

    def _visit_land(self, land: int, heap: int, *thresholds: int) -> Numbers:
        self.take_win(land, heap)
        return super()._visit_land(land, heap, *thresholds)

    def take_win(self, land: int, heap: int) -> bool:
        """Whether land + *heap is known to be a win, by what other processes have proved too."""
        return take_win(self.state.wins, self.couples, land, heap)

    def takes(self, code: int) -> bool:
        """The same of a couple; False for a sum."""
        i = code >> HEAP_BITS
        return not self.couples.is_sum(i) and self.take_win(i, code & HEAP)

    def _expand_rest(self, land: int, heap: int) -> None:
        """Take the next children from the store, without an expansion, or generate a batch."""
        if not self._shared_couples.take_stored(land):
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
        state.set(me, GENERATED, generated + self.game.children_generated)
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
