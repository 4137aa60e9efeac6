"""Node Kayles on graphs.

A graph is a dictionary from its vertices to their neighbours. It is read and written as graph6:
letters from ? to ~ stand for the numbers 0 to 63. The first is the number of vertices (from 63
on it is 63, and the next three have that number). The others are six bits each: for all w from
1 on, and for all v < w, whether v and w are joined.
"""

from __future__ import annotations

from typing import Dict, Iterable, Iterator, List, Set, Tuple

from pns.checker.sums import SumGame
from pns.checker.work import spend

Graph = Dict[int, Set[int]]
Edges = Tuple[Tuple[int, int], ...]


def read_graph6(text: str) -> Graph:
    """The graph that a text denotes; raises ValueError if it denotes none."""
    numbers = [ord(letter) - 63 for letter in text]
    if not numbers or not all(0 <= number <= 63 for number in numbers):
        raise ValueError("invalid graph6 %r; expected letters from ? to ~" % text[:60])
    count, numbers = numbers[0], numbers[1:]
    if count == 63 and len(numbers) > 2:
        count, numbers = numbers[0] << 12 | numbers[1] << 6 | numbers[2], numbers[3:]
    letters = (count * (count - 1) // 2 + 5) // 6
    if len(numbers) != letters:
        wrong = "invalid graph6 %r; expected %d letters for the edges of %d vertices"
        raise ValueError(wrong % (text[:60], letters, count))
    spend(count + 6 * len(numbers))
    bits = "".join(map("{:06b}".format, numbers))
    pairs = [(v, w) for w in range(count) for v in range(w)]
    return graph_of(count, [pair for pair, bit in zip(pairs, bits) if bit == "1"])


def write_graph6(graph: Graph) -> str:
    """The text of a graph whose vertices are 0, 1, 2, ..."""
    count = len(graph)
    numbers = [count] if count < 63 else [63, count >> 12, count >> 6 & 63, count & 63]
    bits = "".join(str(int(v in graph[w])) for w in range(count) for v in range(w))
    numbers += [int(bits[i : i + 6].ljust(6, "0"), 2) for i in range(0, len(bits), 6)]
    return "".join(chr(63 + number) for number in numbers)


def graph_of(count: int, edges: Iterable[Tuple[int, int]]) -> Graph:
    """The graph of some edges between the vertices from 0 to count - 1."""
    graph: Graph = {v: set() for v in range(count)}
    for v, w in edges:
        graph[v].add(w)
        graph[w].add(v)
    return graph


class NodeKayles(SumGame[Graph]):
    """Take a vertex of a graph and its neighbours; who cannot move loses.

    The text of a part is that of a canonical form, which is found as for Sprouts: colours of
    vertices are refined by those of their neighbours. While several vertices share a colour, each
    of them in turn gets one of its own. The least of the graphs that result is the form.
    """

    def positions(self, text: str) -> List[Graph]:
        return [read_graph6(part) for part in text.split("+")]

    def parts(self, position: Graph) -> List[Graph]:
        """The connected parts."""
        left = set(position)
        found = []
        while left:
            queue = [left.pop()]
            for v in queue:
                near = position[v] & left
                left -= near
                queue += near
            found.append({v: position[v] for v in sorted(queue)})
        return found

    def moves(self, part: Graph) -> Iterator[Graph]:
        for taken in part:
            gone = {taken} | part[taken]
            yield {v: near - gone for v, near in part.items() if v not in gone}

    def part_text(self, part: Graph) -> str:
        edges = self.least_form(part, self.refined(part, dict.fromkeys(part, 0)))
        return write_graph6(graph_of(len(part), edges))

    def part_profile(self, part: Graph) -> int:
        degrees = {v: len(near) for v, near in part.items()}
        signs = [(degrees[v], *sorted(degrees[w] for w in near)) for v, near in part.items()]
        return hash(tuple(sorted(signs)))

    def refined(self, graph: Graph, colour: Dict[int, int]) -> Dict[int, int]:
        """A finer colouring, in which vertices whose neighbours have other colours differ, too.

        The colour of a vertex is the number of vertices of smaller colours.
        """
        while True:
            spend(sum(1 + len(near) for near in graph.values()))
            signs = {v: (colour[v], *sorted(colour[w] for w in graph[v])) for v in graph}
            rank: Dict[Tuple[int, ...], int] = {}
            for number, sign in enumerate(sorted(signs.values())):
                rank.setdefault(sign, number)
            finer = {v: rank[signs[v]] for v in graph}
            if len(rank) == len(set(colour.values())):
                return finer
            colour = finer

    def individualised(self, graph: Graph, colour: Dict[int, int], v: int) -> Dict[int, int]:
        """The refined colours after one vertex was put before the others of its colour."""
        return self.refined(graph, {w: 2 * colour[w] + (w != v) for w in graph})

    def least_form(self, graph: Graph, colour: Dict[int, int]) -> Edges:
        """The edges of the least graph in which each vertex is replaced by a colour of its own.

        If two vertices lead to a common form, an automorphism exchanges them. If they have the
        same neighbours, one does so, too. Only the first of such vertices is followed up.
        """
        shared = self.sharing(colour)
        if not shared:
            edges = [(colour[v], colour[w]) for v in graph for w in graph[v]]
            return tuple(sorted((v, w) for v, w in edges if v < w))
        forms: Dict[Edges, Edges] = {}
        for i, v in enumerate(shared):
            spend(i)
            if any(graph[v] - {w} == graph[w] - {v} for w in shared[:i]):
                continue
            finer = self.individualised(graph, colour, v)
            example = self.some_form(graph, finer)
            if example not in forms:
                forms[example] = self.least_form(graph, finer)
        return min(forms.values())

    def some_form(self, graph: Graph, colour: Dict[int, int]) -> Edges:
        """One of the forms that a graph can take."""
        shared = self.sharing(colour)
        while shared:
            colour = self.individualised(graph, colour, shared[0])
            shared = self.sharing(colour)
        return self.least_form(graph, colour)

    def sharing(self, colour: Dict[int, int]) -> List[int]:
        """The vertices of the least colour that several share; none if all differ."""
        cells: Dict[int, List[int]] = {}
        for v, c in colour.items():
            cells.setdefault(c, []).append(v)
        return next((cells[c] for c in sorted(cells) if len(cells[c]) > 1), [])
