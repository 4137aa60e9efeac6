"""The regions of a land as cards, where no drawing is found: shared spots in common colours."""

from __future__ import annotations

import re
from html import escape
from typing import Dict, List

from pns.sprouts.drawing.svg import SvgPicture

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8f6d31", "#6f42c1")
"""A palette that the colour-blind can distinguish, too [okabe2008]."""
LETTER, LINE, PAD = 13.0, 26.0, 14.0
"""Pixels for a letter, a boundary, and around a card."""
WIDTH = 560.0
_TOKEN = re.compile(r"0\*[0-9]+|[mnZ]\([0-9]+\)|.")


def schema(land: str) -> SvgPicture:
    """A card for each region, a line for each boundary; names of two regions are coloured."""
    cards = [region.split(".") for region in land.split("|")]
    colours: Dict[str, str] = {}
    for token in _TOKEN.findall(land):
        if token[0].isupper() or token[0] == "n":
            colours.setdefault(token, COLOURS[len(colours) % len(COLOURS)])
    elements: List[str] = []
    x = y = PAD
    row = right = 0.0
    for card in cards:
        width = LETTER * max(map(len, card)) + 2 * PAD
        height = LINE * len(card) + PAD
        if x > PAD and x + width > WIDTH:
            x, y, row = PAD, y + row + PAD, 0.0
        card_place = (x, y, width, height)
        elements.append(
            '<rect class="region" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="8"/>'
            % card_place
        )
        for i, boundary in enumerate(card):
            words = []
            for token in _TOKEN.findall(boundary):
                more = ' style="fill: %s"' % colours[token] if token in colours else ""
                words.append(
                    '<tspan class="spot"%s>%s</tspan>' % (more, escape(token, quote=False))
                )
            place = (x + PAD, y + LINE * (i + 1) - 4)
            elements.append(
                '<text class="word" x="%.1f" y="%.1f">%s</text>' % (*place, "".join(words))
            )
        x, row, right = x + width + PAD, max(row, height), max(right, x + width + PAD)
    return SvgPicture(elements, right, y + row + PAD)
