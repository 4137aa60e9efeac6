"""Graphs as pictures: places of vertices by forces, from a fixed start; SVG, and lines of text.

A path is a line, a cycle a polygon, and a grid a grid. `places` puts vertices where stress is
least [kamada1989]: the distance of two vertices in the picture is to be that in the graph.
"""

from __future__ import annotations

from math import cos, hypot, pi, sin
from typing import List, Optional, Tuple

from pns.game import Picture
from pns.games.graphs import Graph, bits

Point = Tuple[float, float]

LENGTH, RADIUS, MARGIN = 48, 9, 5
"""Pixels: an edge, a vertex, and around the graph."""
CLOSEST, MOST_SCALE = 0.75, 4.0
"""Lengths that two vertices are apart; a picture is enlarged for that, up to this factor."""
ROUNDS = 200
MOST_PAIRS = 3_000_000
"""Pairs of vertices that are looked at."""
MOST_CORNERS = 8
"""Vertices that are tried as the first corner of a grid."""
LINE, FILL, INK = "#555555", "#ffffff", "#111111"


def distances(graph: Graph) -> List[List[int]]:
    """The number of edges between each two vertices of a connected graph."""
    found = []
    for start in range(len(graph)):
        away = [0] * len(graph)
        seen = new = 1 << start
        steps = 0
        while new:
            reached = 0
            for v in bits(new):
                away[v] = steps
                reached |= graph[v]
            new = reached & ~seen
            seen |= new
            steps += 1
        found.append(away)
    return found


def grid_places(graph: Graph, away: List[List[int]]) -> Optional[List[Point]]:
    """The squares of a grid for its vertices, by their distances from two corners; or None.

    In a grid of w columns, with the corners a and b at distance w - 1, a vertex at distances s and
    t from these lies in column (s - t + w - 1) / 2 and in row (s + t - w + 1) / 2.
    """
    n = len(graph)
    degrees = [bin(near).count("1") for near in graph]
    corners = [v for v in sorted(range(n), key=degrees.__getitem__) if degrees[v] <= 2]
    for a in corners[:MOST_CORNERS]:
        for b in sorted(corners, key=away[a].__getitem__, reverse=True):
            width = away[a][b] + 1
            columns = [away[a][v] - away[b][v] + width - 1 for v in range(n)]
            rows = [away[a][v] + away[b][v] - width + 1 for v in range(n)]
            places = [(c / 2, r / 2) for c, r in zip(columns, rows)]
            if is_grid(graph, places):
                return places
    return None


def is_grid(graph: Graph, places: List[Point]) -> bool:
    """Whether the vertices have places of their own, and are joined exactly if these are beside."""
    by_place = {place: v for v, place in enumerate(places)}
    if len(by_place) < len(places):
        return False
    for v, (x, y) in enumerate(places):
        beside = [by_place.get(p) for p in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))]
        if sum([1 << w for w in beside if w is not None]) != graph[v]:
            return False
    return True


def places(graph: Graph) -> List[Point]:
    """Where the vertices of a connected graph are drawn, in lengths of an edge."""
    n = len(graph)
    away = distances(graph)
    found = grid_places(graph, away)
    if found is not None:
        return found
    size = n / (2 * pi)
    at = [(size * cos(2 * pi * v / n), size * sin(2 * pi * v / n)) for v in range(n)]
    for _ in range(min(ROUNDS, max(10, MOST_PAIRS // n**2))):
        for v in range(n):
            x = y = total = 0.0
            for w in range(n):
                if w == v:
                    continue
                dx, dy = at[v][0] - at[w][0], at[v][1] - at[w][1]
                wanted, weight = float(away[v][w]), 1.0 / away[v][w] ** 2
                scale = wanted / (hypot(dx, dy) or 1.0)
                x += weight * (at[w][0] + dx * scale)
                y += weight * (at[w][1] + dy * scale)
                total += weight
            if total:
                at[v] = (x / total, y / total)
    return at


def closest(at: List[Point]) -> float:
    """The least distance of two of some points; 1 for a point alone."""
    apart = [hypot(x - u, y - v) for i, (x, y) in enumerate(at) for u, v in at[:i]]
    return max(min(apart, default=1.0), 1e-9)


def graph_picture(graph: Graph) -> Picture:
    """A connected graph; its vertices are named 0, 1, 2, ... in their order."""
    at = places(graph)
    left, top = min([x for x, _ in at]), min([y for _, y in at])
    edge = MARGIN + RADIUS
    length = LENGTH * min(MOST_SCALE, max(1.0, CLOSEST / closest(at)))
    pixels = [(round(length * (x - left)) + edge, round(length * (y - top)) + edge) for x, y in at]
    width, height = max([x for x, _ in pixels]) + edge, max([y for _, y in pixels]) + edge
    edges = [(v, w) for w in range(len(graph)) for v in bits(graph[w]) if v < w]
    names = edge_list(graph)
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">'
    out = [head % (width, height, width, height), "<title>%s</title>" % names]
    for v, w in edges:
        out.append('<path d="M%d %dL%d %d" stroke="%s"/>' % (*pixels[v], *pixels[w], LINE))
    for v, (x, y) in enumerate(pixels):
        circle = '<circle cx="%d" cy="%d" r="%d" fill="%s" stroke="%s"/>'
        name = '<text x="%d" y="%d" text-anchor="middle" font-family="sans-serif" font-size="9" '
        out.append(circle % (x, y, RADIUS, FILL, INK))
        out.append(name % (x, y + 3) + 'fill="%s">%d</text>' % (INK, v))
    return Picture("".join([*out, "</svg>"]), text_of(graph))


def edge_list(graph: Graph) -> str:
    """The edges, as `read_edges` reads them.

    >>> edge_list([0b010, 0b101, 0b010]), edge_list([0])
    ('0-1,1-2', '0')
    """
    edges = ["%d-%d" % (v, w) for v in range(len(graph)) for w in bits(graph[v]) if v < w]
    return ",".join(edges) or "0"


def text_of(graph: Graph) -> str:
    """A line for each vertex, with its neighbours.

    >>> print(text_of([0b010, 0b101, 0b010]), end="")
    0: 1
    1: 0 2
    2: 1
    """
    width = len(str(len(graph) - 1))
    rows = [" ".join(["%d" % w for w in bits(near)]) for near in graph]
    return "".join([("%*d: %s" % (width, v, row)).rstrip() + "\n" for v, row in enumerate(rows)])
