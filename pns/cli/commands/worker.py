"""Work for a master, and make the keys that connections between machines need."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
from binascii import hexlify
from contextlib import ExitStack
from hashlib import blake2b
from typing import List, Optional

import pns
from pns.choices import DFPN, algorithm_of
from pns.cli.commands.worker_group import START_OVER, WorkerGroup
from pns.cli.common import A_SIGNAL, THEN, check_options, die, die_of_missing, program, run, warn
from pns.cli.metrics.exposition import Metric
from pns.cli.metrics.server import MetricsServer
from pns.cli.metrics.worker import CountingLink, Counts, Row, worker_metrics
from pns.cli.options.variants import given_options
from pns.cli.options.worker import keygen_parser, worker_parser
from pns.distributed.peers import LocalPeers
from pns.facts import Contradiction, Facts, FactsError, open_facts
from pns.front.memory import caches, caches_of_process, default_capacity
from pns.game import find_game, limit_caches, ordered, prior_file
from pns.jobs.protocol import ProtocolError
from pns.parallel.child_store import open_child_store, store_bytes
from pns.parallel.logs import open_logs
from pns.positions.prior import load
from pns.positions.simplify import Simplified, SupportsSimplify
from pns.search.counted_search import StopToken
from pns.system.machine import memory_of, require_descriptors, total_memory
from pns.worker import Worker

try:
    from pns.distributed.client import Client, NoAnswer
    from pns.distributed.keys import Keys, endpoint, make_keys, read_keys
    from pns.distributed.messages import WireError
except ImportError as error:
    die_of_missing(error)

JOINED = "%s: joined the master at %s, for %s; Ctrl-C hands in the current job and leaves"
DESCRIPTORS = 24
"""Files that a worker has open, whatever the number of its processes, with a margin."""


def keygen(args: Optional[argparse.Namespace] = None) -> int:
    """Make the keys of a master and of its workers; returns the exit status."""
    if args is None:
        args = keygen_parser("%s keygen" % program()).parse_args(sys.argv[2:])
    for path in make_keys(args.directory):
        print(path)
    return 0


def work_together(args: argparse.Namespace) -> int:
    """Work by several workers that share memory, until the search is done; the exit status."""
    count, processes = args.workers or 1, args.processes or 1
    name = args.name or own_name()
    check_options(given_options(args, algorithm_of(args.search)))
    if args.keys:
        read_keys(args.keys)
    endpoint(args.connect)
    find_game(args.game)
    require_descriptors(DESCRIPTORS + 2 * count)
    shares = count > 1 and args.search == DFPN
    names = ["%s-%d" % (name, place + 1) for place in range(count)] if args.workers else [name]
    counts = Counts(count)
    server: Optional[MetricsServer] = None

    def body(place: int, machine: LocalPeers) -> int:
        if server:
            server.close()
        own = argparse.Namespace(**vars(args))
        own.name = names[place]
        own.memory = (args.memory or default_memory()) // count
        try:
            return work(own, machine if shares else None, counts.row(place))
        except WireError as error:
            die(str(error))

    group = WorkerGroup(count, processes, store_bytes(args.memory), body)
    if args.metrics is not None:

        def collect() -> List[Metric]:
            memory = [memory_of(pid) if pid else 0 for pid in group.pids]
            return worker_metrics(names, counts, group.starts, memory)

        server = MetricsServer(args.metrics, collect, args.quiet)
        group.poll = server.poll
    return group.run()


def work(
    args: argparse.Namespace,
    machine: Optional[LocalPeers] = None,
    counts: Optional[Row] = None,
) -> int:
    """Work until the master reports that the search is done; returns the exit status.

    `machine` is the memory that other workers of this machine share, unless `args.shared` has it.
    What is done is counted in `counts`, a row of `pns.cli.metrics.worker.Counts`.
    """
    require_descriptors(DESCRIPTORS)
    stop = StopToken()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.stop(A_SIGNAL))
    options = given_options(args, algorithm_of(args.search))
    check_options(options)
    processes = options.processes or 1
    if args.shared:
        store_file, log_file, place = args.shared
        try:
            store = open_child_store(store_file, place * processes)
            machine = LocalPeers(store, open_logs(log_file), place)
        except (OSError, ValueError):
            die("argument --shared: no such memory")
    keys: Optional[Keys] = read_keys(args.keys) if args.keys else None
    name = args.name or own_name()
    rules = find_game(args.game)
    game = ordered(rules, options.order)
    can_simplify = isinstance(rules, SupportsSimplify)
    memory = args.memory or default_memory()
    if processes > 1:
        positions, game_cache = caches_of_process(processes, options.capacity, memory)
    else:
        positions, game_cache = caches(options.capacity, memory)
    limit_caches(game, game_cache)
    status = 0
    with ExitStack() as stack:
        facts: Optional[Facts] = None
        if args.db is not None:
            facts = open_facts(args.db, args.game)
            stack.callback(close, facts)
        group = group_of(args.db)
        client = Client(args.connect, name, keys, lambda: bool(stop.reason), group=group, warn=warn)
        stack.callback(client.disconnect)

        def announce() -> None:
            """Say that the master has let this worker in."""
            if not args.quiet:
                print(JOINED % (name, args.connect, game.name), flush=True)

        worker = Worker(
            client if counts is None else CountingLink(client, counts),
            game,
            default_capacity() if args.capacity is None else args.capacity,
            options.seed,
            (options.prior or load(args.game, prior_file(game))).starting(options.start_numbers),
            positions,
            stop,
            processes=processes,
            facts=facts,
            warn=warn,
            machine=machine,
            policy=options.worker_policy(game.name),
            max_memory=memory,
            simpler=ordered(Simplified(rules), options.order) if can_simplify else None,
            announce=announce,
        )
        try:
            worker.run()
        except NoAnswer as error:
            warn(str(error))
        except (Contradiction, ProtocolError, pns.ProcessesDied) as error:
            warn(str(error))
            status = 1
    if not args.quiet and not worker.is_stale:
        print("%s: %d%s%s" % (name, worker.jobs, THEN, worker.reason or stop.reason))
    return START_OVER if worker.is_stale else status


def default_memory() -> int:
    """Bytes that the workers of a machine may hold together unless they are told."""
    return total_memory() // 2


def own_name() -> str:
    """The name of a worker that was given none."""
    return "%s-%s" % (socket.gethostname()[:60], hexlify(os.urandom(4)).decode())


def close(facts: Facts) -> None:
    """Close a group's facts; if they cannot be stored, the master has them all the same."""
    try:
        facts.close()
    except FactsError as error:
        warn(str(error))


def group_of(path: Optional[str]) -> str:
    """The name of the group of workers that share a database, "" without one."""
    if path is None:
        return ""
    where = "%s:%s" % (socket.gethostname(), os.path.realpath(path))
    return blake2b(where.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    try:
        if args is None and sys.argv[1:2] == ["keygen"]:
            return keygen()
        args = args or worker_parser(program()).parse_args()
        is_alone = args.workers is None and args.metrics is None
        return work(args) if is_alone else work_together(args)
    except WireError as error:
        die(str(error))


if __name__ == "__main__":
    run(main, searches=True)
