"""The master's side of solve.py --algorithm pns-pdfpn: serves workers, and starts those here."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from typing import Any, Callable, Dict, List, Sequence, Tuple

import bootstrap
from common import die

import pns
from pns import checkpoint
from pns.checkpoint import CheckpointError
from pns.distributed.jobs import KEEP_ALL
from pns.distributed.members import Statistics
from pns.facts import Contradiction, Facts, FactsError
from pns.game import Game, find_game
from pns.game import options as options_of
from pns.machine import peak_memory, shared_memory, total_memory, used_memory
from pns.master import Master
from pns.parallel.logs import Logs
from pns.parallel.optionstore import OptionStore, SharedGame, store_bytes
from pns.pn2 import LEAST_CAPACITY

SERVE_SECONDS = 0.1
LEAVE_SECONDS = 30.0
"""How long workers have to hand in what they found when the search has ended."""
LEAST_LIFE, MOST_FAILURES = 5.0, 5
"""Workers of this machine that live shorter, so often one after another, end the search."""

TELL_SECONDS = 60.0

DESCRIPTORS = 32
"""Files that a master has open, and some to spare; two more for each worker that it starts."""
LONGEST_PATH = 100
"""Of a socket, in bytes; systems allow 103 to 107."""

Observer = Callable[[Master, float], None]


class LocalWorkers:
    """Worker processes on this machine; the master is told at once of those that die."""

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
        self._running: Dict[str, Tuple["subprocess.Popen[bytes]", float, int]] = {}

    def tend(self) -> bool:
        """Start as many as there are to be; False if they die again and again."""
        self.any_left()
        places = set(range(self._count)) - {place for _, _, place in self._running.values()}
        for place in sorted(places):
            if self._failures >= MOST_FAILURES or time.monotonic() < self._not_before:
                break
            self._started += 1
            name = "local-%d" % self._started
            # In a session of its own: Ctrl-C is for the master, which tells its workers.
            try:
                process = subprocess.Popen(
                    [*self._command, "--name", name, *self._shared(place)],
                    stdin=subprocess.DEVNULL,
                    stdout=2,
                    pass_fds=self._memory,
                    start_new_session=True,
                )
            except OSError as error:  # no room for a process, or for a descriptor
                print("solve.py: cannot start a worker: %s" % error.strerror, file=sys.stderr)
                self._failures += 1
                self._not_before = time.monotonic() + LEAST_LIFE
                break
            self._running[name] = process, time.monotonic(), place
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

    def any_left(self) -> bool:
        """Whether any runs still."""
        now = time.monotonic()
        for name, (process, started, _) in list(self._running.items()):
            if process.poll() is not None:
                self._failures = self._failures + 1 if now - started < LEAST_LIFE else 0
                self._master.lose(name, now)
                del self._running[name]
        return bool(self._running)

    def end(self) -> None:
        """Kill those that did not go by themselves."""
        for process, _, _ in self._running.values():
            process.kill()
            process.wait()


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
        game = SharedGame(game, OptionStore(rings, store_bytes(args.max_memory), shared[0]))
        Logs(args.workers, shared[1])  # gives that memory its size
    lands = game.parse(args.position)
    room = total_memory() // 2 if args.max_memory is None else args.max_memory // 2
    master = Master(
        game,
        lands,
        facts,
        max(LEAST_CAPACITY, room // pns.LEAST_BYTES_PER_NODE),
        grundy=args.grundy,
        iterations=args.iterations,
        updates=args.updates,
        sharing=not args.no_sharing,
        keep=args.state_level,
    )
    keeper = Keeper(args, master, start)
    addresses = [args.listen] if args.listen else []
    with ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="pns-"))
        address = "ipc://" + os.path.join(directory, "master")
        if len(os.fsencode(address)) > LONGEST_PATH:  # where TMPDIR is long
            short = stack.enter_context(tempfile.TemporaryDirectory(prefix="pns-", dir="/tmp"))
            address = "ipc://" + os.path.join(short, "master")
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
        saved = time.monotonic()
        while not master.why_done:
            if not workers.tend():
                master.stop("the deaths of its workers")
            server.serve(SERVE_SECONDS)
            now = time.monotonic()
            keeper.store()
            if args.checkpoint and now - saved >= args.every:
                keeper.save(now)
                saved = time.monotonic()
            show(master, now)
            master.stop(stop.reason or spent(args, master, now - start))
        seconds = keeper.seconds(time.monotonic())
        statistics = master.statistics(time.monotonic())
        show(master, time.monotonic())
        end = time.monotonic()
        while (workers.any_left() or master.members) and (time.monotonic() < end + LEAVE_SECONDS):
            server.serve(SERVE_SECONDS)
    keeper.finish()
    if master.failure:
        raise Contradictory(master.failure)
    return result_of(args, master, facts, statistics, seconds), statistics


class Keeper:
    """Stores the facts of a master and its checkpoints; resumes from one.

    What cannot be written is reported, and tried again later; facts wait in memory. What
    ended a search is stored before a worker hears of it: a master that is killed then and
    resumed needs no worker. Raises Contradiction, and at the start CheckpointError and OSError.
    """

    def __init__(self, args: argparse.Namespace, master: Master, start: float) -> None:
        self._path = args.checkpoint
        self._master = master
        self._canonical = master.game.format(master.lands)
        self._start = start
        self._before = 0.0
        """Seconds that the search had lasted when it was saved."""
        self._told = -TELL_SECONDS
        master.before_done = self.finish
        path, resume = args.checkpoint, args.resume
        if resume:
            state = checkpoint.load(resume, master.tree, self._canonical, distributed=True)
            master.restore(state, time.monotonic())
            self._before = state["seconds"]
        if path:
            if os.path.exists(path) and not (resume and os.path.samefile(path, resume)):
                raise CheckpointError(path, "is there already: resume it, or remove it")
            self._save(start)

    def seconds(self, now: float) -> float:
        """How long the search has lasted, with the time before it was resumed."""
        return self._before + now - self._start

    def store(self, wait: bool = True) -> None:
        """Store facts, with `wait` once a second."""
        facts, now = self._master.facts, time.monotonic()
        try:
            facts.tick() if wait else facts.flush()
        except Contradiction:
            raise
        except FactsError as error:
            if now - self._told >= TELL_SECONDS:
                self._told = now
                print("solve.py: facts wait in memory: %s" % error, file=sys.stderr, flush=True)

    def _save(self, now: float) -> None:
        master = self._master
        self.store(wait=False)
        state = {**master.state(now), "seconds": self.seconds(now)}
        log = None if hasattr(master.facts, "file") else master.log
        checkpoint.save(self._path, master.tree, self._canonical, state, log)

    def finish(self) -> None:
        """Store all there is."""
        self.store(wait=False)
        self.save(time.monotonic())

    def save(self, now: float) -> None:
        """Save the search, if a file was named."""
        if self._path:
            try:
                self._save(now)
            except OSError as error:
                wrong = "%s: %s; the one before is kept" % (self._path, error.strerror)
                print("solve.py: no checkpoint: %s" % wrong, file=sys.stderr, flush=True)


class Contradictory(Exception):
    """Two reports contradict each other."""


def worker_arguments(args: argparse.Namespace) -> List[str]:
    """What each of the workers of this machine is told."""
    workers = max(args.workers, 1)
    capacity = pns.DEFAULT_CAPACITY if args.capacity is None else args.capacity
    words = ["--game", args.game, "--capacity", "%d" % capacity, "--seed", "%d" % args.seed]
    memory = total_memory() if args.max_memory is None else args.max_memory // 2
    words += ["--processes", "%d" % (args.processes or 1), "--memory", "%d" % (memory // workers)]
    return words + (["--no-prior"] if args.no_prior else [])


def spent(args: argparse.Namespace, master: Master, seconds: float) -> str:
    """The budget that is spent, "" if there is none."""
    if args.max_expansions is not None and master.expansions >= args.max_expansions:
        return "expansions"
    if args.max_seconds is not None and seconds >= args.max_seconds:
        return "seconds"
    if args.max_memory is not None and used_memory() >= args.max_memory:
        return "memory"
    return ""


def result_of(
    args: argparse.Namespace, master: Master, facts: Facts, statistics: Statistics, seconds: float
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
    )


def summary(statistics: Statistics) -> str:
    """The master's and the workers' part in a result, in a sentence."""
    jobs = statistics.jobs
    return "%d workers, busy %.1f %% of the time, %d jobs (%d lost, %d late, %d dropped)" % (
        statistics.joined,
        100.0 * statistics.utilisation,
        jobs.given,
        jobs.lost,
        jobs.late,
        jobs.dropped,
    )
