"""Random changes to a certificate, one entry each, and what the audits say of them.

``pypy3 tests/damage.py CERTIFICATE [COUNT [SEED]]`` prints how many changes there were of
each kind, how many the audit found, and how many were harmless.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path
from typing import Dict, Tuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pns.game import find_game
from pns.proofs.certificate import Certificate, read_certificate
from pns.proofs.check import Checker, PlainRules, Rules, find_rules

GAME = find_game("sprouts")
Entries = Dict[bytes, int]
KINDS = ("value changed", "entry removed", "land altered")


def damaged(entries: Entries, rng: random.Random) -> Tuple[str, Entries]:
    """(kind, entries with one of them changed)."""
    kind = rng.choice(KINDS)
    land = rng.choice(sorted(entries))
    changed = dict(entries)
    number = changed.pop(land)
    if kind == "value changed":
        changed[land] = rng.choice([n for n in range(8) if n != number])
    elif kind == "land altered":
        other = land
        while other == land or other in entries:
            other = altered(land, rng)
        changed[other] = number
    return kind, changed


def altered(land: bytes, rng: random.Random) -> bytes:
    """Another land: with a spot more or less somewhere, or after a move, or any entry's child."""
    while True:
        regions = land.split(b"|")
        i = rng.randrange(len(regions))
        if rng.random() < 0.5:
            regions[i] += rng.choice((b".0", b".1", b".2", b".12"))
            lands = GAME.parse(b"|".join(regions).decode("ascii"))
        else:
            lands = rng.choice(list(GAME.children(land)))
        if lands:
            return rng.choice(lands)


def holds(entries: Entries, certificate: Certificate, rules: Rules) -> bool:
    """What an audit says: all entries hold and prove the claim."""
    numbers: Entries = {}
    for land, number in entries.items():
        if numbers.setdefault(rules.key(land), number) != number:
            return False
    checker = Checker(rules, lambda land: numbers.get(land, -1))
    position = tuple([rules.key(land) for land in GAME.parse(certificate.position)])
    if checker.why_unproved(position, certificate.wins):
        return False
    return not any(checker.why_bad(land, number) for land, number in entries.items())


def experiment(path: str, count: int, seed: int) -> "Counter[Tuple[str, str]]":
    """(kind, "found" or "harmless") of many changes; asserts that both audits agree."""
    certificate, entries = read_certificate(path)
    rng = random.Random(seed)
    verdicts: "Counter[Tuple[str, str]]" = Counter()
    for _ in range(count):
        kind, changed = damaged(entries, rng)
        fine = holds(changed, certificate, find_rules("sprouts"))
        if fine:
            assert holds(changed, certificate, PlainRules()), (kind, changed)
        verdicts[kind, "harmless" if fine else "found"] += 1
    return verdicts


if __name__ == "__main__":
    COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    for (name, verdict), times in sorted(experiment(sys.argv[1], COUNT, SEED).items()):
        print("%-14s %-9s %5d" % (name, verdict, times))
