"""Every registered game keeps the laws of the contract; the checker catches one that does not."""

from __future__ import annotations

import random
from typing import Any, Callable, List, Optional, Tuple, cast

import pytest
from helpers.searches import search_of
from hypothesis import given, settings
from hypothesis import strategies as st

from pns.choices import GAMES
from pns.finding import find_game
from pns.game import NotationError, Sum, SupportsExamples, check_land, is_surely_land, limit_caches
from pns.parallel.child_store import ChildStore, SharedGame
from pns.tools.laws import check_laws

pytestmark = pytest.mark.search


@pytest.mark.parametrize("name", sorted(GAMES))
@given(seed=st.integers(0, 10**6))
@settings(max_examples=10, deadline=None, derandomize=True)
def test_laws(name: str, seed: int) -> None:
    game, rng = find_game(name), random.Random(seed)
    assert game.name == name
    examples = cast(SupportsExamples, game).examples
    position = game.parse(rng.choice(examples))
    assert check_laws(game, position, rng) > 0
    assert game.parse(game.format(())) == ()


def test_no_such_game() -> None:
    with pytest.raises(ValueError, match="unknown game 'chess'; expected one of clobber, cram,"):
        find_game("chess")


class Countdown:
    """Only the required part of the contract: take 1 or 2; gn(n) = n mod 3."""

    name = "countdown"
    decomposes = True

    def parse(self, text: str) -> Sum:
        return tuple(sorted([b"%d" % int(n) for n in text.split("+") if int(n)]))

    def format(self, lands: Sum) -> str:
        return b"+".join(lands).decode() or "0"

    def children(self, land: bytes) -> List[Sum]:
        n = int(land)
        return [(b"%d" % (n - taken),) if n > taken else () for taken in (1, 2) if taken <= n]

    def estimate(self, land: bytes) -> Tuple[int, int]:
        return int(land), 2


class FullCountdown(Countdown):
    """All parts of the contract."""

    def __init__(self) -> None:
        self.limits: List[Optional[int]] = []

    def is_land(self, land: bytes) -> bool:
        return land == b"7"

    def limit_caches(self, most_bytes: Optional[int]) -> None:
        self.limits.append(most_bytes)


@pytest.mark.parametrize("game", [Countdown(), FullCountdown()])
def test_a_game_needs_only_the_required_part(game: Countdown) -> None:
    shared = SharedGame(game, ChildStore(1, 1 << 12), 0)
    for rules in (game, shared):
        assert [search_of(rules).grundy_number(b"%d" % n) for n in range(1, 9)] == [
            n % 3 for n in range(1, 9)
        ]
        check_land(rules, b"8")
        for wrong in (b"08", b"3+4", b"\xff"):
            with pytest.raises(ValueError):
                check_land(rules, wrong)
        assert is_surely_land(rules, b"7") == isinstance(game, FullCountdown)
        assert not is_surely_land(rules, b"8")
    limit_caches(game, 1000)
    if isinstance(game, FullCountdown):
        assert game.limits == [1000]


def unsorted(land: bytes, children: List[Sum]) -> List[Sum]:
    return [tuple(sorted(child, reverse=True)) for child in children]


def repeated(land: bytes, children: List[Sum]) -> List[Sum]:
    return children + children[:1]


def endless(land: bytes, children: List[Sum]) -> List[Sum]:
    return children + [(land,)]


def not_canonical(land: bytes, children: List[Sum]) -> List[Sum]:
    return children + [(b"0.0",)]


@pytest.mark.parametrize("spoil", [unsorted, repeated, endless, not_canonical])
def test_the_checker_catches_a_broken_game(spoil: Callable[[bytes, List[Sum]], List[Sum]]) -> None:
    class Broken:
        def __getattr__(self, name: str) -> Any:
            return getattr(find_game("sprouts"), name)

        def children(self, land: bytes) -> List[Sum]:
            return spoil(land, list(find_game("sprouts").children(land)))

    game: Any = Broken()
    with pytest.raises(AssertionError):
        for seed in range(20):
            check_laws(game, game.parse("1a1a.2+0*5"), random.Random(seed))


BAD: List[Tuple[str, str, int, str]] = [
    ("nim", "", 0, "a number is missing"),
    ("nim", "3++4", 2, "a number is missing"),
    ("nim", "3+x", 2, "invalid number 'x'"),
    ("nim", " 3 + x", 5, "invalid number 'x'"),
    ("nim", "3 5", 0, "invalid number '3 5'"),
    ("nim", "3 + ", 3, "a number is missing"),
    ("nim", "251", 0, "too large"),
    ("nim", "-1", 0, "invalid number '-1'"),
    ("nim", "1+" * 500_000, 0, "too long"),
    ("nim", "1" * 1_000_000, 0, "too large"),
    ("kayles", "10001", 0, "too large"),
    ("kayles", "99999999999999999999999", 0, "too large"),
    ("kayles", "\u0663", 0, "invalid number"),
]


@pytest.mark.parametrize("name, text, offset, wrong", BAD, ids=range(len(BAD)))
def test_bad_numbers_are_refused(name: str, text: str, offset: int, wrong: str) -> None:
    with pytest.raises(NotationError, match=wrong) as caught:
        find_game(name).parse(text)
    assert caught.value.offset == offset


@given(st.text("0123456789+!-. ", max_size=12))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_junk_numbers_never_crash(text: str) -> None:
    for name in ("nim", "kayles"):
        try:
            position = find_game(name).parse(text)
        except NotationError as error:
            assert 0 <= error.offset <= len(text)
        else:
            written = find_game(name).format(position)
            assert find_game(name).parse(written) == position
            assert find_game(name).parse(" %s " % written.replace("+", " +  ")) == position
