"""Scenes: what lies on a table is the position that the game has, whatever its lands do."""

from __future__ import annotations

import random
from typing import List, Set
from xml.etree import ElementTree

import pytest
from helpers.grundy_of import grundy_of

from pns.choices import GAMES
from pns.finding import find_game
from pns.front.draws import DrawRules
from pns.game import (
    Game,
    NotationError,
    Scene,
    Scenes,
    Sum,
    SupportsDraws,
    SupportsExamples,
    SupportsScenes,
    TooLarge,
    children_of,
)

NAMES = sorted([name for name in GAMES if isinstance(find_game(name), SupportsScenes)])
STARTS = {
    "cram": ["3x4", "..#.|....|.#..+..|.."],
    "domineering": ["4x4", "H:..#.|....|.#.."],
    "clobber": ["3x4", "XOX.|.XO.|OOX.", "X.O|OXX+OX"],
    "nogo": ["2x3", "..X.O..", "..O|X..|..."],
    "queens": ["5x5", "..#|...|#..", "4"],
    "hex": ["3x3", "X..|.O.|..."],
    "mnk": ["3x3", "3v:....|....|....", "3o:X..|.O.|...", "4x4"],
    "nim": ["3x5", "1+1+4", "0+2"],
    "kayles": ["9", "3+8+8", "ii.i/iii+i"],
    "octal": ["11", "0.77:7", "4.3:6", "4.07:3+6", "0.3:4"],
    "node-kayles": ["3x3", "DQc+Dhc", "0-1,1-2,5", "0-1,1-2,2-3,3-4/0,1"],
}
"""Sizes, and texts of positions and scenes, from which each game is played."""


SEVERAL_KEYS = ("nogo",)
"""Games of which equal positions may have distinct lands, of the same Grundy number."""


def scenes_of(game: Game) -> Scenes:
    assert isinstance(game, SupportsScenes)
    return game.scenes


def first_scene(game: Game, start: str) -> Scene:
    """The scene of a text, or of the start of some sizes, written 3x4 or 9."""
    sizes = start.split("x")
    scenes = scenes_of(game)
    is_size = all([size.isdigit() for size in sizes]) and len(sizes) == len(scenes.sizes)
    return scenes.scene(scenes.start([int(size) for size in sizes]) if is_size else start)


def meanings(game: Game, text: str, with_draws: bool) -> "tuple[Sum, ...]":
    """The lands of a position; in a game with draws, by both questions about its board."""
    if with_draws:
        assert isinstance(game, SupportsDraws)
        return game.questions(text)
    return (game.parse(text),)


def check_moves(game: Game, scene: Scene, with_draws: bool) -> None:
    """The moves of a scene lead to all children of its position, and to nothing else."""
    rules = DrawRules(game, with_draws)
    first, *others = meanings(game, scene.position, with_draws)
    lands = first or (others[0] if others else ())
    children = rules.moves(lands)
    if not children:
        return
    wanted: Set["tuple[Sum, ...]"] = {
        meanings(game, game.format(child), with_draws) for child in children if child
    }
    reached = {meanings(game, move.position, with_draws) for move in scene.moves}
    if game.name in SEVERAL_KEYS:
        numbers = {grundy_of(game, game.format(child)) for child in children}
        assert {grundy_of(game, game.format(*found)) for found in reached} == numbers
        return
    if () in children:  # the empty position: play is over, and the next player has lost
        assert any([not any(found) for found in reached])
    if children == [()] and not game.decomposes:
        return
    assert {found for found in reached if any(found)} == {found for found in wanted if any(found)}


@pytest.mark.parametrize("name", NAMES)
def test_scenes_have_the_moves_of_the_game(name: str) -> None:
    game, rng = find_game(name), random.Random(name)
    scenes = scenes_of(game)
    for start in STARTS[name]:
        for _ in range(4):
            scene = first_scene(game, start)
            with_draws = isinstance(game, SupportsDraws) and not game.names_drawer(scene.position)
            plies = 0
            while scene.moves:
                check_moves(game, scene, with_draws)
                assert scenes.scene(scene.text) == scene
                ElementTree.fromstring(scene.svg)
                scene = scenes.scene(rng.choice(scene.moves).after)
                plies += 1
                if not game.decomposes and not any(meanings(game, scene.position, with_draws)):
                    break
            assert plies
            if game.decomposes:
                assert game.parse(scene.position) == ()


@pytest.mark.parametrize("name", NAMES)
def test_what_can_be_touched_has_a_name(name: str) -> None:
    game = find_game(name)
    for start in STARTS[name]:
        scene = first_scene(game, start)
        root = ElementTree.fromstring(scene.svg)
        named = {one.get("data-part"): one.get("aria-label") for one in root.iter()}
        parts = {part for move in scene.moves for part in move.parts}
        assert parts and parts <= set(named)
        assert all([named[part] for part in parts])
        labels: List[str] = [named[part] or "" for part in sorted(parts)]
        assert len(set(labels)) == len(labels)
        assert scene.rows


@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_a_scene_of_the_same_position(name: str) -> None:
    game = find_game(name)
    assert isinstance(game, SupportsExamples)
    for text in game.examples:
        try:
            scene = scenes_of(game).scene(text)
        except TooLarge:
            assert len(text) > 40 or text == "250"
            continue
        assert game.parse(scene.position) == game.parse(text)


@pytest.mark.parametrize("name", NAMES)
def test_a_game_says_how_it_begins_and_its_rules_in_two_sentences(name: str) -> None:
    game = find_game(name)
    scenes = scenes_of(game)
    start = scenes.scene(scenes.start([size.value for size in scenes.sizes]))
    assert start.moves and children_of(game, game.parse(start.position))
    assert scenes.rules.count(". ") == 1 and scenes.rules.endswith(".")
    for size in scenes.sizes:
        assert size.least <= size.value <= size.most
    for values in ([size.least for size in scenes.sizes], [size.most for size in scenes.sizes]):
        assert scenes.scene(scenes.start(values)).rows


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cram", "..x|..."),
        ("cram", "..|..."),
        ("mnk", "3:XX.|...|..."),
        ("hex", "O..|...|..."),
        ("nim", "3+x"),
        ("kayles", "iix"),
        ("octal", "0.8:iii"),
        ("octal", "iii"),
        ("node-kayles", "0-1/7"),
        ("node-kayles", "0-1/"),
        ("nogo", "XO|OX"),
    ],
)
def test_a_text_that_is_no_scene_is_refused(name: str, text: str) -> None:
    with pytest.raises(NotationError):
        scenes_of(find_game(name)).scene(text)
