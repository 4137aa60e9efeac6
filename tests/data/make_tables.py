"""Computes the tables beside this file with the plain implementation alone.

``pypy3 tests/data/make_tables.py`` writes perft.tsv and brute_grundy.tsv (some
minutes); ``pypy3 tests/data/make_tables.py FILE.spr…`` writes nimbers.tsv, a
selection from databases of another solver.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Dict, List, Set

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))

from pns.checker.sprouts import KNOWN, canonical, children, grundy, read  # noqa: E402

LARGEST_OF_STARTS = 3000
LARGEST_OF_OTHERS = 800
EVERY = 9
MOST_OF_A_SIZE = 25


def number_of_lives(text: str) -> int:
    """The lives of a position, which bound its moves: each move costs one."""
    return sum(read(text).lives.values())


def next_level(level: Set[str], known: Dict[str, Set[str]]) -> Set[str]:
    """All positions one move after those of a level; `known` caches children of lands."""
    after: Set[str] = set()
    for position in level - {"!"}:
        lands = position.split("+")
        for number, land in enumerate(lands):
            if land not in known:
                known[land] = children(land)
            for child in known[land]:
                sum_of_lands = lands[:number] + lands[number + 1 :] + child.split("+")
                after.add("+".join(sorted(x for x in sum_of_lands if x != "!")) or "!")
    return after


def perft(position: str, largest: int) -> List[int]:
    """The numbers of distinct positions by depth, while they are at most `largest`."""
    known: Dict[str, Set[str]] = {}
    level = {canonical(read(position))}
    counts = []
    while level and len(level) <= largest:
        counts.append(len(level))
        level = next_level(level, known)
    return counts


def write_perft() -> None:
    """Write perft.tsv: the starts 0*1 to 0*8, and every ninth position of children.tsv."""
    starts = ["0*%d" % spots for spots in range(1, 9)]
    rows = (HERE / "children.tsv").read_text().splitlines()
    others = [row.split("\t")[0] for row in rows][::EVERY]
    with open(HERE / "perft.tsv", "w") as out:
        out.write(
            "# position, depth, number of distinct positions at that depth: up to isomorphism"
            " after reduction, lands counted as often as they occur; by make_tables.py from"
            " pns/checker/sprouts.py, to the last depth with at most %d (0*k) or %d (others)\n"
            % (LARGEST_OF_STARTS, LARGEST_OF_OTHERS)
        )
        for position in list(dict.fromkeys(starts + others)):
            largest = LARGEST_OF_STARTS if position in starts else LARGEST_OF_OTHERS
            for depth, count in enumerate(perft(position, largest)):
                out.write("%s\t%d\t%d\n" % (position, depth, count))


def write_brute_grundy() -> None:
    """Write brute_grundy.tsv: every land reachable from 0*5, the fewest lives first."""
    KNOWN.clear()
    KNOWN["!"] = 0
    grundy("0*5")
    lands = sorted((number_of_lives(land), land) for land in KNOWN if land != "!")
    with open(HERE / "brute_grundy.tsv", "w") as out:
        out.write(
            "# land, Grundy number: all lands, up to isomorphism after reduction, reachable from"
            " 0*5; by make_tables.py from pns/checker/sprouts.py, by brute force\n"
        )
        for _, land in lands:
            out.write("%s\t%d\n" % (land, KNOWN[land]))


def write_nimbers(paths: List[str]) -> None:
    """Write nimbers.tsv: for each number of lives at most 25 entries, evenly spaced."""
    by_lives: Dict[int, Set[str]] = {}
    for path in paths:
        for line in Path(path).read_text().splitlines()[1:]:
            land, number = line.split(" ")
            by_lives.setdefault(number_of_lives(land), set()).add("%s\t%s" % (land, number))
    with open(HERE / "nimbers.tsv", "w") as out:
        out.write(
            "# land, Grundy number, from databases of another solver for 0*12, 0*14 and 0*17: of"
            " the entries with each number of lives at most %d, evenly spaced in the order of"
            " bytes; by make_tables.py\n" % MOST_OF_A_SIZE
        )
        for _, entries in sorted(by_lives.items()):
            rows = sorted(entries)
            take = min(len(rows), MOST_OF_A_SIZE)
            for i in range(take):
                out.write(rows[i * len(rows) // take] + "\n")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write_nimbers(sys.argv[1:])
    else:
        write_perft()
        write_brute_grundy()
