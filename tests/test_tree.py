"""Proof-number search on the explicit tree: right results, the order of Theorem 2, its nodes."""

from __future__ import annotations

from typing import Any, List, Tuple

import pytest
from test_dfpn import SPROUTS, brute_grundy, numbers_of, reachable
from test_theorem2 import leaves_of_dfpn
from trees import PlainTree, TreeGame, copy_of

from pns.compact import CompactCouples
from pns.couple import HEAP, HEAP_BITS
from pns.facts import Facts
from pns.game import Game, find_game
from pns.nodes import Nodes
from pns.tree import TreeSearch

Leaf = Tuple[bytes, int]


def search_of(game: Game, facts: Any = None, seed: int = 0, **options: Any) -> TreeSearch:
    couples = CompactCouples(game, Facts(game.name) if facts is None else facts, seed)
    return TreeSearch(couples, Nodes(1 << 20), **options)


def test_every_land_below_four_spots_has_its_brute_force_number() -> None:
    for land in reachable("0*4"):
        assert search_of(SPROUTS).grundy_number(land) == brute_grundy(land), land


def test_every_land_below_five_spots_has_the_number_of_the_slow_implementation() -> None:
    search = search_of(SPROUTS)
    for text, number in numbers_of("brute_grundy.tsv"):
        (land,) = SPROUTS.parse(text)
        assert search.grundy_number(land) == number, text


def test_grundy_numbers_of_another_solver() -> None:
    search = search_of(SPROUTS)
    pairs = numbers_of("nimbers.tsv")
    small = [(land, n) for land, n in pairs if SPROUTS.estimate(land.encode())[0] <= 20]
    assert len(small) > 100
    for land, number in small:
        assert search.grundy_number(land.encode()) == number, land


def test_one_search_proves_only_true_facts() -> None:
    for seed in range(5):
        search = search_of(SPROUTS, seed=seed)
        assert search.outcome(SPROUTS.parse("0*5"))
        facts = list(search.couples.facts.items())
        assert len(facts) > 10
        for land, number in facts:
            assert number == brute_grundy(land), land


def test_closed_forms() -> None:
    nim = search_of(find_game("nim"))
    for heaps in [(), (b"1",), (b"3", b"5"), (b"3", b"5", b"6"), (b"250", b"7")]:
        number = 0
        for heap in heaps:
            number ^= int(heap)
        assert nim.outcome(heaps) == (number != 0)
    assert nim.grundy_number(b"250") == 250
    kayles = search_of(find_game("kayles"))
    numbers = [kayles.grundy_number(b"%d" % row) for row in range(1, 25)]
    assert numbers == [1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7, 4]


class TreeCouples(CompactCouples):
    """Couples of a tree game in which a move in the heap leads to a copy of the land."""

    def smaller_heap(self, land: int, heap: int, n: int) -> int:
        return self.fold(self.land(copy_of(self.texts[land], heap, n)) << HEAP_BITS | n)


class LeafSearch(TreeSearch):
    """Notes the couples that it expands."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.leaves: List[Leaf] = []

    def _expand(self, record: int, code: int) -> None:
        self.leaves.append((self.couples.texts[code >> HEAP_BITS], code & HEAP))
        super()._expand(record, code)


def leaves_of_tree(game: TreeGame, root: Tuple[bytes, ...], stay_deep: bool) -> List[Leaf]:
    couples = TreeCouples(game, Facts(game.name))
    search = LeafSearch(couples, Nodes(1 << 14), stay_deep=stay_deep)
    assert search.outcome(root) == (game.grundy(root) != 0)
    return search.leaves


@pytest.mark.parametrize("root", [(b"r",), (b"r", b"s"), (b"r", b"s", b"t")])
@pytest.mark.parametrize("depth, width", [(3, 3), (4, 3)])
def test_expands_the_leaves_of_dfpn_in_their_order(
    root: Tuple[bytes, ...], depth: int, width: int
) -> None:
    trees = 0
    for seed in range(30):
        game = TreeGame(seed, depth, width)
        plain = PlainTree(game, root)
        deep = leaves_of_tree(game, root, True)
        if not plain.shares:
            assert deep == plain.leaves == leaves_of_dfpn(game, root)[1], seed
            assert deep == leaves_of_tree(game, root, False), seed
            trees += len(deep) > 3
    assert trees >= 8
