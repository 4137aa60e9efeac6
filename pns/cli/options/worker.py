"""The command lines of `pns worker` and `pns worker keygen`. This imports no search."""

from __future__ import annotations

import argparse

from pns.choices import (
    DEFAULT_CAPACITY,
    DFPN,
    LED_WORKERS,
    MOST_PROCESSES,
    SEARCHES,
    algorithm_of,
    misfit,
)
from pns.cli.common import die
from pns.cli.options.variants import (
    add_batch,
    add_counting,
    add_job_end,
    add_preset,
    add_search_options,
    add_seed,
)
from pns.cli.parser import Parser, add_game, add_metrics, amount, check_metrics, positive

DESCRIPTION = """\
Work for a master, a `pns solve --algorithm pns-pdfpn` or ppn2 on this machine or another. The
master decides whether simpler positions are searched (--simplify).

`keygen DIRECTORY` makes the keys for connections between machines."""
EXAMPLES = (
    ("keygen keys", "make master.key and worker.key"),
    ("--connect 127.0.0.1:5555 --keys keys/worker.key", "work for a master"),
    ("--connect big:5555 --keys worker.key --workers 16", "16 workers, which share memory"),
    ("--connect big:5555 --keys worker.key --processes 4", "4 processes search each job"),
    ("--connect big:5555 --keys worker.key --db group.lmdb", "share facts with other workers here"),
)
EXIT_STATUS = """\
exit status: 0 when the search is done, or after SIGTERM or Ctrl-C, once the current job has
been handed in unfinished; 1 if facts contradict each other; 2 after invalid input."""
LONGEST_NAME = 90
"""Characters; messages allow some more for the number of a worker."""
KEYGEN = "Make the keys of a master and of its workers."
KEYGEN_EXAMPLES = (
    ("keys", "write keys/master.key and keys/worker.key"),
    ("~/.config/pns", "only master.key stays on the master's machine"),
)
KEYGEN_STATUS = "exit status: 0; 2 if a key exists already or cannot be written"


def worker_parser(prog: str) -> Parser:
    """The parser of `pns worker`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...] --connect HOST:PORT\n       %(prog)s keygen DIRECTORY",
        description=DESCRIPTION,
        examples=EXAMPLES,
        status=EXIT_STATUS,
        check=check,
    )
    group = parser.add_argument_group("the master")
    add = group.add_argument
    add("--connect", metavar="HOST:PORT", required=True, help="where the master listens")
    add("--keys", metavar="FILE", help="worker.key, written by `pns worker keygen`")
    add(
        "--name",
        metavar="NAME",
        help="name in the master's reports; default: the host's name and a random number",
    )
    add_game(group)
    add = parser.add_argument_group("workers, processes and memory").add_argument
    add(
        "--workers",
        metavar="N",
        type=positive,
        help="workers to start here, which share facts and children; default: 1",
    )
    add(
        "--leader",
        action=argparse.BooleanOptionalAction,
        help="start a leader, too, a process that speaks with the master for all workers here;"
        " default: from %d workers on, with --search dfpn and without --db" % LED_WORKERS,
    )
    add(
        "--processes",
        metavar="N",
        type=amount,
        help="processes that search each job of a worker together; default: 1",
    )
    add(
        "--capacity",
        metavar="N",
        type=amount,
        help="entries of each worker's transposition table, or nodes of its tree; default: %d, or"
        " fewer under a limit of the shell" % DEFAULT_CAPACITY,
    )
    add(
        "--memory",
        metavar="BYTES",
        type=amount,
        help="memory limit of all workers together, which forget positions as they approach it;"
        " default: half of the machine's memory",
    )
    add("--db", metavar="PATH", help="database that the workers of this machine share")
    group = parser.add_argument_group("as the master has them, or the search takes longer")
    group.add_argument(
        "--search",
        choices=SEARCHES,
        default=DFPN,
        help="how jobs are searched: with dfpn (default), or with pns, as ppn2 does; every master"
        " accepts both",
    )
    add_preset(group)
    add_search_options(group)
    add_seed(group)
    add_counting(group)
    add_batch(group)
    add_job_end(group)
    group = parser.add_argument_group("output")
    add_metrics(group, "figures of the workers here")
    group.add_argument("--quiet", action="store_true", help="print errors only")
    return parser


def has_leader(args: argparse.Namespace) -> bool:
    """Whether the workers of a command line have a leader."""
    if args.leader is not None:
        return bool(args.leader)
    return can_lead(args) and args.workers >= LED_WORKERS


def can_lead(args: argparse.Namespace) -> bool:
    """Whether the workers of a command line may have a leader."""
    return args.workers is not None and args.search == DFPN and args.db is None


def check(args: argparse.Namespace) -> None:
    """Exit for processes of a search that has none, and for too many or misplaced workers."""
    if args.leader and not can_lead(args):
        die("argument --leader: allowed only with --workers and --search dfpn, and without --db")
    if args.processes is not None and misfit("processes", algorithm_of(args.search)):
        die("argument --processes: only --search dfpn has it")
    check_metrics(args)
    name = "any" if args.name is None else args.name
    if not (name.isprintable() and 0 < len(name) <= LONGEST_NAME):
        wrong = "invalid name %s; expected 1 to %d printable characters"
        die("argument --name: %s" % (wrong % (ascii(name[:60]), LONGEST_NAME)))
    from pns.jobs.addresses import wrong_address

    wrong = wrong_address(args.connect)
    if wrong:
        die("argument --connect: %s" % wrong)
    if args.workers is not None and args.workers > MOST_PROCESSES:
        wrong = "invalid count %d; expected a whole number from 1 to %d"
        die("argument --workers: %s" % (wrong % (args.workers, MOST_PROCESSES)))


def keygen_parser(prog: str) -> Parser:
    """The parser of `pns worker keygen`."""
    parser = Parser(prog=prog, description=KEYGEN, examples=KEYGEN_EXAMPLES, status=KEYGEN_STATUS)
    parser.add_argument("directory", metavar="DIRECTORY", help="created if it does not exist")
    return parser
