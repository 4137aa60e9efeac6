"""Lands beyond the working form, and the same code on lands within it, as if codes ended sooner."""

from __future__ import annotations

import random
import re
from typing import List

import pytest
from helpers.published import published
from helpers.searches import numbers_of, search_of

from pns.checker import sprouts as plain
from pns.finding import find_game
from pns.game import NotationError, TooLarge, check_land
from pns.sprouts import large, moves

pytestmark = pytest.mark.search

GAME = find_game("sprouts")
NUMBERS = dict(numbers_of("brute_grundy.tsv"))


def chain(names: int) -> str:
    """A land of regions of which each shares a name with the one before."""
    regions = ["0.n(1)"]
    for i in range(1, names):
        regions.append("%sn(%d)n(%d)" % ("0." if i % 3 else "2", i, i + 1))
    return "|".join([*regions, "2n(%d)" % names])


@pytest.fixture(params=[0, pytest.param(2, marks=pytest.mark.slow), 4])
def few_codes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Two-region names that a land may have before it counts as large."""
    limit: int = request.param
    for module in (large, moves):
        monkeypatch.setattr(module, "MAX_TWO", limit)
    return limit


def test_children_are_those_of_the_working_form(few_codes: int) -> None:
    rng = random.Random(few_codes)
    drawn = 0
    for text in rng.sample(sorted(NUMBERS), 40):
        (land,) = GAME.parse(text)
        children = list(GAME.children(land))
        assert len(children) == len(set(children))
        found = {plain.canonical(plain.read(GAME.format(child))) for child in children}
        assert found == plain.children(text), text
        for part in {part for child in children for part in child}:
            assert GAME.parse(part.decode()) == (part,)
            drawn += b"(" in part or b"A" in part
    assert drawn > 15


def test_numbers_are_those_of_brute_force(few_codes: int) -> None:
    rng = random.Random(few_codes)
    for text in rng.sample(sorted(NUMBERS), 6):
        (land,) = GAME.parse(text)
        assert search_of(GAME).grundy_number(land) == NUMBERS[text], text


def test_outcomes_are_the_known_ones(few_codes: int) -> None:
    known = published()
    for spots in range(2, 6):
        lands = GAME.parse("0*%d" % spots)
        assert search_of(GAME).outcome(lands) == (known[spots] == "win"), spots


def test_lands_with_more_names_than_codes_are_played() -> None:
    for names in (123,):
        (land,) = GAME.parse(chain(names))
        check_land(GAME, land)
        children = list(GAME.children(land))
        position = plain.read(land.decode())
        lives, _ = GAME.estimate(land)
        assert lives == sum(position.lives.values())
        assert len(children) > 3 * names
        for child in random.Random(names).sample(children, 30):
            for part in child:
                check_land(GAME, part)
                assert GAME.estimate(part)[0] < lives


def test_numbers_of_names_do_not_matter() -> None:
    rng = random.Random(3)
    (land,) = GAME.parse(chain(125))
    numbers = rng.sample(range(1, 999), 126)
    text = re.sub(r"n\((\d+)\)", lambda name: "Z(%d)" % numbers[int(name[1])], chain(125))
    assert GAME.parse(text) == (land,)


def test_a_boundary_may_have_more_pairs_than_codes() -> None:
    pairs = "".join(["m(%d)" % (i % 78 + 1) for i in range(156)])
    (land,) = GAME.parse(pairs)
    check_land(GAME, land)
    assert GAME.estimate(land)[0] == 78


def test_large_lands_in_sums() -> None:
    text = chain(122)
    lands = GAME.parse("%s+0*3" % text)
    assert len(lands) == 2 and GAME.format(lands).startswith("0*3+")
    assert search_of(GAME).outcome(GAME.parse("%s+%s" % (text, text))) is False


def test_far_too_large_lands_are_refused_clearly() -> None:
    with pytest.raises(NotationError, match="a land with 201 names; use at most 200"):
        GAME.parse(chain(201))
    parts: List[str] = ["n(%d)n(%d)" % (i, i + 1) for i in range(1, 131, 2)]
    (land,) = GAME.parse(".".join(parts) + "|" + "|".join(parts))
    with pytest.raises(TooLarge, match="a land with more than 100000 moves"):
        list(GAME.children(land))
