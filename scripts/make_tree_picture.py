"""Draw the tree of docs/theory.md with its proof and disproof numbers, in docs/pictures.

`scripts/make_pictures.py` calls it.
"""

from __future__ import annotations

import os
from typing import Any, Iterator, List, NamedTuple, Optional

FILE = "proof-numbers.svg"
TREE: List[Any] = [[None, None, None], [None, None], [[None]]]
"""A node is the list of its children, and None is an unknown leaf."""
INFINITY = float("inf")
INK, PATH, PAPER, SHADE, UNKNOWN = "#22303c", "#c84c00", "#fffdf8", "#fbe9bd", "#f1eee6"
STEP, LEVEL, WIDTH, HEIGHT, MARGIN = 74, 82, 54, 40, 34
FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


class Node(NamedTuple):
    """A node of a drawn tree; lengths in units of the SVG."""

    x: float
    y: float
    pn: float
    dn: float
    children: List[Node]
    is_leaf: bool


def layout(tree: Optional[List[Any]], depth: int, columns: Iterator[int]) -> Node:
    """A node above the middle of its children, with its numbers."""
    y = MARGIN + depth * LEVEL
    if tree is None:
        return Node(next(columns) * STEP + MARGIN, y, 1, 1, [], True)
    children = [layout(child, depth + 1, columns) for child in tree]
    x = (children[0].x + children[-1].x) / 2 if children else next(columns) * STEP + MARGIN
    pn = min([child.dn for child in children], default=INFINITY)
    dn = sum([child.pn for child in children])
    return Node(x, y, pn, dn, children, False)


def most_proving(root: Node) -> List[Node]:
    """The path from the root to the most proving node."""
    path = [root]
    while path[-1].children:
        path.append(min(path[-1].children, key=lambda child: child.dn))
    return path


def shown(number: float) -> str:
    """A number as the picture shows it."""
    return "∞" if number == INFINITY else "%d" % number


def draw(node: Node, path: List[Node]) -> Iterator[str]:
    """The lines below a node, then the node."""
    for child in node.children:
        colour, width = (PATH, 3) if child in path else (INK, 1.5)
        line = '<line x1="%g" y1="%g" x2="%g" y2="%g" stroke="%s" stroke-width="%g"/>'
        yield line % (node.x, node.y, child.x, child.y, colour, width)
        yield from draw(child, path)
    fill = UNKNOWN if node.is_leaf else PAPER
    colour = PATH if node in path else INK
    if node is path[-1]:
        fill = SHADE
    yield '<rect x="%g" y="%g" width="%d" height="%d" rx="6" fill="%s" stroke="%s"/>' % (
        node.x - WIDTH / 2,
        node.y - HEIGHT / 2,
        WIDTH,
        HEIGHT,
        fill,
        colour,
    )
    yield '<text x="%g" y="%g">%s, %s</text>' % (
        node.x,
        node.y + 5,
        shown(node.pn),
        shown(node.dn),
    )


def picture(tree: List[Any]) -> str:
    """The SVG of a tree; each node shows pn, dn."""
    columns = iter(range(1000))
    root = layout(tree, 0, columns)
    leaves, depth = next(columns), max(_depths(root))
    size = ((leaves - 1) * STEP + 2 * MARGIN, depth - root.y + 2 * MARGIN)
    title = "A tree with the proof and disproof number of each node"
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g">'
        % (size + size),
        "<title>%s</title>" % title,
        '<rect width="100%" height="100%" fill="' + PAPER + '"/>',
        '<g font-family="%s" font-size="15" fill="%s" text-anchor="middle">' % (FONT, INK),
        *draw(root, most_proving(root)),
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _depths(node: Node) -> Iterator[float]:
    yield node.y
    for child in node.children:
        yield from _depths(child)


def main(directory: str) -> None:
    """Write the picture into a directory."""
    with open(os.path.join(directory, FILE), "w", encoding="utf-8") as file:
        file.write(picture(TREE))
