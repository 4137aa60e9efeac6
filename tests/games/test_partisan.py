"""Domineering, Hex and m,n,k games: brute force by plain rules, published outcomes, refusals."""

from __future__ import annotations

import random
from typing import Any, List, Tuple

import pytest
from helpers.boards import Board
from helpers.partisan import (
    domineering_wins,
    has_line,
    hex_wins,
    joins,
    mnk_value,
    mover,
    pentago_value,
    random_line,
)
from helpers.paths import TEST_DATA
from helpers.searches import search_of

import pns
from pns.finding import find_game
from pns.game import NotationError

pytestmark = pytest.mark.search


def wins(name: str, text: str) -> bool:
    """Whether the player to move wins, by DFPN."""
    game = find_game(name)
    return search_of(game, capacity=1 << 16).outcome(game.parse(text))


def empty(height: int, width: int) -> Board:
    return ("." * width,) * height


def random_boards(seed: int, height: int, width: int, falls: bool = False) -> List[Board]:
    """Boards after some moves at random."""
    rng = random.Random(seed)
    lines = [(rng.randrange(height * width), rng.sample(range(100), 50)) for _ in range(30)]
    start = empty(height, width)
    return [random_line(start, moves, tuple(choose), falls) for moves, choose in lines]


def test_domineering_on_small_boards() -> None:
    rng = random.Random(5)
    for height, width in ((3, 3), (4, 4), (2, 6), (5, 3)):
        for _ in range(40):
            board = tuple("".join(rng.choices(".#", (4, 1), k=width)) for _ in range(height))
            text = "|".join(board)
            assert wins("domineering", text) == domineering_wins(board, True), text
            assert wins("domineering", "H:" + text) == domineering_wins(board, False), text
            assert wins("domineering", text + "+.|.") == domineering_wins(
                tuple(row + "#" + "..#"[min(i, 2)] for i, row in enumerate(board)), True
            )


def rows() -> List[Tuple[str, str, str]]:
    """Boards, and who wins if the vertical player and if the other moves first."""
    lines = (TEST_DATA / "games" / "domineering.tsv").read_text().splitlines()[2:]
    return [(board, vertical, other) for board, vertical, other in map(str.split, lines)]


def check_row(board: str, vertical: str, other: str) -> None:
    assert wins("domineering", "V:" + board) == (vertical == "win"), board
    assert wins("domineering", "H:" + board) == (other == "win"), board


def test_published_domineering_at_random() -> None:
    for row in random.Random(2).sample([row for row in rows() if len(row[0]) < 30], 20):
        check_row(*row)


@pytest.mark.slow
def test_published_domineering() -> None:
    for row in rows():
        check_row(*row)


def test_domineering_on_squares() -> None:
    first = [wins("domineering", "|".join(empty(n, n))) for n in range(1, 6)]
    assert first == [False, True, True, True, False]  # [breuker2000]


def test_hex_on_small_boards() -> None:
    for seed, (height, width) in enumerate(((2, 2), (3, 3), (2, 4), (4, 3))):
        for board in random_boards(seed, height, width):
            if joins(board, "X") or joins(board, "O"):
                continue
            assert wins("hex", "|".join(board)) == hex_wins(board), board


def test_the_first_player_wins_hex() -> None:
    for n in range(1, 4):
        assert wins("hex", "|".join(empty(n, n)))  # [nash1952]
    assert wins("hex", "|".join(empty(3, 4))) and not wins("hex", "|".join(empty(4, 3)))


@pytest.mark.parametrize("k, falls", [(3, False), (3, True), (2, False), (4, True)])
def test_mnk_on_small_boards(k: int, falls: bool) -> None:
    names = {1: "win", 0: "draw", -1: "loss"}
    height, width = (3, 4) if k == 4 else (3, 3)
    for board in random_boards(k, height, width, falls):
        text = "%d%s:%s" % (k, "v" * falls, "|".join(board))
        if has_line(board, mover(board), k):
            with pytest.raises(NotationError, match="the player to move has a row"):
                pns.value(text, "mnk")
        else:
            is_over = has_line(board, "XO".replace(mover(board), ""), k)
            value = -1 if is_over else mnk_value(board, k, falls)
            assert pns.value(text, "mnk") == names[value], text


@pytest.mark.parametrize("side, empty_squares", [(4, 4), (6, 2)])
def test_pentago_on_late_boards(side: int, empty_squares: int) -> None:
    names = {1: "win", 0: "draw", -1: "loss"}
    rng = random.Random(side)
    found = set()
    for _ in range(25):
        stones = "XO" * (side * side // 2)
        cells = rng.sample(stones[: side * side - empty_squares] + "." * empty_squares, side * side)
        board = tuple("".join(cells[i : i + side]) for i in range(0, side * side, side))
        found.add(pentago_value(board))
        assert pns.value("|".join(board), "pentago") == names[pentago_value(board)], board
    assert len(found) > 1


def test_who_a_draw_counts_for() -> None:
    for text, expected in (("3:", False), ("3o:", False), ("3x:", True)):
        assert wins("mnk", text + "...|...|...") == expected
    for text, expected in (("3:", False), ("3o:", True), ("3x:", False)):
        assert wins("mnk", text + "X..|...|...") == expected


REFUSED = [
    ("hex", "X..|X..", 0, "2 of X and 0 of O"),
    ("hex", "...+...", 3, "not exactly one board"),
    ("hex", "XO|XO", 0, "X has joined its sides and is to move"),
    ("mnk", "...|...", 0, "the length of a row is missing"),
    ("mnk", "3:...|..", 6, "a row of 2 squares after one of 3"),
    ("mnk", "3v:X..|...", 3, "this stone has an empty square below it"),
    ("mnk", "3:O..|...", 2, "0 of X and 1 of O"),
    ("pentago", "x:...|...|...", 2, "a board of another size"),
    ("pentago", "O...|....|....|....", 0, "0 of X and 1 of O"),
    ("domineering", "H:..X", 4, "invalid square 'X'"),
    ("domineering", "+".join(["....|.#.."] * 200), 0, "the boards are too large"),
]


@pytest.mark.parametrize("name, text, offset, wrong", REFUSED)
def test_refused(name: str, text: str, offset: int, wrong: str) -> None:
    with pytest.raises(NotationError) as caught:
        find_game(name).parse(text)
    assert wrong in str(caught.value) and caught.value.offset == offset


def test_no_grundy_numbers() -> None:
    for name in ("domineering", "hex", "mnk"):
        example = "3:...|...|..." if name == "mnk" else "..|.."
        with pytest.raises(pns.OptionError, match="%s has outcomes and no Grundy" % name):
            pns.solve(example, name, grundy=True)
        assert pns.solve(example, name).grundy_number is None
    with pytest.raises(pns.OptionError, match="hex has no draws"):
        pns.value("..|..", "hex")


@pytest.mark.parametrize("algorithm", ["pns", "pn2", "pns-tree", "pdfpn", "spdfpn"])
def test_other_algorithms(algorithm: str) -> None:
    processes: Any = {"processes": 2} if algorithm in ("pdfpn", "spdfpn") else {}
    for name, text, outcome in (
        ("domineering", "....|....|....|....", "win"),
        ("hex", "...|...|...", "win"),
        ("mnk", "3:...|...|...", "draw"),
        ("mnk", "3o:...|...|...", "loss"),
    ):
        assert pns.solve(text, name, algorithm=algorithm, **processes).outcome == outcome
