"""The checker's own rules of Cram, NoGo and Clobber: brute force, the package, false entries."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path
from typing import Any, List

import pytest
from helpers.boards import is_legal, plain_grundy

import pns
from pns.cli import check
from pns.game import find_game
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
        found = {grundy(name, child) for child in check.GAMES[name].child_texts(part)}
        number ^= min(set(range(len(found) + 1)) - found)
    return number


SIZES = [("cram", 4, 4), ("cram", 1, 9), ("clobber", 3, 3), ("nogo", 2, 3), ("nogo", 1, 8)]


@pytest.mark.parametrize("name, height, width", SIZES)
def test_brute_force(name: str, height: int, width: int) -> None:
    for text in random_texts(name, height, width, 30):
        found = grundy(name, check.GAMES[name].canonical(text))
        assert found == plain_grundy(name, tuple(text.split("|"))), text


@pytest.mark.parametrize("name, height, width", [*SIZES, ("nogo", 4, 5), ("clobber", 5, 5)])
def test_the_package_has_the_same_parts(name: str, height: int, width: int) -> None:
    game, rules = find_game(name), check.GAMES[name]
    for text in random_texts(name, height, width, 30):
        parts = game.format(game.parse(text))
        assert sorted(rules.canonical(text).split("+")) == sorted(parts.split("+")), text
        assert rules.canonical(parts) == rules.canonical(text)


CLAIMS = [("cram", "....|....|...."), ("clobber", "XOXO|OXOX"), ("nogo", "..........")]


@pytest.mark.parametrize("name, text", CLAIMS)
def test_certificates(name: str, text: str, tmp_path: Path, capsys: Any) -> None:
    path = str(tmp_path / "proof.gz")
    pns.solve(text, name).certificate(path)
    assert check.check(path, None, 0)
    header, entries = read_certificate(path)
    for land, number in sorted(entries.items())[:3]:
        bad = {**entries, land: number + 1}
        write_certificate(path, name, header.position, header.wins, bad, "test")
        assert not check.check(path, None, 0)
    write_certificate(path, name, header.position, not header.wins, entries, "test")
    assert not check.check(path, None, 0)
    assert "NOT PROVED" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name, position, why",
    [
        ("cram", "...|..", "its rows differ"),
        ("cram", "..X", "is no board of squares ."),
        ("nogo", "XO|OX", "a group without liberty"),
        ("hex", "..|..", "known here are sprouts, cram, clobber, nogo"),
    ],
)
def test_refused(name: str, position: str, why: str, tmp_path: Path) -> None:
    path = str(tmp_path / "proof.gz")
    write_certificate(path, name, position, True, {}, "test")
    with pytest.raises(ValueError) as caught:
        check.check(path, None, 0)
    assert why in str(caught.value)
