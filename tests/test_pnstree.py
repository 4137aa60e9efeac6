"""Proof-number search on a proper tree: right results, no merging, dropped subtrees, limits."""

from __future__ import annotations

from typing import Any, Dict, List, Set

import pytest
from helpers.searches import SPROUTS, brute_grundy, numbers_of, reachable
from helpers.solver import solve_json
from helpers.tree_searches import MUCH
from helpers.trees import TreeGame

import pns
from pns.facts import Facts
from pns.finding import find_game
from pns.game import Game
from pns.pnstree import PnsTree
from pns.positions.interned import HEAP, HEAP_BITS
from pns.positions.tree_couples import TreeCouples
from pns.search.bounds import INF
from pns.search.counted_search import Stopped, StopToken
from pns.search.nodes import DN, FIRST, NEXT, NODE_WORDS, PN, Nodes
from pns.tree import TreeSearch

pytestmark = pytest.mark.search


class CountedNodes(Nodes):
    """Nodes that count how many were ever made."""

    made = 0

    def new(self, meta: int, pn: int, dn: int, first: int) -> int:
        self.made += 1
        return super().new(meta, pn, dn, first)


def search_of(game: Game, capacity: int = 1 << 20, **options: Any) -> PnsTree:
    return PnsTree(TreeCouples(game, Facts(game.name)), CountedNodes(capacity), **options)


@pytest.mark.parametrize("step", [24, pytest.param(4, marks=pytest.mark.slow)])
def test_lands_below_four_spots_have_their_brute_force_numbers(step: int) -> None:
    for land in reachable("0*4")[::step]:
        assert search_of(SPROUTS).grundy_number(land) == brute_grundy(land), land


@pytest.mark.slow
def test_lands_below_five_spots_have_the_numbers_of_the_slow_implementation() -> None:
    search = search_of(SPROUTS)
    for text, number in numbers_of("brute_grundy.tsv")[::120]:
        (land,) = SPROUTS.parse(text)
        assert search.grundy_number(land) == number, text


@pytest.mark.parametrize("seed", range(4))
def test_one_search_proves_only_true_facts(seed: int) -> None:
    search = search_of(SPROUTS, seed=seed)
    assert search.outcome(SPROUTS.parse("0*5"))
    facts = list(search.couples.facts.items())
    assert len(facts) > 10
    for land, number in facts:
        assert number == brute_grundy(land), land


def test_closed_forms() -> None:
    for heaps in [(), (b"1",), (b"3", b"5"), (b"3", b"5", b"6"), (b"12", b"7")]:
        number = 0
        for heap in heaps:
            number ^= int(heap)
        assert search_of(find_game("nim")).outcome(heaps) == (number != 0)
    assert search_of(find_game("nim")).grundy_number(b"9") == 9
    kayles = search_of(find_game("kayles"))
    numbers = [kayles.grundy_number(b"%d" % row) for row in range(1, 17)]
    assert numbers == [1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1]


def test_sums_beside_heaps() -> None:
    for text in ["0*4+0*2", "0*4+0*3+0*2", "1a1a+0*4+0*3", "0*3+0*3"]:
        lands = SPROUTS.parse(text)
        number = 0
        for land in lands:
            number ^= brute_grundy(land)
        for heap in range(4):
            assert search_of(SPROUTS).outcome(lands, heap) == (number != heap), (text, heap)


@pytest.mark.parametrize("seeds", [range(25), pytest.param(range(25, 200), marks=pytest.mark.slow)])
def test_random_games(seeds: range) -> None:
    for seed in seeds:
        game = TreeGame(seed, 5, 3)
        for root in [(b"r",), (b"r", b"s"), (b"r", b"s", b"t")]:
            search = search_of(game)
            assert search.outcome(root) == (game.grundy(root) != 0), seed
            assert search.expansions < 5000


def test_known_lands_are_not_searched() -> None:
    search = search_of(SPROUTS)
    for land in (b"0*30", b"0*31"):
        search.couples.facts.add(land, 5)
    assert not search.outcome((b"0*30", b"0*31"))
    assert search.expansions == 0
    assert search.outcome((b"0*30", b"0*31", b"0*3"))
    assert 0 < search.expansions < 60


class Watched:
    """Checks the whole tree of a search whenever it is observed."""

    def __init__(self) -> None:
        self.repeated = self.looked = 0

    def __call__(self, search: PnsTree) -> None:
        """Check the links, and the numbers of nodes off the path against equation (4)."""
        nodes, words, couples = search.nodes, search.nodes.words, search.couples
        path = set(search._path)
        codes: Set[int] = set()
        reached = 0
        waiting = [search._path[0]]
        while waiting:
            record = waiting.pop()
            reached += 1
            at = record * NODE_WORDS
            pn, dn, code = words[at + PN], words[at + DN], search._code(record)
            assert 0 < pn < INF and 0 < dn < INF and code > HEAP
            self.repeated += code in codes
            codes.add(code)
            children: List[int] = []
            child = words[at + FIRST]
            while child:
                children.append(child)
                child = words[child * NODE_WORDS + NEXT]
            numbers = [search._numbers(child) for child in children]
            parts = couples.parts[code >> HEAP_BITS]
            if not children:
                assert record in path or (pn, dn) == (1, 1)
            elif parts and record not in path:
                assert len(children) == 1
                assert pn == dn == min(numbers[0]) + len(parts) - 1
            elif record not in path:
                assert pn == min([n[1] for n in numbers]) and dn == sum([n[0] for n in numbers])
            waiting += children
        assert reached == nodes.used <= search.peak_nodes
        self.looked += 1


@pytest.mark.parametrize("text", ["0*6", "0*3+0*4+0*5"])
def test_equal_positions_have_nodes_of_their_own(text: str) -> None:
    watch = Watched()
    search = search_of(SPROUTS, observer=watch, observe_every=1)
    lands = SPROUTS.parse(text)
    wins = search.outcome(lands)
    assert watch.looked >= search.expansions > 300 and watch.repeated > 1000
    merged = TreeSearch(TreeCouples(SPROUTS, Facts("sprouts")), Nodes(1 << 20))
    assert merged.outcome(lands) == wins
    assert search.peak_nodes > merged.nodes.top > 100


def test_nodes_below_a_solved_one_are_dropped() -> None:
    search = search_of(SPROUTS)
    assert not search.outcome(SPROUTS.parse("0*7"))
    assert isinstance(search.nodes, CountedNodes)
    assert search.nodes.used == 1 < search.peak_nodes < search.nodes.made // 2


def test_a_full_tree_ends_the_search() -> None:
    search = search_of(SPROUTS, 1000)
    with pytest.raises(Stopped, match="capacity"):
        search.outcome(SPROUTS.parse("0*6"))
    assert search.peak_nodes == 1000
    enough = search_of(SPROUTS)
    enough.outcome(SPROUTS.parse("0*6"))
    assert not search_of(SPROUTS, enough.peak_nodes).outcome(SPROUTS.parse("0*6"))


def test_positions_are_forgotten_before_memory_ends_the_search() -> None:
    free = search_of(SPROUTS, most_bytes=MUCH)
    assert not free.outcome(SPROUTS.parse("0*7"))
    forgets = 0

    class Forgetting(TreeCouples):
        def keep(self, live: bytearray) -> Any:
            nonlocal forgets
            forgets += 1
            return super().keep(live)

    nodes = Nodes(1 << 20)
    tight = PnsTree(Forgetting(SPROUTS, Facts("sprouts")), nodes, free.peak_bytes * 19 // 20)
    assert not tight.outcome(SPROUTS.parse("0*7"))
    assert forgets > 0 and tight.peak_bytes < free.peak_bytes
    for land, number in tight.couples.facts.items():
        if SPROUTS.estimate(land)[0] <= 11:
            assert number == brute_grundy(land)
    with pytest.raises(Stopped, match="memory"):
        search_of(SPROUTS, most_bytes=free.peak_bytes // 3).outcome(SPROUTS.parse("0*7"))


def test_budget_stop_token_and_observer() -> None:
    seen: List[int] = []
    search = search_of(SPROUTS, most_expansions=200, observer=lambda s: seen.append(s.expansions))
    with pytest.raises(Stopped, match="expansions"):
        search.outcome(SPROUTS.parse("0*9"))
    assert search.expansions == 200 and set(range(64, 200, 64)) <= set(seen)
    assert len(search.line) > 1 and search.line[0] == search.couples.code((b"0*9",))
    stop = StopToken()
    search = search_of(SPROUTS, stop=stop, observer=lambda s: stop.stop("enough"))
    with pytest.raises(Stopped, match="enough"):
        search.outcome(SPROUTS.parse("0*9"))


def test_the_front_door() -> None:
    result = pns.solve("0*4", algorithm="pns-tree", grundy=True)
    assert (result.outcome, result.grundy_number, result.winning_move) == ("win", 1, "0*2.AB|0.AB")
    full = pns.solve("0*7", algorithm="pns-tree", capacity=1000)
    assert (full.solved, full.stopped_by, full.outcome) == (False, "capacity", None)
    seen: List[str] = []
    pns.solve("0*5", algorithm="pns-tree", observer=lambda s: seen.append(s.progress().store[1]))
    assert seen and all(["nodes" in text for text in seen])


def test_json() -> None:
    found: Dict[str, Any] = solve_json("0*5", "--no-db", "--algorithm", "pns-tree")
    assert (found["outcome"], found["solved"], found["algorithm"]) == ("win", True, "pns-tree")
    assert 100 < found["nodes"] < found["children_generated"] and found["bytes_per_node"] > 20


@pytest.mark.parametrize(
    "options, wrong",
    [
        ({"epsilon": 0.5}, "epsilon: only"),
        ({"prior": pns.Prior()}, "prior: only"),
        ({"checkpoint": "x"}, "checkpoint: only"),
        ({"when_full": "pn2"}, "when_full: only"),
        ({"processes": 2}, "processes: only"),
        ({"capacity": 99}, "at least 100"),
    ],
)
def test_options_that_do_not_fit(options: Dict[str, Any], wrong: str) -> None:
    with pytest.raises(pns.OptionError, match=wrong):
        pns.solve("0*3", algorithm="pns-tree", **options)
