"""Boards as pictures: SVG without other files, and rows of characters for a terminal."""

from __future__ import annotations

from typing import List

from pns.game import Picture

SIDE = 24
"""The side of a square."""
MARGIN = 2
FREE, BLOCKED, LINE, INK = "#ffffff", "#b8b8b8", "#555555", "#111111"
SIGNS = {"#": "█", ".": "·", "-": "+"}
"""The characters of squares in a terminal, where they are not the letters themselves."""


def board_picture(board: str, slant: float = 0, note: str = "") -> Picture:
    """A board, its rows separated by `|`.

    `#` is blocked, `X` and `O` are stones, `x` and `o` safe ones, `-` is a dot. Each row is
    shifted by `slant` squares beside the one above. A note is a line below the board in a
    terminal, and the description of the SVG picture.
    """
    rows = board.split("|")
    shift = round(slant * SIDE)
    width = SIDE * len(rows[0]) + shift * (len(rows) - 1) + 2 * MARGIN
    height = SIDE * len(rows) + 2 * MARGIN
    out: List[str] = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">'
        % (width, height, width, height),
        "<title>%s</title>" % board,
    ]
    if note:
        out.append("<desc>%s</desc>" % note)
    for r, row in enumerate(rows):
        for c, letter in enumerate(row):
            out += _square(letter, MARGIN + SIDE * c + shift * r, MARGIN + SIDE * r)
    indent = " " * round(2 * slant)
    lines = [indent * r + _line(row) for r, row in enumerate(rows)] + [note] * bool(note)
    return Picture("".join([*out, "</svg>"]), "".join([line + "\n" for line in lines]))


def _line(row: str) -> str:
    return " ".join([SIGNS.get(letter, letter) for letter in row])


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
