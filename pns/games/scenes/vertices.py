"""Graphs that stay in place while vertices are taken.

The text of a scene is an edge list, whose vertices are 0, 1, 2, ..., and after a `/` those that
have been taken: `0-1,1-2,3/0,1`.
"""

from __future__ import annotations

import re
from typing import Callable, Iterator, List, Sequence, Set, Tuple

from pns.game import NotationError, Scene, SceneMove, SceneSize, Sum, TooLarge
from pns.games.graph_picture import Point, places
from pns.games.graphs import Graph, bits, component, induced, read_edges, read_graph6
from pns.games.scenes.squares import document, element

LENGTH, RADIUS, MARGIN = 64, 15, 10
"""Pixels: an edge, a vertex, around the graph."""
MOST_SHOWN = 60
"""Vertices."""
EXAMPLE = "write an edge list and what has been taken, like 0-1,1-2/0,1"


def edge_words(graph: Graph, left: Set[int]) -> List[str]:
    """The edges between some vertices, and those of these that have none, by their numbers."""
    edges = [(v, w) for v in sorted(left) for w in bits(graph[v]) if v < w and w in left]
    alone = [v for v in sorted(left) if not any([w in left for w in bits(graph[v])])]
    return ["%d-%d" % edge for edge in edges] + ["%d" % v for v in alone]


def laid(graph: Graph) -> List[Point]:
    """Where the vertices lie: the components side by side."""
    found: List[Point] = [(0.0, 0.0)] * len(graph)
    rest, right = (1 << len(graph)) - 1, 0.0
    while rest:
        part = component(graph, rest)
        rest ^= part
        at = places(induced(graph, part))
        left, top = min([x for x, _ in at]), min([y for _, y in at])
        for v, (x, y) in zip(bits(part), at):
            found[v] = (x - left + right, y - top)
        right += max([x for x, _ in at]) - left + 1
    return found


class GraphScenes:
    """Vertices to take, each with its neighbours."""

    kind = "graph"
    sizes = (SceneSize("rows", 1, 6, 3), SceneSize("columns", 1, 6, 4))

    def __init__(self, title: str, rules: str, read: Callable[[str], Sum]) -> None:
        """`read` raises NotationError for what is no position."""
        self.title, self.rules, self._read = title, rules, read

    def start(self, values: Sequence[int]) -> str:
        """A grid."""
        rows, columns = values
        if rows == columns == 1:
            return "0"
        across = [(r * columns + c, 1) for r in range(rows) for c in range(columns - 1)]
        down = [(v, columns) for v in range((rows - 1) * columns)]
        return ",".join(["%d-%d" % (v, v + step) for v, step in sorted(across + down)])

    def scene(self, text: str) -> Scene:
        graph, taken = self._graph(text)
        if len(graph) > MOST_SHOWN:
            raise TooLarge("a graph of more than %d vertices is not shown" % MOST_SHOWN)
        left = set(range(len(graph))) - taken
        moves = list(self._moves(graph, taken))
        rows = "\n".join(edge_words(graph, left))
        svg = self._picture(graph, left)
        return Scene(text_of(graph, taken), position_of(graph, left), svg, rows, moves, "")

    def _graph(self, text: str) -> Tuple[Graph, Set[int]]:
        """(graph, vertices that have been taken)."""
        edges, slash, names = text.partition("/")
        if text == "!" or not slash or not edges[:1].isdigit():
            self._read(text)
            return union(text), set()
        if not re.fullmatch("[0-9]{1,3}(,[0-9]{1,3})*", names, re.ASCII):
            raise NotationError(text, len(edges) + 1, "no vertices are taken", EXAMPLE)
        graph = read_edges(text, 0, edges)
        taken = {int(name) for name in names.split(",")}
        if max(taken) >= len(graph):
            raise NotationError(text, len(edges) + 1, "no such vertex", EXAMPLE)
        return graph, taken

    def _moves(self, graph: Graph, taken: Set[int]) -> Iterator[SceneMove]:
        for v in range(len(graph)):
            if v in taken:
                continue
            gone = [v, *[w for w in bits(graph[v]) if w not in taken]]
            after = taken | set(gone)
            position = position_of(graph, set(range(len(graph))) - after)
            changes = tuple(["%d" % w for w in gone])
            yield SceneMove(("%d" % v,), changes, text_of(graph, after), position)

    def _picture(self, graph: Graph, left: Set[int]) -> str:
        edge = MARGIN + RADIUS
        at = [(edge + round(LENGTH * x), edge + round(LENGTH * y)) for x, y in laid(graph)]
        lines, discs = [], []
        for v, (x, y) in enumerate(at):
            for w in bits(graph[v]):
                if v < w:
                    kind = "edge" if {v, w} <= left else "edge taken"
                    lines.append('<path class="%s" d="M%d %dL%d %d"/>' % (kind, x, y, *at[w]))
            kind = "vertex" if v in left else "vertex taken"
            disc = '<circle class="%s" cx="%d" cy="%d" r="%d"/>' % (kind, x, y, RADIUS)
            near = len([w for w in bits(graph[v]) if w in left])
            name = "vertex %d, %d %s" % (v + 1, near, "neighbour" if near == 1 else "neighbours")
            discs.append(element("%d" % v, name, disc) if v in left else disc)
        width = max([x for x, _ in at], default=edge) + edge
        height = max([y for _, y in at], default=edge) + edge
        return document(width, height, ",".join(edge_words(graph, left)), lines + discs)


def union(text: str) -> Graph:
    """The graphs of a text, side by side."""
    found: Graph = []
    offset = 0
    for part in text.split("+") if text != "!" else ():
        read = read_edges if part[0].isdigit() else read_graph6
        found += [near << len(found) for near in read(text, offset, part)]
        offset += len(part) + 1
    return found


def text_of(graph: Graph, taken: Set[int]) -> str:
    """The text of a scene."""
    words = ",".join(edge_words(graph, set(range(len(graph))))) or "!"
    return words + ("/" + ",".join(["%d" % v for v in sorted(taken)]) if taken else "")


def position_of(graph: Graph, left: Set[int]) -> str:
    """The edge list of what is left."""
    return ",".join(edge_words(graph, left)) or "!"
