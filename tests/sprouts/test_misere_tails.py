"""Tails in misère play: which give way to which, by play, by the plain rules, in whole lands."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random
from typing import List, Tuple

import pytest
from helpers.lands import RESTS, with_rest
from helpers.paths import ROOT
from helpers.tools import call

import pns
from pns.checker import sprouts as plain
from pns.checker.misere import MisereSprouts
from pns.checker.sprouts_tails import proposals, tail_of
from pns.finding import find_game
from pns.game import Land, Sum
from pns.misere.simplify import SimplifiableMisereGame
from pns.misere.trees import Trees
from pns.sprouts.misere_tails import MisereTails
from pns.sprouts.tail_play import ORPHAN, exchanges, small_tails
from pns.sprouts.tails import MISERE_FILE, MOST_HALF_LIVES, Tail, size

pytestmark = pytest.mark.search

SPROUTS = find_game("sprouts")
GAME = SimplifiableMisereGame(SPROUTS)
Row = Tuple[Tail, Tail, int]
TABLE: List[Row] = [
    (tail, smaller, int(k))
    for tail, smaller, k in map(bytes.split, (ROOT / "pns/data" / MISERE_FILE).open("rb"))
]


def after_moves(random: Random, moves: int) -> Sum:
    """A position after moves at random from five spots, as long as there are any."""
    lands = GAME.parse("0*5")
    for _ in range(moves):
        lands = random.choice([*(child for land in lands for child in GAME.children(land)), lands])
    return lands


def test_every_land_keeps_its_reduced_tree() -> None:
    """By play of whole lands, which knows nothing of tails."""
    trees, seen = GAME.trees, [0, 0]
    for tail, smaller, k in TABLE:
        if size(tail)[0] <= 4:
            for rest in RESTS:
                before = GAME.tree_of((with_rest(rest, tail),))
                after = GAME.tree_of((with_rest(rest, smaller),))
                assert trees.sum(after, trees.heap(k)) == before
                seen[k] += 1
    assert min(seen) > 50


def test_the_orphan_is_equal_to_no_other_tail() -> None:
    """It may leave no move, where the proviso would have to hold."""
    tails = MisereTails(Trees())
    for tail in small_tails(3):
        assert not any(tails.are_equal(tail, ORPHAN, k) for k in (0, 1))
        assert not any(tails.are_equal(ORPHAN, tail, k) for k in (0, 1))
    assert tails.are_equal(ORPHAN, ORPHAN, 0) and not tails.are_equal(ORPHAN, ORPHAN, 1)


def test_no_tails_count_as_equal_that_a_rest_tells_apart() -> None:
    """All pairs of tails of at most 3 lives, with each heap."""
    tails, trees, told_apart = MisereTails(Trees()), GAME.trees, 0
    small = small_tails(3)
    of = {(tail, rest): GAME.tree_of((with_rest(rest, tail),)) for tail in small for rest in RESTS}
    for one, two, k in product(small, small, (0, 1)):
        if any(of[one, rest] != trees.sum(of[two, rest], trees.heap(k)) for rest in RESTS):
            assert not tails.are_equal(one, two, k)
            told_apart += 1
    assert told_apart > 2000


def test_the_script_writes_a_table(tmp_path: Path) -> None:
    done = call("make_tails.py", "--misere", "--lives", "3", "--out", tmp_path / "tails")
    lines = (tmp_path / "tails").read_bytes().splitlines()
    assert (done.status, len(lines)) == (0, 20)
    assert lines == [b"%s %s %d" % row for row in TABLE[:20]]


def test_all_that_small_tails_may_give_way_to_is_in_the_table() -> None:
    found = list(exchanges(small_tails(4), MisereTails(Trees()).heap_beside))
    assert found == TABLE[: len(found)]
    assert len(found) > 100


def test_every_tail_of_the_table_gives_way_to_a_smaller_one() -> None:
    for tail, smaller, k in TABLE:
        assert size(smaller) < size(tail) and 2 * size(tail)[0] <= MOST_HALF_LIVES
        assert size(smaller)[0] + k <= size(tail)[0]


@pytest.mark.parametrize(
    "rows", [TABLE[:40:2], pytest.param(TABLE, marks=pytest.mark.slow)], ids=len
)
def test_the_plain_rules_prove_the_table(rows: List[Row]) -> None:
    tails = MisereSprouts().tails
    for tail, smaller, k in rows:
        assert tails.heap_beside(tail_of(tail.decode()), tail_of(smaller.decode())) == k


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("2B|AC|BC", "2A"),  # equal in most lands
        ("2A", "0.A"),  # equal, but the second has more lives
        ("2BC|2B.DE|AC|DE", "2B|AB"),  # equal in normal play, beside a heap of 3
        ("1AB|2B.CD|CD", "2A"),  # beside a heap of 2
    ],
)
def test_no_rules_accept_what_they_cannot_show(one: str, two: str) -> None:
    assert not MisereSprouts().holds(one, two)
    with pytest.raises(ValueError, match="play does not prove that .* may be replaced by"):
        GAME.simplifier([(one.encode(), two.encode())])


def test_a_table_of_some_exchanges() -> None:
    (before,) = GAME.parse("0*9.A|22A")
    assert GAME.simplifier([(b"22A", b"2A")])((before,)) == GAME.parse("0*9.A|2A+*1")
    assert GAME.simplifier([(b"0.A", b"2A")])((before,)) == (before,)
    assert GAME.exchanges((before,)) == [(b"22A", b"2A")]


def test_the_plain_rules_find_the_same_simpler_positions() -> None:
    """Those that play meets, as far as one exchange leads, by both implementations."""
    rules, random, seen = MisereSprouts(), Random(5), 0
    for _ in range(100):
        lands = after_moves(random, 3)
        listed = GAME.exchanges(lands)
        if listed:
            simpler = GAME.format(GAME.simplify(lands))
            texts = [(one.decode(), two.decode()) for one, two in listed]
            form = rules.canonical(GAME.format(lands))
            assert rules.canonical(simpler) in rules.simpler_texts(form, proposals(texts))
            seen += 1
    assert seen > 10


def test_simpler_positions_are_won_by_the_same_player() -> None:
    random, seen = Random(6), 0
    for _ in range(300):
        lands = after_moves(random, random.randint(2, 4))
        simpler = GAME.simplify(lands)
        if simpler != lands:
            one, two = [
                pns.solve(GAME.format(position), "sprouts", misere=True, simplify=False).outcome
                for position in (lands, simpler)
            ]
            assert one == two
            seen += 1
    assert seen > 10


@pytest.mark.parametrize(
    "land",
    [
        b"0*2.AB|0*2.C|0.AB.C+0*3.A|2A+*2+*(0,(1,(2)),(3,(2)))",
        b"0*2.AB|0.2.C|0.C.D|ABD+0*4+*((2),(2,3),(3,(2)))",
        b"0*4+0*5.AB|0*2.AB+*(2)",
        b"0*9.A|22A",
        b"0*6",
    ],
)
def test_simpler_children_are_what_children_are_simplified_to(land: Land) -> None:
    """Searches go by the first, audits by the second. How trees are joined depends on the order."""
    found = {GAME.simplify(child) for child in GAME.children(land)}
    assert set(GAME.simplified_children(land)) == found - ({(b"*0",)} if len(found) > 1 else set())
    assert (
        list(GAME.more_simplified_children(land, [()] * 3))
        == list(GAME.simplified_children(land))[3:]
    )


@pytest.mark.parametrize("spots", range(1, 10))
def test_searches_with_and_without_simpler_positions_agree(spots: int) -> None:
    text = "0*%d" % spots
    with_simpler = pns.solve(text, misere=True)
    without = pns.solve(text, misere=True, simplify=False)
    assert with_simpler.outcome == without.outcome
    assert (with_simpler.simplify, without.simplify) == (True, False)


def test_marked_texts_of_tails() -> None:
    """The tables of both implementations name the same tails."""
    for tail, _, _ in TABLE[::500]:
        assert plain.canonical(plain.read("0*9.A|" + tail.decode())) == tail_of(tail.decode())
