"""PNS-PDFPN as one search: a master that serves its workers until the position is solved."""

from __future__ import annotations

import math
import os
import time
from contextlib import ExitStack
from typing import Callable, Dict, List, Optional, Sequence

from pns.choices import AT_ONCE, CHECK_TIME, CHECKED_SHARE, LEAST_CAPACITY
from pns.distributed.local import LocalWorkers
from pns.front.memory import LEAST_BYTES_PER_NODE
from pns.front.options import OptionError, Options
from pns.front.request import Request
from pns.game import Game, Sum
from pns.jobs.protocol import KEEP_ALL
from pns.master import Master
from pns.parallel.child_store import ChildStore, SharedGame, store_bytes
from pns.parallel.logs import Logs
from pns.parallel.meter import MemoryMeter
from pns.positions.couple import Couples
from pns.saving import tree_checkpoint
from pns.saving.checkpoint import MALFORMED, CheckpointError
from pns.saving.checkpointer import Checkpointer
from pns.search.counted_search import SearchFailed, Stopped
from pns.system import scratch
from pns.system.files import Reporter
from pns.system.machine import (
    shared_memory,
    spare_memory,
    total_memory,
    used_memory,
)
from pns.system.platform import peak_memory, raise_descriptor_limit
from pns.system.start import MOST_DESCRIPTORS, require_descriptors
from pns.usage import Progress, Usage

SERVE_SECONDS = 0.1
LEAVE_SECONDS = 30.0
"""How long workers have for their last reports when the search has ended."""
DESCRIPTORS = 32
"""Descriptors of a master without workers, and some to spare. Each local worker adds two, its
connection and its lifeline; each remote worker adds one."""


class DistributedSolver:
    """The `pns.Solver` of pns-pdfpn and ppn2: the master, its transport, and local workers.

    Raises OptionError for an address or key file that cannot be used, and the errors of
    the checkpoint to resume from.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        options = request.options
        self._count = count = options.worker_count()
        self.addresses: List[str] = []
        """The addresses at which remote workers can connect."""
        raise_descriptor_limit(MOST_DESCRIPTORS)
        require_descriptors(DESCRIPTORS + 2 * count)
        self._shared: List[int] = []
        if count and options.sharing == AT_ONCE and options.kept_state() == KEEP_ALL:
            self._shared = shared_memory("children", "logs")
        self._game = self._shared_game(request.game)
        most = total_memory()
        room = min(options.max_memory or most, most, spare_memory()) // 2
        self.master = Master(
            self._game,
            request.lands,
            request.facts,
            max(LEAST_CAPACITY, room // LEAST_BYTES_PER_NODE),
            grundy=options.grundy,
            policy=options.job_policy(request.game.name),
            check=CHECKED_SHARE if options.check_facts is None else options.check_facts,
            check_time=CHECK_TIME if options.check_facts is None else 1.0,
        )
        self.master.judge.warn = request.warn
        self.couples: Couples = self.master.knowledge.tree.couples
        self._store = MasterStore(self.master, options, request.warn)
        self._meter = MemoryMeter()

    def _shared_game(self, game: Game) -> Game:
        """The game, with the children in the workers' shared memory if there is such memory."""
        if not self._shared:
            return game
        options = self._request.options
        rings = self._count * (options.processes or 1)
        try:
            Logs(self._count, self._shared[1])  # sets the size of the memory
            store = ChildStore(rings, store_bytes(options.max_memory), self._shared[0])
        except OSError as error:  # longer than `ulimit -f` lets a file be
            self._shared = []
            self._request.warn("workers cannot share children: %s" % error.strerror)
            return game
        if options.check_facts == 1:  # what workers wrote is not believed
            return game
        return SharedGame(game, store)

    @property
    def expansions(self) -> int:
        return self.master.knowledge.expansions

    @property
    def memory(self) -> int:
        """Bytes that the master and the workers of this machine held when last measured."""
        return self._meter.bytes or used_memory()

    @property
    def unsaved(self) -> str:
        return self._store.unsaved

    def stop(self, reason: str) -> None:
        self._request.stop.stop(reason)

    def tick(self) -> None:
        self._store.tick()

    def save(self) -> None:
        """Do nothing: the master is saved before its workers leave."""

    def outcome(self, lands: Sum) -> bool:
        """Serve workers until the position, or its Grundy number, is solved.

        If it is solved already, only the address and the keys are tried.

        Raises Stopped, SearchFailed.
        """
        options = self._request.options
        if not self.master.why_done or options.listen or options.keys:
            self._serve()
        if self.master.knowledge.failure:
            raise SearchFailed(self.master.knowledge.failure)
        if self.master.knowledge.outcome is None:
            raise Stopped(self.master.why_done)
        return self.master.knowledge.outcome

    def grundy_number(self, lands: Sum) -> int:
        number = self.master.knowledge.grundy_number
        if number is None:
            raise Stopped(self.master.why_done)
        return number

    def _serve(self) -> None:
        from pns.distributed.keys import read_keys
        from pns.distributed.messages import WireError
        from pns.distributed.transport import Server

        request, master = self._request, self.master
        options = request.options
        with ExitStack() as stack:
            directory = stack.enter_context(scratch.socket_directory())
            address = "ipc://" + os.path.join(directory, "master")
            addresses = [options.listen] if options.listen else []
            try:
                keys = read_keys(options.keys) if options.keys else None
            except WireError as error:
                raise OptionError("keys", str(error)) from error
            try:
                server = Server(master, [address, *addresses], keys)
            except WireError as error:
                raise OptionError("listen", str(error)) from error
            stack.callback(server.close)
            if master.why_done:
                return
            self.addresses = server.addresses[1:]
            workers = LocalWorkers(
                master, options, self._count, address, directory, self._shared, request.warn
            )
            stack.callback(workers.end)

            def start_over(name: str) -> None:
                """Drop all state that rests on the claims of a worker, or with "" of all."""
                workers.start_over(name)
                if not name:
                    self._store.finish()

            master.judge.before_restart = start_over
            while not master.why_done:
                if not workers.tend():
                    self.stop("the deaths of its workers")
                server.serve(SERVE_SECONDS)
                self.tick()
                if self._meter.is_due():
                    self._measure(workers)
                request.observe(self)
                most = options.max_expansions
                if most is not None and master.knowledge.expansions >= most:
                    self.stop("expansions")
                if request.stop.reason:
                    master.stop(request.stop.reason)
            request.observe(self)
            end = time.monotonic() + LEAVE_SECONDS
            while (workers.any_left() or master.workers) and time.monotonic() < end:
                server.serve(SERVE_SECONDS)
        self._store.finish()

    def _measure(self, workers: LocalWorkers) -> None:
        """Measure the memory of all processes here; evict the largest worker near the limit.

        Workers keep themselves below their share of the limit, but not the master.
        """
        limit = self._request.options.max_memory or math.inf
        names = workers.pids()
        held: Dict[str, int] = {}
        for pid, size in self._meter.measure(names, limit).items():
            held[names[pid]] = held.get(names[pid], 0) + size
        if held and self._meter.must_evict(limit):
            workers.evict(max(held, key=lambda name: held[name]))

    def progress(self) -> Progress:
        return progress_of(self.master, time.monotonic(), self.memory, self.addresses)

    def usage(self) -> Usage:
        master = self.master
        tree, nodes = master.knowledge.tree, master.knowledge.tree.nodes
        found = master.statistics(time.monotonic())
        generated = self.couples.children_generated
        if isinstance(self._game, SharedGame):
            generated = self._game.children_generated
        return Usage(
            expansions=found.expansions,
            children_generated=master.generated + generated,
            table_entries=found.worker_nodes,
            capacity=nodes.capacity,
            nodes=nodes.used,
            bytes_per_node=(nodes.bytes() + tree.couples.bytes()) / max(1, nodes.used),
            seconds=self._store.seconds(time.monotonic()),
            peak_memory_bytes=max(peak_memory(), self._meter.most_bytes),
            distribution=found,
        )


def progress_of(
    master: Master, now: float, memory: int = 0, addresses: Sequence[str] = ()
) -> Progress:
    """The progress of a master and its workers, for people."""
    found = master.statistics(now)
    jobs = found.jobs
    given = "%d given, %d done, %d lost, %d late"
    return Progress(
        root=master.knowledge.tree.search.numbers(master.knowledge.root),
        expansions=master.knowledge.expansions,
        facts_known=len(master.facts),
        facts_new=master.facts.new,
        memory=memory,
        store=("tree", "{:,} nodes".format(found.master_nodes)),
        lines=[
            ("workers", "%d, busy %.1f %%" % (found.workers, 100.0 * found.utilisation)),
            ("jobs", given % (jobs.given, jobs.submitted, jobs.lost, jobs.late)),
        ],
        workers=[worker.progress(now) for worker in master.workers.values()],
        distribution=found,
        addresses=list(addresses),
        answering_seconds=master.jobs.pace.seconds,
        done=master.why_done,
    )


class MasterStore:
    """The facts and checkpoints of a master on disk; resumes the search of a checkpoint.

    A failed write is reported and tried again later; facts then wait in memory. The facts that
    end a search are stored before a worker receives the end: a master that is killed then and
    resumed needs no worker. Raises Contradiction, and at the start CheckpointError and OSError.
    """

    def __init__(self, master: Master, options: Options, warn: Callable[[str], None]) -> None:
        self._master = master
        self._canonical = master.game.format(master.lands)
        self._start = time.monotonic()
        self._before = 0.0
        """The duration of the search in seconds before it was resumed."""
        self._reporter = Reporter(warn)
        self._checkpointer: Optional[Checkpointer] = None
        master.before_done = self.finish
        path, resume = options.checkpoint, options.resume
        if resume:
            state = tree_checkpoint.load(
                resume, master.knowledge.tree.search, self._canonical, distributed=True
            )
            try:
                master.restore(state, time.monotonic())
                self._before = float(state["seconds"])
            except MALFORMED as error:
                raise CheckpointError(resume, "a damaged checkpoint: %s" % error) from error
        if path:
            self._checkpointer = Checkpointer(
                path, lambda: self._write(str(path)), options.every, warn, resume
            )

    @property
    def unsaved(self) -> str:
        """Why the last checkpoint could not be written, "" if it was."""
        return self._checkpointer.unsaved if self._checkpointer else ""

    def seconds(self, now: float) -> float:
        """The duration of the search, with the time before it was resumed."""
        return self._before + now - self._start

    def tick(self) -> None:
        """Store facts and save a checkpoint if they are due."""
        self._master.facts.tick()
        self._report()
        if self._checkpointer:
            self._checkpointer.tick()

    def finish(self) -> None:
        """Store all facts and save a checkpoint."""
        self._master.facts.try_flush()
        if self._checkpointer:
            self._checkpointer.save()

    def _report(self) -> None:
        trouble = self._master.facts.trouble
        if trouble:
            self._reporter.report("facts wait in memory: %s" % trouble)

    def _write(self, path: str) -> None:
        """Write a checkpoint; the facts that it rests on are stored before it or in it."""
        master, now = self._master, time.monotonic()
        master.facts.try_flush()
        self._report()
        state = {**master.state(now), "seconds": self.seconds(now)}
        are_stored = master.facts.path and not master.facts.trouble
        log = None if are_stored else master.knowledge.log
        tree_checkpoint.save(path, master.knowledge.tree.search, self._canonical, state, log)
