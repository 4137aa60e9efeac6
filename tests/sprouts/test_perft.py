"""The moves of Sprouts: counts by depth, and the texts of all children.

The counts are of positions up to isomorphism, as decided by the plain implementation;
the game itself may have several texts for one of them.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Set, Tuple

import pytest
from helpers.paths import TEST_DATA

from pns.checker.sprouts import canonical, read
from pns.finding import find_game
from pns.game import Land, Sum

pytestmark = pytest.mark.search

GAME = find_game("sprouts")


def rows_of(name: str) -> Iterator[List[str]]:
    for line in (TEST_DATA / name).read_text().splitlines():
        if not line.startswith("#"):
            yield line.split("\t")


def counts_by_depth() -> Dict[str, List[int]]:
    counts: Dict[str, List[int]] = {}
    for position, depth, count in rows_of("perft.tsv"):
        assert int(depth) == len(counts.setdefault(position, []))
        counts[position].append(int(count))
    return counts


def successors(position: Sum) -> Iterator[Tuple[Land, ...]]:
    """Every position one move away, its lands unsorted, with duplicates."""
    for number, land in enumerate(position):
        for child in GAME.children(land):
            yield position[:number] + tuple(child) + position[number + 1 :]


KEYS: Dict[Land, str] = {}


def key_of(position: Tuple[Land, ...]) -> str:
    """A text that is equal for two positions exactly if they are isomorphic."""
    for land in position:
        if land not in KEYS:
            KEYS[land] = canonical(read(GAME.format((land,))))
    return "+".join(sorted(KEYS[land] for land in position)) or "!"


@pytest.mark.parametrize(("position", "counts"), counts_by_depth().items())
def test_counts_by_depth(position: str, counts: List[int]) -> None:
    start = GAME.parse(position)
    level: Dict[str, Tuple[Land, ...]] = {key_of(start): start}
    for depth, count in enumerate(counts):
        assert len(level) == count, "depth %d" % depth
        if depth + 1 < len(counts):
            level = {key_of(after): after for one in level.values() for after in successors(one)}


def test_children_byte_for_byte() -> None:
    for position, count, *expected in rows_of("children.tsv"):
        assert len(expected) == int(count)
        start = GAME.parse(position)
        assert GAME.format(start) == position
        texts: Set[str] = set()
        for after in successors(start):
            joined = "+".join(GAME.format((land,)) for land in after) or "!"
            texts.add(GAME.format(GAME.parse(joined)))
        assert sorted(texts) == expected, position


def test_children_of_a_land_are_distinct_canonical_sums() -> None:
    for position, _, *_ in rows_of("children.tsv"):
        for land in GAME.parse(position):
            children = [tuple(child) for child in GAME.children(land)]
            assert len(set(children)) == len(children), position
            for child in children:
                assert GAME.parse(GAME.format(child)) == child, position
