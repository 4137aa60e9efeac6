"""Tails of lands: which give way to which, by play, by the plain rules, and in whole lands."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Iterator, List, Tuple

import pytest
from helpers.lands import RESTS, with_rest
from helpers.paths import ROOT
from helpers.tools import call

import pns
from pns.checker import sprouts as plain
from pns.checker import sprouts_tails as plain_tails
from pns.finding import find_game
from pns.game import Land
from pns.positions.simplify import SupportsSimplify
from pns.sprouts import large, moves
from pns.sprouts.canonical import canonical_lands
from pns.sprouts.code import BARS, MAX_TWO, encode
from pns.sprouts.plain_rules import package_proposals
from pns.sprouts.small_lands import small_lands
from pns.sprouts.tail_play import (
    are_equal,
    difference,
    exchanges,
    number_of,
    played,
    small_tails,
    table_of,
)
from pns.sprouts.tails import (
    HEAPS,
    MOST_HALF_LIVES,
    PACKAGE,
    Tail,
    canonical_tail,
    cuts,
    size,
)

pytestmark = pytest.mark.search

GAME = find_game("sprouts")
FACTS = pns.known_facts()
TABLE = [
    tuple(line.split())
    for line in (ROOT / "pns" / "data" / "sprouts.tails").read_bytes().splitlines()
]


def tail_of(text: str) -> Tail:
    """The canonical text of a tail whose joint is A."""
    return canonical_tail(encode(text.encode()), encode(b"2A")[-1])


def test_tails_that_are_equal_change_every_land_alike() -> None:
    seen = 0
    for tail, smaller, by in TABLE:
        if size(tail)[0] <= 4:
            for rest in RESTS:
                before = number_of((with_rest(rest, tail),))
                assert number_of((with_rest(rest, smaller),)) ^ int(by) == before
                seen += 1
    assert seen > 200


@pytest.mark.parametrize(
    ("one", "two", "by"),
    [("2A", "0.A", 0), ("2A", "22A", 1), ("22A", "1A", 0), ("2B|BA", "0.B|BA", 0)],
)
def test_tails_that_play_shows_to_be_equal(one: str, two: str, by: int) -> None:
    tails = tail_of(one), tail_of(two)
    assert are_equal(*tails) and are_equal(*tails[::-1])
    assert difference(*tails) == by


def test_tails_that_are_mostly_alike_are_kept_apart() -> None:
    """Of 50,386 pairs of facts these tails agree in 48,997."""
    one, two = tail_of("2A"), tail_of("2B|AC|BC")
    assert not are_equal(one, two)
    numbers = {
        number_of((with_rest(rest, one),)) ^ number_of((with_rest(rest, two),)) for rest in RESTS
    }
    assert len(numbers) > 1


def test_the_script_writes_a_table(tmp_path: Path) -> None:
    done = call("make_tails.py", "--lives", "3", "--out", tmp_path / "tails")
    lines = (tmp_path / "tails").read_bytes().splitlines()
    assert (done.status, len(lines)) == (0, 20)
    assert [tuple(line.split()) for line in lines] == TABLE[:20]
    assert call("make_tails.py", "--lives", "7").status == 2


def test_all_that_small_tails_may_give_way_to_is_in_the_table() -> None:
    found = list(exchanges(small_tails(4)))
    assert [(a, b, b"%d" % n) for a, b, n in found] == TABLE[: len(found)]
    assert len(found) > 100


def test_every_tail_of_the_table_gives_way_to_a_smaller_one() -> None:
    for tail, smaller, _ in TABLE:
        assert size(smaller) < size(tail) and 2 * size(tail)[0] <= MOST_HALF_LIVES


@pytest.mark.parametrize(
    "rows", [TABLE[:20:2], pytest.param(TABLE, marks=pytest.mark.slow)], ids=len
)
def test_the_plain_rules_prove_the_table(rows: List[Tuple[bytes, bytes, bytes]]) -> None:
    for tail, smaller, by in rows:
        one, two = [
            plain.canonical(plain.read("%s.A|%s" % (plain_tails.MARK, text.decode())))
            for text in (tail, smaller)
        ]
        assert plain_tails.gives_way(one, two)
        assert plain_tails.difference(one, two) == int(by)


def test_the_plain_rules_do_not_trust_a_proposal() -> None:
    proposals = plain_tails.proposals([("2B|AC|BC", "2A"), ("0.A", "2A")])
    for text, simpler_texts in (("0*3.A|2B|AC|BC", []), ("0*3.A|0.A", ["0*3.A|2A"])):
        text = plain.canonical(plain.read(text))
        assert plain_tails.simpler_texts(text, proposals) == simpler_texts


def test_no_simpler_position_has_a_larger_land() -> None:
    """Else a proof could go round in a circle."""
    one, other = map(plain_tails.tail_of, ("2A", "0.A"))
    assert plain_tails.are_equal(one, other) and plain_tails.holds("0.A", "2A")
    assert not plain_tails.holds("2A", "0.A")
    text = plain.canonical(plain.read("0*3.A|2A"))
    assert plain_tails.simpler_texts(text, {one: other}) == []


def test_lives_of_a_land() -> None:
    for text, lives in (("22A|0.A", 6), ("22", 2), ("12.2", 4), ("0*3.1a1a", 14)):
        (land,) = plain.lands(plain.read(text))
        assert plain_tails.lives_of(land) == lives


@pytest.mark.parametrize("text", ["2", "2A+22", "2A|22", "0*9.A", "0*3.A", "A", "2a", "", "n(1)"])
def test_texts_that_are_no_tails(text: str) -> None:
    with pytest.raises(ValueError):
        table_of([(text.encode(), b"2A")])
    if text != "A":  # nothing but a joint, which the plain rules follow as well
        with pytest.raises(ValueError):
            plain_tails.tail_of(text)


@pytest.mark.parametrize(("one", "two"), [("2A", "1A"), ("2A", "0.A"), ("2B|AC|BC", "2A")])
def test_no_table_has_an_exchange_that_is_wrong_or_not_smaller(one: str, two: str) -> None:
    with pytest.raises(ValueError, match="may be replaced"):
        table_of([(one.encode(), two.encode())])


def test_both_rules_find_the_same_options_of_a_tail() -> None:
    for text in ("2A", "0.A", "22A.2", "2B|AB", "1B|2C|ABC"):
        plainly = plain_tails.played(
            plain.canonical(plain.read("%s.A|%s" % (plain_tails.MARK, text)))
        )
        found = played(tail_of(text))
        assert (found.alone, found.at_joint) == (plainly.alone, plainly.at_joint)
        assert {beside for _, beside in found.options} == {n for _, n in plainly.options}


def test_heaps() -> None:
    assert [number_of(heap) for heap in HEAPS] == [0, 1, 2, 3]
    assert plain_tails.HEAPS == tuple([b"+".join(heap).decode() or "!" for heap in HEAPS])


@pytest.mark.parametrize("lives", [5, pytest.param(6, marks=pytest.mark.slow)])
def test_simpler_positions_have_the_same_number(lives: int) -> None:
    changed = 0
    for land in small_lands(lives):
        found = PACKAGE.simplify((land,))
        changed += found != (land,)
        assert number_of(found) == number_of((land,))
    assert changed >= 10 ** (lives - 4)


def test_a_simplifier_knows_what_it_is_given() -> None:
    assert isinstance(GAME, SupportsSimplify)
    land = (b"0*3.A|0.A",)
    assert GAME.simplifier([(b"0.A", b"2A")])(land) == GAME.simplify(land) == (b"0*3.A|2A",)
    assert GAME.exchanges(land) == [(b"0.A", b"2A")]
    assert GAME.simplifier([(b"22A", b"2A")])(land) == land
    assert GAME.exchanges((b"0*3", b"0*3.A|2A")) == []


def test_simpler_lands_agree_with_the_facts_of_the_package() -> None:
    agreed = 0
    for land, number in FACTS.items():
        found, by = PACKAGE.simpler(land)
        if found != land and FACTS.get(found) >= 0:
            agreed += 1
            assert FACTS.get(found) ^ by == number
    assert agreed > 10_000


def some_positions(count: int) -> Iterator[Tuple[Land, Tuple[Land, ...]]]:
    """(a land, one of its children) at random."""
    random = Random(1)
    lands = sorted([land for land, _ in FACTS.items()])
    for land in random.sample(lands, count):
        for child in random.sample(sorted(GAME.children(land)), 3):
            yield land, child


def test_simpler_positions_are_canonical_and_smaller_than_what_leads_to_them() -> None:
    assert isinstance(GAME, SupportsSimplify)
    changed = 0
    for land, child in some_positions(300):
        found = GAME.simplify(child)
        assert GAME.parse(GAME.format(found)) == found == tuple(sorted(found))
        assert all([GAME.estimate(part)[0] < GAME.estimate(land)[0] for part in found])
        changed += found != child
    assert changed > 300


@pytest.mark.parametrize("most_names", [MAX_TWO, 2])  # with 2 most lands count as large
def test_children_are_simplified_and_keep_their_order(
    most_names: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (large, moves):
        monkeypatch.setattr(module, "MAX_TWO", most_names)
    changed = 0
    for land in {land for land, _ in some_positions(60 if most_names > 2 else 20)}:
        children = list(GAME.children(land))
        simpler = [PACKAGE.simplify(child) for child in children]
        assert list(PACKAGE.children(land)) == list(dict.fromkeys(simpler))
        changed += simpler != children
    assert changed > 10


def test_the_plain_rules_find_what_the_search_finds() -> None:
    changed = 0
    proposals = package_proposals()
    for _, child in some_positions(15):
        found = PACKAGE.simplify(child)
        if found != child:
            texts = plain_tails.simpler_texts(plain_text(child), proposals)
            assert plain_text(found) in [plain_text_of(text) for text in texts]
            changed += 1
    assert changed > 10


def plain_text(lands: Tuple[Land, ...]) -> str:
    """The plain canonical text of a position."""
    return plain_text_of(GAME.format(lands).replace(" ", ""))


def plain_text_of(text: str) -> str:
    """The plain canonical text of a position."""
    return plain.canonical(plain.read(text))


@pytest.mark.parametrize(
    ("land", "joints"),
    [("0*9.A|2A", 1), ("0*9.AB|AB", 0), ("0*9.A|3.AB|2B", 2), ("0*9.A|ABC|2BD|CD", 1)],
)
def test_joints(land: str, joints: int) -> None:
    regions = encode(land.replace("3.", "0*3.").encode()).split(BARS)
    found = list(cuts(regions))
    assert len(found) == joints
    for joint, side in found:
        inside: List[bytes] = [region for i, region in enumerate(regions) if side >> i & 1]
        assert sum([joint in region for region in inside]) == 1


def test_a_land_with_as_many_names_as_there_are_stays() -> None:
    names = b"".join([b"n(%d)" % (i + 1) for i in range(121)])
    (land,) = canonical_lands(encode(b"0*9." + names + b"|" + names))
    assert PACKAGE.simpler(land) == (land, 0)
