"""Theorem 2: DFPN expands the leaves of a tree in the order of plain proof-number search."""

from __future__ import annotations

from typing import List, Tuple

import pytest
from helpers.trees import Leaf, PlainTree, TreeGame, leaves_of_dfpn

import pns.dfpn

pytestmark = pytest.mark.search


@pytest.mark.parametrize("root", [(b"r",), (b"r", b"s"), (b"r", b"s", b"t")])
@pytest.mark.parametrize("depth, width", [(3, 3), (4, 3)])
def test_dfpn_expands_the_leaves_of_plain_search_in_their_order(
    root: Tuple[bytes, ...], depth: int, width: int
) -> None:
    trees = heaps = 0
    for seed in range(30):
        game = TreeGame(seed, depth, width)
        wins, leaves = leaves_of_dfpn(game, root)
        plain = PlainTree(game, root)
        assert wins == (plain.root.pn == 0) == (game.grundy(root) != 0), seed
        if not plain.shares:
            assert leaves == plain.leaves, seed
            trees += len(leaves) > 3
            heaps += any([heap for _, heap in leaves])
    assert trees >= 8 and heaps >= 3  # enough games are trees, and not trivial


def test_other_thresholds_lead_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: with 1+ε, or without the bound of equation (12), it does."""

    def plain_leaves(game: TreeGame) -> List[Leaf]:
        return PlainTree(game, (b"r",)).leaves

    def differs() -> bool:
        games = [TreeGame(seed, 4, 3) for seed in range(8)]
        return any([leaves_of_dfpn(game, (b"r",))[1] != plain_leaves(game) for game in games])

    assert not differs()
    with monkeypatch.context() as patch:
        patch.setattr(
            pns.dfpn, "dt_of_child", lambda pt, second, epsilon, others: min(pt, second + 3)
        )
        assert differs()
    with monkeypatch.context() as patch:
        patch.setattr(pns.dfpn, "mt_of_land", lambda total, number, *rest: number + 3)
        assert differs()
