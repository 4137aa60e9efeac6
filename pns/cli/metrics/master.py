"""What `pns solve --metrics` says about a master and its workers."""

from __future__ import annotations

import math
import time
from dataclasses import asdict
from typing import Callable, Dict, List, Optional

import pns
from pns import Progress, Solver
from pns.cli.metrics.exposition import COUNTER, GAUGE, Labels, Metric
from pns.cli.metrics.server import MetricsServer
from pns.cli.reports.forecast import Forecast, Forecaster
from pns.search.bounds import INF

EVERY_SECONDS = 1.0
"""Figures are taken once in this time."""

JOBS = {
    "given": "Jobs given to workers.",
    "submitted": "Jobs handed in.",
    "closed": "Jobs returned by workers that left or failed.",
    "lost": "Jobs taken back: the lease ran out, or the worker asked for another.",
    "late": "Results that came after the job was lost and were used all the same.",
    "dropped": "Results that no longer fitted the tree.",
}
"""What the counts of `pns.usage.JobCounts` are."""


QUARTILES: List[Labels] = [(("quantile", quantile),) for quantile in ("0.25", "0.5", "0.75")]


def master_metrics(
    found: Progress, seconds: float, labels: Labels, forecast: Optional[Forecast] = None
) -> List[Metric]:
    """The metrics of a search `seconds` after its start; `labels` say what is searched."""
    whole = found.distribution
    assert whole
    pn, dn = [math.inf if figure == INF else figure for figure in found.root]

    def one(name: str, kind: str, help: str, value: float) -> Metric:
        return Metric("pns_master_" + name, kind, help, {(): value})

    metrics = [
        Metric("pns_master_info", GAUGE, "What is searched; always 1.", {labels: 1}),
        one("search_seconds", GAUGE, "Time since this run began.", seconds),
        Metric(
            "pns_master_left_seconds",
            GAUGE,
            "Quartiles of the time that the search still takes, as searches of the past took it.",
            dict(zip(QUARTILES, forecast or ())),
        ),
        one("root_proof_number", GAUGE, "Proof number of the root; 0 for a win.", pn),
        one("root_disproof_number", GAUGE, "Disproof number of the root; 0 for a loss.", dn),
        one("expansions_total", COUNTER, "Expansions reported by workers.", found.expansions),
        one("facts", GAUGE, "Grundy numbers known.", found.facts_known),
        one("new_facts", GAUGE, "Grundy numbers proved by this run.", found.facts_new),
        one("checked_claims_total", COUNTER, "Claims of workers checked.", whole.checked),
        one("tree_nodes", GAUGE, "Nodes of the master's tree.", whole.master_nodes),
        one(
            "memory_bytes", GAUGE, "Memory that the master and its own workers hold.", found.memory
        ),
        one("workers", GAUGE, "Workers that are connected.", whole.workers),
        one("joined_workers_total", COUNTER, "Workers that ever joined.", whole.joined),
        one(
            "busy_ratio",
            GAUGE,
            "Share of the workers' time spent on jobs.",
            whole.utilisation,
        ),
    ]
    counts = asdict(whole.jobs)
    metrics += [
        one("jobs_%s_total" % name, COUNTER, help, counts[name]) for name, help in JOBS.items()
    ]
    return metrics + of_each_worker(found)


def of_each_worker(found: Progress) -> List[Metric]:
    """The metrics of each worker that is connected, by its name."""
    metrics = [
        ("jobs_total", COUNTER, "Jobs handed in.", "jobs"),
        ("expansions_total", COUNTER, "Expansions reported.", "expansions"),
        ("table_entries", GAUGE, "Entries of its table in use.", "nodes"),
        ("busy_ratio", GAUGE, "Share of its time spent on jobs.", "utilisation"),
        ("silent_seconds", GAUGE, "Time since its last message.", "seconds_since_heard"),
    ]
    whole: List[Metric] = []
    for name, kind, help, field in metrics:
        values: Dict[Labels, float] = {
            (("worker", worker.name),): getattr(worker, field) for worker in found.workers
        }
        whole.append(Metric("pns_master_worker_" + name, kind, help, values))
    return whole


class MasterMetrics:
    """Serves the metrics of a search by a master; `observe` is to be called while it runs."""

    def __init__(
        self,
        port: int,
        position: str,
        game: str,
        algorithm: str,
        forecaster: Forecaster,
        quiet: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        names = ("position", position), ("game", game), ("algorithm", algorithm)
        self._labels: Labels = (*names, ("version", pns.__version__))
        self._forecaster = forecaster
        self._clock = clock
        self._start = clock()
        self._last = -EVERY_SECONDS
        self._found: Optional[Progress] = None
        self._forecast: Optional[Forecast] = None
        self.server = MetricsServer(port, self.collect, quiet)
        self.server.start()

    def observe(self, solver: Solver) -> None:
        """Take the figures if they are due."""
        now = self._clock()
        if now - self._last >= EVERY_SECONDS:
            self._last, self._found = now, solver.progress()
            self._forecast = self._forecaster.forecast()

    def collect(self) -> List[Metric]:
        """The newest figures; none before the search has begun."""
        found = self._found
        if not found:
            return []
        seconds = self._last - self._start
        return master_metrics(found, seconds, self._labels, self._forecast)
