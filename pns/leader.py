"""A leader of PNS-PDFPN: a worker of a master, whose search is a master of other workers.

It takes jobs as any worker does, and searches each by a tree of its own, whose leaves it gives to
the workers of its machine. So the master has one worker for each machine, with jobs as much longer
as the machine has workers, and receives each fact of a machine once. This is the division of
[cizek2025] applied twice. Facts of both sides are in one log; the tree stays from job to job.
"""

from __future__ import annotations

import sys
from typing import Callable, Iterable, List, Optional, Tuple

from pns.facts import Contradiction, Fact, Facts
from pns.game import Game, Land, Sum
from pns.jobs.jobsearch import JobSearch
from pns.jobs.outbox import Outbox
from pns.jobs.policy import JobPolicy
from pns.jobs.protocol import KEEP_ALL, JobSpec, ProtocolError
from pns.jobs.setup import WorkerSetup
from pns.master import Master
from pns.positions.simplify import find_simplified
from pns.positions.tree_couples import TreeCouples
from pns.search.bounds import ROOT, Numbers, Thresholds, most_proving_below
from pns.search.counted_search import Stopped

OBSERVE_EVERY = 1000
"""Expansions of all its workers between two looks at what the leader's master wants."""


class LeaderSearch:
    """The search of a job by the workers of `master`, as a `pns.jobs.jobsearch.JobSearch`.

    `wait` lets the workers go on until `is_due`, or for a while.
    """

    def __init__(self, master: Master, wait: Callable[[], None]) -> None:
        self.master = master
        self.observer: Callable[[JobSearch], None] = lambda search: None
        self.job_ends = sys.maxsize
        self.limits: Thresholds = ROOT
        self.root: Numbers = (1, 1)
        self.observe_every = OBSERVE_EVERY
        self._wait = wait
        self._observed = 0
        self._unsolved: Optional[Tuple[Sum, int]] = None
        """The last couple that was not solved, for workers to go on with between two jobs."""

    @property
    def expansions(self) -> int:
        return self.master.knowledge.expansions

    @property
    def couples(self) -> TreeCouples:
        return self.master.knowledge.tree.couples

    @property
    def entries(self) -> int:
        """The entries in the tables of the workers."""
        return sum([worker.table_entries for worker in self.master.workers.values()])

    def numbers(self, code: int) -> Numbers:
        return self.master.knowledge.tree.search.numbers(code)

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins an atomic couple; raises Stopped at the job's end.

        Raises Contradiction if the workers contradict each other, and TooLarge.
        """
        knowledge = self.master.knowledge
        knowledge.ask(lands, heap)
        while knowledge.outcome is None:
            self._unsolved = lands, heap
            self.root = knowledge.root_numbers
            if knowledge.error:
                raise knowledge.error
            if self._is_over:
                raise Stopped("the job's end")
            self._wait()
            if self._must_observe:
                self._observed = self.expansions
                self.observer(self)
        wins = knowledge.outcome
        if self._unsolved:
            knowledge.ask(*self._unsolved)
        return wins

    @property
    def _is_over(self) -> bool:
        """Whether the job has had its expansions, or its thresholds are passed."""
        numbers = self.master.knowledge.root_numbers
        return self.expansions >= self.job_ends or not most_proving_below(*numbers, *self.limits)

    @property
    def _must_observe(self) -> bool:
        return self.expansions - self._observed >= self.observe_every

    @property
    def is_due(self) -> bool:
        """Whether `outcome` has something to do."""
        knowledge = self.master.knowledge
        ended = knowledge.outcome is not None or bool(knowledge.failure)
        return ended or self._must_observe or self._is_over


class LeaderSearcher:
    """What a leader searches its jobs with: a master of workers, and the facts to report.

    It stands in a `pns.worker.Worker` for a `pns.jobs.searcher.JobSearcher`. `policy`, `capacity`
    and `lease` are those of its master; see `LeaderSearch` for `wait`. `simpler` is the game with
    simpler positions in place of children. `dismiss` is called at the end of the search, and lets
    the workers leave. Facts that the leader's master withdraws are withdrawn from its workers.
    """

    goes_on = True
    has_group_facts = False
    shares_memory = True

    def __init__(
        self,
        setup: WorkerSetup,
        game: Game,
        policy: JobPolicy,
        capacity: int,
        wait: Callable[[], None],
        simpler: Optional[Game] = None,
        lease: float = 60.0,
        dismiss: Callable[[], None] = lambda: None,
    ) -> None:
        self.setup = setup
        self._dismiss = dismiss
        self._withdrawn: List[Fact] = []
        self._policy = policy._replace(restart=0)  # its master says when it restarts
        self._capacity = capacity
        self._wait = wait
        self._lease = lease
        self._observer: Callable[[JobSearch], None] = lambda search: None
        is_simplified = find_simplified(game) is not None
        self._games = (None, game) if is_simplified else (game, simpler)
        self.choose_game(is_simplified)

    def choose_game(self, simplify: bool) -> None:
        """Search children, or simpler positions in place of them; raises ProtocolError."""
        game = self._games[simplify]
        if game is None:
            raise ProtocolError("the master searches other children than this leader knows")
        self.simplify = simplify
        self.game: Game = game
        self.start_over()

    def start_over(self) -> None:
        """Begin again without any fact, and with a master that knows no worker."""
        self.master = Master(
            self.game,
            None,
            Facts(self.game.name),
            self._capacity,
            policy=self._policy,
            lease=self._lease,
        )
        if self._withdrawn:
            self.master.vetting.withdrawn.add(self._withdrawn)
        self.search = LeaderSearch(self.master, self._wait)
        self.search.observer = self._observer
        self.outbox = Outbox()
        self.reported = 0, 0
        self._reported_error: Optional[Exception] = None
        """The contradiction whose numbers were added to the outbox."""
        self._read = 0
        """The facts of the log that were added to the outbox, or came from above."""

    @property
    def observer(self) -> Callable[[JobSearch], None]:
        """Called from time to time during a search."""
        return self._observer

    @observer.setter
    def observer(self, observer: Callable[[JobSearch], None]) -> None:
        self._observer = self.search.observer = observer

    @property
    def job_game(self) -> Game:
        return self.game

    def adapted(self, spec: JobSpec) -> JobSpec:
        """A job with as many times the expansions, at least and between two reports, as the leader
        has workers."""
        count = max(1, len(self.master.workers))
        return spec._replace(least=count * spec.least, updates=count * spec.updates)

    def forget(self, keep: int) -> None:
        """Drop the tree and the workers' tables, unless all is kept and the tree has room."""
        if keep != KEEP_ALL or self.master.knowledge.is_full:
            self.master.jobs.restart()

    def number_of(self, land: Land) -> int:
        """The Grundy number of a land, -1 if it is not known."""
        return self.master.facts.get(land)

    def rest(self) -> None:
        """The workers go on."""

    def close(self) -> None:
        """The workers end with the search of the leader's master; their last facts stay."""
        self._dismiss()

    def work_done(self) -> Tuple[int, int]:
        """The expansions and the generated children that the workers have reported."""
        return self.search.expansions, self.master.generated

    def next_facts(self) -> List[Fact]:
        """The facts for the next report: those of the workers, not those from above."""
        log = self.master.knowledge.log
        self.outbox.add(log.reported(self._read))
        self._read = len(log)
        error = self.master.knowledge.error
        if isinstance(error, Contradiction) and error is not self._reported_error:
            self.outbox.append((error.land, error.known))  # the master decides which is wrong
            self.outbox.append((error.land, error.number))
            self._reported_error = error
        return self.outbox.batch()

    def acknowledge(self, facts: List[Fact]) -> None:
        """Take facts off the outbox that the master has received."""
        self.outbox.acknowledge(facts)

    def report_again(self) -> None:
        """Report all facts that are known here to a new master."""
        self.next_facts()
        self.outbox.restart(self.master.facts.items())

    def apply(self, facts: Iterable[Fact]) -> None:
        """Apply facts from the master; raises Contradiction, after adding the known number."""
        try:
            self.master.knowledge.import_facts(facts)
        except Contradiction as error:
            self.outbox.append((error.land, error.known))
            raise

    def withdraw(self, facts: Iterable[Fact]) -> None:
        """Note facts that the workers have to forget, too, after the next `start_over`."""
        self._withdrawn += facts

    def drop_group_facts(self) -> None:
        """A leader has none."""
