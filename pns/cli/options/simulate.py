"""The command line of `pns simulate`. This imports no search."""

from __future__ import annotations

import argparse
import sys

from pns.choices import DFPN, PARALLEL, PDFPN, PNS, SEARCHES, STATE_LEVELS, algorithm_of, misfit
from pns.cli.common import die
from pns.cli.options.variants import (
    add_batch,
    add_counting,
    add_job_end,
    add_preset,
    add_restart,
    add_search_options,
    add_sharing,
    add_simplify,
    add_sum_order,
    add_work_limit,
)
from pns.cli.parser import (
    Parser,
    above_zero,
    add_game,
    amount,
    check_output,
    file_name,
    positive,
    real,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List

DESCRIPTION = """\
Simulate PNS-PDFPN on many cores: real searches and the real master on a virtual clock.

Costs are given, or measured with --measure; apart from these nothing depends on this machine.
There is one run for each combination of --cores, --processes, --iterations and --grouping and
each seed. The output shows the best setting for each number of cores, as in [cizek2025]."""
EXAMPLES = (
    ("'0*12' --cores 1,16,256", "speedups of 1, 16 and 256 cores"),
    ("--study ablation --save a.json --draw a.svg", "runs after Figure 5, and a picture"),
    ("--load a.json", "the best settings of saved runs"),
    ("--measure '0*12'", "what each step costs on this machine"),
)
STATUS = "exit status: 0; 2 after bad input, or when a file cannot be written; 130 when stopped"

MOST_COST = 1e12
"""Microseconds."""
CORES = "1,2,4,8,16,32,64,128,256,512,1024"
OF_ALGORITHMS = ("counting", "process_weight", "work_limit", "batch", "job_end", "sharing")
"""Options that only some algorithms have."""
STUDIES = ("ablation", "grouping", "iterations", "ppn2", "state", "threads", "updates")
"""The names of the studies in `pns.cli.commands.simulate`."""


def simulate_parser(prog: str) -> Parser:
    """The parser of `pns simulate`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...] [POSITION]",
        description=DESCRIPTION,
        examples=EXAMPLES,
        status=STATUS,
        check=check,
    )
    add_runs(parser.add_argument_group("what is simulated"))
    add_budgets(parser.add_argument_group("budgets"))
    add = parser.add_argument_group("costs").add_argument
    add("--costs", metavar="NAME=US,…", type=read_costs, help="costs in microseconds")
    add("--measure", action="store_true", help="measure and print the costs on this machine only")
    add_output(parser.add_argument_group("output, files and pictures"))
    group = parser.add_argument_group("how workers search, as with `pns solve`")
    add_preset(group)
    add_search_options(group)
    add_simplify(group)
    add_sum_order(group, "the land of a sum that DFPN alone searches next, least or first")
    add_counting(group)
    add_work_limit(group)
    add_batch(group)
    add_restart(group)
    add_job_end(group)
    add_sharing(group)
    return parser


def add_runs(group: argparse._ArgumentGroup) -> None:
    """Add the position and the settings of the runs."""
    add = group.add_argument
    add("position", metavar="POSITION", nargs="?", default="0*12", help="default: 0*12")
    add_game(group)
    add(
        "--study",
        choices=STUDIES,
        help="runs after a figure of the paper: 4 (ppn2; state: all by DFPN), 5 (ablation),"
        " 9 (updates, iterations), 10 (grouping), 11 (threads)",
    )
    add("--cores", metavar="N,…", type=numbers, default=CORES, help="default: %s" % CORES)
    add(
        "--processes",
        metavar="N,…",
        type=numbers,
        default="1",
        help="processes of a worker; default: 1",
    )
    add(
        "--iterations",
        metavar="N,…",
        type=numbers,
        default="100",
        help="expansions of a leaf before it gets children; default: 100",
    )
    add(
        "--updates",
        metavar="N",
        type=positive,
        default=1000,
        help="expansions between two reports on a job; default: 1000",
    )
    add(
        "--grouping",
        metavar="N,…",
        type=numbers,
        default="1",
        help="cores of a machine; default: 1",
    )
    add(
        "--leaders",
        action="store_true",
        help="give each machine a leader, which takes the core of one worker",
    )
    add(
        "--no-master",
        action="store_true",
        help="one machine whose cores search together from the root, without a master",
    )
    add(
        "--algorithm",
        choices=PARALLEL,
        help="of one machine without a master: pdfpn (default) or spdfpn",
    )
    add("--search", choices=SEARCHES, default=DFPN, help="of workers: dfpn, or pns as with ppn2")
    add(
        "--state-level",
        choices=STATE_LEVELS,
        type=int,
        help="what workers keep between jobs: 0 nothing (default of pns), 1 facts, 2 facts and"
        " table (default of dfpn)",
    )
    add("--capacity", metavar="N", type=amount, default=1 << 16, help="entries of each table")
    add(
        "--memory",
        metavar="BYTES",
        type=amount,
        default=sys.maxsize,
        help="memory for the positions of all cores together, which forget others as real ones do;"
        " default: no limit",
    )
    add("--seeds", metavar="N,…", help="a run for each seed; default: 0; 1,2,3 with --preset")


def add_budgets(group: argparse._ArgumentGroup) -> None:
    """Add what ends a run early."""
    add = group.add_argument
    add("--max-seconds", metavar="S", type=above_zero, help="stop after S seconds of virtual time")
    add(
        "--max-overhead",
        metavar="X",
        type=above_zero,
        default=12.0,
        help="stop at X times the expansions of DFPN alone; default: 12",
    )
    add(
        "--max-slowdown",
        metavar="X",
        type=above_zero,
        default=2.0,
        help="stop at X times the time of DFPN alone; default: 2",
    )


def add_output(group: argparse._ArgumentGroup) -> None:
    """Add what is printed, written and drawn."""
    add = group.add_argument
    add("--json", action="store_true", help="print a JSON object for each run")
    add("--save", metavar="FILE", help="write all runs to a JSON file, or to FILE.csv")
    add(
        "--load",
        metavar="FILE",
        type=file_name,
        help="only show the best runs of a saved file",
    )
    add("--draw", metavar="SVG", help="draw the runs, or those of a --load file")
    add("--timeline", metavar="SVG", help="draw what master and workers did in the only run")
    add("--paper", action="store_true", help="also draw the paper's figures for 47 spots")


def numbers(text: str) -> List[int]:
    """Counts of at least 1, separated by commas.

    >>> numbers("1,16,1k")
    [1, 16, 1000]
    """
    found = [amount(word) for word in text.split(",")]
    if not all(found):
        wrong = "invalid count 0 in %s; expected whole numbers of at least 1"
        raise argparse.ArgumentTypeError(wrong % ascii(text[:60]))
    return found


def read_costs(words: str) -> Any:
    """The default costs, changed by NAME=MICROSECONDS, separated by commas."""
    from pns.simulation.costs import Costs

    changes = {}
    for word in words.split(",") if words else []:
        name, _, value = word.partition("=")
        if name not in Costs._fields:
            wrong = "invalid cost %s; expected NAME=MICROSECONDS, with a name of %s"
            raise argparse.ArgumentTypeError(wrong % (ascii(word[:60]), ", ".join(Costs._fields)))
        changes[name] = real(value, MOST_COST)
    return Costs()._replace(**changes)


def check(args: argparse.Namespace) -> None:
    """Exit for options that exclude each other; reads the seeds."""
    try:
        words = ("1,2,3" if args.preset else "0") if args.seeds is None else args.seeds
        args.seeds = [amount(word) for word in words.split(",")]
    except argparse.ArgumentTypeError as error:
        die("argument --seeds: %s; see --help" % error)
    if args.load and (args.save or args.study or args.measure):
        die("argument --load: not allowed with --save, --study or --measure; see --help")
    runs = [args.cores, args.processes, args.iterations, args.grouping, args.seeds]
    if args.timeline and (args.load or args.study or any([len(values) > 1 for values in runs])):
        die(
            "argument --timeline: not allowed with several runs; expected one number of --cores "
            "and no --study; see --help"
        )
    for option, path, endings in (
        ("--save", args.save, (".json", ".csv")),
        ("--draw", args.draw, (".svg",)),
        ("--timeline", args.timeline, (".svg",)),
    ):
        if path is not None:
            check_output(option, path, endings)
    if args.paper and not args.draw:
        die("argument --paper: allowed only with --draw; see --help")
    check_algorithm(args)
    if args.search == PNS and args.processes != [1]:
        die("argument --processes: only --search dfpn has it; see --help")


def check_algorithm(args: argparse.Namespace) -> None:
    """Exit for options that do not fit the algorithm; completes it."""
    if args.no_master:
        given = {
            "--study": args.study,
            "--leaders": args.leaders,
            "--timeline": args.timeline,
            "--processes": args.processes != [1],
            "--grouping": args.grouping != [1],
            "--search": args.search == PNS,
        }
        for option in [option for option in given if given[option]]:
            die("argument --no-master: not allowed with %s; see --help" % option)
    elif args.algorithm:
        die("argument --algorithm: allowed only with --no-master; see --help")
    if not args.algorithm:
        args.algorithm = PDFPN if args.no_master else algorithm_of(args.search)
    for name in OF_ALGORITHMS:
        wrong = misfit(name, args.algorithm)
        if wrong and getattr(args, name) is not None:
            die("argument --%s: %s; see --help" % (name.replace("_", "-"), wrong))
