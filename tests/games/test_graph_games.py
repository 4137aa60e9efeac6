"""Node Kayles and queens: brute force by plain rules, known numbers, graph6, parsers."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import FrozenSet, Tuple

import pytest
from helpers.grundy_of import grundy_of

from pns.finding import find_game
from pns.game import NotationError
from pns.games.graphs import Graph, canonical, read_graph6, reordered, write_graph6
from pns.games.octal import grundy_numbers, parse_code

pytestmark = pytest.mark.search

NODE_KAYLES, QUEENS = find_game("node-kayles"), find_game("queens")
Edges = FrozenSet[Tuple[int, int]]


@lru_cache(maxsize=None)
def plain_grundy(vertices: FrozenSet[int], edges: Edges) -> int:
    """The Grundy number of Node Kayles on a graph by its definition."""
    numbers = set()
    for v in vertices:
        left = frozenset(w for w in vertices if w != v and not {(v, w), (w, v)} & edges)
        numbers.add(plain_grundy(left, edges))
    return min(set(range(len(numbers) + 1)) - numbers)


def random_edges(rng: random.Random, count: int) -> Edges:
    share = rng.random()
    return frozenset((i, j) for i in range(count) for j in range(i) if rng.random() < share)


def test_node_kayles_on_random_graphs() -> None:
    rng = random.Random(1)
    for _ in range(60):
        count = rng.randrange(1, 8)
        edges = random_edges(rng, count)
        words = ["%d" % v for v in range(count)] + ["%d-%d" % edge for edge in sorted(edges)]
        number = plain_grundy(frozenset(range(count)), edges)
        assert grundy_of(NODE_KAYLES, ",".join(words)) == number, words


def test_node_kayles_on_paths_is_dawsons_chess() -> None:
    numbers = grundy_numbers(parse_code("0.137"), 14)
    for n in range(2, 15):
        path = ",".join(["%d-%d" % (i, i + 1) for i in range(n - 1)])
        assert grundy_of(NODE_KAYLES, path) == numbers[n]


def test_queens_by_their_definition() -> None:
    for height, width in ((2, 3), (3, 3), (3, 4), (4, 4)):
        squares = [(r, c) for r in range(height) for c in range(width)]
        edges = frozenset(
            (i, j)
            for i, (r, c) in enumerate(squares)
            for j, (s, d) in enumerate(squares[:i])
            if r == s or c == d or abs(r - s) == abs(c - d)
        )
        number = plain_grundy(frozenset(range(len(squares))), edges)
        assert grundy_of(QUEENS, "%dx%d" % (height, width)) == number


def test_published_numbers_of_queens() -> None:
    """Those of the empty n x n board [noon2006]."""
    assert [grundy_of(QUEENS, "%d" % n) for n in range(1, 7)] == [1, 1, 2, 1, 3, 1]


def graph_of(rng: random.Random, count: int) -> Graph:
    graph = [0] * count
    for i, j in random_edges(rng, count):
        graph[i] |= 1 << j
        graph[j] |= 1 << i
    return graph


def test_the_canonical_order_does_not_depend_on_the_order() -> None:
    rng = random.Random(2)
    symmetric = ["0-1,1-2,2-3,3-4,4-5,5-0", "0-1,0-2,0-3,0-4,0-5", "0-3,0-4,1-3,1-4,2-3,2-4"]
    graphs = [graph_of(rng, rng.randrange(1, 9)) for _ in range(60)]
    graphs += [read_graph6(NODE_KAYLES.parse(text)[0].decode()) for text in symmetric]
    graphs.append([((1 << 70) - 1) ^ 1 << v for v in range(70)])
    for graph in graphs:
        order = list(range(len(graph)))
        rng.shuffle(order)
        found = canonical(graph)
        assert found == canonical(reordered(graph, order)) == canonical(found)
        assert read_graph6(write_graph6(found).decode()) == found


def test_a_graph_that_takes_too_long_keeps_its_order() -> None:
    cycle = [1 << (v - 1) % 100 | 1 << (v + 1) % 100 for v in range(100)]
    order = random.Random(4).sample(range(100), 100)
    for graph in (cycle, reordered(cycle, order)):
        assert canonical(graph) == graph


def test_graph6_is_that_of_others() -> None:
    """The example of its description: the path 1-3-4-0-2 on five vertices."""
    assert write_graph6([0b10100, 0b01000, 0b00001, 0b10010, 0b01001]) == b"DQc"


BAD = [
    ("node-kayles", "", 0, "a graph is missing"),
    ("node-kayles", "Bg+", 3, "a graph is missing"),
    ("node-kayles", "B", 0, "0 letters after"),
    ("node-kayles", "B g", 1, "of graph6"),
    ("node-kayles", "0-1,1-1", 4, "invalid edge '1-1'"),
    ("node-kayles", "~", 0, "cut off"),
    ("node-kayles", "~~~~", 0, "cut off"),
    ("node-kayles", "~?Bg", 0, "cut off|too many|letters"),
    ("node-kayles", "+".join(["?~" + "~" * 100] * 3), 0, "letters after"),
    ("node-kayles", "+".join([",".join(map(str, range(190)))] * 6), 3250, "too many vertices"),
    ("queens", "0", 0, "invalid board '0'"),
    ("queens", "3x31", 0, "invalid board"),
    ("queens", "3+x", 2, "invalid square 'x'"),
    ("queens", "", 0, "a row is missing"),
]


@pytest.mark.parametrize("name, text, offset, wrong", BAD, ids=range(len(BAD)))
def test_bad_texts_are_refused(name: str, text: str, offset: int, wrong: str) -> None:
    with pytest.raises(NotationError, match=wrong) as caught:
        find_game(name).parse(text)
    assert caught.value.offset == offset


def test_the_header_of_graph6_is_accepted() -> None:
    game = find_game("node-kayles")
    assert game.parse(">>graph6<<Bg+Bg") == game.parse("Bg+Bg")
    with pytest.raises(NotationError, match="a graph is missing") as caught:
        game.parse("Bg+>>graph6<<")
    assert caught.value.offset == 13
