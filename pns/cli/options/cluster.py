"""The command line of `pns cluster`. This imports no search."""

from __future__ import annotations

import argparse

from pns.cli.common import IS_CHECKOUT, die
from pns.cli.parser import Parser
from pns.system.start import ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DESCRIPTION = """\
Run a group of workers on each node of a Ray cluster.

The cluster must be running. Ray places one actor on each node; the actor starts `pns worker`
there, with all cores and the memory of the node, and restarts it when it dies. Nodes may join and
leave. Ray only starts and monitors processes: workers and master exchange jobs and facts
directly. This program runs on CPython, with Ray (pip install ray); the workers run on
PyPy."""
EXAMPLES = (
    ("--connect big:5555 --keys ~/pns/worker.key", "work on every node for a master"),
    ("--connect big:5555 --python /opt/pypy3/bin/pypy3", "with a PyPy that is not in PATH"),
    ("--connect big:5555 -- --game kayles --search pns", "pass options to each worker"),
)
STATUS = """\
Options after -- are passed to each worker.

exit status: 0 if the search has ended, 1 if the cluster was lost, 2 after invalid input,
130 if Ctrl-C or SIGTERM stopped it; the workers then hand in their partial results."""


class ClusterParser(Parser):
    """A parser that keeps the words after `--` as they are, in `worker_options`."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        words = list(args)
        at = words.index("--") if "--" in words else len(words)
        found, rest = super().parse_known_args(words[:at], namespace)
        found.worker_options = words[at + 1 :]
        return found, rest


def cluster_parser(prog: str) -> Parser:
    """The parser of `pns cluster`."""
    parser = ClusterParser(
        prog=prog,
        usage="%(prog)s [OPTION ...] --connect HOST:PORT [-- WORKER-OPTION ...]",
        description=DESCRIPTION,
        examples=EXAMPLES,
        status=STATUS,
        check=check,
    )
    add = parser.add_argument_group("the cluster and the master").add_argument
    add(
        "--address",
        metavar="ADDRESS",
        default="auto",
        help="address of the cluster; default: this machine's",
    )
    add("--connect", metavar="HOST:PORT", required=True, help="where the master listens")
    add("--keys", metavar="FILE", help="worker.key, at this path on each node")
    add = parser.add_argument_group("the workers").add_argument
    add(
        "--directory",
        metavar="DIR",
        default=ROOT if IS_CHECKOUT else None,
        help="a clone of pns on each node; default: that of this program, or, if it is installed,"
        " the pns that the workers' interpreter imports",
    )
    add(
        "--python",
        metavar="NAME",
        default="pypy3",
        help="interpreter of the workers; default: pypy3",
    )
    group = parser.add_argument_group("output")
    group.add_argument("--quiet", action="store_true", help="print errors only")
    return parser


def check(args: argparse.Namespace) -> None:
    """Exit for a bad address."""
    from pns.jobs.addresses import wrong_address

    wrong = wrong_address(args.connect)
    if wrong:
        die("argument --connect: %s" % wrong)
