"""Loads of machines among which the blocks of a slice are divided at random [irving2014, IV.A].

The block lines of a slice, in random order, are cut into equal shares, one for each machine. Each
block goes to the machine of one of its four lines, at random. A line is work, a block is memory.
Slices have up to 10^8 blocks, so only small ones are divided line by line. For the others the
loads are drawn from the normal distribution with the mean and the variance of such a sum.
"""

from __future__ import annotations

from itertools import product
from math import prod, sqrt
from random import Random
from typing import Iterator, List, NamedTuple, Optional, Sequence, Tuple

from pns.games.pentago.counts import BLOCK
from pns.games.pentago.quadrants import sections, states_by_counts

DIVIDED = 200_000
"""The most lines of a slice that are divided line by line."""

Sides = Tuple[int, ...]
"""The states of the four quadrants of a section."""


class Loads(NamedTuple):
    """The largest load of a machine divided by the smallest; None where a machine has none."""

    work: Optional[float]
    """Of the boards of lines."""
    memory: Optional[float]
    """Of the boards of blocks."""


def slice_loads(half: int, stones: int, machines: int, seed: int = 0) -> Loads:
    """The loads of a slice of the board with quadrants of `half` squares a side."""
    states = states_by_counts(half)
    sizes = [tuple([len(states[counts]) for counts in each]) for each in sections(half, stones)]
    lines = sum([prod(s) // side for s in map(blocks_of, sizes) for side in s])
    random = Random(seed)
    if lines <= DIVIDED:
        work, memory = divided(sizes, machines, random)
    else:
        work, memory = drawn(sizes, lines, machines, random)
    return Loads(ratio(work), ratio(memory))


def blocks_of(sides: Sides) -> Sides:
    """The blocks along each side of a section."""
    return tuple([-(-side // BLOCK) for side in sides])


def ratio(found: Sequence[float]) -> Optional[float]:
    """The largest divided by the smallest, None where that is nothing."""
    return max(found) / min(found) if min(found) > 0 else None


def lengths(side: int) -> List[int]:
    """The boards along each block of a side."""
    return [min(BLOCK, side - start) for start in range(0, side, BLOCK)]


def divided(
    sizes: Sequence[Sides], machines: int, random: Random
) -> Tuple[List[float], List[float]]:
    """(work, memory) of each machine, in boards, by dividing lines and blocks one by one."""
    work, memory = [0.0] * machines, [0.0] * machines
    names = [(s, axis, at) for s, sides in enumerate(sizes) for axis, at in line_names(sides)]
    random.shuffle(names)
    owners = {name: i * machines // len(names) for i, name in enumerate(names)}
    for (s, axis, at), owner in owners.items():
        cut = [lengths(side)[i] for side, i in zip(rest(sizes[s], axis), at)]
        work[owner] += sizes[s][axis] * prod(cut)
    for s, sides in enumerate(sizes):
        for block in product(*[range(n) for n in blocks_of(sides)]):
            axis = random.randrange(4)
            owner = owners[s, axis, rest(block, axis)]
            memory[owner] += prod([lengths(side)[i] for side, i in zip(sides, block)])
    return work, memory


def line_names(sides: Sides) -> Iterator[Tuple[int, Sides]]:
    """Each line of a section: its axis, and its place along the three others."""
    for axis in range(4):
        for at in product(*[range(n) for n in rest(blocks_of(sides), axis)]):
            yield axis, at


def rest(values: Sides, axis: int) -> Sides:
    """The values of the axes but one."""
    return values[:axis] + values[axis + 1 :]


def drawn(
    sizes: Sequence[Sides], lines: int, machines: int, random: Random
) -> Tuple[List[float], List[float]]:
    """(work, memory) of each machine, in boards, by the central limit theorem.

    The work of a machine is the sum over lines / machines of the lines; in its memory each block is
    with the probability 1 / machines.
    """
    boards = sum(map(prod, sizes))
    squared_lines = squared_blocks = 0
    for sides in sizes:
        squares = [sum([n * n for n in lengths(side)]) for side in sides]
        squared_blocks += prod(squares)
        squared_lines += sum(
            [side * side * prod(rest(tuple(squares), axis)) for axis, side in enumerate(sides)]
        )
    mean = 4 * boards / lines
    left = 1 - 1 / machines
    spread_work = sqrt(lines / machines * left * (squared_lines / lines - mean * mean))
    spread_memory = sqrt(squared_blocks / machines * left)
    work = [random.gauss(4 * boards / machines, spread_work) for _ in range(machines)]
    memory = [random.gauss(boards / machines, spread_memory) for _ in range(machines)]
    return work, memory
