"""The command-line options by which searches depart from the published algorithms, or do not."""

from __future__ import annotations

import argparse

from pns.choices import (
    COUNTING,
    DFPN_BATCH,
    EPSILON,
    JOB_ENDS,
    ORDERS,
    PRESETS,
    RESTART,
    SHARING,
    START_NUMBERS,
    SUM_ORDERS,
    TREE_BATCH,
    WORK_LIMIT,
)
from pns.cli.parser import amount, positive, real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, Optional

    from pns.front.options import Options

AnyParser = argparse._ActionsContainer
"""A parser, or a group of its options."""


def add_preset(parser: AnyParser) -> None:
    """Add --preset."""
    parser.add_argument(
        "--preset",
        choices=PRESETS,
        help="search as published: set all options of docs/paper.md that are not given",
    )


def add_no_known(parser: AnyParser, text: str = "do not use the facts shipped with pns") -> None:
    """Add --no-known."""
    parser.add_argument("--no-known", action="store_true", help=text)


def add_simplify(parser: AnyParser) -> None:
    """Add --simplify and --no-simplify."""
    parser.add_argument(
        "--simplify",
        action=argparse.BooleanOptionalAction,
        help="replace children by simpler positions that are worth the same; default: in Sprouts",
    )


def add_seed(parser: AnyParser) -> None:
    """Add --seed."""
    parser.add_argument(
        "--seed", metavar="N", type=amount, help="shuffle equal children; default: 0, do not"
    )


def add_search_options(parser: AnyParser) -> None:
    """Add the options of every search."""
    add = parser.add_argument
    add(
        "--epsilon",
        metavar="E",
        type=real,
        help="stay below a child until its number exceeds (1 + E) times the next; default: %g"
        " for Sprouts, but 0 by pns and pn2, and for other games" % EPSILON,
    )
    add(
        "--no-prior",
        action="store_true",
        help="do not use expected Grundy numbers of new positions",
    )
    add(
        "--start-numbers",
        choices=START_NUMBERS,
        help="numbers of new leaves: from branching and expectation (default), or 1 and 1",
    )
    add(
        "--order",
        choices=ORDERS,
        help="order of equal children: as generated (default), the smallest games first, or as "
        "published, by an estimate of depth",
    )


def add_counting(parser: AnyParser) -> None:
    """Add the options of PDFPN processes."""
    parser.add_argument(
        "--counting",
        choices=COUNTING,
        help="pdfpn: at which nodes a process counts the others below; default: separating",
    )
    parser.add_argument(
        "--process-weight",
        metavar="N",
        type=amount,
        help="weight of each other process; default: 1 everywhere, 1000 at separating nodes",
    )


def add_batch(parser: AnyParser) -> None:
    """Add --batch."""
    parser.add_argument(
        "--batch",
        metavar="N",
        type=amount,
        help="children generated at a time, 0: all; default: %d for pns, pn2 and ppn2, %d for"
        " Sprouts with dfpn, pdfpn and workers of one process, otherwise 0"
        % (TREE_BATCH, DFPN_BATCH),
    )


def add_work_limit(parser: AnyParser) -> None:
    """Add the option of SPDFPN processes."""
    parser.add_argument(
        "--work-limit",
        metavar="N",
        type=positive,
        help="spdfpn: expansions of a job, more while jobs prove nothing; default: %d" % WORK_LIMIT,
    )


def add_restart(parser: AnyParser) -> None:
    """Add --restart."""
    parser.add_argument(
        "--restart",
        metavar="N",
        type=amount,
        help="dfpn, pdfpn, spdfpn, pns, pns-pdfpn: drop all but facts after N expansions, and then"
        " at growing intervals; 0: never; default: %d for Sprouts in normal play, otherwise 0;"
        " times the root, rounded down, of the workers that pns-pdfpn starts" % RESTART,
    )


def add_job_end(parser: AnyParser) -> None:
    """Add --job-end."""
    parser.add_argument(
        "--job-end",
        choices=JOB_ENDS,
        help="what ends jobs: thresholds or expansions (default), or expansions only",
    )


def add_sharing(parser: AnyParser) -> None:
    """Add --sharing."""
    parser.add_argument(
        "--sharing",
        choices=SHARING,
        help="when workers receive the facts of others; default: at-once",
    )


def add_sum_order(parser: AnyParser, help: str) -> None:
    """Add --sum-order."""
    parser.add_argument("--sum-order", choices=SUM_ORDERS, help=help)


def given_options(
    args: argparse.Namespace, algorithm: str, names: Optional[Iterable[str]] = None
) -> Options:
    """The options that the command line gives, and for the others those of its preset.

    `names` are those of the options to be read; None for all.
    """
    from pns.front.options import Options
    from pns.positions.prior import Prior

    given: Dict[str, Any] = {
        name: getattr(args, name)
        for name in names or Options.__dataclass_fields__
        if name != "algorithm" and getattr(args, name, None) is not None
    }
    if args.no_prior:
        given["prior"] = Prior()
    if args.preset:
        return Options.preset(args.preset, algorithm, **given)
    return Options(algorithm, **given)
