"""Masters that search simpler positions: workers take that over, and their claims are checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import List, Optional, Tuple

import pytest
from helpers.live import LiveMaster, LiveWorkers, audit
from helpers.masters import (
    SPROUTS,
    Clock,
    LocalLink,
    ManualWorker,
    master_of,
    report_of,
    take_job,
    worker_of,
)
from helpers.searches import brute_grundy
from helpers.solver import needs_lmdb, solve_json
from helpers.tools import call

from pns.choices import WITH_MASTER
from pns.game import Game
from pns.jobs.jobsearch import result_of
from pns.jobs.peers import LocalPeers
from pns.jobs.policy import WorkerPolicy
from pns.jobs.protocol import SWITCH, WAIT, ProtocolError, children_in_order
from pns.jobs.vetting import HOLDS, Claim, Vetting
from pns.master import Master
from pns.parallel.child_store import ChildStore, SharedGame
from pns.parallel.logs import Logs
from pns.positions.simplify import Simplified, find_simplified
from pns.positions.wrapped import SmallestFirst
from pns.proofs.check import Checker
from pns.proofs.rules import FastRules
from pns.saving import tree_checkpoint

pytestmark = pytest.mark.search

SIMPLE = Simplified(SPROUTS)


def finish(master: Master, workers: List[ManualWorker], clock: Clock) -> None:
    """Let workers take turns until the search is done."""
    while not master.why_done:
        for worker in workers:
            clock.now += 0.1
            worker.turn()
            assert clock.now < 10_000


def assert_right(master: Master) -> None:
    """Check that every fact follows from the others, with simpler positions."""
    facts = dict(master.facts.items())
    checker = Checker(FastRules(SPROUTS, True), lambda land: facts.get(land, -1), cancel=True)
    for land, number in facts.items():
        assert not checker.why_bad(land, number), land


def test_the_simplified_game_is_found_in_what_wraps_it() -> None:
    store = ChildStore(1, 1 << 14)
    for game in (SIMPLE, SmallestFirst(SIMPLE), SharedGame(SmallestFirst(SIMPLE), store)):
        assert find_simplified(game) is SIMPLE
    assert find_simplified(SmallestFirst(SPROUTS)) is None


@pytest.mark.parametrize("by_pns", [False, True])
def test_workers_search_what_their_master_searches(by_pns: bool) -> None:
    policy = WorkerPolicy(by_pns=by_pns)
    for spots in (5, 7):
        spent = []
        for game in (SPROUTS, SIMPLE):
            master, clock = master_of("0*%d" % spots, game, iterations=40, check=1.0), Clock()
            workers = [ManualWorker(master, name, clock, policy=policy) for name in ("a", "b")]
            finish(master, workers, clock)
            assert master.knowledge.outcome is (spots % 6 >= 3)
            assert not master.judge.dropped and master.jobs.counts.dropped == 0
            assert [worker.searcher.simplify for worker in workers] == 2 * [game is SIMPLE]
            assert_right(master)
            spent.append(master.knowledge.expansions)
    assert spent[1] < spent[0]


def test_workers_of_one_machine_and_of_two_processes() -> None:
    master, clock = master_of("0*8", SmallestFirst(SIMPLE), iterations=100, check=1.0), Clock()
    store, logs = ChildStore(3, 1 << 20), Logs(2)
    workers = [
        ManualWorker(
            master,
            "w%d" % place,
            clock,
            machine=LocalPeers(store.part(2 * place), logs, place),
            processes=processes,
        )
        for place, processes in enumerate((2, 1))
    ]
    try:
        finish(master, workers, clock)
    finally:
        assert workers[0].searcher.pool
        workers[0].searcher.pool.close()
    assert (
        master.knowledge.outcome is False
        and not master.judge.dropped
        and master.jobs.counts.dropped == 0
    )
    assert not workers[0].is_stale and not workers[1].is_stale
    assert_right(master)


def test_a_worker_of_other_children_cannot_join() -> None:
    for game, wrong in ((SPROUTS, True), (SIMPLE, False)):
        master = master_of("0*8", game)
        assert master.join("w", "sprouts", 0.0, simplify=wrong).status == SWITCH
        assert not master.workers
        assert master.join("w", "sprouts", 0.0, simplify=not wrong).status == WAIT
    with pytest.raises(
        ProtocolError, match="simpler positions, which sprouts does not support here"
    ):
        ManualWorker(master_of("0*8", SIMPLE), "w", Clock(), simpler=None)


def test_a_worker_whose_game_is_one_of_simpler_positions_knows_no_other() -> None:
    clock = Clock()
    for game, joins in ((SIMPLE, True), (SPROUTS, False)):
        worker = worker_of(LocalLink(master_of("0*8", game), "w", clock), SIMPLE)
        assert worker.searcher.simplify
        if joins:
            worker.join()
        else:
            with pytest.raises(ProtocolError, match="as they are, which sprouts does not"):
                worker.join()


def changed(
    first: Game, second: Game, machine: Optional[LocalPeers] = None
) -> Tuple[Master, ManualWorker, Clock]:
    """A worker whose master was replaced by one of other children while it had a job."""
    clock = Clock()
    before = master_of("0*8", first, iterations=30)
    after = master_of("0*8", second, iterations=30, check=1.0)
    worker = ManualWorker(before, "w", clock, machine=machine)
    worker.searcher._games = SPROUTS, SIMPLE
    for _ in range(5):
        worker.turn()
    spec = take_job(worker)
    worker.link = LocalLink(after, "w", clock)
    worker._unless_over(lambda: worker.do(spec))
    return after, worker, clock


@pytest.mark.parametrize("games", [(SPROUTS, SIMPLE), (SIMPLE, SPROUTS)])
def test_a_worker_starts_over_for_a_master_of_other_children(games: Tuple[Game, Game]) -> None:
    """No result reaches the second master that has children of the first."""
    master, worker, clock = changed(*games)
    assert worker.searcher.simplify is (games[1] is SIMPLE)
    assert master.jobs.counts.late == master.jobs.counts.submitted == 0 and not len(master.facts)
    finish(master, [worker], clock)
    assert (
        master.knowledge.outcome is False
        and not master.judge.dropped
        and master.jobs.counts.dropped == 0
    )
    assert_right(master)


def test_a_machine_whose_memory_has_facts_of_such_a_master_starts_over() -> None:
    machine = LocalPeers(ChildStore(1, 1 << 20), Logs(1), 0)
    _, worker, _ = changed(SIMPLE, SPROUTS, machine=machine)
    assert worker.is_stale and worker.stop.reason


def test_results_have_the_children_of_the_master() -> None:
    master, clock = master_of("0*8", SIMPLE, iterations=1), Clock()
    worker = ManualWorker(master, "w", clock)
    differ = 0
    for _ in range(30):
        spec = take_job(worker)
        children = children_in_order(master.game, spec.land)
        assert children == children_in_order(worker.searcher.game, spec.land)
        result = result_of(worker.searcher.search, worker.searcher.game, spec, True)
        if result:
            assert len(result.numbers) == 2 * (len(children) + spec.heap)
        differ += children != children_in_order(SPROUTS, spec.land)
        worker.do(spec)
    assert differ > 5 and master.jobs.counts.dropped == 0


def test_claims_that_rest_on_simpler_positions_hold_and_wrong_ones_do_not() -> None:
    master, clock = master_of("0*8", SIMPLE, iterations=50), Clock()
    finish(master, [ManualWorker(master, "w", clock)], clock)
    facts = dict(master.facts.items())
    only_simpler = 0
    for game in (SIMPLE, SmallestFirst(SIMPLE), SPROUTS):
        vetting = Vetting(game, master.facts, 1.0)
        for land, number in facts.items():
            claim = Claim(0, land, number, is_used=True)
            shown = vetting.verdict(claim) == HOLDS
            assert shown or game is SPROUTS
            only_simpler += not shown
            for other in range(3):
                if other != number:
                    assert vetting.verdict(Claim(0, land, other)) != HOLDS
                    assert not vetting.is_shown(land, other)
    assert only_simpler > 20


@pytest.mark.slow
def test_a_worker_that_lies_is_dropped() -> None:
    """What it claims has smaller tails in place of the larger ones of some children."""
    lies = [(b"0*4.A|0.A", 3), (b"0*4", 0)]
    for land, wrong in lies:
        assert brute_grundy(land) != wrong
        master, clock = master_of("0*8", SIMPLE, iterations=20, updates=10, check=1.0), Clock()
        good = ManualWorker(master, "good", clock)
        master.join("liar", "sprouts", 0.0, simplify=True)
        master.add_facts("liar", [(land, wrong)], clock())
        while "liar" not in master.judge.dropped:
            good.turn()
            master.add_facts("liar", [], clock())
            clock.now += 2.0
            assert clock.now < 300 and master.facts.get(land) != wrong
        finish(master, [good], clock)
        assert master.knowledge.outcome is False and list(master.judge.dropped) == ["liar"]
        assert_right(master)


@pytest.mark.parametrize("games", [(SPROUTS, SIMPLE), (SIMPLE, SPROUTS)])
def test_a_checkpoint_is_resumed_by_either(games: Tuple[Game, Game], tmp_path: Path) -> None:
    """Children of both kinds have the same Grundy numbers, so the tree stays right."""
    path = str(tmp_path / "checkpoint")
    first, clock = master_of("0*8", games[0], iterations=20), Clock()
    worker = ManualWorker(first, "w", clock)
    for _ in range(20):
        worker.turn()
    spec = take_job(worker)
    state = first.state(clock())
    tree_checkpoint.save(path, first.knowledge.tree.search, "0*8", state, first.knowledge.log)
    master = master_of("0*8", games[1], iterations=20, check=1.0)
    state = tree_checkpoint.load(path, master.knowledge.tree.search, "0*8", distributed=True)
    master.restore(state, clock())
    reply = master.submit("w", report_of(spec), None, clock())
    assert not reply.facts and master.jobs.counts.late == 0
    finish(master, [ManualWorker(master, "w", clock)], clock)
    assert (
        master.knowledge.outcome is False
        and not master.judge.dropped
        and master.jobs.counts.dropped == 0
    )
    assert_right(master)


@needs_lmdb
@pytest.mark.parametrize("algorithm", WITH_MASTER)
def test_searches_of_one_machine(algorithm: str, tmp_path: Path) -> None:
    for spots, outcome in ((5, "win"), (8, "loss")):
        database = tmp_path / ("%d" % spots)
        words = ("--algorithm", algorithm, "--simplify", "--workers", 2, "--db", database)
        found = solve_json("0*%d" % spots, *words)
        assert found["outcome"] == outcome
        assert bool(found["winning_move"]) == (outcome == "win")
        audit(database, "0*%d=%s" % (spots, outcome))
        if spots == 8:
            done = call("audit.py", database, "--json", "--processes", 1)
            assert json.loads(done.output)["simplified"] > 20


@needs_lmdb
@pytest.mark.slow
def test_workers_of_another_machine_need_no_option(tmp_path: Path) -> None:
    pytest.importorskip("zmq", reason="pyzmq is missing")
    database = tmp_path / "facts"
    words = ("--simplify", "--db", database, "--iterations", 100, "--check-facts", "all")
    master = LiveMaster(tmp_path, "0*8", *words)
    try:
        with LiveWorkers("--connect", master.address) as workers:
            group = workers.start("--workers", 2)
            result = master.result()
            errors = group.communicate(timeout=60)[1]
            assert (group.returncode, errors) == (0, b"")
    finally:
        master.kill()
    assert result["outcome"] == "loss" and result["distribution"]["joined"] == 2
    audit(database, "0*8=loss")
