"""The master's side of solve.py --algorithm pns-pdfpn: serves workers, and starts those here."""

from __future__ import annotations

import bootstrap

import argparse
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from common import die, warn

import pns
from pns import checkpoint, lifeline, scratch
from pns.checkpoint import Checkpointer, CheckpointError
from pns.distributed.jobs import KEEP_ALL
from pns.distributed.members import Statistics
from pns.distributed.vetting import DEFAULT_SHARE, DEFAULT_TIME
from pns.facts import Facts
from pns.files import Reporter
from pns.game import Game, find_game
from pns.game import options as options_of
from pns.machine import peak_memory, shared_memory, spare_memory, total_memory
from pns.master import Master
from pns.memory import LEAST_BYTES_PER_NODE, MemoryWatch, default_capacity
from pns.parallel.logs import Logs
from pns.parallel.optionstore import OptionStore, SharedGame, store_bytes
from pns.pn2 import LEAST_CAPACITY

SERVE_SECONDS = 0.1
LEAVE_SECONDS = 30.0
"""How long workers have to hand in what they found when the search has ended."""
LEAST_LIFE, MOST_FAILURES = 5.0, 5
"""Workers of this machine that live shorter, so often one after another, end the search."""

DESCRIPTORS = 32
"""Files that a master has open, and some to spare; each local worker adds two.

Its connection is one, its lifeline the other; a worker from elsewhere adds one."""
LONGEST_PATH = 100
"""Of a socket, in bytes; systems allow 103 to 107."""

Observer = Callable[[Master, float], None]


class LocalWorkers:
    """Worker processes on this machine, which end with this one.

    The master is told at once of those that die.
    """

    def __init__(
        self,
        master: Master,
        count: int,
        arguments: List[str],
        grouping: int,
        directory: str,
        shared: Sequence[int],
    ) -> None:
        """`shared` are the descriptors of their option store and their logs, if they have any."""
        here = os.path.dirname(os.path.abspath(__file__))
        self._command = [sys.executable, os.path.join(here, "worker.py"), "--quiet", *arguments]
        self._master = master
        self._count = count
        self._grouping = grouping
        self._directory = directory
        self._memory = shared
        self._started = self._failures = 0
        self._not_before = 0.0
        self._running: Dict[str, Tuple["subprocess.Popen[bytes]", int, float, int]] = {}

    def tend(self) -> bool:
        """Start as many as there are to be; False if they die again and again."""
        self.any_left()
        places = set(range(self._count)) - {place for *_, place in self._running.values()}
        for place in sorted(places):
            if self._failures >= MOST_FAILURES or time.monotonic() < self._not_before:
                break
            self._started += 1
            name = "local-%d" % self._started
            # In a session of its own: Ctrl-C is for the master, which tells its workers.
            try:
                process, line = lifeline.start(
                    [*self._command, "--name", name, *self._shared(place)],
                    stdout=2,
                    pass_fds=self._memory,
                    start_new_session=True,
                )
            except OSError as error:  # no room for a process, or for a descriptor
                warn("cannot start a worker: %s" % error.strerror)
                self._failures += 1
                self._not_before = time.monotonic() + LEAST_LIFE
                break
            self._running[name] = process, line, time.monotonic(), place
        return self._failures < MOST_FAILURES

    def _shared(self, place: int) -> List[str]:
        """What tells a worker what it shares with others of this machine."""
        words: List[str] = []
        if self._grouping > 1:
            name = "group-%d" % (place // self._grouping)
            words += ["--db", os.path.join(self._directory, name)]
        if self._memory:
            words += ["--shared", ",".join(["%d" % i for i in (*self._memory, place)])]
        return words

    def start_over(self, name: str) -> None:
        """Kill all that share memory with a worker, with "" any; `tend` starts others."""
        if self._memory and (not name or name in self._running):
            names = list(self._running)
            self.end()
            for other in names:
                self._master.lose(other, time.monotonic())

    def any_left(self) -> bool:
        """Whether any runs still."""
        now = time.monotonic()
        for name, (process, line, started, _) in list(self._running.items()):
            if process.poll() is not None:
                os.close(line)
                self._failures = self._failures + 1 if now - started < LEAST_LIFE else 0
                self._master.lose(name, now)
                del self._running[name]
        return bool(self._running)

    def end(self) -> None:
        """Kill those that did not go by themselves."""
        for process, line, *_ in self._running.values():
            process.kill()
            process.wait()
            os.close(line)
        self._running.clear()


def solve(
    args: argparse.Namespace, facts: Facts, stop: pns.StopToken, show: Observer
) -> Tuple[pns.Result, Statistics]:
    """Serve workers until the position is solved or a budget spent; raises Contradictory."""
    try:
        from pns.distributed.keys import read_keys
        from pns.distributed.messages import WireError
        from pns.wire import Server
    except ImportError as error:
        die("%s is missing: run sh scripts/setup.sh" % error.name)
    bootstrap.raise_descriptor_limit()
    bootstrap.need_descriptors(DESCRIPTORS + 2 * args.workers)
    start = time.monotonic()
    game: Game = find_game(args.game)
    shared: List[int] = []
    if args.workers and not args.no_sharing and args.state_level == KEEP_ALL:
        shared = shared_memory("options", "logs")
    if shared:
        rings = args.workers * (args.processes or 1)
        try:
            Logs(args.workers, shared[1])  # gives that memory its size
            store = OptionStore(rings, store_bytes(args.max_memory), shared[0])
            if args.check_facts != 1.0:  # else nothing is believed that workers wrote
                game = SharedGame(game, store)
        except OSError as error:  # longer than `ulimit -f` lets a file be
            shared = []
            warn("workers share no options: %s" % error.strerror)
    lands = game.parse(args.position)
    room = min(args.max_memory or total_memory(), spare_memory()) // 2
    master = Master(
        game,
        lands,
        facts,
        max(LEAST_CAPACITY, room // LEAST_BYTES_PER_NODE),
        grundy=args.grundy,
        iterations=args.iterations,
        updates=args.updates,
        sharing=not args.no_sharing,
        keep=args.state_level,
        check=DEFAULT_SHARE if args.check_facts is None else args.check_facts,
        check_time=DEFAULT_TIME if args.check_facts is None else 1.0,
    )
    master.warn = warn
    keeper = Keeper(args, master, start)
    watch = MemoryWatch(args.max_memory)
    addresses = [args.listen] if args.listen else []
    with ExitStack() as stack:
        directory = stack.enter_context(scratch.directory())
        address = "ipc://" + os.path.join(directory, "master")
        if len(os.fsencode(address)) > LONGEST_PATH:  # where TMPDIR is long
            directory = stack.enter_context(scratch.directory("/tmp"))
            address = "ipc://" + os.path.join(directory, "master")
        try:
            keys = read_keys(args.keys) if args.keys else None
            server = Server(master, [address, *addresses], keys)
        except WireError as error:
            die(str(error))
        stack.callback(server.close)
        if args.listen and not args.quiet:
            print("solve.py: listening at %s" % server.addresses[-1], file=sys.stderr, flush=True)
        arguments = ["--connect", address, *worker_arguments(args)]
        workers = LocalWorkers(master, args.workers, arguments, args.grouping, directory, shared)
        stack.callback(workers.end)

        def start_over(name: str) -> None:
            """Keep nothing that rests on what a worker said, or if it has no name on any."""
            workers.start_over(name)
            if not name:
                keeper.finish()

        master.before_restart = start_over
        while not master.why_done:
            if not workers.tend():
                master.stop("the deaths of its workers")
            server.serve(SERVE_SECONDS)
            now = time.monotonic()
            keeper.tick()
            show(master, now)
            master.stop(stop.reason or spent(args, master, now - start, watch))
        seconds = keeper.seconds(time.monotonic())
        statistics = master.statistics(time.monotonic())
        show(master, time.monotonic())
        end = time.monotonic()
        while (workers.any_left() or master.members) and (time.monotonic() < end + LEAVE_SECONDS):
            server.serve(SERVE_SECONDS)
    keeper.finish()
    if master.failure:
        raise Contradictory(master.failure)
    return result_of(args, master, facts, statistics, seconds, keeper.unsaved), statistics


class Keeper:
    """Stores the facts of a master and its checkpoints; resumes from one.

    What cannot be written is reported, and tried again later; facts wait in memory. What
    ended a search is stored before a worker hears of it: a master that is killed then and
    resumed needs no worker. Raises Contradiction, and at the start CheckpointError and OSError.
    """

    def __init__(self, args: argparse.Namespace, master: Master, start: float) -> None:
        self._master = master
        self._canonical = master.game.format(master.lands)
        self._start = start
        self._before = 0.0
        """Seconds that the search had lasted when it was saved."""
        self._reporter = Reporter(warn)
        self._checkpointer: Optional[Checkpointer] = None
        master.before_done = self.finish
        path, resume = args.checkpoint, args.resume
        if resume:
            state = checkpoint.load(resume, master.tree, self._canonical, distributed=True)
            try:
                master.restore(state, time.monotonic())
                self._before = float(state["seconds"])
            except checkpoint.MALFORMED as error:
                raise CheckpointError(resume, "a damaged checkpoint: %s" % error) from error
        if path:
            self._checkpointer = Checkpointer(
                path, lambda: self._write(path), args.every, warn, resume
            )

    @property
    def unsaved(self) -> str:
        """Why the last checkpoint could not be written, "" if it was."""
        return self._checkpointer.unsaved if self._checkpointer else ""

    def seconds(self, now: float) -> float:
        """How long the search has lasted, with the time before it was resumed."""
        return self._before + now - self._start

    def tick(self) -> None:
        """Store and save what it is time for."""
        self._master.facts.tick()
        self._report()
        if self._checkpointer:
            self._checkpointer.tick()

    def finish(self) -> None:
        """Store all there is."""
        self._master.facts.try_flush()
        if self._checkpointer:
            self._checkpointer.save()

    def _report(self) -> None:
        trouble = self._master.facts.trouble
        if trouble:
            self._reporter.report("facts wait in memory: %s" % trouble)

    def _write(self, path: str) -> None:
        """Write a checkpoint; the facts that it rests on are stored before, or with it."""
        master, now = self._master, time.monotonic()
        master.facts.try_flush()
        self._report()
        state = {**master.state(now), "seconds": self.seconds(now)}
        are_stored = hasattr(master.facts, "file") and not master.facts.trouble
        log = None if are_stored else master.log
        checkpoint.save(path, master.tree, self._canonical, state, log)


class Contradictory(Exception):
    """Two reports contradict each other."""


def worker_arguments(args: argparse.Namespace) -> List[str]:
    """What each of the workers of this machine is told."""
    workers = max(args.workers, 1)
    capacity = default_capacity() if args.capacity is None else args.capacity
    words = ["--game", args.game, "--capacity", "%d" % capacity, "--seed", "%d" % args.seed]
    memory = total_memory() if args.max_memory is None else args.max_memory // 2
    words += ["--processes", "%d" % (args.processes or 1), "--memory", "%d" % (memory // workers)]
    return words + (["--no-prior"] if args.no_prior else [])


def spent(args: argparse.Namespace, master: Master, seconds: float, watch: MemoryWatch) -> str:
    """The budget that is spent, "" if there is none."""
    if args.max_expansions is not None and master.expansions >= args.max_expansions:
        return "expansions"
    if args.max_seconds is not None and seconds >= args.max_seconds:
        return "seconds"
    if watch.is_spent():
        return "memory"
    return ""


def result_of(
    args: argparse.Namespace,
    master: Master,
    facts: Facts,
    statistics: Statistics,
    seconds: float,
    unsaved: str,
) -> pns.Result:
    """What was found, as of the other algorithms."""
    wins, tree, game = master.outcome, master.tree, master.game
    generated = tree.couples.children_generated
    if isinstance(game, SharedGame):
        generated = game.children_generated
    move: Any = None
    if wins:
        moves = [child for child in options_of(master.game, master.lands) if master.is_loss(child)]
        move = master.game.format(moves[0]) if moves else None
    return pns.Result(
        position=args.position,
        canonical=master.game.format(master.lands),
        game=args.game,
        algorithm=args.algorithm,
        solved=master.is_solved,
        outcome=None if wins is None else "win" if wins else "loss",
        grundy_number=master.grundy_number,
        winning_move=move,
        stopped_by=None if master.is_solved else master.why_done,
        expansions=statistics.expansions,
        children_generated=master.generated + generated,
        facts_known=len(facts),
        facts_new=facts.new,
        table_entries=statistics.worker_nodes,
        nodes=tree.nodes.used,
        bytes_per_node=(tree.nodes.bytes() + tree.couples.bytes()) / max(1, tree.nodes.used),
        tree_mode=None,
        processes=None,
        replaced=None,
        seconds=seconds,
        peak_memory_bytes=peak_memory(),
        version=pns.__version__,
        unsaved=None if master.is_solved else unsaved or None,
    )


def summary(statistics: Statistics) -> str:
    """The master's and the workers' part in a result, in a sentence."""
    jobs = statistics.jobs
    return (
        "%d workers, busy %.1f %% of the time, %d jobs (%d lost, %d late, %d dropped), "
        "%d claims checked"
    ) % (
        statistics.joined,
        100.0 * statistics.utilisation,
        jobs.given,
        jobs.lost,
        jobs.late,
        jobs.dropped,
        statistics.checked,
    )
