"""Leaders: workers whose search is a master of other workers."""

from __future__ import annotations

from typing import List, Optional, Tuple

import pytest
from helpers.masters import SPROUTS, Clock, LocalLink, ManualWorker, new_master
from helpers.searches import brute_grundy

from pns.facts import Contradiction
from pns.game import Game
from pns.jobs.jobsearch import JobSearch
from pns.jobs.policy import JobPolicy
from pns.jobs.protocol import KEEP_ALL, UNKNOWN, WAIT, ProtocolError
from pns.jobs.setup import WorkerSetup
from pns.jobs.vetting import Claim
from pns.leader import LeaderSearcher
from pns.master import Master
from pns.positions.simplify import Simplified
from pns.worker import Worker

pytestmark = pytest.mark.search

POLICY = JobPolicy(20, 10)


class ManualLeader:
    """A leader in this process, whose workers take turns whenever it waits."""

    def __init__(self, master: Master, name: str, clock: Clock, count: int = 2) -> None:
        self.workers: List[ManualWorker] = []
        self.clock = clock
        self._turn = 0
        game, setup = master.game, WorkerSetup(master.game.name)
        self.searcher = LeaderSearcher(setup, game, POLICY, 1 << 14, self.wait)
        self.worker = Worker(
            LocalLink(master, name, clock), self.searcher, clock=clock, pause=clock.wait
        )
        self.worker._unless_over(self.worker.join)
        for i in range(count):
            self.workers.append(ManualWorker(self.searcher.master, "%s-%d" % (name, i), clock))

    def wait(self) -> None:
        """Let the next worker take its turn."""
        self._turn += 1
        self.workers[self._turn % len(self.workers)].turn()

    def turn(self) -> None:
        """Do a job of the master, if there is one."""
        self.worker._unless_over(self.worker._take_turn)


def led(position: str, leaders: int = 2, check: float = 0.0) -> Tuple[Master, List[ManualLeader]]:
    """A master with leaders, which checks the share `check` of their claims."""
    master, clock = new_master(iterations=60, position=position, check=check)
    return master, [ManualLeader(master, "leader %d" % i, clock) for i in range(leaders)]


def test_leaders_find_what_brute_force_finds() -> None:
    for spots, wins in enumerate([0, 0, 1, 1, 1], 1):
        master, leaders = led("0*%d" % spots)
        while not master.why_done:
            for leader in leaders:
                leader.turn()
        assert master.knowledge.outcome == bool(wins)
        for land, number in master.facts.items():
            assert number == brute_grundy(land), land


def test_facts_from_above_reach_the_workers_and_are_not_reported_back() -> None:
    master, (leader,) = led("0*6", 1)
    worker = leader.workers[0]
    leader.searcher.apply([(b"0*2", 0)])
    assert leader.searcher.next_facts() == []
    assert b"0*2" not in dict(worker.searcher.couples.facts.items())
    worker._apply_reply(worker.link.get())
    assert dict(worker.searcher.couples.facts.items())[b"0*2"] == 0


def test_a_restarted_master_receives_all_facts_of_a_machine() -> None:
    master, (leader,) = led("0*6", 1)
    for _ in range(4):
        leader.turn()
    known = dict(leader.searcher.master.facts.items())
    assert known
    restarted, clock = new_master(position="0*6")
    leader.worker.link = LocalLink(restarted, "leader 0", clock)
    leader.turn()
    leader.worker.report_facts()
    assert known.items() <= dict(restarted.facts.items()).items()


def test_a_solved_job_ends_nothing_for_the_workers() -> None:
    master, (leader,) = led("0*3", 1)
    while not master.why_done:
        leader.turn()
    below = leader.searcher.master
    assert below.knowledge.outcome is not None and not below.why_done
    assert below.get("leader 0-0", 0.0).status == WAIT
    below.lose("leader 0-0", 0.0)
    assert below.get("leader 0-0", 0.0).status == UNKNOWN


def test_workers_that_contradict_each_other_are_reported() -> None:
    """Both numbers reach the master, which decides."""
    master, (leader,) = led("0*6", 1)
    below = leader.searcher.master
    below.add_facts("leader 0-0", [(b"0*2", 0)], 0.0)
    below.add_facts("leader 0-1", [(b"0*2", 1)], 0.0)
    with pytest.raises(Contradiction):
        leader.turn()
    assert "0*2" in master.knowledge.failure and "leader 0" in master.knowledge.failure


def test_a_contradiction_that_is_reported_first_ends_the_search_of_a_job_too() -> None:
    """The workers wait meanwhile, since the master decides."""
    master, (leader,) = led("0*6", 1)
    below = leader.searcher.master
    below.add_facts("leader 0-0", [(b"0*2", 0)], 0.0)
    below.add_facts("leader 0-1", [(b"0*2", 1)], 0.0)
    assert {(b"0*2", 0), (b"0*2", 1)} <= set(leader.searcher.next_facts())
    leader.searcher.acknowledge(leader.searcher.next_facts())
    assert leader.searcher.next_facts() == []
    assert below.get("leader 0-0", 0.0).status == WAIT
    with pytest.raises(Contradiction):
        leader.searcher.search.outcome((b"0*6",))


def finish(master: Master, leaders: List[ManualLeader]) -> None:
    """Let leaders take turns until the search is done; all facts have to be right."""
    while not master.why_done:
        for leader in leaders:
            leader.clock.wait(0.1)
            if not leader.worker.reason:
                leader.turn()
    assert master.knowledge.outcome and not master.knowledge.failure
    for land, number in master.facts.items():
        assert number == brute_grundy(land), land


@pytest.mark.parametrize("is_leader", [True, False])
def test_a_leader_that_lies_or_whose_worker_does_is_dropped(is_leader: bool) -> None:
    master, leaders = led("0*5", 2, check=1.0)
    while not master.facts.new:
        leaders[1].turn()
    land, number = next(iter(master.facts.items()))
    false = [(land, number ^ 1)]
    if is_leader:
        leaders[0].searcher.outbox.add(false)
    else:
        leaders[0].searcher.master.add_facts("leader 0-0", false, 0.0)
    leaders[0].worker.report_facts()
    assert land.decode() in leaders[0].worker.reason
    finish(master, leaders)
    assert list(master.judge.dropped) == ["leader 0"]


def test_withdrawn_facts_are_withdrawn_from_the_workers_of_a_leader() -> None:
    """Those of one that was started again after that, too: they have the facts still."""
    master, leaders = led("0*6", 2, check=0.5)
    while not master.facts.new:
        for leader in leaders:
            leader.turn()
    honest = leaders[1]
    master.judge.distrust(Claim(master.workers["leader 0"].number, b"0*5", 0), 0.0)
    honest.turn()
    assert honest.worker.is_stale
    restarted = ManualLeader(master, "leader 1", honest.clock, 0)
    assert not restarted.worker.is_stale
    below = restarted.searcher.master
    for i, worker in enumerate(honest.workers):
        worker.searcher.outbox.add([(b"0*5", 0)])
        worker.link = LocalLink(below, "worker %d" % i, restarted.clock)
        worker.turn()
        worker.report_facts()
    assert below.workers and below.facts.get(b"0*5") < 0


def test_a_fact_from_above_that_contradicts_a_worker_is_reported() -> None:
    master, (leader,) = led("0*6", 1)
    leader.searcher.master.add_facts("leader 0-0", [(b"0*2", 0)], 0.0)
    with pytest.raises(Contradiction):
        leader.searcher.apply([(b"0*2", 1)])
    assert (b"0*2", 0) in leader.searcher.next_facts()


def test_a_tree_that_is_full_is_dropped_before_the_next_job() -> None:
    master, (leader,) = led("0*6", 1)
    leader.turn()
    knowledge = leader.searcher.master.knowledge
    assert knowledge.tree.nodes.used > 1
    knowledge.full_since = 0
    leader.searcher.forget(KEEP_ALL)
    assert knowledge.tree.nodes.used <= 1 and not knowledge.is_full


def test_a_leader_changes_to_simpler_positions_as_its_master_does() -> None:
    def searcher(simpler: Optional[Game] = None) -> LeaderSearcher:
        setup = WorkerSetup("sprouts")
        return LeaderSearcher(setup, SPROUTS, POLICY, 1 << 14, lambda: None, simpler)

    with pytest.raises(ProtocolError):
        searcher().choose_game(True)
    both = searcher(Simplified(SPROUTS))
    observed: List[JobSearch] = []
    both.observer = observed.append
    both.choose_game(True)
    both.search.observer(both.search)
    assert both.simplify and both.master.game is both.game and observed == [both.search]
