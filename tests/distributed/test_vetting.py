"""Vetting: lands that are none, impossible numbers, and false claims of workers."""

from __future__ import annotations

import random
from array import array
from pathlib import Path
from typing import Any, Collection, List, Optional, Tuple

import pytest
from helpers.live import LiveMaster, LiveWorkers
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
from helpers.solver import contents, needs_lmdb

from pns.facts import Fact, Facts
from pns.jobs.protocol import DONE, JobReport, JobResult, ProtocolError, Reply
from pns.master import Master
from pns.proofs.check import Checker
from pns.proofs.rules import FastRules
from pns.saving import tree_checkpoint
from pns.search.bounds import INF

pytestmark = pytest.mark.search

NO_LANDS = [b"00", b"xyz", b"0*2+0*2", b"!", b"0*1", b"A", b"0*2.BA|AB"]


def run(master: Master, workers: List[ManualWorker], clock: Clock, turns: int = 3000) -> None:
    """Let workers take turns until the search is done; dropped ones are replaced."""
    started = len(workers)
    for _ in range(turns):
        for i, worker in enumerate(workers):
            clock.now += 0.1
            if master.why_done:
                return
            if worker.reason:
                started += 1
                workers[i] = worker = ManualWorker(master, "w%d" % started, clock)
            worker.turn()
    raise AssertionError("the search does not end")


@pytest.mark.parametrize("land", NO_LANDS)
@pytest.mark.parametrize("check", [0.0, 1.0])
def test_a_worker_that_sends_a_text_which_is_no_land_is_dropped(land: bytes, check: float) -> None:
    warnings: List[str] = []
    facts = Facts("sprouts")
    master, clock = master_of("0*6", iterations=10, facts=facts, check=check), Clock()
    master.judge.warn = warnings.append
    workers = [ManualWorker(master, "w%d" % i, clock) for i in range(4)]
    for _ in range(4):
        workers[3].do(take_job(workers[3]))
    specs = [take_job(worker) for worker in workers[:3]]
    wrong = specs[0]._replace(land=land)
    replies = [
        master.update("w0", report_of(wrong), clock()),
        master.submit("w1", report_of(specs[1]._replace(land=land)), None, clock()),
        master.close("w2", report_of(specs[2], facts=[(b"0", 0), (land, 0)]), clock()),
        master.add_facts("w3", [(land, 0)], clock()),
    ]
    for i, reply in enumerate(replies):
        assert reply.status == DONE and reply.reason.startswith(ascii(land.decode()))
        assert warnings[i] == "w%d is dropped: %s" % (i, reply.reason)
        assert "w%d" % i not in master.workers
    assert not master.jobs.leased and land not in dict(facts.items())
    assert master.join("w3", "sprouts", clock()).status == DONE
    run(master, [ManualWorker(master, "good", clock)], clock)
    assert master.knowledge.outcome is False and not master.knowledge.failure


def test_impossible_grundy_numbers_are_refused() -> None:
    master = master_of("0*6", check=0.0)
    master.join("w", "sprouts", 0.0)
    reply = master.add_facts("w", [(b"0*2", 7)], 0.0)
    assert (reply.status, reply.reason) == (DONE, "'0*2' cannot have Grundy number 7")
    assert not len(master.facts)


def test_a_job_can_be_sent_whatever_expansions_workers_report() -> None:
    messages = pytest.importorskip("pns.distributed.messages", reason="msgpack is missing")
    master, clock = master_of("0*7", capacity=40, iterations=30), Clock()
    worker = ManualWorker(master, "w", clock)
    while not master.knowledge.is_full:
        worker.turn()
    spec = take_job(worker)
    for _ in range(40):
        spent = report_of(spec)._replace(expansions=messages.MOST_COUNT)
        master.update("w", spent, clock())
    reply = master.get("w", clock())
    assert reply.spec and messages.encode("reply", 1, messages.pack_reply(reply))


class LyingWorker(ManualWorker):
    """A worker that falsifies one in `odds` of its facts."""

    def __init__(self, master: Master, name: str, clock: Clock, odds: int, seed: int) -> None:
        self.lies: List[Fact] = []
        self.rng = random.Random(seed)
        super().__init__(master, name, clock)
        self.link = LyingLink(self, master, name, clock, odds)


class LyingLink(LocalLink):
    def __init__(
        self, liar: LyingWorker, master: Master, name: str, clock: Clock, odds: int
    ) -> None:
        super().__init__(master, name, clock)
        self.liar, self.odds = liar, odds

    def _falsified(self, facts: Collection[Fact]) -> List[Fact]:
        reported = []
        for land, number in facts:
            if self.liar.rng.randrange(self.odds) == 0:
                number = self.liar.rng.choice([n for n in range(3) if n != number])
                if SPROUTS.estimate(land)[0] >= number:
                    self.liar.lies.append((land, number))
            reported.append((land, number))
        return reported

    def update(self, report: JobReport) -> Reply:
        return super().update(report._replace(facts=self._falsified(report.facts)))

    def submit(self, report: JobReport, result: Optional[JobResult]) -> None:
        super().submit(report._replace(facts=self._falsified(report.facts)), result)

    def add_facts(self, facts: List[Fact]) -> Reply:
        return super().add_facts(self._falsified(facts))


def assert_right(master: Master) -> None:
    """Check that every fact follows from the others, so that all are true."""
    facts = dict(master.facts.items())
    checker = Checker(FastRules(SPROUTS), lambda land: facts.get(land, -1), cancel=True)
    for land, number in facts.items():
        assert not checker.why_bad(land, number), land


@pytest.mark.parametrize("seed", range(3))
def test_no_false_fact_is_used_where_all_are_checked(seed: int) -> None:
    warnings: List[str] = []
    master, clock = master_of("0*7", iterations=60, updates=20, check=1.0), Clock()
    master.judge.warn = warnings.append
    liar = LyingWorker(master, "liar", clock, 100, seed)
    honest = [ManualWorker(master, "w%d" % i, clock) for i in range(2)]
    run(master, [liar, *honest], clock)
    assert master.knowledge.outcome is False
    assert_right(master)
    assert list(master.judge.dropped) == (["liar"] if liar.lies else [])
    assert len(warnings) == len(master.judge.dropped)


def test_after_a_false_fact_in_a_sample_all_are_checked() -> None:
    """Facts that hold are kept, others withdrawn, and the outcome is right."""
    for seed in range(3):
        warnings: List[str] = []
        master, clock = master_of("0*6", iterations=30, updates=10, check=0.3), Clock()
        master.judge.warn = warnings.append
        master.vetting.random = random.Random(seed)
        liar = LyingWorker(master, "liar", clock, 5, seed)
        honest = [ManualWorker(master, "w%d" % i, clock) for i in range(2)]
        run(master, [liar, *honest], clock)
        assert liar.lies and not master.vetting.trusts
        assert master.knowledge.outcome is False and not master.knowledge.failure
        assert_right(master)
        assert "w0" not in master.judge.dropped and "w1" not in master.judge.dropped, warnings


def test_solved_leaves_without_facts_are_not_believed_where_all_are_checked() -> None:
    """Leaves that are claimed to be wins, losses, or both."""
    for pn, dn in ((0, INF), (INF, 0), (0, 0)):
        master, clock = master_of("0*5", iterations=1, check=1.0), Clock()
        worker = ManualWorker(master, "w", clock)
        master.join("liar", "sprouts", 0.0)
        for _ in range(40):
            clock.now += 1.0
            spec = master.get("liar", clock()).spec
            if not spec:
                break
            reply = master.submit("liar", report_of(spec, pn=pn, dn=dn), None, clock())
            assert reply.status != DONE or "liar" in master.judge.dropped
            assert master.knowledge.outcome is None
        if pn == 0:
            assert "is won" in master.judge.dropped["liar"]
        run(master, [worker], clock)
        assert master.knowledge.outcome is True
        assert_right(master)


def test_won_children_without_facts_are_not_believed_where_all_are_checked() -> None:
    master, clock = master_of("0*5", iterations=1, check=1.0), Clock()
    worker = ManualWorker(master, "w", clock)
    master.join("liar", "sprouts", 0.0)
    lied = 0
    while "liar" not in master.judge.dropped:
        clock.now += 1.0
        spec = master.get("liar", clock()).spec
        assert spec and master.knowledge.outcome is None
        children = len(children_of(spec.land)) + spec.heap
        result = JobResult(array("I", [0, INF] * children))
        master.submit("liar", report_of(spec), result, clock())
        lied += 1
        assert lied < 40
    run(master, [worker], clock)
    assert master.knowledge.grundy_number in (None, 1) and master.knowledge.outcome is True
    assert_right(master)


def test_a_group_forgets_the_facts_of_a_dropped_worker() -> None:
    """Also those in its database, which the other workers go on with."""
    facts = Facts("sprouts")
    master, clock = master_of("0*6", iterations=10, updates=5, check=1.0), Clock()
    liar, mate = [
        ManualWorker(master, name, clock, "group", facts=facts) for name in ("liar", "mate")
    ]
    liar.searcher.outbox.append((b"0*3", 0))
    liar.report_facts()
    assert facts.get(b"0*3") == 0 and master.facts.get(b"0*3") == -1
    while "liar" not in master.judge.dropped:
        clock.now += 2.0
        assert not liar.reason and clock.now < 300
        liar.turn()
    run(master, [mate], clock)
    assert master.knowledge.outcome is False and list(master.judge.dropped) == ["liar"]
    assert facts.get(b"0*3") != 0
    assert dict(facts.items()).items() <= dict(master.facts.items()).items()
    assert_right(master)


def test_reasons_may_come_later() -> None:
    """In a later report of the worker, or from another one."""
    source, clock = master_of("0*6", iterations=50), Clock()
    run(source, [ManualWorker(source, "w", clock)], clock)
    facts = [source.knowledge.log[i] for i in range(len(source.knowledge.log))]
    master = master_of("0*6", check=1.0)
    for name in ("a", "b"):
        master.join(name, "sprouts", 0.0)
    master.add_facts("a", facts[20:], 0.0)
    known = len(master.facts)
    assert known < len(facts) - 20
    for _ in range(3):
        master.add_facts("a", [], 0.0)
    master.add_facts("b", facts[:10], 0.0)
    assert known < len(master.facts)
    master.add_facts("b", facts[10:20], 0.0)
    assert dict(master.facts.items()) == dict(facts)
    assert master.knowledge.outcome is False and not master.judge.dropped


def test_a_contradiction_is_settled_by_a_check() -> None:
    """In either order of the reports; with a wrong database it ends the search."""
    source, clock = master_of("0*3", iterations=5, grundy=True), Clock()
    run(source, [ManualWorker(source, "w", clock)], clock)
    reasons = [
        source.knowledge.log[i]
        for i in range(len(source.knowledge.log))
        if source.knowledge.log[i][0] != b"0*3"
    ]
    for order in (("liar", "good"), ("good", "liar")):
        for check in (1e-9, 1.0):
            master, clock = master_of("0*5", check=check), Clock()
            workers = {name: ManualWorker(master, name, clock) for name in order}
            for name in order:
                number = 0 if name == "liar" else source.knowledge.grundy_number or 0
                workers[name].link.add_facts([*reasons, (b"0*3", number)])
            run(master, [workers["good"]], clock)
            assert master.knowledge.outcome is True and not master.knowledge.failure
            assert "good" not in master.judge.dropped
            assert_right(master)
    for check in (1e-9, 1.0):
        wrong = Facts("sprouts")
        wrong.add(b"0*2", 2)
        master = master_of("0*6", check=check, facts=wrong)
        master.join("good", "sprouts", 0.0)
        master.add_facts("good", [(b"0*2", 0)], 0.0)
        assert "this by good, that by the database" in master.knowledge.failure


def test_a_worker_refuses_a_job_that_is_no_land() -> None:
    master, clock = master_of("0*6"), Clock()
    worker = ManualWorker(master, "w", clock)
    with pytest.raises(ProtocolError, match="the master sent an invalid job: '00': offset 1"):
        worker.do(take_job(worker)._replace(land=b"00"))


def test_a_resumed_search_checks_the_same_share(tmp_path: Path) -> None:
    path = str(tmp_path / "checkpoint")
    for share in (0.5, 1.0):
        master, resumed = master_of("0*6", check=share), master_of("0*6", check=0.5)
        tree_checkpoint.save(
            path, master.knowledge.tree.search, "0*6", master.state(0.0), master.knowledge.log
        )
        resumed.restore(
            tree_checkpoint.load(path, resumed.knowledge.tree.search, "0*6", distributed=True), 0.0
        )
        assert resumed.vetting.share == share


@needs_lmdb
def test_a_master_drops_workers_with_false_facts_and_goes_on(tmp_path: Path) -> None:
    """Over sockets, with one line for each; another worker ends the search."""
    pytest.importorskip("zmq", reason="pyzmq is missing")
    from pns.distributed.client import Client
    from pns.distributed.messages import pack_facts, unpack_facts

    database = tmp_path / "facts"
    words = ("--check-facts", "all", "--iterations", 60, "--updates", 20, "--db", database)
    master = LiveMaster(tmp_path, "0*7", "--no-simplify", *words)
    rng, lies = random.Random(1), []

    class LyingClient(Client):
        def _send(self, kind: str, body: List[Any]) -> Any:
            if kind in ("update", "submit", "close", "add_facts"):
                place = {"submit": -3}.get(kind, -1)
                facts = dict(unpack_facts(body[place]))
                for land in facts:
                    if rng.random() < 0.05:
                        lies.append(land)
                        facts[land] = 1 - min(facts[land], 1)
                body[place] = pack_facts(facts.items())
            return super()._send(kind, body)

    try:
        client = Client(master.address, "vague")
        client.join("sprouts")
        assert client.add_facts([(b"00", 0)]).status == DONE
        client.disconnect()
        client = LyingClient(master.address, "liar")
        worker = worker_of(client, SPROUTS)
        worker.run()
        client.disconnect()
        assert lies and worker.reason.startswith("a claim without proof: ")
        with LiveWorkers("--connect", master.address) as workers:
            workers.start()
            result = master.result()
        warnings = [line for line in master.errors().splitlines() if "dropped" in line]
    finally:
        master.kill()
    assert result["outcome"] == "loss" and result["distribution"]["checked"] > 100
    assert warnings[0].startswith("solve.py: vague is dropped: '00': offset 1: ")
    assert warnings[1] == "solve.py: liar is dropped: " + worker.reason and len(warnings) == 2
    stored = contents(database)
    checker = Checker(FastRules(SPROUTS), lambda land: stored.get(land, -1), cancel=True)
    assert not [land for land, number in stored.items() if checker.why_bad(land, number)]


def children_of(land: bytes) -> List[Tuple[bytes, ...]]:
    return sorted(SPROUTS.children(land))
