"""Pictures of positions: those of their lands, side by side."""

from __future__ import annotations

from typing import List, Optional

from pns.game import Game, Picture, Sum, SupportsDraw

GAP = 16
"""Pixels between two lands."""


def picture_of(game: Game, lands: Sum) -> Optional[Picture]:
    """The picture of a position; None for a game whose lands are not drawn.

    Sprouts has drawings of its own (`pns.sprouts.drawing`).
    """
    if not isinstance(game, SupportsDraw):
        return None
    from xml.etree import ElementTree  # it takes long, above all in a browser

    pictures = [game.draw(land) for land in lands]
    x, height = 0, 0
    out: List[str] = []
    for picture in pictures:
        element = ElementTree.fromstring(picture.svg)
        out.append(picture.svg.replace("<svg ", '<svg x="%d" ' % x, 1))
        x += int(element.attrib["width"]) + GAP
        height = max(height, int(element.attrib["height"]))
    size = (max(x - GAP, 1), max(height, 1))
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">'
    title = "<title>%s</title>" % game.format(lands)
    svg = "".join([head % (size + size), title, *out, "</svg>\n"])
    return Picture(svg, "\n".join([picture.text for picture in pictures]) or "no moves\n")
