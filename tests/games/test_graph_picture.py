"""Pictures of graphs: grids, places apart, edges in SVG and text."""

from __future__ import annotations

import random
from math import hypot
from typing import List, Set, Tuple
from xml.etree import ElementTree

import pytest

from pns.games.graph_picture import RADIUS, distances, edge_list, grid_places, places
from pns.games.graphs import Graph, canonical, read_edges, read_graph6
from pns.games.node_kayles import NodeKayles

pytestmark = pytest.mark.search

SVG = "{http://www.w3.org/2000/svg}"


def grid(height: int, width: int) -> Graph:
    squares = [(r, c) for r in range(height) for c in range(width)]
    return [
        sum(1 << w for w, (s, d) in enumerate(squares) if abs(r - s) + abs(c - d) == 1)
        for r, c in squares
    ]


@pytest.mark.parametrize("height, width", [(1, 1), (1, 6), (3, 7), (4, 4)])
def test_a_grid_comes_out_as_a_grid(height: int, width: int) -> None:
    graph = canonical(grid(height, width))
    found = set(places(graph))
    assert found in [
        {(c, r) for r in range(h) for c in range(w)} for h, w in ((height, width), (width, height))
    ]


def test_what_is_no_grid() -> None:
    for text in ("0-1,1-2,2-0", "0-1,0-2,0-3,0-4,0-5", "0-1,1-2,2-3,3-4,4-0"):
        graph = read_edges(text, 0, text)
        assert grid_places(graph, distances(graph)) is None


def read_picture(svg: str) -> Tuple[List[Tuple[int, ...]], Set[Tuple[int, ...]]]:
    """(places, edges) of the vertices in an SVG picture."""
    root = ElementTree.fromstring(svg)
    spots = [(int(c.attrib["cx"]), int(c.attrib["cy"])) for c in root.iter(SVG + "circle")]
    edges = set()
    for path in root.iter(SVG + "path"):
        ends = [tuple(map(int, end.split())) for end in path.attrib["d"][1:].split("L")]
        edges.add(tuple(sorted([spots.index((x, y)) for x, y in ends])))
    return [tuple(spot) for spot in spots], edges


def test_the_picture_has_the_graph() -> None:
    rng, game = random.Random(1), NodeKayles()
    for _ in range(20):
        count, share = rng.randrange(2, 12), rng.random()
        pairs = ["%d-%d" % (v, w) for w in range(count) for v in range(w) if rng.random() < share]
        for land in game.parse(",".join(["0", *pairs])):
            picture, graph = game.draw(land), read_graph6(land.decode())
            edges = {(v, w) for w, near in enumerate(graph) for v in range(w) if near >> v & 1}
            spots, drawn = read_picture(picture.svg)
            assert drawn == edges and len(spots) == len(graph)
            pairs_of_spots = [(p, q) for i, p in enumerate(spots) for q in spots[:i]]
            assert all(hypot(p[0] - q[0], p[1] - q[1]) > 2 * RADIUS for p, q in pairs_of_spots)
            rows = [row.split(":") for row in picture.text.splitlines()]
            named = {(int(v), int(w)) for w, near in rows for v in near.split()}
            assert {(v, w) for v, w in named if v < w} == edges
            assert edge_list(graph) in picture.svg and game.parse(edge_list(graph)) == (land,)
