"""The runs of the paper's figures: for each line of a picture the settings that it tries."""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, Iterator, List, NamedTuple, Sequence

from pns.choices import (
    AT_ONCE,
    DFPN,
    DISTRIBUTED,
    GENERATED,
    NEVER,
    PARALLEL,
    PNS,
    PUBLISHED,
    algorithm_of,
)
from pns.front.options import Options
from pns.simulation.simulation import Setting


class StudyCurve(NamedTuple):
    """A line of a picture: its name, and the settings that its runs try."""

    name: str
    sharing: str = AT_ONCE
    state_level: int = 2
    grouping: Sequence[int] = (1,)
    processes: Sequence[int] = (1,)
    iterations: Sequence[int] = (100,)
    updates: int = 1000
    search: str = DFPN
    order: str = GENERATED
    leads: bool = False
    algorithm: str = DISTRIBUTED


STUDIES: Dict[str, List[StudyCurve]] = {
    "ppn2": [
        StudyCurve("PNS, nothing", NEVER, 0, updates=100, search=PNS),
        StudyCurve("PNS, facts", NEVER, 1, updates=100, search=PNS),
        StudyCurve("DFPN, table", NEVER, 2, updates=100),
        StudyCurve("DFPN, shared", AT_ONCE, 2, updates=100),
    ],
    "state": [
        StudyCurve("nothing kept", NEVER, 0, updates=100),
        StudyCurve("facts kept", NEVER, 1, updates=100),
        StudyCurve("table kept", NEVER, 2, updates=100),
        StudyCurve("facts shared", AT_ONCE, 2, updates=100),
    ],
    "ablation": [
        StudyCurve("not shared", NEVER, iterations=(300,)),
        StudyCurve("shared", iterations=(300,)),
        StudyCurve("grouped", grouping=(32,), iterations=(300,)),
        StudyCurve("second level", grouping=(32,), processes=(4, 16), iterations=(300,)),
        StudyCurve("heuristic", grouping=(32,), iterations=(300,), order=PUBLISHED),
    ],
    "updates": [
        StudyCurve("updates %d" % n, iterations=(300,), updates=n) for n in (10, 100, 1000)
    ],
    "iterations": [StudyCurve("iterations %d" % n, iterations=(n,)) for n in (30, 100, 300, 1000)],
    "grouping": [
        StudyCurve("grouping %d" % n, grouping=(n,), iterations=(300,)) for n in (1, 8, 32)
    ],
    "threads": [
        StudyCurve("threads %d" % n, grouping=(32,), processes=(n,), iterations=(300,))
        for n in (1, 2, 4, 8)
    ],
}
"""Runs after Figures 4 ("ppn2", or with DFPN in all workers "state"), 5 ("ablation"), 9 ("updates",
"iterations"), 10 ("grouping") and 11 ("threads") of [cizek2025]; with the preset "paper" the
workers follow its rules."""


def settings(
    curve: StudyCurve, cores: int, seed: int, options: Options, game: str
) -> Iterator[Setting]:
    """All settings that a curve tries on a number of cores."""
    policy = options.job_policy(game)._replace(restart=options.restart_for(game))
    if curve.algorithm in PARALLEL:
        search = replace(options, algorithm=curve.algorithm).worker_policy(game)
        limit = options.work_limit
        yield Setting(
            1, cores, 1, seed, policy, search, algorithm=curve.algorithm, work_limit=limit
        )
        return
    policy = policy._replace(
        updates=curve.updates,
        keep=curve.state_level,
        sharing=options.sharing if curve.sharing == AT_ONCE else curve.sharing,
        order=options.order if curve.order == GENERATED else curve.order,
    )
    algorithm = algorithm_of(curve.search)
    tried = set()
    for processes in curve.processes:
        search = replace(options, algorithm=algorithm, processes=processes).worker_policy(game)
        for iterations in curve.iterations:
            for grouping in curve.grouping:
                if cores % processes == 0:
                    workers = cores // processes
                    group = min(workers, max(1, grouping // processes))
                    jobs = policy._replace(iterations=iterations)
                    leads = curve.leads and group > 1
                    if leads:
                        workers, group = workers - -(-workers // group), group - 1
                    setting = Setting(workers, processes, group, seed, jobs, search, leads)
                    if setting not in tried:
                        tried.add(setting)
                        yield setting
