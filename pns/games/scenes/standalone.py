"""The picture of a scene that stands alone: the colours of the page as attributes of its elements.

A style sheet has precedence over such attributes, so that a page may still change them.
"""

from __future__ import annotations

import re
from math import ceil
from typing import Collection, Dict, List, Optional, Tuple

from pns.game import Picture, Scene, SceneMove

INK, FIRST, SECOND, LINE, WOOD, NEW = (
    "#212933",
    "#1f5fa8",
    "#c2540a",
    "#8d99a6",
    "#6b7785",
    "#d9480f",
)
RULES: List[Tuple[str, Dict[str, str]]] = [
    ("square", {"fill": "#eef2f6", "stroke": LINE}),
    ("square blocked", {"fill": "#ffffff", "stroke-opacity": ".35"}),
    ("half", {"fill": "none"}),
    ("stone", {"stroke": INK, "stroke-width": ".8"}),
    ("X", {"fill": FIRST}),
    ("O", {"fill": SECOND}),
    ("safe", {"stroke-width": "2", "stroke-dasharray": "3 2"}),
    ("ring", {"fill": "none", "stroke": "#eef2f6", "stroke-width": "2.5"}),
    ("liberty", {"fill": WOOD}),
    ("lying", {"fill": WOOD, "stroke": INK, "stroke-width": ".8"}),
    ("upright", {"fill": WOOD, "stroke": INK, "stroke-width": ".8"}),
    ("queen", {"fill": FIRST, "stroke": INK, "stroke-width": ".8"}),
    ("object", {"fill": FIRST, "stroke": INK, "stroke-width": ".8"}),
    ("vertex", {"fill": FIRST, "stroke": INK, "stroke-width": ".8"}),
    ("gap", {"fill": "none", "stroke": LINE, "stroke-dasharray": "2 4"}),
    ("vertex taken", {"fill": "none", "stroke": LINE, "stroke-dasharray": "2 4"}),
    ("side", {"fill": "none", "stroke-width": "6", "stroke-linejoin": "round"}),
    ("side X", {"stroke": FIRST}),
    ("side O", {"stroke": SECOND, "stroke-dasharray": "9 4"}),
    ("ground", {"stroke": WOOD, "stroke-width": "2"}),
    ("edge", {"stroke": WOOD, "stroke-width": "2"}),
    ("edge taken", {"stroke-opacity": ".25", "stroke-dasharray": "3 4"}),
    ("cut", {"stroke": WOOD, "stroke-width": "2"}),
    ("knife", {"stroke": NEW, "stroke-width": "4"}),
]
"""Attributes of elements that have some classes; later ones have precedence."""
HIDDEN = ("ghost", "choice", "knife")
"""Classes of what is seen only where a move touches it."""
POINTED = {"square": "#fcc59f", "object": NEW, "vertex": NEW}
"""Fills of what a move changes."""
TOKEN = re.compile('<g data-part="([^"]*)"|</g>|class="([^"]*)"')


def attributes(classes: Collection[str], is_changed: bool, is_touched: bool) -> str:
    """The attributes of an element with some classes, for what a move does to it."""
    found: Dict[str, str] = {}
    for names, values in RULES:
        if set(names.split()) <= set(classes):
            found.update(values)
    for name in classes:
        if is_changed and name in POINTED:
            found["fill"] = POINTED[name]
        if not is_touched and name in HIDDEN:
            found["opacity"] = "0"
    return "".join([' %s="%s"' % pair for pair in found.items()])


def standalone(scene: Scene, move: Optional[SceneMove] = None) -> Picture:
    """The picture of a scene; the elements that a move changes are marked."""
    changes, touched = (move.changes, move.parts) if move else ((), ())
    head, _, rest = scene.svg.partition(">")
    width, height = [float(word) for word in head.partition('viewBox="')[2][:-1].split()[2:]]
    parts: List[str] = []
    at, part = 0, ""
    for token in TOKEN.finditer(rest):
        parts.append(rest[at : token.end()])
        at = token.end()
        if token[2] is None:
            part = token[1] or ""
        else:
            parts.append(attributes(token[2].split(), part in changes, part in touched))
    size = '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %g %g">'
    opened = size % (ceil(width), ceil(height), width, height)
    return Picture("".join([opened, *parts, rest[at:]]), scene.rows + "\n")
