"""Positions and moves as drawings, for notebooks and programs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from math import ceil
from typing import Optional

from pns.choices import DEFAULT_GAME, DRAWN_GAMES
from pns.finding import find_game
from pns.front.draws import questions
from pns.front.pictures import picture_of
from pns.game import (
    Game,
    Picture,
    Scenes,
    SupportsScenes,
    TooLarge,
    children_of,
    read_position,
    shown,
)
from pns.games.scenes.standalone import standalone
from pns.sprouts.drawing import draw as draw_sprouts
from pns.sprouts.drawing import draw_move

LINE, LETTER = 24, 8
"""The height of a line of words, and about the width of a letter, in pixels."""


@dataclass(frozen=True)
class PositionDrawing:
    """A position, or a move from it, as a picture; a notebook shows it at the end of a cell."""

    svg: str
    """One SVG element, which needs no other file."""
    text: str
    """Lines for a terminal."""

    def _repr_svg_(self) -> str:
        return self.svg


def draw(position: str, game: str = DEFAULT_GAME, move: Optional[str] = None) -> PositionDrawing:
    """The drawing of a position; with `move`, the text of the position after it, that of the move.

    In Sprouts the new line is marked, on a board what the move changes. Raises NotationError for a
    text that is no position, and ValueError for a move that does not exist and for a game without
    pictures.

    >>> print(draw("..|..", "cram").text, end="")
    ..
    ..
    >>> draw("0*2", move="1a1a").svg.count('class="line new"')
    2
    """
    found = find_game(game)
    lands = read_position(found, position)
    picture: Optional[Picture]
    if found.name in DRAWN_GAMES:
        drawing = draw_sprouts(position) if move is None else draw_move(position, move)
        picture = Picture(drawing.svg(), drawing.text())
    else:
        after = None if move is None else read_position(found, move)
        if after is not None and after not in children_of(found, lands):
            wanted = "no move leads from %s to %s; pns.children lists those that exist"
            raise ValueError(wanted % (shown(lands), shown(after)))
        picture = None
        if isinstance(found, SupportsScenes):
            picture = _scene_picture(found, found.scenes, position, move)
        if picture is None:
            picture = picture_of(found, lands if after is None else after)
    if picture is None:
        raise ValueError("positions of %s have no pictures" % found.name)
    return PositionDrawing(picture.svg, picture.text)


def _scene_picture(
    game: Game, scenes: Scenes, position: str, move: Optional[str]
) -> Optional[Picture]:
    """The picture of a scene with what a move changes; None where it is too large."""
    try:
        scene = scenes.scene(position)
    except TooLarge:
        return None
    if move is None:
        return standalone(scene)
    wanted = questions(game, move)
    for one in scene.moves:
        if questions(game, one.position) == wanted:
            before = standalone(scene, one)
            return Picture(
                before.svg, "%s\nthen\n\n%s\n" % (before.text, scenes.scene(one.after).rows)
            )
    return None


def captioned(svg: str, words: str) -> str:
    """An SVG element with a line of words below it.

    >>> captioned(draw("..|..", "cram").svg, "a win").count("<svg")
    2
    """
    width, height = [ceil(float(n)) for n in re.findall(r' (?:width|height)="([\d.]+)"', svg)[:2]]
    wide = max(width, LETTER * len(words))
    size = (wide, height + LINE, wide, height + LINE)
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">'
    line = '<text x="2" y="%d" font-family="sans-serif" font-size="14" fill="#5c6773">%s</text>'
    return head % size + svg + line % (height + LINE - 7, escape(words)) + "</svg>"
