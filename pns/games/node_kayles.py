"""Node Kayles: take a vertex of a graph and all its neighbours [schaefer1978].

A land is a connected graph in canonical order, as graph6.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from pns.game import Game, Land, NotationError, Picture, Sum
from pns.games.board import BYTES_PER_TEXT, CACHE_BYTES, EMPTY_POSITION, MOST_BOARDS
from pns.games.graph_picture import graph_picture
from pns.games.graphs import (
    Graph,
    canonical,
    component,
    count_of,
    induced,
    read_edges,
    read_graph6,
    write_graph6,
)
from pns.games.scenes.vertices import GraphScenes

MOST_IN_ALL = 1000
"""The vertices of a position."""


class NodeKayles:
    """The game contract for Node Kayles."""

    name = "node-kayles"
    decomposes = True
    examples = ("0-1,1-2,2-3,3-0", "Bg", "DQc+Dhc", "0-1,1-2,2-3,3-4,4-5,1-4", "EEno")

    def __init__(self) -> None:
        self._texts: Dict[Tuple[int, ...], Land] = {}
        self.scenes = GraphScenes(
            "Node Kayles",
            "Take a point of the graph, and with it all points that a line joins to it. "
            "Who takes the last point wins.",
            self.parse,
        )
        self.limit_caches(None)

    def parse(self, text: str) -> Sum:
        """The components of graphs in graph6, or as edge lists, separated by `+`.

        >>> NodeKayles().parse("0-1,1-2,5")
        (b'@', b'Bo')
        """
        if text == EMPTY_POSITION:
            return ()
        if text.count("+") >= MOST_BOARDS:
            most = "write at most %d graphs" % MOST_BOARDS
            raise NotationError(text, 0, "the text is too long", most)
        lands: List[Land] = []
        offset = vertices = 0
        for part in text.split("+"):
            if not part:
                right = "write graph6, or edges like 0-1,1-2"
                raise NotationError(text, offset, "a graph is missing", right)
            read = read_edges if part[0].isdigit() else read_graph6
            graph = read(text, offset, part)
            vertices += len(graph)
            if vertices > MOST_IN_ALL:
                most = "write at most %d vertices in all" % MOST_IN_ALL
                raise NotationError(text, offset, "too many vertices up to this graph", most)
            lands += self._lands(graph, (1 << len(graph)) - 1)
            offset += len(part) + 1
        return tuple(sorted(lands))

    def format(self, lands: Sum) -> str:
        return b"+".join(lands).decode("ascii") or EMPTY_POSITION

    def draw(self, land: Land) -> Picture:
        return graph_picture(read_graph6(land.decode()))

    def children(self, land: Land) -> List[Sum]:
        """The positions after each vertex.

        >>> NodeKayles().children(b"BW")
        [(b'@',), ()]
        """
        graph = read_graph6(land.decode())
        every = (1 << len(graph)) - 1
        found: Dict[Sum, None] = {}
        for v in range(len(graph)):
            left = every & ~(graph[v] | 1 << v)
            found[tuple(sorted(self._lands(graph, left)))] = None
        return list(found)

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(the vertices, their number)."""
        vertices = count_of(land)
        return vertices, vertices

    def limit_caches(self, most_bytes: Optional[int]) -> None:
        most_bytes = CACHE_BYTES if most_bytes is None else most_bytes
        self._most = max(1, most_bytes // (2 * BYTES_PER_TEXT))
        self._texts.clear()

    def _lands(self, graph: Graph, left: int) -> List[Land]:
        """The components on some vertices."""
        lands = []
        while left:
            part = component(graph, left)
            left ^= part
            lands.append(self._text(induced(graph, part)))
        return lands

    def _text(self, graph: Graph) -> Land:
        key = tuple(graph)
        text = self._texts.get(key)
        if text is None:
            if len(self._texts) >= self._most:
                self._texts.clear()
            text = self._texts[key] = write_graph6(canonical(graph))
        return text


GAME: Game = NodeKayles()
