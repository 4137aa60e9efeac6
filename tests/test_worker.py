"""Workers: which facts they report and share, and the search between two jobs."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.masters import (
    DyingLink,
    LocalLink,
    ManualWorker,
    grown_master,
    new_master,
    take_job,
)

from pns.choices import NEVER
from pns.facts import Facts
from pns.jobs.protocol import JobReport

pytestmark = pytest.mark.search


def test_a_restarted_master_receives_all_facts() -> None:
    master, clock, (worker,) = grown_master(1, iterations=30)
    spec = take_job(worker)
    known = dict(master.facts.items())
    restarted, _ = new_master(iterations=30)
    worker.link = LocalLink(restarted, "worker 0", clock)
    worker.do(spec)
    worker.report_facts()
    assert set(known.items()) <= set(restarted.facts.items())
    assert restarted.knowledge.expansions > 0


def test_a_group_shares_the_facts_of_its_workers() -> None:
    master, clock = new_master(sharing=NEVER, position="0*7", iterations=40)
    facts = Facts("sprouts")
    workers = [ManualWorker(master, name, clock, "group", facts=facts) for name in ("a", "b")]
    while not master.why_done:
        for worker in workers:
            spec = worker.take()
            if spec:
                worker.do(spec)
            assert dict(facts.items()).items() <= dict(master.facts.items()).items()
    assert master.knowledge.outcome is False and len(facts) > 100


def test_earlier_facts_of_a_group_are_reported() -> None:
    """The worker that proved them may have been killed before its report."""
    master, clock = new_master()
    facts = Facts("sprouts")
    facts.add(b"0*6", 0)
    ManualWorker(master, "a", clock, "group", facts=facts).report_facts()
    assert master.knowledge.outcome is False


class SlowLink(LocalLink):
    """A link whose replies come after `polls` calls of `answered`."""

    polls = 0

    def answered(self) -> bool:
        self.polls -= 1
        return self.polls < 0


def test_a_worker_searches_on_until_it_has_the_next_job() -> None:
    """Its work is counted, and its facts reported, with the next job."""
    master, clock = new_master(position="0*7", iterations=200)
    worker = ManualWorker(master, "a", clock)
    worker.do(take_job(worker))
    link = worker.link = SlowLink(master, "a", clock)
    link.polls = 2
    worker.do(take_job(worker))
    counted, spent = master.knowledge.expansions, worker.searcher.search.expansions
    assert counted + 2 * worker.searcher.search.observe_every <= spent < counted + 200
    link.polls = 1 << 30
    worker.do(take_job(worker))
    assert spent < master.knowledge.expansions < spent + 210
    assert (
        worker.searcher.search.expansions < master.knowledge.expansions + 210
    )  # no more than for another job
    worker.stop.stop("test")
    worker.do(take_job(worker))
    assert (
        worker.searcher.search.expansions
        <= master.knowledge.expansions + worker.searcher.search.observe_every
    )


@pytest.mark.parametrize("updates", [50, 10**6])
def test_unreported_facts_of_a_killed_worker_do_not_stay_in_its_group(updates: int) -> None:
    """Otherwise others would prove facts from them whose reasons the master lacks."""
    master, clock = new_master(position="0*7", iterations=200, updates=updates)
    facts = Facts("sprouts")
    worker, other = [ManualWorker(master, name, clock, "group", facts=facts) for name in ("a", "b")]
    worker.do(take_job(worker))
    reported = dict(facts.items())
    worker.link = DyingLink(master, "a", clock, "group")
    with pytest.raises(KeyboardInterrupt):
        worker.do(take_job(worker))
    assert worker.searcher.next_facts() and dict(facts.items()) == reported
    master.lose("a", clock())
    while not master.why_done:
        other.do(take_job(other))
    assert master.knowledge.outcome is False
    assert dict(facts.items()).items() <= dict(master.facts.items()).items()


def test_the_reasons_of_a_solved_leaf_are_reported_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Even if one report cannot hold all of them."""
    monkeypatch.setattr("pns.jobs.outbox.FACTS_IN_REPORT", 10)
    master, clock = new_master(position="0*7", iterations=300, updates=10**6)
    worker = ManualWorker(master, "a", clock)
    solved = 0

    class CheckingLink(LocalLink):
        def submit(self, report: JobReport, result: Any) -> None:
            nonlocal solved
            super().submit(report, result)
            if result is None:
                solved += 1
                assert worker.searcher.outbox.added.items() <= dict(master.facts.items()).items()

    worker.link = CheckingLink(master, "a", clock)
    while not master.why_done:
        worker.do(take_job(worker))
    assert master.knowledge.outcome is False and solved > 3
