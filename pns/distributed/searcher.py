"""What a worker searches its jobs with: facts, positions, a table or a tree, and processes."""

from __future__ import annotations

import math
from typing import Optional

from pns.dfpn import Search
from pns.distributed.outbox import Outbox
from pns.distributed.peers import LocalPeers, PeerExchange, ReportExchange
from pns.facts import Facts
from pns.facts.staged import StagedFacts
from pns.game import Game
from pns.jobs.jobsearch import JobSearch
from pns.jobs.policy import WorkerPolicy
from pns.jobs.protocol import KEEP_ALL, KEEP_FACTS, KEEP_NOTHING, ProtocolError
from pns.parallel.child_store import SharedGame
from pns.parallel.logs import OBSERVE_EVERY
from pns.parallel.meter import OwnRoom
from pns.parallel.pool import PoolSearch, ProcessPool
from pns.pdfpn import PdfpnProcess
from pns.positions.couple import Couples
from pns.positions.exchange import ALONE, Exchange
from pns.positions.prior import Prior
from pns.positions.simplify import find_simplified
from pns.positions.tree_couples import TreeCouples
from pns.ppn2 import JobPns
from pns.search.nodes import Nodes
from pns.search.table import Table


class JobSearcher:
    """The base of a worker: its search, and what of it stays from job to job.

    `capacity` is the number of table entries, or of nodes for `pns.ppn2`. `max_bytes` is the
    limit on `Couples.bytes()` in each of its `processes`, which get less as all of them near
    `max_memory` bytes together. `facts` are those of its group, if it has one. `machine` is the
    memory shared with other workers of its machine. What is proved here waits in `outbox`.
    `simpler` is the game with simpler positions in place of children (`pns.positions.simplify`),
    for a master that searches these; a worker whose `game` is one already knows no other children.
    """

    def __init__(
        self,
        game: Game,
        capacity: int,
        seed: int,
        prior: Optional[Prior],
        max_bytes: int,
        processes: int,
        facts: Optional[Facts],
        machine: Optional[LocalPeers],
        policy: WorkerPolicy,
        max_memory: Optional[int],
        simpler: Optional[Game],
    ) -> None:
        self.policy = policy
        self.store = machine.store if machine else None
        self.machine = machine
        self.capacity = capacity
        self.seed = seed
        self.prior = prior
        self.max_bytes = max_bytes
        self.max_memory = max_memory
        self._room = OwnRoom(max_bytes, math.inf if max_memory is None else max_memory)
        self.processes = processes
        is_simplified = find_simplified(game) is not None
        self._games = (None, game) if is_simplified else (game, simpler)
        self._choose_game(is_simplified)
        self.facts = None if facts is None else StagedFacts(facts)
        self.outbox = Outbox()
        self._reported = self._generated = 0
        """Expansions and children that were reported."""
        self.pool: Optional[PoolSearch] = None
        self._exchange = ReportExchange(Facts(game.name), ALONE)
        self._nodes = Nodes(capacity, is_named=False) if policy.by_pns else None
        self._forget(KEEP_NOTHING)

    def _choose_game(self, simplify: bool) -> None:
        """Search children, or simpler positions in place of them, once all is forgotten.

        Raises ProtocolError if the game is not known so here.
        """
        game = self._games[simplify]
        if game is None:
            wrong = "the master searches %s, which %s does not support here"
            what = "simpler positions" if simplify else "positions as they are"
            raise ProtocolError(wrong % (what, self.game.name))
        self.simplify = simplify
        if self.store is not None and self.processes == 1:
            game = SharedGame(game, self.store, 0)
        self.game: Game = game

    def _observe(self, search: JobSearch) -> None:
        """Do what is due from time to time."""
        raise NotImplementedError

    def _forget(self, keep: int) -> None:
        """Forget all but what a job says to keep."""
        if keep == KEEP_ALL:
            return
        if keep == KEEP_FACTS and isinstance(self.search, Search):
            self.search.forget_numbers()
            return
        if self.pool:
            self.pool.close()
        self._collect_unreported()
        if keep == KEEP_NOTHING:
            facts = Facts(self.game.name) if self.facts is None else self.facts
            shared = self.facts is not None
            kind = TreeCouples if self._nodes else Couples
            self.couples = kind(self.game, facts, self.seed, self.prior, rereads_facts=shared)
            self.couples.batch = self.policy.batch
            self._generated = self._children_generated()
        couples = self.couples
        others: Exchange = ALONE
        self.search: JobSearch
        if self.processes > 1:
            self.search = self.pool = self._pool_of(couples)
            others = self.pool.exchange
        else:
            self.search = self._search_of(couples)
            if self.machine:
                self.search.observe_every = OBSERVE_EVERY
                others = PeerExchange(self.machine)
        couples.exchange = self._exchange = ReportExchange(couples.facts, others)
        self._reported = 0

    def _search_of(self, couples: Couples) -> JobSearch:
        """A search by this process."""
        if self._nodes and isinstance(couples, TreeCouples):
            return JobPns(couples, self._nodes, self._observe, self.max_bytes)
        table = Table(self.capacity)
        epsilon = self.policy.epsilon
        return Search(couples, table, epsilon, observer=self._observe, max_bytes=self.max_bytes)

    def _pool_of(self, couples: Couples) -> PoolSearch:
        """A search by several processes."""
        return ProcessPool(
            self.processes,
            couples,
            self.capacity,
            self._observe,
            self.seed,
            self.prior,
            self.max_bytes,
            self.store,
            searcher=PdfpnProcess,
            max_memory=self.max_memory,
            **self.policy.of_processes(),
        )

    def _children_generated(self) -> int:
        """Children that this worker generated, without those from shared memory."""
        if isinstance(self.game, SharedGame):
            return self.game.children_generated
        return self.couples.children_generated

    def _collect_unreported(self) -> None:
        """Move the facts of the exchange to the outbox."""
        unreported = self._exchange.unreported
        self.outbox.add(unreported)
        del unreported[:]
