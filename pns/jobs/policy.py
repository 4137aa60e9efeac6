"""How a search is divided into jobs, and how workers search them: as published or not."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple

from pns.choices import AT_ONCE, BRANCHING, DFPN_BATCH, EPSILON, GENERATED, SEPARATING, THRESHOLDS
from pns.jobs.protocol import KEEP_ALL


class JobPolicy(NamedTuple):
    """What the master decides.

    By default a leaf is given out until it has had `iterations` expansions in all its jobs, and
    is expanded then. A job ends earlier if its leaf is no longer the most proving one; its
    thresholds follow the 1+ε rule with `epsilon`. If jobs end by ITERATIONS, as published, each
    has `iterations` expansions and its leaf is expanded after it.
    """

    iterations: int = 1000
    updates: int = 1000
    """Expansions between two reports on a job."""
    keep: int = KEEP_ALL
    """What workers keep from job to job, a constant of `pns.jobs.protocol`."""
    job_end: str = THRESHOLDS
    sharing: str = AT_ONCE
    epsilon: float = EPSILON
    start_numbers: str = BRANCHING
    """The initial numbers of leaves that no worker has searched, a kind of
    `pns.positions.prior`."""
    order: str = GENERATED
    """The order of the children of a leaf, one of `pns.game.ORDERS`."""
    restart: int = 0
    """The expansions, of all workers together, after which the tree and the workers' tables are
    dropped for the first time (`pns.search.restarts`), 0 for never."""


class WorkerPolicy(NamedTuple):
    """How a worker searches.

    `counting` and `weight` are those of `pns.pdfpn`, for a worker of several processes. A worker
    whose jobs end by thresholds searches on while it waits for the next job.
    """

    epsilon: float = EPSILON
    counting: str = SEPARATING
    weight: int = 0
    job_end: str = THRESHOLDS
    by_pns: bool = False
    """Whether it searches as `pns.ppn2` does, not by DFPN."""
    batch: int = DFPN_BATCH
    """Children that are generated at a time (`Couples.batch`); 0 for all."""

    def of_processes(self) -> Dict[str, Any]:
        """The options of each PDFPN process."""
        return {
            "epsilon": self.epsilon,
            "batch": self.batch,
            "counting": self.counting,
            "weight": self.weight,
        }


DEFAULT_JOBS, DEFAULT_SEARCH = JobPolicy(), WorkerPolicy()
