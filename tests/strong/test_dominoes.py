"""Cram and Domineering: solutions beside all sets of squares, published values and searches."""

from __future__ import annotations

from pathlib import Path
from typing import List, Tuple

import pytest
from helpers.paths import TEST_DATA

from pns.strong import build_solution, check_solution, read_solution

pytestmark = pytest.mark.search


def dominoes(width: int, height: int) -> List[int]:
    """All dominoes of a board, as sets of squares: bits, row by row."""
    rows = range(0, width * height, width)
    across = [3 << row + column for row in rows for column in range(width - 1)]
    return across + [(1 | 1 << width) << place for place in range(width * (height - 1))]


def grundy_numbers(width: int, height: int) -> bytearray:
    """The Grundy numbers of Cram, of all sets of free squares."""
    found, moves = bytearray(1 << width * height), dominoes(width, height)
    for free in range(len(found)):
        options = {found[free ^ two] for two in moves if free & two == two}
        while found[free] in options:
            found[free] += 1
    return found


def reached_sets(width: int, height: int) -> bytearray:
    """Whether play from the empty board reaches a set of free squares."""
    found, moves = bytearray(1 << width * height), dominoes(width, height)
    found[-1] = 1
    for free in range(len(found) - 1, -1, -1):
        for two in moves if found[free] else ():
            if free & two == two:
                found[free ^ two] = 1
    return found


def text_of(free: int, width: int, height: int) -> str:
    """A set of free squares as a board."""
    squares = "".join([".#"[not free >> place & 1] for place in range(width * height)])
    return "|".join([squares[row : row + width] for row in range(0, width * height, width)])


@pytest.mark.parametrize("width, height", [(4, 3), pytest.param(4, 4)], ids=str)
def test_cram_is_that_of_all_sets_of_squares(width: int, height: int, tmp_path: Path) -> None:
    plain, is_reached = grundy_numbers(width, height), reached_sets(width, height)
    build_solution("cram", text_of(len(plain) - 1, width, height), str(tmp_path / "new"))
    with read_solution(str(tmp_path / "new")) as solution:
        for free, number in enumerate(plain):
            text = text_of(free, width, height)
            found = solution.grundy_number(text)
            assert found == number or (found is None and not is_reached[free]), text


def published(name: str) -> List[Tuple[str, ...]]:
    """The rows of published values that are one board."""
    lines = (TEST_DATA / "games" / name).read_text().splitlines()[2:]
    return [tuple(line.split("\t")) for line in lines if "+" not in line]


def test_published_cram_and_a_search(tmp_path: Path) -> None:
    path = str(tmp_path / "new")
    build_solution("cram", "|".join(["....."] * 5), path)
    known = 0
    with read_solution(path) as solution:
        for board, number in published("cram.tsv"):
            found = solution.grundy_number(board)
            known += found is not None
            assert found in (int(number), None), board
        assert solution.grundy_number(solution.position) == 0
    assert known > 100
    report = check_solution(path, searches=40)
    assert report.holds and report.searched == 40


@pytest.mark.slow
def test_published_domineering_and_a_search(tmp_path: Path) -> None:
    path = str(tmp_path / "new")
    build_solution("domineering", "|".join(["....."] * 5), path)
    known = 0
    with read_solution(path) as solution:
        for board, vertical, horizontal in published("domineering.tsv"):
            for text, outcome in (("V:" + board, vertical), ("H:" + board, horizontal)):
                found = solution.value(text)
                known += found is not None
                assert found in (outcome, None), text
        assert solution.value(solution.position) == "loss"
    assert known > 100
    report = check_solution(path, searches=40)
    assert report.holds and report.searched == 40
