"""Damages copies of a database in many ways, and reads each with every tool.

``pypy3 tests/tools/breakage.py DIRECTORY [GAME [COUNT [SEED]]]`` makes a database in a
directory, cuts off COUNT copies and damages COUNT others. It prints how many copies the
tools refused and how many they read, then a line for each fault of a tool.
"""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Callable, Dict, List

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[n]) for n in (1, 2)]

from helpers.paths import CERTIFICATES
from helpers.tools import call

from pns.facts import open_facts
from pns.facts.spr import read_spr
from pns.proofs.certificate import read_certificate

PAGE = 4096
Numbers = Dict[bytes, int]


def some_numbers(game: str) -> Numbers:
    """True Grundy numbers."""
    if game == "sprouts":
        return read_certificate(str(CERTIFICATES / "sprouts-12.cert.gz"))[1]
    numbers = [0]
    for pins in range(1, 700):
        option_numbers = {
            numbers[left] ^ numbers[pins - taken - left]
            for taken in (1, 2)
            for left in range(pins - taken + 1)
        }
        numbers.append(next(n for n in range(pins + 1) if n not in option_numbers))
    return {b"%d" % pins: number for pins, number in enumerate(numbers) if pins}


def make_database(path: Path, game: str) -> Numbers:
    """Make a database in many steps, so that it has free pages; returns its facts."""
    numbers = some_numbers(game)
    lands = sorted(numbers)
    random.Random(1).shuffle(lands)
    with open_facts(str(path), game) as facts:
        for i, land in enumerate(lands):
            facts.add(land, numbers[land])
            if i % 150 == 0:
                facts.flush()
    return numbers


def cut_off(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) if rng.random() < 0.5 else len(data) - rng.randrange(9000) :]


def overwrite(data: bytearray, rng: random.Random) -> None:
    size = rng.choice((1, 2, 8, 100, 3000))
    start = rng.randrange(len(data) - size)
    data[start : start + size] = bytes(rng.choices(range(256), k=size))


def flip(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 3, 20))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def flip_in_front(data: bytearray, rng: random.Random) -> None:
    """Flip a bit where the structure is: meta pages, heads of pages, offsets of entries."""
    page = rng.choice((0, 1, rng.randrange(len(data) // PAGE)))
    data[page * PAGE + rng.randrange(160)] ^= 1 << rng.randrange(8)


def zero(data: bytearray, rng: random.Random) -> None:
    size = rng.choice((16, 512, PAGE))
    start = rng.randrange(len(data) // size) * size
    data[start : start + size] = bytes(size)


def swap(data: bytearray, rng: random.Random) -> None:
    a, b = [page * PAGE for page in rng.sample(range(len(data) // PAGE), 2)]
    data[a : a + PAGE], data[b : b + PAGE] = data[b : b + PAGE], data[a : a + PAGE]


def repeat(data: bytearray, rng: random.Random) -> None:
    a, b = [page * PAGE for page in rng.sample(range(len(data) // PAGE), 2)]
    data[a : a + PAGE] = data[b : b + PAGE]


DAMAGES: List[Callable[[bytearray, random.Random], None]] = [
    overwrite,
    flip,
    flip_in_front,
    zero,
    swap,
    repeat,
]


def faults_of(path: Path, game: str, numbers: Numbers, whole: bool, place: Path) -> List[str]:
    """Faults of the tools that read a file; if ``whole``, they must read all of it or refuse it."""
    spr, name = place / "f.spr", path.name
    land = max(numbers, key=len).decode()
    db = ("--db", path, "--game", game)
    audited = ("audit.py", path, "--game", game, "--quiet", "--processes", 1)
    position = "0*3" if game == "sprouts" else "7+9"
    faults = []
    spr.unlink(missing_ok=True)
    exported = call("grundy.py", "export", spr, *db)
    for done in (
        exported,
        call("grundy.py", "stats", *db),
        call("grundy.py", "get", land, *db),
        call(*audited, "--sample", 10),
        call("solve.py", "--no-known", position, "--quiet", *db),
    ):
        if done.status not in (0, 1, 2) or "Traceback" in done.errors:
            faults.append("crash: %s" % (done,))
        elif done.status == 2 and (done.errors.count("\n"), done.errors.count(name)) != (1, 1):
            faults.append("not one line with the name of the file: %s" % (done,))
    if spr.exists():
        found = dict(read_spr(str(spr), None))
        right = found == numbers or (exported.status == 1 and found.items() <= numbers.items())
        if whole and not right:
            faults.append("export: %d entries are not those that were stored" % len(found))
        elif not right and found.items() - numbers.items():
            if call(*audited).status == 0:
                faults.append("audit: wrong entries hold")
    return faults


def experiment(directory: Path, game: str, count: int, seed: int) -> List[str]:
    """All faults; prints how often the tools refused a file, and how often they read it."""
    numbers = make_database(directory / "whole.lmdb", game)
    data = (directory / "whole.lmdb").read_bytes()
    seen: "Counter[str]" = Counter()
    wrong = []
    for i in range(2 * count):
        rng = random.Random(seed + i)
        damage = cut_off if i < count else DAMAGES[i % len(DAMAGES)]
        damaged = bytearray(data)
        damage(damaged, rng)
        path = directory / "damaged.lmdb"
        path.write_bytes(damaged)
        faults = faults_of(path, game, numbers, damage in (cut_off, swap, repeat), directory)
        wrong += ["seed %d, %s: %s" % (seed + i, damage.__name__, fault) for fault in faults]
        seen[
            "%s, %s" % (damage.__name__, "read" if (directory / "f.spr").exists() else "refused")
        ] += 1
    print(dict(sorted(seen.items())))
    return wrong


if __name__ == "__main__":
    GAME = sys.argv[2] if len(sys.argv) > 2 else "kayles"
    COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    os.environ["XDG_DATA_HOME"] = sys.argv[1]
    found = experiment(Path(sys.argv[1]), GAME, COUNT, SEED)
    print("\n".join(found))
    sys.exit(1 if found else 0)
