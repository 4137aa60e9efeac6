"""The tree search when memory is short: freeing, PN², DFPN at the leaves."""

from __future__ import annotations

import random
from typing import Dict, List, Tuple

import pytest
from helpers.searches import SPROUTS, brute_grundy
from helpers.tree_searches import MUCH, search_of

import pns.positions.tree_couples
from pns.game import Sum
from pns.pn2 import LimitedSearch
from pns.positions.interned import HEAP_BITS
from pns.search.counted_search import Stopped
from pns.search.nodes import DN, FIRST, META, MOVE_SHIFT, NEXT, NODE_WORDS, PN, REST

pytestmark = pytest.mark.search

LIMITS = [
    (100, MUCH, "pns", "pn2"),
    (100, MUCH, "pns", "dfpn"),
    (100, MUCH, "pn2", "pn2"),
    (1000, MUCH, "pns", "pn2"),
    (1000, MUCH, "pns", "dfpn"),
    (5000, 100_000, "pns", "pn2"),
    (5000, 30_000, "pn2", "pn2"),
    (5000, 1, "pns", "dfpn"),
]


@pytest.mark.parametrize("capacity, most_bytes, mode, when_full", LIMITS)
def test_limits_change_no_result(capacity: int, most_bytes: int, mode: str, when_full: str) -> None:
    modes = set()
    for seed in range(2):
        options = {"when_full": when_full, "seed": seed, "observe_every": 4}
        search = search_of(SPROUTS, capacity, most_bytes, mode, **options)
        wins = [search.outcome(SPROUTS.parse("0*%d" % spots)) for spots in range(1, 8)]
        assert wins == [0, 0, 1, 1, 1, 0, 0]
        assert search.nodes.used <= search.nodes.capacity
        modes.add(search.mode)
        for land, number in search.couples.facts.items():
            if SPROUTS.estimate(land)[0] <= 9:
                assert number == brute_grundy(land), land
    assert modes != {"pns"}  # the limits had an effect


class RandomGame:
    """Random children among smaller numbers and their sums, with many transpositions."""

    name = "random"
    decomposes = True

    def __init__(self, seed: int, size: int) -> None:
        rng = random.Random(seed)
        self._children: Dict[bytes, List[Sum]] = {}
        self.numbers: Dict[bytes, int] = {}
        for land in range(size):
            children = set()
            for _ in range(rng.randint(0, 6) if land else 0):
                lands = rng.choice([0, 1, 1, 1, 2, 2, 3])
                smaller = [b"%d" % rng.randrange(max(0, land - 30), land) for _ in range(lands)]
                children.add(tuple(sorted(smaller)))
            self._children[b"%d" % land] = sorted(children)
            option_numbers = {self.grundy(child) for child in children}
            self.numbers[b"%d" % land] = min(set(range(len(option_numbers) + 1)) - option_numbers)

    def parse(self, text: str) -> Sum:
        return tuple(sorted(text.encode().split(b"+")))

    def format(self, lands: Sum) -> str:
        return b"+".join(lands).decode()

    def children(self, land: bytes) -> List[Sum]:
        return self._children[land]

    def estimate(self, land: bytes) -> Tuple[int, int]:
        return int(land), len(self._children[land])

    def grundy(self, lands: Sum) -> int:
        number = 0
        for land in lands:
            number ^= self.numbers[land]
        return number


def check_random_game(seed: int, capacity: int, most_bytes: int, mode: str, full: str) -> str:
    """Check searches of a random game; return their last mode."""
    game = RandomGame(seed, 120)
    rng = random.Random(seed)
    options = {"when_full": full, "observe_every": 8, "epsilon": rng.choice([0.0, 0.25])}
    search = search_of(game, capacity, most_bytes, mode, **options)
    for _ in range(4):
        lands = tuple(sorted([b"%d" % rng.randrange(60, 120) for _ in range(rng.choice([1, 2]))]))
        heap = rng.randrange(4)
        assert search.outcome(lands, heap) == (game.grundy(lands) != heap), (seed, lands, heap)
    assert search.grundy_number(b"119") == game.numbers[b"119"], seed
    for land, number in search.couples.facts.items():
        assert number == game.numbers[land], (seed, land)
    return search.mode


@pytest.mark.parametrize("mode, full", [("pns", "pn2"), ("pns", "dfpn"), ("pn2", "pn2")])
def test_random_games(mode: str, full: str, monkeypatch: pytest.MonkeyPatch) -> None:
    modes = set()
    for seed in [*range(5), 1030]:
        monkeypatch.setattr(pns.positions.tree_couples.TreeCouples, "batch", 1 + seed % 4)
        for capacity, most_bytes in [(100, MUCH), (400, MUCH), (10_000, 8_000)]:
            modes.add(check_random_game(seed, capacity, most_bytes, mode, full))
    assert mode in modes and "dfpn" in modes


def numbers(search: LimitedSearch) -> Dict[Tuple[bytes, int], Tuple[int, int]]:
    """The numbers of all unsolved couples that have an owner."""
    found = {}
    words, couples = search.nodes.words, search.couples
    for land, heap, record in search.nodes.entries():
        at = record * NODE_WORDS
        if words[at + PN] and words[at + DN]:
            found[couples.texts[land], heap] = words[at + PN], words[at + DN]
    return found


def reachable(search: LimitedSearch, root: int) -> int:
    """The number of unsolved couples that the root leads to by lists of children."""
    words, seen = search.nodes.words, set()
    waiting = [root]
    while waiting:
        code = waiting.pop()
        record = search.nodes.find(code >> HEAP_BITS, code & 0xFF)
        at = record * NODE_WORDS
        if code in seen or not record or not (words[at + PN] and words[at + DN]):
            continue
        seen.add(code)
        child = words[at + FIRST]
        while child:
            place = child * NODE_WORDS
            below = 0
            if not words[place + META] & REST:
                below = search.child(code, words[place + META] >> MOVE_SHIFT)
            if below > 0xFF and not search.couples.parts[below >> HEAP_BITS]:
                waiting.append(below)
            child = words[place + NEXT]
    return len(seen)


def test_freeing_keeps_what_the_root_reaches() -> None:
    lands = SPROUTS.parse("0*10")
    search = search_of(SPROUTS, 100_000, most_expansions=600)
    with pytest.raises(Stopped):
        search.outcome(lands)
    before, used, size = numbers(search), search.nodes.used, search.bytes()
    count = reachable(search, search.couples.code(lands))
    search.make_room(lands, 0)
    after = numbers(search)
    assert search.mode == "pns"
    assert after.items() <= before.items()
    assert reachable(search, search.couples.code(lands)) == count > 500
    assert search.nodes.used < used and search.bytes() < size
    search.most_expansions, search.stop.reason = 100_000, ""
    assert search.outcome(lands)


def test_freed_records_are_used_again() -> None:
    search = search_of(SPROUTS, 3000)
    assert search.outcome(SPROUTS.parse("0*9"))
    assert search.peak_nodes <= 3000
    search = search_of(SPROUTS, 3000, when_full="dfpn", most_expansions=10_000)
    assert search.outcome(SPROUTS.parse("0*11"))
    assert search.mode == "dfpn" and search.peak_nodes <= 3000


def test_budgets_end_every_mode() -> None:
    for capacity, mode, when_full in [(100, "pns", "dfpn"), (10_000, "pn2", "pn2")]:
        search = search_of(SPROUTS, capacity, MUCH, mode, when_full=when_full)
        search.most_expansions = 500
        with pytest.raises(Stopped, match="expansions"):
            search.outcome(SPROUTS.parse("0*12"))
        assert search.expansions == 500


def test_a_capacity_that_is_too_small() -> None:
    with pytest.raises(ValueError, match="at least 100 nodes"):
        search_of(SPROUTS, 99)


@pytest.mark.slow
def test_pn2_solves_16_spots_in_a_tenth_of_the_nodes() -> None:
    nodes = []
    for mode in ("pns", "pn2"):
        search = search_of(SPROUTS, 1_000_000, MUCH, mode)
        assert search.outcome(SPROUTS.parse("0*16"))
        nodes.append(search.peak_nodes)
    assert 10 * nodes[1] <= nodes[0]
