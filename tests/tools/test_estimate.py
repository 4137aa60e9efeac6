"""Estimates of game trees against trees that are counted, node by node."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import lru_cache
from random import Random
from typing import Any, Callable, Dict, List

import pytest
from helpers.grundy_of import land_grundy
from helpers.inprocess import Answer, Caller
from helpers.outcomes import MisereNim
from helpers.paths import ROOT

from pns.cli.commands.estimate import main, size
from pns.finding import find_game
from pns.game import Game, Land, Sum, children_of
from pns.tools.estimate import COUPLES, GAMES, TREES, Sampler, around, estimated, trees_of

pytestmark = pytest.mark.search

Guesses = Callable[[Land], Dict[int, float]]
"""The Grundy numbers that may be guessed for a land, with their probabilities."""


def count_games(game: Game, lands: Sum) -> int:
    """The complete games from a position."""

    @lru_cache(maxsize=None)
    def count(lands: Sum) -> int:
        return sum([count(child) for child in children_of(game, lands)]) or 1

    return count(lands)


def count_couples(game: Game, lands: Sum, guesses: Guesses) -> float:
    """The terminal nodes of the tree with Grundy numbers, a mean where guesses are random."""

    @lru_cache(maxsize=None)
    def count(lands: Sum, heap: int) -> float:
        if len(lands) < 2:
            children = list(game.children(lands[0])) if lands else []
            below = [count(child, heap) for child in children]
            return sum(below + [count(lands, n) for n in range(heap)]) or 1
        first, *rest = sorted(lands, key=lambda land: game.estimate(land)[0])
        found = 0.0
        for number, probability in guesses(first).items():
            number = min(number, len(list(game.children(first))))
            here = sum([count((first,), n) for n in range(number + 1)])
            found += probability * (here + count(tuple(rest), heap ^ number))
        return found

    return count(lands, 0)


class Enumeration:
    """A source of choices that takes each line of them in turn, as a random one might."""

    def __init__(self) -> None:
        self._line: List[List[int]] = []
        self._place = 0

    def randrange(self, count: int) -> int:
        if self._place == len(self._line):
            self._line.append([0, count])
        choice, expected = self._line[self._place]
        assert count == expected
        self._place += 1
        return choice

    def mean(self, draw: Callable[[], int]) -> Fraction:
        """The expected value of `draw`, which asks this for its choices."""
        total = Fraction()
        while True:
            self._place = 0
            weight = Fraction(draw())
            for _, count in self._line:
                weight /= count
            total += weight
            while self._line and self._line[-1][0] + 1 == self._line[-1][1]:
                self._line.pop()
            if not self._line:
                return total
            self._line[-1][0] += 1


def exactly(game: Game) -> Guesses:
    return lambda land: {land_grundy(game, land): 1}


SMALL = [
    ("sprouts", "!"),
    ("sprouts", "0*2"),
    ("sprouts", "1a1a+22"),
    ("nim", "2+2+3"),
    ("kayles", "1+2"),
    ("kayles", "4"),
    ("cram", "...|..."),
    ("clobber", "XO|OX+XO"),
]


@pytest.mark.parametrize("name, text", SMALL)
def test_the_expected_value_is_the_size(name: str, text: str) -> None:
    game: Any = find_game(name)
    lands = game.parse(text)
    for tree in TREES:
        choices: Any = Enumeration()
        sampler = Sampler(game, choices, lambda land: land_grundy(game, land))
        found = choices.mean(lambda: sampler.sample(tree, lands))  # noqa: B023
        right = {
            GAMES: count_games(game, lands),
            COUPLES: count_couples(game, lands, exactly(game)),
        }
        assert found == right[tree]


def test_a_game_of_outcomes_has_one_tree() -> None:
    game: Any = MisereNim()
    assert list(trees_of(game)) == [GAMES] and list(trees_of(find_game("nim"))) == [GAMES, COUPLES]
    choices: Any = Enumeration()
    sampler = Sampler(game, choices)
    for text in ("0", "12", "122"):
        lands = game.parse(text)
        assert choices.mean(lambda: sampler.games(lands)) == count_games(game, lands)  # noqa: B023


def test_the_exact_sizes_of_the_lab_note() -> None:
    game: Any = find_game("sprouts")
    page = (ROOT / "docs" / "lab" / "paper-figures.md").read_text("utf-8")
    rows = re.findall(r"^ +(\d) +([\d,]+) +([\d,]+) +[\d,.e]+ +[\d,.e]+$", page, re.MULTILINE)
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5"]
    for n, *sizes in rows[:3]:
        lands = game.parse("0*" + n)
        couples = count_couples(game, lands, lambda land: {0: 0.1, 1: 0.9})
        assert sizes == ["{:,}".format(round(size)) for size in (count_games(game, lands), couples)]


RANDOM = [("sprouts", "0*3", 2000), ("kayles", "8", 1000), ("cram", "....|....", 500)]


@pytest.mark.parametrize("name, text, samples", RANDOM)
def test_random_games_find_the_size(name: str, text: str, samples: int) -> None:
    game: Any = find_game(name)
    lands = game.parse(text)
    right = {
        GAMES: count_games(game, lands),
        COUPLES: count_couples(game, lands, lambda land: {0: 0.3, 1: 0.7}),
    }
    for tree in TREES:
        random = Random(tree + text)
        sampler = Sampler(game, random, around(0.7, random))
        found = estimated([sampler.sample(tree, lands) for _ in range(samples)])
        assert found.error is not None and found.is_trusted
        assert found.error < 0.08  # so that a weight which is wrong by a third is noticed
        assert abs(10**found.log_size / right[tree] - 1) < 4 * found.error


def test_the_figures_of_an_estimate() -> None:
    found = estimated([10**400 * value for value in range(1, 201)])
    assert found.samples == 200
    assert found.log_size == pytest.approx(402.00217, abs=1e-4)
    assert (found.log_low, found.log_high) == pytest.approx((400.30103, 402.29885), abs=1e-4)
    assert found.deviation == pytest.approx(0.57589, abs=1e-4)
    assert found.greatest_share == 200 / 20100 and found.is_trusted
    # the means of the 20 batches are those of 1, 21, …, 181 and of 19 more that follow these
    assert found.error == pytest.approx(
        (sum((k - 9.5) ** 2 for k in range(20)) / 380) ** 0.5 / 100.5
    )
    one = estimated([5])
    assert (one.error, one.deviation, one.is_trusted) == (None, None, False)
    assert not estimated([1] * 99 + [12]).is_trusted


def test_guesses_have_their_mean() -> None:
    guess = around(1.25, Random(7))
    found = [guess(b"x") for _ in range(2000)]
    assert set(found) == {1, 2} and abs(sum(found) / 2000 - 1.25) < 0.04


def test_what_is_kept_of_children_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    game: Any = find_game("sprouts")
    values = []
    for most in (300_000, 5):
        monkeypatch.setattr("pns.tools.estimate.MOST_CACHED", most)
        values.append([Sampler(game, Random(i)).games(game.parse("0*4")) for i in range(3)])
    assert values[0] == values[1]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    return Caller(capsys, monkeypatch, "pns estimate")


def test_the_command(call: Caller) -> None:
    words = ("0*2", "0", "--samples", 50, "--seed", 3)
    answer = call(main, *words)
    assert (answer.status, answer.errors) == (0, [])
    rows = [line.split() for line in answer.output]
    assert rows[0][:4] == ["position", "tree", "size", "error"]
    assert [row[:2] for row in rows[1:]] == [["0*2", t] for t in TREES] + [["0", t] for t in TREES]
    assert [row[2] for row in rows[3:]] == ["1", "1"]
    assert call(main, *words) == answer
    assert call(main, *words[:-1], 4) != answer
    found = [json.loads(line) for line in call(main, *words, "--json").output]
    assert [size(row["log10_size"]) for row in found] == [row[2] for row in rows[1:]]
    assert [row["mean_number"] for row in found] == [None, 0.9, None, 0.9]


def test_an_error_that_says_nothing_is_marked(call: Caller) -> None:
    answer = call(main, "0*4", "--samples", 5)
    assert "%!" in answer.output[1] and answer.output[-2].startswith("! A few games")
    trusted = call(main, "1", "--game", "nim", "--samples", 11).output
    assert len(trusted) == 3 and "!" not in "".join(trusted)


def test_stopped(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = Sampler.sample
    left = [7]

    def stop(self: Sampler, tree: str, lands: Sum) -> int:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return sample(self, tree, lands)

    monkeypatch.setattr(Sampler, "sample", stop)
    answer = call(main, "0*2", "0*3", "--samples", 20, "--json")
    assert answer.status == 130
    assert [json.loads(line)["samples"] for line in answer.output] == [7]
    assert answer.errors == ["pns estimate: stopped after 7 of 20 games"]
    assert call(main, "0*2") == Answer(130, [], ["pns estimate: stopped after 0 of 1000 games"])


@pytest.mark.parametrize(
    "words, wrong",
    [
        (("--samples", 0), "expected a whole number of at least 1"),
        (("--mean-number", "-1"), "expected a number from 0 to 250"),
        (("--mean-number", "nan"), "expected a number from 0 to 250"),
        (("--game", "nin"), "did you mean nim"),
    ],
)
def test_refusals(call: Caller, words: Any, wrong: str) -> None:
    answer = call(main, "0*2", *words)
    assert (answer.status, answer.output, len(answer.errors)) == (2, [], 1)
    assert wrong in answer.errors[0]
