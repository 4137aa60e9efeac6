"""Drawings of Sprouts: the moves of the rules, exact geometry, texts and pictures."""

from __future__ import annotations

import doctest
import random
import re
from itertools import combinations_with_replacement, product
from typing import List, Tuple

import pytest
from helpers.drawings import (
    assert_map,
    assert_moves,
    assert_plane,
    crossings,
    play_random_game,
    random_move,
)
from helpers.paths import ROOT
from helpers.svg import elements

import pns.sprouts.drawing
from pns.checker import sprouts as plain
from pns.game import NotationError, children_of
from pns.sprouts import Sprouts
from pns.sprouts.drawing import (
    Board,
    IllegalMove,
    Move,
    PlaneMap,
    draw,
    draw_move,
    exact_lands,
    relax,
)
from pns.sprouts.drawing.mesh import Mesh
from pns.sprouts.drawing.realise import place, realise
from pns.sprouts.drawing.schema import schema
from pns.sprouts.drawing.spot_names import lines_between, name_of, read_line, spot_of

pytestmark = pytest.mark.search

GAME = Sprouts()


def random_maps(spots: int, seed: int) -> List[PlaneMap]:
    """The positions of a random game, without coordinates."""
    rng = random.Random(seed)
    maps = [PlaneMap.start([3] * spots)]
    while True:
        try:
            maps.append(maps[-1].played(random_move(maps[-1], rng)))
        except IndexError:
            return maps


# Moves


@pytest.mark.parametrize("spots, seed", [(1, 0), (2, 1), (2, 2), (3, 3), (3, 4), (4, 5)])
def test_a_drawing_has_the_moves_of_the_rules(spots: int, seed: int) -> None:
    for drawn in random_maps(spots, seed):
        assert_moves(drawn)
        text = plain.canonical(drawn.position(), False)
        if text == plain.canonical(drawn.position()):  # nothing that the rules simplify
            by_text = children_by_the_text_rules(drawn.text())
            assert {plain.canonical(drawn.played(m).position()) for m in drawn.moves()} == by_text


def children_by_the_text_rules(text: str) -> "set[str]":
    lands = GAME.parse(text)
    found = set()
    for i, land in enumerate(lands):
        for child in GAME.children(land):
            whole = tuple(sorted(lands[:i] + lands[i + 1 :] + child))
            found.add(plain.canonical(plain.read(GAME.format(whole))))
    return found


@pytest.mark.parametrize("spots, seed", [(1, 0), (2, 1), (3, 3)])
def test_every_move_can_be_said_by_names_of_spots(spots: int, seed: int) -> None:
    for drawn in random_maps(spots, seed):
        ends = combinations_with_replacement(range(len(drawn.lives)), 2)
        beside: List[Tuple[int, ...]] = [(), *[(spot,) for spot in range(len(drawn.lives))]]
        said = {
            drawn.played(move).raw_text()
            for pair, others in product(ends, beside)
            for move in lines_between(drawn, pair, others)
        }
        canonical = {plain.canonical(plain.read(text)) for text in said}
        moves = [drawn.played(move).position() for move in drawn.moves()]
        assert canonical == {plain.canonical(position) for position in moves}


def test_names_of_spots_are_read_back() -> None:
    for land, spot in ((0, 0), (0, 25), (1, 26), (3, 702)):
        assert spot_of(name_of(land, spot)) == (land, spot)
    for text in ("2a-2ab 2c, 2d", "2.1-2.28 2.3, 2.4", "2.1-2ab 2c 2.4"):
        assert read_line(text) == (1, (0, 27), (2, 3))
    for text in ("1-2.2", "1-", "1-2 2.3", "1 2", "1-2-3", "1-2 3-4", ".1-2", "1.-2", "1.1.1-1"):
        assert read_line(text) is None
    for text in ("a-2b", "a-", "a-b 2c", "a b", "0*2", "A-B", "a-b-c", "a-b c-d"):
        assert read_line(text) is None


def test_simplified_texts_have_the_grundy_numbers_of_drawings() -> None:
    seen = 0
    for seed in range(20):
        for drawn in random_maps(3, seed):
            if plain.canonical(drawn.position()) != plain.canonical(drawn.position(), False):
                numbers = {plain.grundy(drawn.played(move).text()) for move in drawn.moves()}
                least = next(n for n in range(len(numbers) + 1) if n not in numbers)
                assert least == plain.grundy(drawn.text())
                seen += 1
    assert seen > 5


def test_lines_are_removed_as_they_were_drawn() -> None:
    for drawn in random_maps(6, 1)[1:]:
        before, move = drawn.without_last_line()
        again = before.with_line(move)
        assert again.around == drawn.around
        assert sorted(map(sorted, again.faces)) == sorted(map(sorted, drawn.faces))


def test_illegal_moves_change_nothing() -> None:
    board = Board.of_spots(3)
    board.play(Move(~0, ~0, frozenset([~1])))
    inner, outer = 0, 1
    assert board.map.face(inner) != board.map.face(outer)
    before = board.map, len(board.mesh.at)
    for move in (
        Move(inner, outer),  # from face to face
        Move(~1, 9),  # no such corner
        Move(~1, ~1, frozenset([~2])),  # a boundary of another face
        Move(inner, ~1, frozenset([~1])),  # sides of a line that has none
        Move(inner, inner),  # one life, and a line with both ends there
    ):
        with pytest.raises(IllegalMove):
            board.play(move)
    assert (board.map, len(board.mesh.at)) == before


# Geometry


@pytest.mark.parametrize("spots, seed", [(1, 0), (2, 1), (3, 2), (5, 4)])
def test_nothing_crosses_in_a_random_game(spots: int, seed: int) -> None:
    play_random_game(spots, seed)


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", range(200))
def test_nothing_crosses_in_many_random_games(seed: int) -> None:
    play_random_game(2 + seed % 11, seed)


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", range(10))
def test_nothing_crosses_in_the_first_twenty_moves_from_29_spots(seed: int) -> None:
    play_random_game(29, seed, 20)


def test_crossings_are_found() -> None:
    spots = [(0, 0), (8, 8)]
    line = [((0, 0), (3, 4)), ((3, 4), (8, 8))]
    for other in (
        [((0, 8), (3, 1), (8, 0))],  # through a corner
        [((3, 4), (9, 0))],  # from a bend
        [((0, 0), (6, 8))],  # along the first step
        [((-1, -1), (1, 0)), ((1, 0), (-1, 1))],  # around a spot
        [((2, -2), (-2, 2))],  # through a spot
    ):
        assert list(crossings([line, other], spots)), other
    assert not list(crossings([line, [((0, 0), (4, 3)), ((4, 3), (8, 8))]], spots))


def test_a_copy_is_independent() -> None:
    board = Board.of_spots(2)
    other = board.copy()
    other.play(Move(~0, ~1))
    assert not board.paths and not board.mesh.fixed and len(board.map.lives) == 2
    assert_map(board)
    assert_map(other)


def test_the_grid_is_refined_where_it_is_too_coarse() -> None:
    board = Board(PlaneMap.start([3] * 3), [(0.0, 0.0), (0.002, 0.001), (0.001, 0.002)])
    board.play(Move(~0, ~0, frozenset([~1])))
    board.play(Move(~1, ~1))
    assert board.mesh.scale > 1
    assert_plane(board)
    assert_map(board)
    relax(board, 60)
    assert board.mesh.scale == 1
    assert_plane(board)


def test_changes_of_a_mesh_keep_its_triangles_counterclockwise() -> None:
    rng = random.Random(3)
    mesh = Mesh(40)
    vertices = [mesh.insert((rng.randrange(-39, 40), rng.randrange(-39, 40))) for _ in range(12)]
    for _ in range(300):
        u, v = rng.choice(list(mesh.apex))
        kind = rng.randrange(4)
        if kind == 0 and (v, u) in mesh.apex:
            mesh.flip(u, v)
        elif kind == 1 and (v, u) in mesh.apex and len(vertices) < 40:
            vertices.append(mesh.split_edge(u, v, rng.random()))
        elif kind == 2 and vertices:
            if mesh.remove(gone := rng.choice(vertices)):
                vertices.remove(gone)
        elif kind == 3 and vertices:
            v = rng.choice(vertices)
            x, y = mesh.at[v]
            p = (x + rng.randrange(-9, 10), y + rng.randrange(-9, 10))
            if mesh.may_move(mesh.link(v), p):
                mesh.at[v] = p
        areas = [mesh.area(*triangle) for triangle in mesh.triangles()]
        assert min(areas) > 0
        assert sum(areas) == 2 * (80 * mesh.scale) ** 2
        assert len(areas) == 2 * len(vertices) + 2


# Texts


TEXTS = (
    "0*3",
    "1a1a",
    "0*8.AB|0*8.AB",
    "0*2.A|0*2.A",
    "0*2.22.1ab1ba",
    "AB|AC|BC",
    "0*4.1a1a.AB|0*3.A|2B",
    "12AB|0.2A|0.1B",
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_realised(text: str) -> None:
    (land,) = [key.decode() for key in GAME.parse(text)]
    realised = realise(land)
    assert realised is not None
    board = place(realised.map, 2)
    assert plain.canonical(board.map.position()) == plain.canonical(plain.read(land))
    assert_plane(board)
    assert_map(board)


@pytest.mark.parametrize("seed", range(10))
def test_every_position_of_a_game_is_realised(seed: int) -> None:
    for drawn in random_maps(2 + seed % 9, seed):
        for land in GAME.parse(drawn.text()):
            assert realise(land.decode()) is not None, land


def test_what_was_chosen_is_said() -> None:
    assert draw("0*2.1a1a").notes() == []
    assert draw("AB|AC|BC").notes() == ["AB|AC|BC: 2 dead spots added"]


def test_regions_that_fit_on_no_sphere_become_cards() -> None:
    text = "0.ABCDE|0.ACEBD"
    (land,) = [key.decode() for key in GAME.parse(text)]
    assert realise(land) is None
    drawing = draw(text)
    assert drawing.notes() == ["%s: no drawing found; its regions are shown as cards" % land]
    assert land in drawing.text()
    assert len(elements(drawing.svg(), "rect")) == 3
    assert len(schema("0*2.n(1)n(2)|n(1)n(2)").elements) == 5


# Pictures


def test_each_spot_is_an_element() -> None:
    picture = draw("0*2.1a1a+0*3").svg()
    spots = [g for g in elements(picture, "g") if "spot" in g.getAttribute("class").split()]
    assert sorted(int(g.getAttribute("data-lives")) for g in spots) == [1, 2, 2, 3, 3, 3, 3, 3]
    lives = [c for c in elements(picture, "circle") if c.getAttribute("class") == "life"]
    assert len(lives) == 20
    lines = [p for p in elements(picture, "path") if p.getAttribute("class") == "line"]
    assert len(lines) == 2
    assert elements(picture, "title")[0].firstChild.data == "0*2.1a1a+0*3"


def test_a_move_is_highlighted() -> None:
    picture = draw_move("0*4+0*2", "0.AB|0*2.AB+0*2").svg()
    new = [e for e in elements(picture, "*") if "new" in e.getAttribute("class").split()]
    assert sorted(e.tagName for e in new) == ["g", "path", "path"]
    assert elements(picture, "title")[0].firstChild.data == "0*4+0*2 → 0*2.AB|0.AB+0*2"


def test_what_no_move_leads_to_is_refused() -> None:
    for text, child, moves in (
        ("0*3", "0*2.1a1a", "0*2.AB|AB, 0.1a1a, 0.AB|0.AB"),
        ("0*3", "0*9", "0*2.AB|AB, 0.1a1a, 0.AB|0.AB"),
        ("!", "0", "none"),
    ):
        with pytest.raises(IllegalMove) as refused:
            draw_move(text, child)
        wrong = "no move leads from %s to %s; there are %s"
        assert str(refused.value) == wrong % (text, child, moves)
    with pytest.raises(IllegalMove, match="and [0-9]+ more$"):
        draw_move("0*9.AB|0*8.AB+0*5", "0")


def test_a_game_goes_on_in_one_drawing() -> None:
    drawing = draw("0*3+0*2")
    rng = random.Random(2)
    lands = GAME.parse("0*3+0*2")
    kept = 0
    while lands:
        lands = rng.choice(children_of(GAME, lands))
        before, drawing = drawing, drawing.played(GAME.format(lands))
        on_drawing = [key for land in drawing.lands for key in GAME.parse(land.text)]
        assert exact_lands(on_drawing) == exact_lands(lands)
        new = [land for land in drawing.lands if land.new is not None]
        kept += len(new)
        for land in new:
            assert land.board and land.new == len(land.board.map.lives) - 1
            assert_plane(land.board)
    assert kept >= 4 and before.lands != drawing.lands
    assert [land.text for land in draw("0*3").played("0*2.1a1a+0").lands] == ["0", "0*2.1a1a"]


def test_a_move_is_found_by_canonical_texts_or_by_exact_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    children = [GAME.format(lands) for lands in children_of(GAME, GAME.parse("0*3"))]
    drawing = draw("0*3")

    def unused(_: object) -> None:
        raise AssertionError("exact texts are slow")

    for name, other in (("exact_lands", unused), ("lines", lambda *_: None)):
        with monkeypatch.context() as patch:
            patch.setattr(pns.sprouts.drawing, name, other)
            for child in children:
                (land,) = drawing.played(child).lands
                assert land.new is not None and GAME.parse(land.text) == GAME.parse(child)


def test_a_drawing_for_terminals() -> None:
    text = draw("0*2.1a1a").text()
    body = text[: text.index("1\u00b3: spot 1 ")]
    shown = re.findall("([0-9])([\u00b9\u00b2\u00b3])", body)
    assert sorted(int(name) for name, _ in shown) == [1, 2, 3, 4, 5]
    assert sorted(lives for _, lives in shown) == sorted("\u00b9\u00b2\u00b2\u00b3\u00b3")
    assert any("\u2800" < c < "\u2900" for c in body)
    assert max(map(len, draw("0*60").text().splitlines())) <= 72


def test_the_empty_position() -> None:
    drawing = draw("!")
    assert drawing.title == "!" and elements(drawing.svg(), "svg")
    with pytest.raises(NotationError):
        draw("0*")


def test_the_examples_of_the_page() -> None:
    results = doctest.testfile(str(ROOT / "docs" / "drawing.md"), module_relative=False)
    assert results.failed == 0 and results.attempted > 5
