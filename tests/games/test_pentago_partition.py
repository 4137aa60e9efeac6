"""The division of the blocks of Pentago among machines: each has one owner, and draws fit."""

from __future__ import annotations

from math import prod, sqrt
from random import Random
from statistics import mean, pstdev
from typing import List

import pytest
from helpers.tools import call

from pns.games.pentago.counts import pentago_counts
from pns.games.pentago.partition import Sides, divided, drawn, line_names, slice_loads
from pns.games.pentago.quadrants import sections, states_by_counts

STONES, MACHINES = 6, 16


@pytest.fixture(scope="module")
def sizes() -> List[Sides]:
    states = states_by_counts(3)
    return [tuple([len(states[counts]) for counts in each]) for each in sections(3, STONES)]


def test_every_line_and_block_has_one_owner(sizes: List[Sides]) -> None:
    boards = sum(map(prod, sizes))
    work, memory = divided(sizes, MACHINES, Random(1))
    assert sum(memory) == boards and sum(work) == 4 * boards
    lines = sum([len(list(line_names(sides))) for sides in sizes])
    assert lines == pentago_counts(6)[STONES].lines


def test_drawn_loads_have_the_mean_and_the_spread_of_divided_ones(sizes: List[Sides]) -> None:
    lines = sum([len(list(line_names(sides))) for sides in sizes])
    random = Random(2)
    runs = [
        (divided(sizes, MACHINES, random), drawn(sizes, lines, MACHINES, random)) for _ in range(20)
    ]
    for kind in (0, 1):
        exact = [load for one, _ in runs for load in one[kind]]
        other = [load for _, two in runs for load in two[kind]]
        assert mean(other) == pytest.approx(mean(exact), abs=4 * pstdev(exact) / sqrt(len(exact)))
        assert pstdev(other) == pytest.approx(pstdev(exact), rel=0.2)


def test_large_slices_are_even_and_small_ones_are_not() -> None:
    work, memory = slice_loads(3, 24, 16_384)
    assert work is not None and memory is not None and 1 < work < 1.3 and 1 < memory < 1.3
    assert slice_loads(3, 2, 16).memory is None


def test_the_command_prints_the_loads() -> None:
    done = call("pns", "strong", "count", "pentago", "--board", "4x4", "--machines", 2)
    assert done.status == 0 and done.output.split("\n")[0].split()[-2:] == ["work", "memory"]
