"""`pns.draw`: positions and moves of all games that have pictures."""

from __future__ import annotations

from collections import Counter
from typing import Optional
from xml.etree import ElementTree

import pytest

import pns
from pns.choices import GAMES
from pns.finding import find_game
from pns.game import first_example


def fills(position: str, game: str, move: Optional[str]) -> "Counter[str]":
    """How many elements that are seen have each fill."""
    root = ElementTree.fromstring(pns.draw(position, game, move=move).svg)
    seen = [one for one in root.iter() if one.get("opacity") != "0"]
    assert all([one.get("fill") or one.get("stroke") for one in seen if one.get("class")])
    return Counter([str(one.get("fill")) for one in seen])


@pytest.mark.parametrize("name", sorted(GAMES))
def test_every_game_is_drawn_with_and_without_a_move(name: str) -> None:
    position = first_example(find_game(name)) or "0*3"
    drawing = pns.draw(position, name)
    root = ElementTree.fromstring(drawing.svg)
    assert root.tag.endswith("svg") and int(root.attrib["width"]) > 0
    assert drawing.svg.startswith("<svg ") or "<svg " in drawing.svg.splitlines()[0]
    assert drawing.text.strip() and drawing._repr_svg_() == drawing.svg
    move = pns.children(position, name)[0]
    moved = pns.draw(position, name, move=move)
    ElementTree.fromstring(moved.svg)
    assert moved.svg != drawing.svg and moved.text != drawing.text


def test_what_a_move_changes_is_marked() -> None:
    assert [fills(".....", "cram", move)["#fcc59f"] for move in ("...", "..", None)] == [2, 2, 0]
    assert fills("3+4", "nim", "1+4")["#d9480f"] == 2
    assert fills("0-1,1-2,2-3", "node-kayles", "@")["#d9480f"] == 3
    queen = pns.draw("3", "queens", move=pns.children("3", "queens")[-1]).svg
    assert queen.count('class="queen ghost"') == queen.count('opacity="0"') + 1 == 9
    assert pns.draw("...|...|...", "hex").svg.count("<polyline") == 4
    assert pns.draw("0*2", move="1a1a").svg.count('class="line new"') == 2


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(pns.NotationError):
        pns.draw("..|x.", "cram")
    with pytest.raises(ValueError, match="no move leads from"):
        pns.draw("....", "cram", move="....|....")
    with pytest.raises(ValueError, match="no move"):
        pns.draw("0*2", move="0*5")
    with pytest.raises(TypeError, match="invalid position 3"):
        pns.draw(3)  # type: ignore[arg-type]


def test_a_game_without_pictures_is_refused() -> None:
    class Plain:
        name, decomposes = "plain", True

        def parse(self, text: str) -> "tuple[bytes, ...]":
            return (b"1",)

        def format(self, lands: "tuple[bytes, ...]") -> str:
            return "1"

        def children(self, land: bytes) -> "list[tuple[bytes, ...]]":
            return [()]

        def estimate(self, land: bytes) -> "tuple[int, int]":
            return 1, 1

    pns.register(Plain())
    with pytest.raises(ValueError, match="plain have no pictures"):
        pns.draw("1", "plain")
