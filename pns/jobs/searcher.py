"""What a worker searches its jobs with: facts, positions, a table or a tree, and processes."""

from __future__ import annotations

import math
import sys
from typing import Callable, Iterable, List, Optional, Tuple

from pns.dfpn import Search
from pns.facts import Contradiction, Fact, Facts
from pns.facts.staged import StagedFacts
from pns.game import Game, Land
from pns.jobs.jobsearch import JobSearch
from pns.jobs.outbox import Outbox
from pns.jobs.peers import LocalPeers, PeerExchange, ReportExchange
from pns.jobs.protocol import KEEP_ALL, KEEP_FACTS, KEEP_NOTHING, JobSpec, ProtocolError
from pns.jobs.setup import WorkerSetup
from pns.parallel.child_store import SharedGame
from pns.parallel.logs import OBSERVE_EVERY
from pns.parallel.meter import OwnRoom
from pns.parallel.pool import ProcessPool
from pns.parallel.pool_search import PoolSearch
from pns.pdfpn import PdfpnProcess
from pns.positions.couple import Couples
from pns.positions.exchange import ALONE, FACT, Exchange
from pns.positions.prior import Prior
from pns.positions.simplify import find_simplified
from pns.positions.tree_couples import TreeCouples
from pns.ppn2 import JobPns
from pns.search.nodes import Nodes
from pns.search.table import Table


class JobSearcher:
    """The search of a worker, what of it stays from job to job, and the facts to report.

    `setup` says how it searches; its game may come with shared children or counters as `game`.
    `facts` are those of the worker's group, if it has one. `machine` is the memory shared with
    other workers of its machine. `simpler` is the game with simpler positions in place of
    children (`pns.positions.simplify`), for a master that searches these; a searcher whose `game`
    is one already knows no other children. `max_bytes` is the limit on `Couples.bytes()` in each
    process, which get less as all of them near the memory of the setup.
    """

    def __init__(
        self,
        setup: WorkerSetup,
        game: Game,
        prior: Optional[Prior] = None,
        facts: Optional[Facts] = None,
        machine: Optional[LocalPeers] = None,
        simpler: Optional[Game] = None,
        max_bytes: int = sys.maxsize,
    ) -> None:
        self.setup = setup
        self.machine = machine
        self.max_bytes = max_bytes
        self.observer: Callable[[JobSearch], None] = lambda search: None
        """Called from time to time during a search."""
        self.facts = None if facts is None else StagedFacts(facts)
        self.outbox = Outbox()
        self.pool: Optional[PoolSearch] = None
        self.store = machine.store if machine else None
        self.prior = prior
        self._room = OwnRoom(max_bytes, math.inf if setup.memory is None else setup.memory)
        is_simplified = find_simplified(game) is not None
        self._games = (None, game) if is_simplified else (game, simpler)
        self.choose_game(is_simplified)
        self.reported = 0, 0
        """The expansions and the generated children that were reported."""
        self._exchange = ReportExchange(Facts(game.name), ALONE)
        self._nodes = Nodes(setup.capacity, is_named=False) if setup.policy.by_pns else None
        self.forget(KEEP_NOTHING)

    def choose_game(self, simplify: bool) -> None:
        """Search children, or simpler positions in place of them, once all is forgotten.

        Raises ProtocolError if the game is not known so here.
        """
        game = self._games[simplify]
        if game is None:
            wrong = "the master searches %s, which %s does not support here"
            what = "simpler positions" if simplify else "positions as they are"
            raise ProtocolError(wrong % (what, self.game.name))
        self.simplify = simplify
        if self.store is not None and self.setup.processes == 1:
            game = SharedGame(game, self.store, 0)
        self.game: Game = game

    @property
    def goes_on(self) -> bool:
        """Whether its processes search on between two jobs."""
        return self.pool is not None

    @property
    def shares_memory(self) -> bool:
        """Whether other workers of its machine may hold facts that the master has withdrawn."""
        return self.machine is not None

    @property
    def has_group_facts(self) -> bool:
        """Whether it stores facts for a group of workers."""
        return self.facts is not None

    # The search.

    def adapted(self, spec: JobSpec) -> JobSpec:
        """A job as this searcher does it: a tree never stays from job to job."""
        if self.setup.policy.by_pns:
            return spec._replace(keep=min(spec.keep, KEEP_FACTS))
        return spec

    def forget(self, keep: int) -> None:
        """Forget all but what `keep` says, a constant of `pns.jobs.protocol`."""
        if keep == KEEP_ALL:
            return
        if keep == KEEP_FACTS and isinstance(self.search, Search):
            self.search.forget_numbers()
            return
        self.close()
        self._collect_unreported()
        if keep == KEEP_NOTHING:
            facts = Facts(self.game.name) if self.facts is None else self.facts
            shared = self.facts is not None
            kind = TreeCouples if self._nodes else Couples
            seed = self.setup.seed
            self.couples = kind(self.game, facts, seed, self.prior, rereads_facts=shared)
            self.couples.batch = self.setup.policy.batch
            self.reported = 0, self._children_generated()
        couples = self.couples
        others: Exchange = ALONE
        self.search: JobSearch
        if self.setup.processes > 1:
            self.search = self.pool = self.pool_of(couples)
            others = self.pool.exchange
        else:
            self.search = self.search_of(couples)
            if self.machine:
                self.search.observe_every = OBSERVE_EVERY
                others = PeerExchange(self.machine)
        couples.exchange = self._exchange = ReportExchange(couples.facts, others)
        self.reported = 0, self.reported[1]

    def search_of(self, couples: Couples) -> JobSearch:
        """A search by this process."""
        if self._nodes and isinstance(couples, TreeCouples):
            return JobPns(couples, self._nodes, self.observe, self.max_bytes)
        table = Table(self.setup.capacity)
        epsilon = self.setup.policy.epsilon
        return Search(couples, table, epsilon, observer=self.observe, max_bytes=self.max_bytes)

    def pool_of(self, couples: Couples) -> PoolSearch:
        """A search by several processes."""
        return ProcessPool(
            self.setup.processes,
            couples,
            self.setup.capacity,
            self.observe,
            self.setup.seed,
            self.prior,
            self.max_bytes,
            self.store,
            searcher=PdfpnProcess,
            max_memory=self.setup.memory,
            **self.setup.policy.of_processes(),
        )

    def observe(self, search: JobSearch) -> None:
        """Adapt the room for positions, and call the observer."""
        if isinstance(search, Search) and not self.pool:
            search.max_bytes = self._room.update()
        self.observer(search)

    def number_of(self, land: Land) -> int:
        """The Grundy number of a land, -1 if it is not known."""
        return self.couples.numbers[self.couples.land(land)]

    @property
    def job_game(self) -> Game:
        """The game that knows the children of the search, with those of its processes."""
        return self.pool.game if self.pool else self.game

    def rest(self) -> None:
        """Make the processes wait for the next job."""
        if self.pool:
            self.pool.rest()

    def close(self) -> None:
        """End the processes."""
        if self.pool:
            self.pool.close()

    # Work and facts to report.

    def work_done(self) -> Tuple[int, int]:
        """The expansions and the generated children of the present search."""
        return self.search.expansions, self._children_generated()

    def _children_generated(self) -> int:
        """Children that this worker generated, without those from shared memory."""
        if isinstance(self.game, SharedGame):
            return self.game.children_generated
        return self.couples.children_generated

    def next_facts(self) -> List[Fact]:
        """The facts for the next report."""
        self._collect_unreported()
        return self.outbox.batch()

    def acknowledge(self, facts: List[Fact]) -> None:
        """Release facts that the master has received to the group."""
        self.outbox.acknowledge(facts)
        self._release(facts)

    def report_again(self) -> None:
        """Report all facts that are known here, also those of the group, to a new master."""
        self.outbox.restart(None if self.facts is None else self.facts.base.items())

    def apply(self, facts: Iterable[Fact]) -> None:
        """Apply facts from the master.

        Raises Contradiction, after adding the known number to the outbox, so that the master can
        compare both.
        """
        for land, number in facts:
            try:
                self.couples.apply(FACT, number, land)
                self._release([(land, number)])
            except Contradiction as error:
                self.outbox.append((land, error.known))
                raise
            if self.pool:
                self.pool.relay(land, number)

    def withdraw(self, facts: Iterable[Fact]) -> None:
        """Remove facts from those of the group."""
        if self.facts is not None:
            self.facts.withdraw(facts)

    def start_over(self) -> None:
        """Forget everything that rests on earlier facts, but not the facts of the group."""
        self.outbox.clear()
        del self._exchange.unreported[:]
        if self.facts is not None:
            self.facts = StagedFacts(self.facts.base)
        self.forget(KEEP_NOTHING)

    def drop_group_facts(self) -> None:
        """Go on without the facts of the group."""
        self.facts = None
        self.forget(KEEP_NOTHING)

    def _release(self, facts: List[Fact]) -> None:
        if self.facts is not None:
            self.facts.release(facts)

    def _collect_unreported(self) -> None:
        """Move the facts of the exchange to the outbox."""
        unreported = self._exchange.unreported
        self.outbox.add(unreported)
        del unreported[:]
