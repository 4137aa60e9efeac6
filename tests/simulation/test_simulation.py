"""The virtual clock, and simulated searches by many workers: right and reproducible."""

from __future__ import annotations

import threading
from typing import Any, Dict, Iterable, List, Sequence, Tuple

import pytest
from helpers.searches import brute_grundy
from helpers.trees import TreeGame

from pns.choices import AT_ONCE, NEVER, WITH_JOBS
from pns.facts import Contradiction, Fact, Facts
from pns.finding import find_game
from pns.game import Land, Sum
from pns.jobs.policy import DEFAULT_SEARCH, JobPolicy, WorkerPolicy
from pns.jobs.protocol import KEEP_ALL, KEEP_FACTS, KEEP_NOTHING
from pns.master import Master
from pns.positions.couple import Couples
from pns.positions.prior import Prior
from pns.positions.wrapped import WrappedGame
from pns.search import bounds
from pns.search.counted_search import Stopped
from pns.search.table import Table
from pns.simulation import cached as cached_games
from pns.simulation.cached import Cached, Counted
from pns.simulation.costs import Costs, Work, price
from pns.simulation.ledger import Ledger, Watched
from pns.simulation.pool import SimulatedPool
from pns.simulation.simulation import Run, Setting, Simulation, sequential
from pns.simulation.timeline import Activity, Timeline

pytestmark = pytest.mark.search

SPROUTS = Cached(find_game("sprouts"))
COSTS = Costs()
ONE_JOB = JobPolicy(1 << 30, 1 << 30)
BY_PNS = WorkerPolicy(by_pns=True)


def simulation(position: str, setting: Setting, costs: Costs = COSTS, **options: Any) -> Any:
    return Simulation(SPROUTS, SPROUTS.parse(position), setting, costs, **options)


def figures(run: Run) -> Dict[str, Any]:
    return {name: value for name, value in vars(run).items() if name != "real_seconds"}


def test_activities_run_in_the_order_of_their_times() -> None:
    timeline, seen = Timeline(), []

    def going(name: str, step: float) -> Any:
        def body(activity: Activity) -> None:
            for _ in range(3):
                activity.spend(step)
                seen.append((name, timeline.now))

        return body

    timeline.start(going("a", 2.0))
    timeline.start(going("b", 1.5))
    timeline.run()
    assert seen == [("b", 1.5), ("a", 2.0), ("b", 3.0), ("a", 4.0), ("b", 4.5), ("a", 6.0)]


def test_an_activity_waits_for_another_and_all_threads_end() -> None:
    threads = threading.active_count()
    timeline, seen = Timeline(), []

    def wait(activity: Activity) -> None:
        activity.wait()
        seen.append(timeline.now)
        try:
            activity.wait()
        finally:
            seen.append(-1.0)

    waiting = timeline.start(wait)

    def wake(activity: Activity) -> None:
        activity.spend(3.0)
        waiting.wake()
        activity.spend(1.0)
        timeline.stop()
        activity.spend(1.0)
        seen.append(timeline.now)

    timeline.start(wake)
    timeline.run()
    assert seen == [3.0, -1.0]
    assert threading.active_count() == threads


def test_an_exception_ends_all_activities() -> None:
    timeline = Timeline()

    def fail(activity: Activity) -> None:
        activity.spend(1.0)
        raise Contradiction(b"0*2", 0, 1)

    timeline.start(lambda activity: activity.wait())
    timeline.start(fail)
    with pytest.raises(Contradiction):
        timeline.run()
    assert not timeline.running


@pytest.mark.parametrize(
    "setting",
    [
        Setting(3, jobs=JobPolicy(5, 5)),
        Setting(4, 3, 2, jobs=JobPolicy(10, 10)),
        Setting(3, jobs=JobPolicy(40, 40, KEEP_FACTS, sharing=NEVER)),
        Setting(3, 2, jobs=JobPolicy(40, 40, KEEP_NOTHING, sharing=NEVER)),
        Setting(3, jobs=JobPolicy(40, 10, KEEP_NOTHING), search=BY_PNS),
        Setting(4, 1, 2, jobs=JobPolicy(40, 10, KEEP_FACTS), search=BY_PNS),
        Setting(4, 1, 2, jobs=JobPolicy(5, 5), leads=True),
        Setting(4, 2, 2, jobs=JobPolicy(20, 10, restart=30), leads=True),
        Setting(6, 1, 3, jobs=JobPolicy(20, 10, KEEP_FACTS), leads=True),
    ],
)
def test_outcomes_and_facts_are_right(setting: Setting) -> None:
    for spots, wins in enumerate([0, 0, 1, 1], 1):
        search = simulation("0*%d" % spots, setting)
        run = search.run()
        assert run.solved and search.master.knowledge.outcome == bool(wins)
        # jobs of one or two spots may find all facts that they need in the store
        assert (0 if spots < 3 else 1e-9) <= run.utilisation <= 1 and 0 < run.master_load <= 1
        for land, number in search.master.facts.items():
            assert number == brute_grundy(land), land


def test_trees_against_brute_force() -> None:
    for seed in range(10):
        game = TreeGame(seed, 5, 3)
        setting = Setting(3, 1 + seed % 2, 1 + seed % 3, jobs=JobPolicy(10, 10))
        if seed > 5:
            jobs = JobPolicy(10, 10, KEEP_FACTS)
            setting = setting._replace(processes=1, jobs=jobs, search=BY_PNS)
        setting = setting._replace(leads=seed % 3 == 2)
        search = Simulation(Cached(game), (b"r", b"s"), setting, Costs())
        assert search.run().solved
        assert search.master.knowledge.outcome == (game.grundy((b"r", b"s")) != 0)


def test_one_worker_with_one_job_expands_what_dfpn_expands() -> None:
    lands = SPROUTS.parse("0*7")
    alone, _ = sequential(SPROUTS, lands, Costs(), 0, None, 1 << 16)
    run = simulation("0*7", Setting(jobs=ONE_JOB)).run()
    options = len(list(SPROUTS.children(b"0*7")))
    assert run.expansions == alone.expansions
    assert alone.children <= run.children <= alone.children + options
    assert 0.0005 < run.seconds - alone.seconds < 0.01
    assert (run.jobs, run.solved) == (1, True)


@pytest.mark.parametrize(
    "processes, jobs, search",
    [
        (1, JobPolicy(50, 25, KEEP_FACTS), DEFAULT_SEARCH),
        (1, JobPolicy(50, 25, restart=200), DEFAULT_SEARCH),
        (2, JobPolicy(50, 25, restart=200), DEFAULT_SEARCH),
        (1, JobPolicy(50, 25, KEEP_FACTS), BY_PNS),
    ],
)
def test_work_takes_time_once(processes: int, jobs: JobPolicy, search: WorkerPolicy) -> None:
    simulated = simulation("0*7", Setting(1, processes, jobs=jobs, search=search))
    run = simulated.run()
    reported = simulated.master.knowledge.expansions
    assert run.jobs > 5 and reported <= run.expansions < 1.05 * reported + 50


@pytest.mark.parametrize(
    "processes, keep, search",
    [(1, KEEP_ALL, DEFAULT_SEARCH), (3, KEEP_ALL, DEFAULT_SEARCH), (1, KEEP_FACTS, BY_PNS)],
)
def test_a_seed_determines_the_run(processes: int, keep: int, search: WorkerPolicy) -> None:
    setting = Setting(4, processes, 2, jobs=JobPolicy(30, keep=keep), search=search)
    runs = [figures(simulation("0*6", setting._replace(seed=seed)).run()) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


def test_leaders_ask_for_few_jobs_and_report_a_fact_once() -> None:
    setting = Setting(6, 1, 3, jobs=JobPolicy(1000), leads=True)
    search = simulation("0*6", setting)
    received: List[Tuple[int, bytes, int]] = []
    add_facts = search.master.knowledge.accept

    def accept(origin: int, facts: List[Fact]) -> str:
        received.extend((origin, *fact) for fact in facts)
        return str(add_facts(origin, facts))

    search.master.knowledge.accept = accept
    run = search.run()
    assert run.solved and run.leader_jobs > 2 * run.jobs and run.leader_load > 0
    again = len(received) - len(set(received))
    assert again <= run.jobs  # the fact that decides a leaf is reported first, too
    assert len(set(received)) < 2 * len(search.master.facts)
    assert setting.cores == 8


def test_processes_of_a_worker_divide_its_job() -> None:
    search = simulation("0*9", Setting(1, 4, jobs=ONE_JOB), prior=Prior())
    run = search.run()
    alone, _ = sequential(SPROUTS, SPROUTS.parse("0*9"), Costs(), 0, Prior(), 1 << 16)
    assert run.solved and run.jobs == 1
    assert run.expansions > alone.expansions
    assert run.seconds < alone.seconds
    assert run.facts > 20


def test_a_worker_with_a_slow_connection_ends() -> None:
    slow = Costs(latency=1e6)
    assert simulation("0*6", Setting(1, 2, jobs=JobPolicy(1 << 30, 5)), slow).run().solved


def pool_of_three(timeline: Timeline, activity: Activity) -> SimulatedPool:
    """Three processes that need a second for an expansion."""

    def work(activity: Activity, more: Work) -> None:
        activity.spend(more.expansions)

    couples = Couples(SPROUTS, Facts("sprouts"))
    return SimulatedPool(
        timeline, activity, work, 3, couples, Table(1 << 14), lambda _: None, 0, None
    )


def test_a_pool_stops_when_thresholds_are_passed() -> None:
    timeline, ended = Timeline(), []
    limits = 200, 2000, bounds.INF, 0, 0

    def search(activity: Activity) -> None:
        pool = pool_of_three(timeline, activity)
        for pool.limits, pool.job_ends in [(limits, 5000), (bounds.ROOT, 1000)]:
            with pytest.raises(Stopped, match="the job's end"):
                pool.outcome((b"0*40",))
            assert not bounds.most_proving_below(*pool.root, *limits)
            ended.append(pool.expansions)
        pool.close()

    timeline.start(search)
    timeline.run()
    assert 100 < ended[0] < 500 and 1000 <= ended[1] < 1500, ended


@pytest.mark.slow
def test_processes_go_on_from_job_to_job_until_they_rest() -> None:
    timeline, threads = Timeline(), threading.active_count()

    def search(activity: Activity) -> None:
        pool = pool_of_three(timeline, activity)
        for _ in range(20):
            pool.job_ends = pool.expansions + 30
            with pytest.raises(Stopped, match="the job's end"):
                pool.outcome((b"0*40",))
            activity.spend(100.0)  # the worker is busy
            assert 0 <= 3 * timeline.now - pool.expansions <= 3 * 10, "one has waited"
        pool.rest()
        activity.spend(10.0)
        rested = pool.expansions
        activity.spend(100.0)
        assert pool.expansions == rested
        pool.job_ends = rested + 10_000
        assert pool.outcome((b"0*5",)) and not pool.outcome((b"0*6",))
        pool.close()
        assert timeline.running == [activity]

    timeline.start(search)
    timeline.run()
    assert threading.active_count() == threads


def test_processes_search_on_while_their_worker_waits_for_the_master() -> None:
    costs, threads = Costs(expansion=1000.0, child=1000.0, latency=1e5), threading.active_count()
    run = simulation("0*20", Setting(1, 4, jobs=JobPolicy(20)), costs, most_seconds=4.0).run()
    assert price(costs, Work(run.expansions, run.children)) > 0.6 * 4 * run.seconds
    assert run.utilisation > 0.8 and threading.active_count() == threads


def test_workers_wait_for_a_slow_master() -> None:
    slow = Costs(message=20_000.0)
    run = simulation("0*6", Setting(16, jobs=JobPolicy(20)), slow).run()
    assert run.master_load > 0.95 and run.utilisation < 0.5
    assert run.seconds > 0.02 * (run.jobs - 16)
    fast = simulation(
        "0*6", Setting(16, jobs=JobPolicy(20)), Costs(message=1.0, get=1.0, submit=1.0)
    ).run()
    assert fast.master_load < 0.8 and fast.utilisation > run.utilisation


def test_workers_of_a_machine_share_its_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: List[int] = []
    real = Master._reply

    def replied(master: Master, *arguments: Any) -> Any:
        reply = real(master, *arguments)
        sent.append(len(reply.facts))
        return reply

    monkeypatch.setattr(Master, "_reply", replied)
    counts = []
    for grouping in (1, 6):
        del sent[:]
        search = simulation("0*7", Setting(6, 1, grouping, jobs=JobPolicy(20)))
        assert search.run().solved
        groups = {worker.group.name for worker in search.master.workers.values()}
        assert groups == ({""} if grouping == 1 else {"machine-0"})
        counts.append(sum(sent))
    assert counts[1] < counts[0] / 2


def test_workers_of_a_machine_share_wins_and_children_only_at_once() -> None:
    """Else they share facts alone, as published."""
    for sharing, keep, shared in (
        (AT_ONCE, KEEP_ALL, True),
        (AT_ONCE, KEEP_FACTS, False),
        (WITH_JOBS, KEEP_ALL, False),
        (NEVER, KEEP_ALL, False),
    ):
        jobs = JobPolicy(20, keep=keep, sharing=sharing)
        search = simulation("0*6", Setting(4, 1, 4, jobs=jobs))
        run = search.run()
        assert run.solved
        assert (run.read > 0) == (run.records > 0) == shared
        for worker in search.workers:
            assert (worker.searcher.machine is not None) == shared
            assert (worker.searcher.store is not None) == shared
            assert worker.searcher.facts is not None
        bases = {id(worker.searcher.facts.base) for worker in search.workers}
        assert len(bases) == 1


def test_limits() -> None:
    run = simulation("0*9", Setting(2, jobs=JobPolicy(30)), most_expansions=300).run()
    assert not run.solved and 300 <= run.expansions < 500
    run = simulation("0*9", Setting(2, jobs=JobPolicy(30)), most_seconds=0.05).run()
    assert not run.solved and 0.05 <= run.seconds < 0.07


def test_a_cached_game_is_the_game() -> None:
    game = find_game("sprouts")
    cached = Cached(game)
    for land in (b"0*4", b"0*2.AB|AB"):
        first = next(iter(cached.children(land)))
        assert (
            list(cached.children(land)) == list(cached.children(land)) == list(game.children(land))
        )
        assert first == next(iter(cached.children(land)))
        assert cached.estimate(land) == game.estimate(land)


def test_a_cached_game_that_forgets_is_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_games, "MOST_BYTES", 300)
    monkeypatch.setattr(cached_games, "MOST_BEGUN", 2)
    game = find_game("sprouts")
    cached = Cached(game)
    lands = [b"0*2", b"0*3", b"0*4", b"0*2.AB|AB", b"1a1a"]
    begun = [iter(cached.children(land)) for land in lands]
    assert [next(children) for children in begun] == [next(iter(game.children(x))) for x in lands]
    for land in lands * 2:
        assert list(cached.children(land)) == list(game.children(land))
    for land, children in zip(lands, begun):
        assert list(children) == list(game.children(land))[1:]


class CountedCalls(WrappedGame):
    """A game that begins behind its first children, and notes how often it begins at the first."""

    begun = 0

    def children(self, land: Land) -> Iterable[Sum]:
        self.begun += 1
        return self.original.children(land)

    def more_children(self, land: Land, known: Sequence[Sum]) -> Iterable[Sum]:
        return list(self.original.children(land))[len(known) :]


def test_cached_and_counted_games_begin_behind_the_children_that_are_known() -> None:
    original = CountedCalls(find_game("sprouts"))
    children = list(original.original.children(b"0*5"))
    cached, seen = Cached(original), {b"0*5": 3}
    counted = Counted(original, seen)
    assert list(cached.more_children(b"0*5", children[:4])) == children[4:]
    assert list(cached.children(b"0*5")) == children
    assert list(counted.more_children(b"0*5", children[:2])) == children[2:]
    assert (counted.generated, counted.repeated) == (len(children) - 2, 1)
    assert seen == {b"0*5": len(children)} and not original.begun


@pytest.mark.slow
def test_what_expansions_and_time_go_to() -> None:
    lands = SPROUTS.parse("0*8")
    alone, keys = sequential(SPROUTS, lands, COSTS, 0, None, 1 << 16)
    one = simulation("0*8", Setting(jobs=ONE_JOB), alone=keys).run()
    assert one.kinds["useful"] == 1.0 and one.again < 0.1
    search = simulation("0*8", Setting(6, jobs=JobPolicy(50)), alone=keys)
    run = search.run()
    assert abs(sum(filter(None, run.kinds.values())) - 1.0) < 1e-9
    assert abs(sum(run.times.values()) - 1.0) < 0.02
    assert abs(sum(run.tasks.values()) - 1.0) < 1e-9
    counted = sum(search.ledger.counts.values())
    assert run.expansions <= counted <= run.expansions + 6 * 64
    working = run.times["searching"] + run.times["searching on"]
    spent = price(COSTS, Work(run.expansions, run.children)) / (6 * run.seconds)
    assert abs(working - spent) < 0.05
    for kind in ("late", "beyond", "repeated", "useful"):
        assert (run.kinds[kind] or 0.0) > 0.0
    assert 0.0 < run.again < 1.0
    assert simulation("0*8", Setting(6, jobs=JobPolicy(50))).run().kinds["astray"] is None


def test_couples_that_others_expanded_or_decided() -> None:
    ledger = Ledger(set())

    def search_of(worker: int, facts: Facts) -> Watched:
        couples = Couples(SPROUTS, facts)
        return Watched(ledger, worker, lambda: "", couples, Table(1 << 12))

    search = search_of(0, Facts("sprouts"))
    search.job_ends = 5
    with pytest.raises(Stopped):
        search.outcome((b"0*6",))
    first = dict(ledger.counts)
    assert sum(first.values()) == search.expansions == 5
    assert first["astray"] >= 3 and first["repeated"] == first["late"] == 0
    again = search_of(1, Facts("sprouts"))
    again.job_ends = 5
    with pytest.raises(Stopped):
        again.outcome((b"0*6",))
    assert ledger.counts["repeated"] == first["astray"]
    assert sum(ledger.counts.values()) == 10
    search.job_ends = 1 << 30
    search.outcome((b"0*6",))
    before = ledger.counts["late"]
    late = search_of(2, Facts("sprouts"))
    late.outcome((b"0*6",))
    assert ledger.counts["late"] - before == late.expansions > 5
