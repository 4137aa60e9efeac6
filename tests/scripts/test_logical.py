"""PDFPN and SPDFPN by logical processes: right results, and reproducible runs."""

from __future__ import annotations

from typing import Any, List

import pytest
from benchmarks.logical import LogicalSearch
from helpers.searches import brute_grundy
from helpers.trees import TreeGame

from pns.choices import EVERYWHERE, SEPARATING
from pns.dfpn import Search
from pns.facts import Contradiction, Facts
from pns.finding import find_game
from pns.parallel.shared_state import DEPTH, EXPANSIONS, SharedState
from pns.pdfpn import PdfpnProcess
from pns.positions.couple import Couples
from pns.search.bounds import INF
from pns.search.counted_search import Stopped
from pns.search.table import Table
from pns.spdfpn import VIRTUAL, SpdfpnProcess

pytestmark = pytest.mark.search

SPROUTS = find_game("sprouts")


def logical(processes: int, **options: Any) -> LogicalSearch:
    capacity = options.pop("capacity", 1 << 16)
    return LogicalSearch(processes, SPROUTS, Facts("sprouts"), capacity, **options)


SEARCHERS = [PdfpnProcess, SpdfpnProcess]


@pytest.mark.parametrize("searcher", SEARCHERS)
@pytest.mark.parametrize("options", [{}, {"capacity": 4}, {"max_bytes": 20_000}, {"epsilon": 0.25}])
def test_outcomes_and_facts_are_right(options: Any, searcher: Any) -> None:
    if searcher is SpdfpnProcess:
        options = {**options, "work_limit": 30}
    for processes in (2, 5):
        for spots, wins in enumerate([0, 0, 1, 1, 1], 1):
            search = logical(processes, searcher=searcher, seed=spots, **options)
            assert search.outcome(SPROUTS.parse("0*%d" % spots)) == bool(wins)
            for land, number in search.facts.items():
                assert number == brute_grundy(land), land


def test_sixty_four_processes() -> None:
    search = logical(64, seed=1)
    assert search.outcome(SPROUTS.parse("0*5"))
    assert len([searcher for searcher in search.searchers if searcher.expansions]) > 32
    for land, number in search.facts.items():
        assert number == brute_grundy(land), land


@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 30), marks=pytest.mark.slow)])
@pytest.mark.parametrize("searcher", SEARCHERS)
def test_trees_against_brute_force(searcher: Any, seeds: range) -> None:
    jobs = {"work_limit": 5} if searcher is SpdfpnProcess else {}
    for seed in seeds:
        game = TreeGame(seed, 5, 3)
        turn = 1 + seed % 5
        search = LogicalSearch(
            3, game, Facts(game.name), 1 << 12, seed=seed, turn=turn, searcher=searcher, **jobs
        )
        assert search.outcome((b"r", b"s")) == (game.grundy((b"r", b"s")) != 0)


def test_one_process_expands_what_dfpn_expands() -> None:
    for spots in (6, 7, 8):
        facts = Facts("sprouts")
        search = Search(Couples(SPROUTS, facts), Table(1 << 16))
        alone = logical(1)
        lands = SPROUTS.parse("0*%d" % spots)
        assert alone.outcome(lands) == search.outcome(lands)
        assert alone.expansions == alone.longest == search.expansions
        assert dict(alone.facts.items()) == dict(facts.items())


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_seed_determines_the_run(searcher: Any) -> None:
    runs = []
    for seed in (1, 1, 2):
        search = logical(3, seed=seed, searcher=searcher)
        assert not search.outcome(SPROUTS.parse("0*6"))
        runs.append([searcher.expansions for searcher in search.searchers])
    assert runs[0] == runs[1] != runs[2]


def test_work_is_divided() -> None:
    search = logical(4)
    assert search.outcome(SPROUTS.parse("0*9"))
    published = [search.state.get(i, EXPANSIONS) for i in range(4)]
    assert min(published) > search.expansions / 8 and sum(published) <= search.expansions
    lines = [set(searcher.line) for searcher in search.searchers]
    assert lines and max([search.state.get(i, DEPTH) for i in range(4)]) < 100


class Visits(PdfpnProcess):
    """A process that records its visits and their thresholds."""

    visits: List[Any] = []

    def _visit(self, code: int, *numbers: int) -> Any:
        self.visits.append((code, *numbers))
        return super()._visit(code, *numbers)


def first_visit(places: List[int], numbers_of_best: Any = None) -> Any:
    """(rank, thresholds) of the child of 0*3 that a process visits first.

    The rank is that by disproof numbers; others are below the children of the ranks `places`.
    """
    state = SharedState(1 + len(places))
    searcher = Visits(state, 0, SPROUTS, Facts("sprouts"), Table(64), most_expansions=2)
    searcher.visits = []
    couples = searcher.couples
    root = couples.land(b"0*3")
    ranks = sorted(couples.children(root, 0), key=lambda child: searcher.numbers(child)[1])
    assert len(ranks) == 3
    if numbers_of_best:
        pn, dn = numbers_of_best
        searcher.table.store(couples.keys[ranks[0] >> 8], pn, dn, 1)
    for process, rank in enumerate(places, 1):
        state.enter(process, 0, couples.keys[root])
        state.enter(process, 1, couples.keys[ranks[rank] >> 8])
    with pytest.raises(Stopped):
        searcher.outcome((b"0*3",))
    code, *thresholds = searcher.visits[1]
    return ranks.index(code), thresholds


def test_processes_separate_where_all_children_have_to_be_searched() -> None:
    """At an expected loss a process chooses the child with the fewest processes below it."""
    for places, rank in (([], 0), ([0], 1), ([1], 0), ([0, 1], 2), ([0, 1, 2], 0), ([0, 0, 1], 2)):
        assert first_visit(places)[0] == rank


def test_everywhere_counts_all_processes_below_a_child() -> None:
    """As published, also those that came by another parent, or at another depth."""
    for counting, wanted in ((SEPARATING, 0), (EVERYWHERE, 1)):
        state = SharedState(3)
        process = PdfpnProcess(
            state, 0, SPROUTS, Facts("sprouts"), Table(64), counting=counting, weight=1
        )
        couples = process.couples
        root = couples.land(b"0*3")
        child = couples.children(root, 0)[0]
        process.line = [root << 8]
        for other, depth in ((1, 1), (2, 2)):
            for place in range(depth):
                state.enter(other, place, 12345)
            state.enter(other, depth, couples.keys[child >> 8])
        assert process._others_below([child]) == [2 * wanted]
        state.leave(2, 1)
        assert process._others_below([child]) == [wanted]


def test_processes_stay_together_where_one_child_is_enough() -> None:
    """At an expected win all search the same child, with the thresholds of a single search."""
    alone = first_visit([], (9, 1))
    assert alone[0] == 0
    for places in ([0], [1], [0, 0, 1]):
        assert first_visit(places, (9, 1)) == alone


def test_numbers_that_others_changed_are_read_again() -> None:
    """For all children, while others are below the same couple, and once after they leave."""
    state = SharedState(2)
    searcher = PdfpnProcess(state, 0, SPROUTS, Facts("sprouts"), Table(64))
    couples = searcher.couples
    root = couples.land(b"0*3")
    children = couples.children(root, 0)
    old = [searcher.numbers(child) for child in children]
    searcher.line, searcher._others_present = [root << 8], [False]

    def read() -> List[Any]:
        pns, dns = [pn for pn, _ in old], [dn for _, dn in old]
        searcher._refresh(children[:], pns, dns, [0] * len(children))
        return list(zip(pns, dns))

    for child in children:
        searcher.table.store(couples.keys[child >> 8], 7, 8, 1)
    assert read() == old
    state.enter(1, 0, couples.keys[root])
    state.enter(1, 1, couples.keys[children[0] >> 8])
    assert read() == [(7, 8)] * len(children)
    state.leave(1, 0)
    assert read() == [(7, 8)] * len(children)
    assert read() == old


@pytest.mark.parametrize("searcher", [PdfpnProcess, SpdfpnProcess])
@pytest.mark.parametrize("before", [False, True])
def test_what_another_process_solves_meanwhile_stays_solved(searcher: Any, before: bool) -> None:
    """A visit may correct only a win that it began with and has not confirmed."""
    table = Table(1 << 12)

    def observe(search: Any) -> None:
        if search.expansions == 20 and not before:
            store_win()
        if search.expansions == 40:
            search.job_ends = 0  # all visits store their numbers and return

    process = searcher(
        SharedState(1), 0, SPROUTS, Facts("sprouts"), table, observer=observe, observe_every=1
    )
    couples = process.couples
    key = couples.keys[couples.land(b"0*7")]

    def store_win() -> None:
        table.store(key, 0, INF, 1)

    if before:
        store_win()
    process._search(couples.code((b"0*7",)))
    assert process.expansions >= 40
    assert table.is_solved(key) == (not before)


def test_a_job_of_another_process_counts_as_solved() -> None:
    """Virtual numbers lead past a job, and to its second best child if all else is taken."""

    class Jobs(SpdfpnProcess):
        done: Any = ()

        def _do_job(self, code: int, key: int, *thresholds: int) -> Any:
            self.done = [level[0] for level in self._levels] + [key]
            return super()._do_job(code, key, *thresholds)

    land = SPROUTS.parse("0*3")[0]
    for others in range(3):
        state = SharedState(3)
        searcher = Jobs(state, 0, SPROUTS, Facts("sprouts"), Table(64), most_expansions=2)
        couples = searcher.couples
        root = couples.land(land)
        children = couples.children(root, 0)
        ranks = sorted(children, key=lambda child: searcher.numbers(child)[1])
        keys = [couples.keys[code >> 8] for code in (root << 8, *ranks)]
        for process in range(others):  # the first has the root for its job, the next the best child
            line = [(key, 1, VIRTUAL) for key in keys[: process + 1]]
            state.publish_job(process + 1, line)
        with pytest.raises(Stopped):
            searcher.outcome((land,))
        assert searcher.done == ([keys[0], keys[others + 1]] if others else keys[:1])
        assert not state.get(0, DEPTH)


def test_jobs_are_not_longer_than_their_limit() -> None:
    """And several processes do them in parallel."""
    longest = 0

    class Timed(SpdfpnProcess):
        def _do_job(self, code: int, *numbers: int) -> Any:
            nonlocal longest
            before = self.expansions
            found = super()._do_job(code, *numbers)
            longest = max(longest, self.expansions - before)
            return found

    search = logical(4, searcher=Timed, work_limit=50)
    assert search.outcome(SPROUTS.parse("0*9"))
    assert 40 < longest <= 50
    assert min([searcher.expansions for searcher in search.searchers]) > search.expansions / 8


@pytest.mark.parametrize("processes", [1, 2])
def test_searches_with_a_tiny_table_end(processes: int) -> None:
    """Numbers that a small table drops are held on the path, which becomes longer."""
    for capacity in (4, 16):
        search = logical(
            processes, searcher=SpdfpnProcess, capacity=capacity, most_expansions=50_000
        )
        assert not search.outcome(SPROUTS.parse("0*6"))


def test_budget() -> None:
    search = logical(3, most_expansions=300)
    with pytest.raises(Stopped, match="expansions"):
        search.outcome(SPROUTS.parse("0*9"))
    assert 300 <= search.expansions < 350
    assert len(search.facts)


def test_a_contradiction_ends_all() -> None:
    search = logical(3)
    lands, wrong = SPROUTS.parse("0*4"), b"0*9"
    first, second = [searcher.couples for searcher in search.searchers[:2]]
    first.prove(first.land(wrong), 1)
    with pytest.raises(Contradiction):
        second.prove(second.land(wrong), 2)
    with pytest.raises(Contradiction):
        search.outcome(lands)
