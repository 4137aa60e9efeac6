"""The checker's own rules of all impartial games: brute force, the package, false entries."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest
from helpers.boards import is_legal, plain_grundy
from helpers.grundy_of import grundy_of

import pns
from pns.checker import reading
from pns.checker.check import check
from pns.checker.games import GAMES
from pns.checker.node_kayles import NodeKayles, graph_of
from pns.finding import find_game
from pns.proofs.certificate import read_certificate, write_certificate

LETTERS = {"cram": ".#", "clobber": ".XO", "nogo": "..XO#"}


def random_texts(name: str, height: int, width: int, times: int) -> List[str]:
    """Boards that are positions of a game."""
    rng = random.Random("%s %d %d" % (name, height, width))
    found: List[str] = []
    while len(found) < times:
        text = "|".join("".join(rng.choices(LETTERS[name], k=width)) for _ in range(height))
        if name != "nogo" or is_legal(tuple(text.split("|"))):
            found.append(text)
    return found


@lru_cache(maxsize=None)
def grundy(name: str, text: str) -> int:
    """The Grundy number of a canonical text by the checker's moves."""
    number = 0
    for part in [] if text == "!" else text.split("+"):
        found = {grundy(name, child) for child in GAMES[name].child_texts(part)}
        number ^= min(set(range(len(found) + 1)) - found)
    return number


SIZES = [("cram", 4, 4), ("cram", 1, 9), ("clobber", 3, 3), ("nogo", 2, 3), ("nogo", 1, 8)]


@pytest.mark.parametrize("name, height, width", SIZES)
def test_brute_force(name: str, height: int, width: int) -> None:
    for text in random_texts(name, height, width, 30):
        found = grundy(name, GAMES[name].canonical(text))
        assert found == plain_grundy(name, tuple(text.split("|"))), text


@pytest.mark.parametrize("name, height, width", [*SIZES, ("nogo", 4, 5), ("clobber", 5, 5)])
def test_the_package_has_the_same_parts(name: str, height: int, width: int) -> None:
    game, rules = find_game(name), GAMES[name]
    for text in random_texts(name, height, width, 30):
        parts = game.format(game.parse(text))
        assert sorted(rules.canonical(text).split("+")) == sorted(parts.split("+")), text
        assert rules.canonical(parts) == rules.canonical(text)


def random_board(rng: random.Random) -> str:
    height, width = rng.randrange(1, 4), rng.randrange(1, 5)
    return "|".join("".join(rng.choices(".#", (3, 1), k=width)) for _ in range(height))


def random_graph(rng: random.Random) -> str:
    count, share = rng.randrange(1, 9), rng.random()
    pairs = ["%d-%d" % (v, w) for w in range(count) for v in range(w) if rng.random() < share]
    return ",".join(["%d" % v for v in range(count)] + pairs)


def random_heaps(rng: random.Random) -> str:
    digits = "".join(rng.choices("01234567", k=rng.randrange(1, 4)))
    return "%s.%s:%d+%d" % (rng.choice("0004"), digits, rng.randrange(13), rng.randrange(5))


RANDOM: Dict[str, Callable[[random.Random], str]] = {
    "queens": random_board,
    "node-kayles": random_graph,
    "octal": random_heaps,
}


@pytest.mark.parametrize("name", RANDOM)
def test_children_and_numbers_are_those_of_the_package(name: str) -> None:
    game, rules, rng = find_game(name), GAMES[name], random.Random(name)
    for _ in range(40):
        text = game.format(game.parse(RANDOM[name](rng)))
        assert grundy(name, rules.canonical(text)) == grundy_of(game, text), text
        for land in game.parse(text):
            children = {rules.canonical(game.format(child)) for child in game.children(land)}
            key = rules.canonical(land.decode())
            assert set(rules.child_texts(key)) == children, land
            parts = {part for child in children - {"!"} for part in child.split("+")}
            profiles = {rules.profile(part) for part in parts}
            assert set(rules.child_texts(key, profiles)) == children, land


def test_isomorphic_graphs_have_one_text_and_one_profile() -> None:
    rules, rng = NodeKayles(), random.Random(3)
    grid = [(v, w) for w in range(12) for v in range(w) if w - v == 4 or w - v == 1 and w % 4]
    cube = [(v, w) for w in range(8) for v in range(w) if w - v in (1, 2, 4) and v & w == v]
    prism = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]
    split = [(v, w) for v in (0, 1, 2) for w in (3, 4, 5)]
    random_edges = [(v, w) for w in range(10) for v in range(w) if rng.random() < 0.3 or v == w - 1]
    texts = set()
    for edges in (grid, cube, prism, split, random_edges):
        found = set()
        for _ in range(6):
            count = 1 + max(max(edge) for edge in edges)
            order = rng.sample(range(count), count)
            graph = graph_of(count, [(order[v], order[w]) for v, w in edges])
            found.add((rules.part_text(graph), rules.part_profile(graph)))
        assert len(found) == 1
        texts |= found
    assert len(texts) == 5


CLAIMS = [
    ("cram", "....|....|...."),
    ("clobber", "XOXO|OXOX"),
    ("nogo", ".........."),
    ("queens", "5"),
    ("queens", "..#|...+4"),
    ("node-kayles", "0-1,1-2,2-3,4-5,5-6,6-7,0-4,1-5,2-6,3-7"),
    ("node-kayles", "0-1,1-2,2-3,3-4,4-5,5-0,3-6+0-1,1-2"),
    ("octal", "0.77:9+5"),
    ("octal", "4.3:7"),
]


@pytest.mark.parametrize("name, text", CLAIMS)
def test_certificates(name: str, text: str, tmp_path: Path, capsys: Any) -> None:
    path = str(tmp_path / "proof.gz")
    pns.solve(text, name).certificate(path)
    assert check(path, None, 0)
    header, entries = read_certificate(path)
    for land, number in sorted(entries.items())[:3]:
        bad = {**entries, land: number + 1}
        write_certificate(path, name, header.position, header.wins, bad, "test")
        assert not check(path, None, 0)
    write_certificate(path, name, header.position, not header.wins, entries, "test")
    assert not check(path, None, 0)
    assert "NOT PROVED" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name, position, why",
    [
        ("cram", "...|..", "its rows differ"),
        ("cram", "..X", "is no board of squares ."),
        ("nogo", "XO|OX", "a group without liberty"),
        ("queens", "..X", "is no board of squares ."),
        ("node-kayles", "Bg?", "is no graph6 of 3 vertices"),
        ("node-kayles", "B", "is no graph6 of 3 vertices"),
        ("node-kayles", "~~~~", "is no graph6 of 262143 vertices"),
        ("node-kayles", "~", "is no graph6 of 63 vertices"),
        ("node-kayles", "Bg+", "is no graph6"),
        ("node-kayles", "0-1,1-2", "is no graph6"),
        ("octal", "0.78:3", "is no heap of an octal game"),
        ("octal", "2.7:3", "is no heap of an octal game"),
        ("octal", "5", "is no heap of an octal game"),
        ("octal", "0.77:1000000", "is no heap of an octal game"),
        ("hex", "..|..", "known here are sprouts, sprouts-misere, cram, clobber, nogo"),
    ],
)
def test_refused(name: str, position: str, why: str, tmp_path: Path) -> None:
    path = str(tmp_path / "proof.gz")
    write_certificate(path, name, position, True, {}, "test")
    with pytest.raises(ValueError) as caught:
        check(path, None, 0)
    assert why in str(caught.value)


HARD = "~?@c" + "~" * 825
"""The complete graph of 100 vertices."""


@pytest.mark.parametrize(
    "name, land", [("node-kayles", HARD), ("octal", "0.77:9999"), ("queens", "." * 900)]
)
def test_too_much_work_is_refused(
    name: str, land: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "proof.gz")
    monkeypatch.setattr(reading, "MOST_WORK", 8_000)
    write_certificate(path, name, land, True, {land.encode(): 1}, "test")
    with pytest.raises(ValueError, match="entry .*: this takes more work than is allowed"):
        check(path, None, 0)
