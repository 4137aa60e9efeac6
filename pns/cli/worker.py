"""Work for a master, a solve.py --algorithm pns-pdfpn or ppn2 on this machine or another.

`keygen DIRECTORY` instead of options makes the keys that connections between machines need.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
from binascii import hexlify
from contextlib import ExitStack
from hashlib import blake2b
from typing import Optional, Tuple

import pns
from pns.cli.common import (
    Parser,
    add_game,
    amount,
    check_options,
    die,
    die_of_missing,
    program,
    run,
    warn,
)
from pns.cli.variants import (
    add_batch,
    add_counting,
    add_job_end,
    add_preset,
    add_search_options,
    add_seed,
    given_options,
)
from pns.dfpn import StopToken
from pns.distributed.peers import LocalPeers
from pns.distributed.policy import WorkerPolicy
from pns.distributed.protocol import ProtocolError
from pns.facts import Contradiction, Facts, FactsError, open_facts
from pns.game import find_game, limit_caches, ordered, prior_file
from pns.machine import require_descriptors
from pns.memory import BYTES_PER_UNIT, cache_bytes, default_capacity, game_cache_bytes
from pns.options import DFPN, DISTRIBUTED, PNS, PPN2, SEARCHES
from pns.parallel.child_store import open_child_store
from pns.parallel.logs import open_logs
from pns.prior import load
from pns.worker import Worker

try:
    from pns.distributed.client import Client, NoAnswer
    from pns.distributed.keys import Keys, make_keys, read_keys
    from pns.distributed.messages import WireError
except ImportError as error:
    die_of_missing(error)

EPILOG = """\
exit status: 0 when the search is done, or after SIGTERM or Ctrl-C, once the current job
has been handed in as it is; 1 when facts contradict each other; 2 after bad input."""

STOPPED = "a signal"
DESCRIPTORS = 24
"""Files that a worker has open, whatever the number of its processes, with a margin."""


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = Parser(
        description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--connect", metavar="HOST:PORT", required=True, help="where the master listens")
    add("--keys", metavar="FILE", help="worker.key, made by worker.py keygen")
    add("--name", help="name in the master's reports; default: the host's name and a random number")
    add_game(parser)
    add(
        "--capacity",
        metavar="N",
        type=amount,
        default=default_capacity(),
        help="entries of the transposition table, or nodes of the tree; default: %(default)s",
    )
    add(
        "--search",
        choices=SEARCHES,
        default=DFPN,
        help="how jobs are searched: by dfpn, the default, or by pns, as a master of ppn2 means;"
        " either is right for every master",
    )
    add(
        "--processes",
        metavar="N",
        type=amount,
        help="processes that search each job together; default: 1",
    )
    add(
        "--memory",
        metavar="BYTES",
        type=amount,
        help="half of it may hold interned positions; default: the machine's memory",
    )
    add("--db", metavar="PATH", help="database that the workers of this machine share")
    add(
        "--shared",
        metavar="FD,FD,N",
        type=place_of,
        help="memory shared with other workers, and the place in it; set by solve.py",
    )
    group = parser.add_argument_group("as the master has them, or the search takes longer")
    add_preset(group)
    add_search_options(group)
    add_seed(group)
    add_counting(group)
    add_batch(group)
    add_job_end(group)
    add("--quiet", action="store_true", help="print errors only")
    return parser.parse_args()


def place_of(text: str) -> Tuple[int, int, int]:
    """(descriptor of the child store, descriptor of the logs, place) for argparse."""
    words = text.split(",")
    if len(words) != 3 or not all([word.isdigit() for word in words]):
        raise argparse.ArgumentTypeError("%s is not FD,FD,N" % ascii(text))
    store, logs, place = map(int, words)
    return store, logs, place


def keygen() -> int:
    """Make the keys of a master and of its workers."""
    parser = Parser(prog="%s keygen" % program(), description=keygen.__doc__)
    parser.add_argument("directory", metavar="DIRECTORY")
    for path in make_keys(parser.parse_args(sys.argv[2:]).directory):
        print(path)
    return 0


def work() -> int:
    """Work until the master reports that the search is done; returns the exit status."""
    args = parse_arguments()
    require_descriptors(DESCRIPTORS)
    stop = StopToken()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.stop(STOPPED))
    if args.search == PNS and args.processes is not None:
        die("argument --processes: only --search dfpn has it")
    options = given_options(args, PPN2 if args.search == PNS else DISTRIBUTED)
    check_options(options)
    processes = options.processes or 1
    machine: Optional[LocalPeers] = None
    if args.shared:
        store_file, log_file, place = args.shared
        try:
            store = open_child_store(store_file, place * processes)
            machine = LocalPeers(store, open_logs(log_file), place)
        except (OSError, ValueError):
            die("argument --shared: no such memory")
    keys: Optional[Keys] = read_keys(args.keys) if args.keys else None
    name = args.name or "%s-%s" % (socket.gethostname()[:60], hexlify(os.urandom(4)).decode())
    game = ordered(find_game(args.game), options.order)
    limit_caches(game, game_cache_bytes())
    status = 0
    with ExitStack() as stack:
        facts: Optional[Facts] = None
        if args.db is not None:
            facts = open_facts(args.db, args.game)
            stack.callback(close, facts)
        group = group_of(args.db)
        client = Client(args.connect, name, keys, lambda: bool(stop.reason), group=group, warn=warn)
        stack.callback(client.disconnect)
        worker = Worker(
            client,
            game,
            args.capacity,
            options.seed,
            (options.prior or load(args.game, prior_file(game))).starting(options.start_numbers),
            cache_bytes(processes, args.memory) // BYTES_PER_UNIT,
            stop,
            processes=processes,
            facts=facts,
            warn=warn,
            machine=machine,
            policy=WorkerPolicy(
                options.shared_epsilon(),
                options.counting,
                options.process_weight,
                options.job_end,
                args.search == PNS,
                options.batch,
            ),
        )
        try:
            worker.run()
        except NoAnswer as error:
            warn(str(error))
        except (Contradiction, ProtocolError, pns.ProcessesDied) as error:
            warn(str(error))
            status = 1
    if not args.quiet:
        print("%s: %d jobs done, then: %s" % (name, worker.jobs, worker.reason or stop.reason))
    return status


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


def main() -> int:
    """Do what the command line says; returns the exit status."""
    try:
        return keygen() if sys.argv[1:2] == ["keygen"] else work()
    except WireError as error:
        die(str(error))


if __name__ == "__main__":
    run(main)
