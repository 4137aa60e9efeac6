"""Positions of stones counted off: counts, round trips, brute force, random values."""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any, Dict, List, Set, Tuple

import pytest
from helpers import outcomes
from helpers.strong import fill, marked, solved, value_of

from pns.finding import find_game
from pns.games.mnk import has_row, row_test
from pns.games.stone_loops import mask_at, masks_from, moved_bits, ranks
from pns.games.stones import StoneRanking
from pns.positions.ranking import DRAW, LOSS, NONE, OPEN, WIN, code_at, pack

pytestmark = pytest.mark.search

ROOTS = [
    ("mnk", "3:...|...|..."),
    ("mnk", "3:....|.X..|...."),
    ("mnk", "3v:....|....|...."),
    ("mnk", "3v:...|...|O..|XX."),
    ("hex", "...|...|..."),
    ("pentago", "....|....|....|...."),
]
CODES = {1: WIN, 0: DRAW, -1: LOSS}


def ranking_of(name: str, text: str) -> StoneRanking:
    game: Any = find_game(name)
    ranking = game.ranking(text)
    assert isinstance(ranking, StoneRanking)
    return ranking


def test_ranks_are_places_in_numeric_order() -> None:
    for places in range(8):
        for ones in range(places + 1):
            masks = sorted([sum(1 << i for i in c) for c in combinations(range(places), ones)])
            low, high, half = ranks(places, ones)
            found = [low[m & (1 << half) - 1] + high[m >> half] for m in masks]
            assert found == list(range(comb(places, ones)))
            assert [mask_at(rank, ones) for rank in found] == masks
            if ones:
                assert masks_from(masks[0], len(masks)) == masks


def test_bits_are_moved() -> None:
    low, high, half = moved_bits([4, -1, 0, 2, 1], also=8)
    for mask in range(32):
        bits = {4: mask & 1, 0: mask >> 2 & 1, 2: mask >> 3 & 1, 1: mask >> 4 & 1, 3: 1}
        expected = sum(bit << place for place, bit in bits.items())
        assert low[mask & (1 << half) - 1] | high[mask >> half] == expected


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 7, 9])
def test_rows_are_found_without_loops(k: int) -> None:
    choose = random.Random(k)
    test = row_test(k, 8)
    rows = 0
    for _ in range(400):
        board = sum(1 << 8 * r + c for r in range(7) for c in range(7) if choose.random() < 0.7)
        rows += test(board)
        assert test(board) == has_row(board, k, 8)
    assert (k > 7) == (rows == 0)


def test_tic_tac_toe_is_that_of_plain_minimax() -> None:
    ranking = ranking_of("mnk", "3:...|...|...")
    slices, counts = solved(ranking)
    by_slice = [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert [sum(found) for found in counts] == by_slice and sum(by_slice) == 5478
    seen: Dict[Tuple[int, int], int] = {}
    todo = ["........."]
    reached: Set[str] = set(todo)
    while todo:
        squares = todo.pop()
        mover = "xo"[(9 - squares.count(".")) % 2]
        text = "3:" + "|".join([squares[i : i + 3] for i in (0, 3, 6)]).upper()
        place = ranking.rank(text)
        assert place is not None
        seen[place] = code_at(slices[place[0]], place[1])
        assert seen[place] == CODES[outcomes.value(squares, mover)], text
        if not outcomes.result(squares):
            more = set(outcomes.moves(squares, mover)) - reached
            reached |= more
            todo += more
    assert len(reached) == 5478
    entries = [(n, i) for n, size in enumerate(ranking.sizes) for i in range(size)]
    assert {place for place in entries if code_at(slices[place[0]], place[1])} == set(seen)


def plain_drops(k: int, width: int, height: int) -> Dict[str, int]:
    """The codes of all positions in which stones fall, by columns: brute force."""
    lines = [
        [(c + i * dc, r + i * dr) for i in range(k)]
        for c in range(width)
        for r in range(height)
        for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1))
        if 0 <= c + (k - 1) * dc < width and 0 <= r + (k - 1) * dr < height
    ]

    def has_won(columns: Tuple[str, ...], letter: str) -> bool:
        return any(all(columns[c][r : r + 1] == letter for c, r in line) for line in lines)

    found: Dict[str, int] = {}

    @lru_cache(maxsize=None)
    def value(columns: Tuple[str, ...]) -> int:
        stones = sum(map(len, columns))
        mover, other = ("X", "O") if stones % 2 == 0 else ("O", "X")
        after = []
        if not has_won(columns, other):
            for c, column in enumerate(columns):
                if len(column) < height:
                    after.append((*columns[:c], column + mover, *columns[c + 1 :]))
            best = max([-value(child) for child in after], default=0)
        else:
            best = -1
        rows = ["".join([(c + "." * height)[r] for c in columns]) for r in range(height)]
        found["%dv:%s" % (k, "|".join(rows[::-1]))] = CODES[best]
        return best

    value(("",) * width)
    return found


def test_falling_stones_are_those_of_brute_force() -> None:
    plain = plain_drops(3, 4, 3)
    ranking = ranking_of("mnk", "3v:....|....|....")
    slices, counts = solved(ranking)
    assert sum(map(sum, counts)) == len(plain)
    assert {text: value_of(ranking, slices, text) for text in plain} == plain


def test_published_counts_of_connect_four() -> None:
    _, counts = solved(ranking_of("mnk", "4v:....|....|....|...."))
    assert sum(map(sum, counts)) == 161_029


def test_hex_on_nine_cells() -> None:
    ranking = ranking_of("hex", "...|...|...")
    slices, counts = solved(ranking)
    assert not any([found[DRAW] for found in counts])
    opening = {first: value_of(ranking, slices, first) for first in openings("...|...|...")}
    losing = [place for place, code in enumerate(opening.values()) if code == WIN]
    assert losing == [0, 1, 7, 8]  # for the first player: two corners and what is beside them


def test_arrangements_are_those_of_the_closed_form() -> None:
    ranking = ranking_of("pentago", "....|....|....|....")
    total = 0
    for number, size in enumerate(ranking.sizes[:7]):
        lost = bytearray(b"\x55" * (ranking.sizes[number + 1] // 4 + 1))
        found = fill(ranking, number, lost, bytearray(size // 4 + 1))
        assert sum(found) == comb(16, number) * comb(number, number // 2)
        total += sum(found)
    assert total == 216_697


def openings(text: str) -> List[str]:
    """The boards with one stone."""
    return [text[:i] + "X" + text[i + 1 :] for i, letter in enumerate(text) if letter == "."]


@pytest.mark.parametrize("name, root", ROOTS)
def test_texts_are_read_back(name: str, root: str) -> None:
    ranking = ranking_of(name, root)
    slices = marked(ranking)
    choose = random.Random(root)
    assert ranking.rank(root) == (0, 0)
    for number, size in enumerate(ranking.sizes):
        for entry in {choose.randrange(size) for _ in range(6)}:
            if ranking.needs_marks and code_at(slices[number], entry) == NONE:
                continue
            text = ranking.text(number, entry)
            try:
                place = ranking.rank(text)
            except ValueError as error:
                assert "has a row" in str(error) or "joined" in str(error)
                continue
            assert place is not None and place[0] == number
            assert ranking.rank(ranking.text(*place)) == place


@pytest.mark.parametrize("name, root", ROOTS)
def test_random_values_on_a_late_slice(name: str, root: str) -> None:
    """The paper's test: backward from random values, beside a forward search to them."""
    ranking = ranking_of(name, root)
    choose = random.Random(root)
    late = 4
    slices = marked(ranking)
    random_codes = bytearray([choose.choice((LOSS, DRAW, WIN)) for _ in range(ranking.sizes[late])])
    pack(random_codes, slices[late], 0)
    after = slices[late]
    for number in range(late - 1, -1, -1):
        fill(ranking, number, after, slices[number])
        after = slices[number]

    @lru_cache(maxsize=None)
    def search(number: int, entry: int) -> int:
        if number == late:
            return code_at(slices[late], entry)
        children = list(ranking.children(number, entry))
        if not children:
            return LOSS
        return max([WIN if c < 0 else 4 - search(number + 1, c) for c in children])

    tried = 0
    for number in range(late):
        for entry in range(ranking.sizes[number]):
            code = code_at(slices[number], entry)
            if code != NONE:
                tried += 1
                assert search(number, entry) == code, ranking.text(number, entry)
    assert tried > 10


def test_marks_are_what_play_reaches() -> None:
    ranking = ranking_of("mnk", "3v:...|...|O..|XX.")
    slices = marked(ranking)
    reached = {0}
    for number, size in enumerate(ranking.sizes):
        codes = [code_at(slices[number], entry) for entry in range(size)]
        assert {entry for entry in range(size) if codes[entry]} == reached
        reached = {
            child
            for entry in range(size)
            if codes[entry] == OPEN
            for child in ranking.children(number, entry)
        }


@pytest.mark.parametrize("text", ["3:...|...", "4:...|...|...", "3v:...|...|...", "3:O..|X..|..."])
def test_other_positions_have_no_entry(text: str) -> None:
    assert ranking_of("mnk", "3:X..|...|...").rank(text) is None


def test_boards_that_are_too_large() -> None:
    for text in (
        "5:" + "|".join(["....."] * 5),
        "4v:" + "." * 25,
        "3:" + "|".join(["......"] * 6),
        "3:" + "." * 300,
    ):
        with pytest.raises(ValueError, match="too large"):
            ranking_of("mnk", text)
