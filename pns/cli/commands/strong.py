"""Strong solutions: build one, look positions up, check all of it, print samples and counts."""

from __future__ import annotations

import argparse
import json
import os
import time
from contextlib import contextmanager, redirect_stdout
from typing import Any, Callable, Dict, Iterator, List, Optional

from pns.cli import layout
from pns.cli.commands.cluster import open_cluster
from pns.cli.common import STOPPED, die, program, run, warn
from pns.cli.options.strong import BOARDS, strong_parser
from pns.cli.terminal.progress import open_counter
from pns.game import NotationError
from pns.games.pentago.counts import pentago_counts
from pns.games.pentago.partition import Loads, slice_loads
from pns.parallel.processes import ProcessesDied
from pns.strong.build import build_lands, build_solution
from pns.strong.check import SolutionReport, check_solution
from pns.strong.samples import samples_text
from pns.strong.solution import SolutionSlice, StrongSolution, read_solution
from pns.system.machine import physical_cores

BUILDS = ("build", "lands")
AGAIN = "the same command goes on from there"


def build(args: argparse.Namespace) -> int:
    """Build a solution, or go on; returns the exit status."""
    if args.ray and args.processes:
        die("argument --ray: not allowed with argument --processes")
    start = time.monotonic()
    with open_ray(args.ray) as ray, open_counter(args.quiet) as observer:
        build_solution(
            args.game,
            args.position,
            args.directory,
            args.processes or physical_cores(),
            args.memory,
            args.listed,
            observer,
            args.sections,
            ray,
        )
    return built(args, start)


@contextmanager
def open_ray(address: Optional[str]) -> Iterator[Any]:
    """Ray, connected to a cluster until the end; None without an address."""
    if not address:
        yield None
        return
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):  # where Ray prints reports
        ray = open_cluster(address, "--ray")
        try:
            yield ray
        finally:
            ray.shutdown()


def lands(args: argparse.Namespace) -> int:
    """Build a solution of all small lands, or go on; returns the exit status."""
    start = time.monotonic()
    processes = args.processes or physical_cores()
    with open_counter(args.quiet) as count:
        build_lands(args.game, args.lives, args.directory, processes, args.memory, count)
    return built(args, start)


def built(args: argparse.Namespace, start: float) -> int:
    """Print what was built since a time; returns the exit status."""
    seconds = time.monotonic() - start
    with read_solution(args.directory) as solution:
        show(args, solution, {**about(solution), "seconds": seconds})
    if not args.json:
        print("in %s" % layout.duration(seconds))
    return 0


def opened(args: argparse.Namespace) -> StrongSolution:
    """The solution that the command line names; exits if it is of another game."""
    solution = read_solution(args.directory)
    if args.game not in (None, solution.game):
        solution.close()
        die(solution.misfit(args.game))
    return solution


def look(args: argparse.Namespace) -> int:
    """Print the values of positions; returns the exit status."""
    is_missing = False
    with opened(args) as solution:
        for position in args.positions:
            found = solution.look(position, args.moves)
            value, number = found["value"], found["grundy_number"]
            is_missing |= value is None
            if args.json:
                print(json.dumps(found))
                continue
            grundy = "" if number is None else ", Grundy number %d" % number
            print("%s: %s%s" % (position, value or "not in this solution", grundy))
            rows = [[move["value"], move["position"]] for move in found.get("moves", [])]
            print("".join([line + "\n" for line in layout.table(rows)]), end="")
    return 1 if is_missing else 0


def check(args: argparse.Namespace) -> int:
    """Check a solution; returns the exit status."""
    with open_counter(args.quiet) as observer:
        found = check_solution(
            args.directory,
            args.processes or physical_cores(),
            args.consistency,
            args.samples,
            args.seed,
            observer,
            args.search,
            args.against,
        )
    if args.json:
        print(json.dumps({"directory": args.directory, "holds": found.holds, **vars(found)}))
    else:
        print("\n".join(findings(found)))
    return 0 if found.holds else 1


def findings(found: SolutionReport) -> List[str]:
    """A report in sentences."""
    lines = ["damaged: %s" % text for text in found.damage]
    lines += ["wrong: %s" % text for text in found.faults]
    lines.append("%s blocks are as they were written." % layout.count(found.blocks))
    if found.recomputed:
        lines.append("%s entries were computed again." % layout.count(found.recomputed))
    if found.samples:
        lines.append("%s samples were compared with the rules." % layout.count(found.samples))
    if found.searched or found.undecided:
        lines.append("%s samples were solved by a search, too." % layout.count(found.searched))
    if found.undecided:
        lines.append("%s took it too long." % layout.count(found.undecided))
    if found.compared:
        lines.append("%s samples of others were looked up." % layout.count(found.compared))
    lines.append("All holds." if found.holds else "Something does not hold.")
    return lines


def samples(args: argparse.Namespace) -> int:
    """Print samples of a solution; returns the exit status."""
    with opened(args) as solution:
        print(samples_text(solution, args.count, args.seed), end="")
    return 0


def stats(args: argparse.Namespace) -> int:
    """Print what is in a solution; returns the exit status."""
    with opened(args) as solution:
        show(args, solution, about(solution))
    return 0


def count(args: argparse.Namespace) -> int:
    """Print how many positions there are; returns the exit status."""
    found = pentago_counts(BOARDS[args.board])
    columns = [
        "arrangements",
        "positions",
        "classes",
        "sections",
        "stored",
        "blocks",
        "lines",
        "bytes",
    ]
    totals = {column: sum([getattr(counts, column) for counts in found]) for column in columns}
    loads = []
    if args.machines is not None:
        half = BOARDS[args.board] // 2
        loads = [slice_loads(half, counts.stones, args.machines) for counts in found]
    if args.json:
        slices = [
            {
                "slice": n,
                **{column: getattr(counts, column) for column in columns},
                **(loads[n]._asdict() if loads else {}),
            }
            for n, counts in enumerate(found)
        ]
        print(json.dumps({"game": args.game, "board": args.board, **totals, "slices": slices}))
        return 0
    rows = [["slice", *columns, *(Loads._fields if loads else ())]]
    for n, counts in enumerate(found):
        figures = [getattr(counts, column) for column in columns]
        ratios = ["" if one is None else "%.2f" % one for one in (loads[n] if loads else ())]
        rows.append([str(counts.stones), *map(layout.count, figures), *ratios])
    rows.append(
        ["all", *map(layout.count, totals.values()), *([""] * len(Loads._fields) if loads else [])]
    )
    print("\n".join(layout.table(rows, right=range(len(rows[0])))))
    return 0


def show(args: argparse.Namespace, solution: StrongSolution, fields: Dict[str, Any]) -> None:
    """Print a solution: the fields as JSON, or a table of its slices."""
    if args.json:
        print(json.dumps(fields))
        return
    root = solution.value(solution.position)
    if solution.lives is not None:
        print("%s, all lands of up to %d lives" % (solution.game, solution.lives))
    else:
        print("%s, %s: %s for the player to move" % (solution.game, solution.position, root))
    values = list(solution.positions)
    rows = [["slice", "positions", *values, "entries", "bytes"]]
    whole = SolutionSlice(
        -1, sum([s.entries for s in solution.slices]), solution.positions, solution.bytes
    )
    for found in [*solution.slices, whole]:
        counts = [found.positions.get(value, 0) for value in values]
        figures = [sum(found.positions.values()), *counts, found.entries, found.bytes]
        name = "all" if found is whole else str(found.number)
        rows.append([name, *map(layout.count, figures)])
    print("\n".join(layout.table(rows, right=range(len(rows[0])))))


def about(solution: StrongSolution) -> Dict[str, Any]:
    """What is in a solution, as JSON (docs/schemas/strong-stats.json)."""
    return {
        "directory": solution.path,
        "game": solution.game,
        "position": solution.position,
        "lives": solution.lives,
        "value": solution.value(solution.position),
        "kind": solution.kind,
        "values": solution.values,
        "positions": sum(solution.positions.values()),
        "by_value": solution.positions,
        "bytes_on_disk": solution.bytes,
        "slices": [
            {
                "slice": found.number,
                "entries": found.entries,
                "by_value": found.positions,
                "bytes": found.bytes,
            }
            for found in solution.slices
        ],
    }


VERBS: Dict[str, Callable[[argparse.Namespace], int]] = {
    "build": build,
    "lands": lands,
    "look": look,
    "check": check,
    "samples": samples,
    "stats": stats,
    "count": count,
}


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None:
        args = strong_parser(program()).parse_args()
    try:
        return VERBS[args.verb](args)
    except KeyboardInterrupt:
        if args.verb in BUILDS:
            warn("stopped; %s" % AGAIN)
        return STOPPED
    except ProcessesDied as error:
        warn("%s%s" % (error, "; " + AGAIN if args.verb in BUILDS else ""))
        return STOPPED
    except NotationError:
        raise
    except ValueError as error:
        die(str(error))


if __name__ == "__main__":
    run(main)
