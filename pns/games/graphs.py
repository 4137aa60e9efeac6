"""Graphs as lists of bit masks: graph6 and edge lists, connected parts, a canonical order.

`neighbours[v]` has bit w set if v and w are joined. graph6 is the format of McKay's tools
[mckay-web]: printable, one line.
"""

from __future__ import annotations

import re
from typing import Dict, Iterator, List, Tuple

from pns.game import NotationError

MOST_VERTICES = 200
MOST_NODES, MOST_STEPS = 300, 300_000
"""Nodes of the search for a canonical order, and vertices and neighbours looked at; a graph that
needs more keeps its order."""
HEADER = ">>graph6<<"
COLOUR_SHIFT = 54
HASH_BITS = (1 << COLOUR_SHIFT) - 1
WEIGHTS = [pow(3, 1000 + 7 * colour, (1 << 61) - 1) >> 7 for colour in range(MOST_VERTICES)]
"""Numbers of 54 bits, so that those of all neighbours of a vertex add up to a machine word."""

Graph = List[int]


def bits(mask: int) -> Iterator[int]:
    """The places of the bits that are set.

    >>> list(bits(0b1001))
    [0, 3]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def write_graph6(graph: Graph) -> bytes:
    """The graph6 text of a graph.

    >>> write_graph6([0b010, 0b101, 0b010])
    b'Bg'
    """
    n = len(graph)
    out = bytearray([n] if n <= 62 else [63, n >> 12, n >> 6 & 63, n & 63])
    word = length = 0
    for column in range(1, n):
        for row in range(column):
            word = word << 1 | graph[column] >> row & 1
            length += 1
            if length == 6:
                out.append(word)
                word = length = 0
    if length:
        out.append(word << 6 - length)
    return bytes([63 + byte for byte in out])


def read_graph6(text: str, offset: int = 0, part: str = "") -> Graph:
    """The graph of a graph6 text; raises NotationError for `text`, in which `part` is at `offset`.

    The header that files of graphs may have is accepted.

    >>> read_graph6("Bg"), read_graph6(">>graph6<<Bg")
    ([2, 5, 2], [2, 5, 2])
    """
    part = part or text
    if part.startswith(HEADER):
        part, offset = part[len(HEADER) :], offset + len(HEADER)
        if not part:
            raise NotationError(text, offset, "a graph is missing", "write it after " + HEADER)
    for i, letter in enumerate(part):
        if not "?" <= letter <= "~":
            known = "write letters from ? to ~, or an edge list such as 0-1,1-2"
            raise NotationError(
                text, offset + i, "invalid letter %s of graph6" % ascii(letter), known
            )
    data = [ord(letter) - 63 for letter in part]
    start = 4 if data[0] == 63 else 1
    if len(data) < start or data[1:2] == [63] and start == 4:
        raise NotationError(
            text, offset, "the number of vertices is cut off", "write 3 more letters"
        )
    n = data[0] if start == 1 else data[1] << 12 | data[2] << 6 | data[3]
    check_count(text, offset, n)
    letters = (n * (n - 1) // 2 + 5) // 6
    if len(data) != start + letters:
        wrong = "%d letters after the number of vertices" % (len(data) - start)
        right = "write %d for %d vertices, or an edge list such as 0-1,1-2" % (letters, n)
        raise NotationError(text, offset, wrong, right)
    graph = [0] * n
    i = 0
    for column in range(1, n):
        for row in range(column):
            if data[start + i // 6] >> 5 - i % 6 & 1:
                graph[column] |= 1 << row
                graph[row] |= 1 << column
            i += 1
    return graph


def count_of(text: bytes) -> int:
    """The vertices of a graph in graph6."""
    if text[0] < 126:
        return text[0] - 63
    return (text[1] - 63) << 12 | (text[2] - 63) << 6 | text[3] - 63


def read_edges(text: str, offset: int, part: str) -> Graph:
    """The graph of an edge list like 0-1,1-2,7, in which 7 is a vertex; raises NotationError."""
    edges: List[Tuple[int, int]] = []
    at = offset
    for word in part.split(","):
        found = re.fullmatch("([0-9]{1,6})(?:-([0-9]{1,6}))?", word, re.ASCII)
        if not found or found[1] == found[2]:
            right = "write edges like 0-1,1-2, and single vertices like 7"
            raise NotationError(text, at, "invalid edge %s" % ascii(word[:20]), right)
        edges.append((int(found[1]), int(found[2] or found[1])))
        at += len(word) + 1
    names = sorted({name for edge in edges for name in edge})
    check_count(text, offset, len(names))
    place = {name: i for i, name in enumerate(names)}
    graph = [0] * len(names)
    for a, b in edges:
        if a != b:
            graph[place[a]] |= 1 << place[b]
            graph[place[b]] |= 1 << place[a]
    return graph


def check_count(text: str, offset: int, count: int) -> None:
    """Raise NotationError for too many vertices."""
    if count > MOST_VERTICES:
        most = "write at most %d vertices" % MOST_VERTICES
        raise NotationError(text, offset, "%d vertices are too many" % count, most)


def component(graph: Graph, within: int) -> int:
    """The vertices of `within`, not empty, that are connected with the first of them."""
    part = new = within & -within
    while new:
        reached = 0
        for v in bits(new):
            reached |= graph[v]
        new = reached & within & ~part
        part |= new
    return part


def induced(graph: Graph, within: int) -> Graph:
    """The graph on some vertices, in their order."""
    order = list(bits(within))
    return reordered(graph, order)


def reordered(graph: Graph, order: List[int]) -> Graph:
    """The graph on the vertices in `order`, named by their places there."""
    place = [-1] * len(graph)
    for i, v in enumerate(order):
        place[v] = i
    found = []
    for v in order:
        row = 0
        for w in bits(graph[v]):
            if place[w] >= 0:
                row |= 1 << place[w]
        found.append(row)
    return found


def refined(neighbours: List[List[int]], colours: List[int]) -> Tuple[List[int], int]:
    """(colours, rounds): split until the neighbours of two vertices of one colour have the same.

    A colour is the number of vertices of smaller colours, so vertices of colours that no
    other has are in order. Neither depends on the order of the vertices. Neighbours are
    compared by hashes; if two collide, colours are split less.
    """
    rounds = 0
    count = len(set(colours))
    while count < len(colours):
        rounds += 1
        signs = []
        for v, beside in enumerate(neighbours):
            total = 0
            for w in beside:
                total += WEIGHTS[colours[w]]
            signs.append(colours[v] << COLOUR_SHIFT | total & HASH_BITS)
        first: Dict[int, int] = {}
        for i, sign in enumerate(sorted(signs)):
            if sign not in first:
                first[sign] = i
        colours = [first[sign] for sign in signs]
        if len(first) == count:
            break
        count = len(first)
    return colours, rounds


def canonical(graph: Graph) -> Graph:
    """The graph in a canonical order: isomorphic graphs become equal.

    The least of the graphs that are found by giving a vertex of the first colour that several
    have a colour of its own, in every way, again and again. Of vertices with the same
    neighbours one is enough. A graph for which that takes more than MOST_NODES or MOST_STEPS,
    numbers that do not depend on the order, stays as it is.
    """
    best: List[Graph] = []
    neighbours = [list(bits(row)) for row in graph]
    waiting = [[0] * len(graph)]
    nodes = steps = 0
    steps_of_round = len(graph) + sum(map(len, neighbours))
    while waiting:
        colours, rounds = refined(neighbours, waiting.pop())
        nodes += 1
        steps += rounds * steps_of_round
        if nodes > MOST_NODES or steps > MOST_STEPS:
            return graph
        cells: Dict[int, List[int]] = {}
        for v, colour in enumerate(colours):
            cells.setdefault(colour, []).append(v)
        shared = [colour for colour in sorted(cells) if len(cells[colour]) > 1]
        if not shared:
            order = sorted(range(len(graph)), key=colours.__getitem__)
            found = reordered(graph, order)
            if not best or found < best[0]:
                best = [found]
            continue
        cell = cells[shared[0]]
        twins = set()
        for v in cell:
            for kind in ((graph[v], -1), (graph[v] | 1 << v, -2)):
                if kind in twins:
                    break
            else:
                split = [c + 1 if c == shared[0] and w != v else c for w, c in enumerate(colours)]
                waiting.append(split)
            twins.update([(graph[v], -1), (graph[v] | 1 << v, -2)])
    return best[0]
