"""Boards as pictures: one SVG element for each, without other files."""

from __future__ import annotations

from typing import List

from pns.game import Land

SIDE = 24
"""The side of a square."""
MARGIN = 2
FREE, BLOCKED, LINE, INK = "#ffffff", "#b8b8b8", "#555555", "#111111"


def board_svg(land: Land) -> str:
    """The squares of a board: `#` blocked, `X` and `O` stones, `x` and `o` safe ones, `-` a dot."""
    rows = land.decode("ascii").split("|")
    width, height = SIDE * len(rows[0]) + 2 * MARGIN, SIDE * len(rows) + 2 * MARGIN
    out: List[str] = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">'
        % (width, height, width, height),
        "<title>%s</title>" % land.decode("ascii"),
    ]
    for r, row in enumerate(rows):
        for c, letter in enumerate(row):
            out += _square(letter, MARGIN + SIDE * c, MARGIN + SIDE * r)
    return "".join([*out, "</svg>"])


def _square(letter: str, x: int, y: int) -> List[str]:
    fill = BLOCKED if letter == "#" else FREE
    box = (x, y, SIDE, SIDE, fill, LINE)
    out = ['<rect x="%d" y="%d" width="%d" height="%d" fill="%s" stroke="%s"/>' % box]
    if letter in "XOxo-":
        radius = {"-": SIDE // 8}.get(letter, SIDE // 3)
        ink = INK if letter in "Xx-" else FREE
        dashes = ' stroke-dasharray="3 2" stroke-width="2"' if letter in "xo" else ""
        stroke = BLOCKED if letter == "x" else INK
        disc = (x + SIDE // 2, y + SIDE // 2, radius, ink, stroke, dashes)
        out.append('<circle cx="%d" cy="%d" r="%d" fill="%s" stroke="%s"%s/>' % disc)
    return out
