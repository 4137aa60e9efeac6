"""All lands of a few lives: against brute force over texts, against play, and as a table."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path
from typing import Iterator, List, Set, Tuple

import pytest
from helpers.grundy_of import grundy_of
from helpers.paths import ROOT

import pns
from pns.checker import sprouts as plain
from pns.finding import find_game
from pns.game import NotationError
from pns.sprouts import moves, notation
from pns.sprouts.estimate import estimate
from pns.sprouts.small_lands import small_lands
from pns.sprouts.texts import is_canonical
from pns.strong import SolutionError, build_lands, build_solution, check_solution, read_solution
from pns.strong.folder import SLICE, Folder
from pns.strong.lands import read_block

pytestmark = pytest.mark.search

SPROUTS = find_game("sprouts")
WEIGHTS = {"0": 6, "1": 4, "2": 2}
BY_LIVES = {2: 3, 3: 7, 4: 40, 5: 188, 6: 1133}


def lives_of(land: bytes) -> int:
    return estimate(land)[0]


def exact(lands: Set[bytes]) -> Set[str]:
    """Lands by the plain rules, under which equal lands have equal texts."""
    return {plain.canonical(plain.read(land.decode())) for land in lands}


def words(half_lives: int, open_names: str, unused: str) -> Iterator[str]:
    """All sequences of spots and of names that occur twice, whose half lives are used up."""
    if not half_lives:
        yield ""
    for spot, weight in WEIGHTS.items():
        if weight <= half_lives:
            for rest in words(half_lives - weight, open_names, unused):
                yield spot + rest
    if half_lives:
        for name in open_names:
            for rest in words(half_lives - 1, open_names.replace(name, ""), unused):
                yield name + rest
        for name in unused[:1]:
            for rest in words(half_lives - 1, open_names + name, unused[1:]):
                yield name + rest


def brute_force(lives: int) -> Set[bytes]:
    """The lands of all texts: spots and names in all orders, separated in all ways."""
    found: Set[bytes] = set()
    for half_lives in range(2, 2 * lives + 1):
        for word in words(half_lives, "", "ABCDEF"):
            if any([word.count(name) != 2 for name in word if name.isupper()]):
                continue
            for separators in product(("", ".", "|"), repeat=len(word) - 1):
                text = "".join(a + b for a, b in zip(word, (*separators, "")))
                found.update(lands_of(text))
    return {land for land in found if lives_of(land) <= lives}


def lands_of(text: str) -> List[bytes]:
    """The lands of a text, in which a name that is on one region only is a small one."""
    boundaries = [b for region in text.split("|") for b in region.split(".")]
    for name in set(text):
        if name.isupper():
            regions = sum([name in region for region in text.split("|")])
            if regions == 1:
                if sum([name in boundary for boundary in boundaries]) == 2:
                    return []
                text = text.replace(name, name.lower())
    try:
        return list(notation.parse(text))
    except NotationError:
        return []


@pytest.mark.parametrize("lives", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_they_are_those_of_all_texts(lives: int) -> None:
    """On a sphere or not: lands of so few lives can all be drawn."""
    assert exact(brute_force(lives)) == exact(small_lands(lives))


def reached(root: str) -> Set[bytes]:
    """All lands in the play from a position."""
    found = set(notation.parse(root))
    waiting = list(found)
    while waiting:
        for child in moves.children(waiting.pop()):
            new = set(child) - found
            found |= new
            waiting += new
    return found


def test_play_reaches_just_these() -> None:
    small = small_lands(5)
    played = {land for land in reached("0*4") if lives_of(land) <= 5}
    assert played < small
    assert {lives: n for lives, n in Counter(map(lives_of, small)).items()} == {
        lives: n for lives, n in BY_LIVES.items() if lives <= 5
    }
    assert [land for land in small if lives_of(land) <= 4 and land not in played] == []
    assert all([is_canonical(land) for land in small])
    assert {part for land in small for child in moves.children(land) for part in child} < small


@pytest.mark.slow
def test_play_from_five_spots_reaches_no_other() -> None:
    played = {land for land in reached("0*5") if lives_of(land) <= 6}
    small = small_lands(6)
    assert len(small) == sum(BY_LIVES.values()) and played < small
    assert {land for land in small if lives_of(land) <= 5} == {
        land for land in played if lives_of(land) <= 5
    }


def lands_in(path: str) -> Iterator[Tuple[bytes, int]]:
    folder = Folder(path)
    for record in folder.header()["slices"]:
        for block in folder.open(SLICE, record["slice"]):
            lands, codes = read_block(block)
            yield from zip(lands, [code - 1 for code in codes])


def test_a_table_of_them_has_their_grundy_numbers(tmp_path: Path) -> None:
    path = str(tmp_path / "new")
    build_lands("sprouts", 4, path)
    build_lands("sprouts", 4, path)
    found = dict(lands_in(path))
    assert set(found) == small_lands(4)
    for land, number in found.items():
        assert number == grundy_of(SPROUTS, land.decode()), land
    assert check_solution(path, consistency=True, samples=9, searches=9).holds
    with read_solution(path) as table:
        assert (table.lives, table.position, table.value("0+0")) == (4, "0", "loss")
        shipped = {land: table.get(land) for land, _ in pns.known_facts().items()}
        assert len([number for number in shipped.values() if number >= 0]) > 20
        for land, number in pns.known_facts().items():
            assert shipped[land] in (number, -1), land
        helped = pns.solve("0*5", table=table)
        assert helped.outcome == "win" and helped.usage.answered_by_table


def test_another_solution_is_refused(tmp_path: Path) -> None:
    lands, root = str(tmp_path / "lands"), str(tmp_path / "root")
    build_lands("sprouts", 3, lands)
    build_solution("sprouts", "0", root)
    with pytest.raises(SolutionError, match="has another solution"):
        build_solution("sprouts", "0", lands)
    with pytest.raises(SolutionError, match="has another solution"):
        build_lands("sprouts", 3, root)
    with pytest.raises(SolutionError, match="cram does not list its small lands"):
        build_lands("cram", 3, str(tmp_path / "none"))
    for lives in (0, 2, 8):
        with pytest.raises(ValueError, match="lives are not listed; 3 to 7 lives are"):
            build_lands("sprouts", lives, str(tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def test_lands_that_others_met_are_there() -> None:
    small = small_lands(5)
    met = 0
    for line in (ROOT / "tests" / "data" / "nimbers.tsv").read_text().splitlines()[1:]:
        land = line.split("\t")[0].encode()
        if lives_of(land) <= 5:
            met += 1
            assert land in small
    assert met > 20
