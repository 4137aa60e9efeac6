"""Work for a master, and make the keys that connections between machines need."""

from __future__ import annotations

import argparse
import os
import socket
import sys
import time
from binascii import hexlify
from contextlib import ExitStack
from typing import Callable, List, Optional

from pns.choices import DFPN, DISTRIBUTED, algorithm_of
from pns.cli.common import (
    A_SIGNAL,
    THEN,
    check_options,
    die,
    die_of_missing,
    in_flags,
    program,
    run,
    warn,
)
from pns.cli.metrics.exposition import Metric
from pns.cli.metrics.server import MetricsServer
from pns.cli.metrics.worker import CountingLink, Counts, Row, worker_metrics
from pns.cli.options.variants import given_options
from pns.cli.options.worker import has_leader, keygen_parser, worker_parser
from pns.finding import find_game
from pns.front.memory import default_capacity
from pns.jobs.peers import LocalPeers
from pns.jobs.protocol import Link
from pns.jobs.setup import WorkerPlace, WorkerSetup
from pns.parallel.child_store import store_bytes
from pns.system import scratch
from pns.system.machine import memory_of, total_memory
from pns.system.start import require_descriptors

try:
    from pns.distributed.group import WorkerGroup
    from pns.distributed.keys import endpoint, make_keys, read_keys
    from pns.distributed.leader import lead
    from pns.distributed.messages import WireError
    from pns.distributed.worker import DESCRIPTORS, START_OVER, Ended, stop_on_signals, work
except ImportError as error:
    die_of_missing(error)

LEADER_SECONDS = 0.1
"""The pause between two looks of a worker whether its leader listens."""
JOINED = "%s: joined the master at %s, for %s; Ctrl-C hands in the current job and leaves"


def keygen(args: Optional[argparse.Namespace] = None) -> int:
    """Make the keys of a master and of its workers; returns the exit status."""
    if args is None:
        args = keygen_parser("%s keygen" % program()).parse_args(sys.argv[2:])
    for path in make_keys(args.directory):
        print(path)
    return 0


def work_together(args: argparse.Namespace) -> int:
    """Work by several workers that share memory, until the search is done; the exit status.

    They may have a leader, with which alone they speak then.
    """
    count, processes = args.workers or 1, args.processes or 1
    name = args.name or own_name()
    check_options(given_options(args, algorithm_of(args.search)))
    if args.keys:
        read_keys(args.keys)
    endpoint(args.connect)
    find_game(args.game)
    leads = has_leader(args)
    require_descriptors(DESCRIPTORS + 2 * (count + leads))
    shares = count > 1 and args.search == DFPN
    names = ["%s-%d" % (name, place + 1) for place in range(count)] if args.workers else [name]
    counts = Counts(count)
    setup = setup_of(args, count + leads)
    server: Optional[MetricsServer] = None

    def guarded(work: Callable[[], int]) -> int:
        """Do the work of a forked process; exits if an address cannot be used."""
        if server:
            server.close()
        try:
            return work()
        except WireError as error:
            die(in_flags(str(error)))

    with ExitStack() as stack:
        path = ""
        """The socket of the leader."""
        if leads:
            path = os.path.join(stack.enter_context(scratch.socket_directory()), "leader")

        def body(place: int, machine: LocalPeers) -> int:
            own = machine if shares else None
            row = counts.row(place)
            return guarded(lambda: work_here(args, setup, names[place], own, row, path))

        def leader() -> int:
            return guarded(lambda: lead_here(args, setup, name, path))

        group = WorkerGroup(
            count, processes, store_bytes(args.memory), body, warn, leader if leads else None
        )
        if args.metrics is not None:

            def collect() -> List[Metric]:
                memory = [memory_of(pid) if pid else 0 for pid in group.pids]
                return worker_metrics(names, counts, group.starts, memory)

            server = MetricsServer(args.metrics, collect, args.quiet)
            group.poll = server.poll
        return group.run()


def setup_of(args: argparse.Namespace, count: int = 1) -> WorkerSetup:
    """How each of `count` workers is set up by the options; exits if one is bad."""
    options = given_options(args, algorithm_of(args.search))
    check_options(options)
    return WorkerSetup(
        args.game,
        default_capacity() if args.capacity is None else args.capacity,
        options.seed,
        options.processes or 1,
        (args.memory or total_memory() // 2) // count,
        options.worker_policy(find_game(args.game).name),
        options.order,
        options.start_numbers,
        options.prior is None,
    )


def work_here(
    args: argparse.Namespace,
    setup: WorkerSetup,
    name: str,
    machine: Optional[LocalPeers] = None,
    counts: Optional[Row] = None,
    path: str = "",
) -> int:
    """Work in this process until the search is done; returns the exit status.

    `machine` is the memory that other workers of this machine share. What is done is counted in
    `counts`, a row of `pns.cli.metrics.worker.Counts`. `path` is the socket of its leader, which
    then speaks for it.
    """

    def watched(link: Link) -> Link:
        return link if counts is None else CountingLink(link, counts)

    if not path:
        place = WorkerPlace(args.connect, name, args.keys, args.db)
        announce = announcement(args, name)
        ended = work(setup, place, stop_on_signals(A_SIGNAL), announce, machine, watched)
        return report_end(args, name, ended)
    while not os.path.exists(path):  # the leader waits for the master
        time.sleep(LEADER_SECONDS)
    place = WorkerPlace("ipc://" + path, name)
    return work(setup, place, stop_on_signals(A_SIGNAL), machine=machine, watched=watched).status


def lead_here(args: argparse.Namespace, setup: WorkerSetup, name: str, path: str) -> int:
    """Lead the workers whose requests come by the socket `path`; returns the exit status."""
    policy = given_options(args, DISTRIBUTED).job_policy(find_game(args.game).name)
    place = WorkerPlace(args.connect, name, args.keys)
    stop = stop_on_signals(A_SIGNAL)
    ended = lead(setup, place, policy, "ipc://" + path, stop, announcement(args, name))
    return report_end(args, name, ended)


def announcement(args: argparse.Namespace, name: str) -> Callable[[], None]:
    """What says that the master has let a worker in."""

    def announce() -> None:
        if not args.quiet:
            print(JOINED % (name, args.connect, find_game(args.game).name), flush=True)

    return announce


def report_end(args: argparse.Namespace, name: str, ended: Ended) -> int:
    """Print how a worker has ended; returns its exit status."""
    if not args.quiet and ended.status != START_OVER:
        print("%s: %d%s%s" % (name, ended.jobs, THEN, ended.reason))
    return ended.status


def own_name() -> str:
    """The name of a worker that was given none."""
    return "%s-%s" % (socket.gethostname()[:60], hexlify(os.urandom(4)).decode())


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    try:
        if args is None and sys.argv[1:2] == ["keygen"]:
            return keygen()
        args = args or worker_parser(program()).parse_args()
        is_alone = args.workers is None and args.metrics is None
        if is_alone:
            return work_here(args, setup_of(args), args.name or own_name())
        return work_together(args)
    except WireError as error:
        die(in_flags(str(error)))


if __name__ == "__main__":
    run(main, searches=True)
