"""Random changes to certificates, which the checker and the audits have to find.

``pypy3 tests/tools/damage.py CERTIFICATE [COUNT [SEED]]`` changes one entry at a time; it prints
for each kind of change how many the audit found and how many were harmless. Without a
CERTIFICATE, ``pypy3 tests/tools/damage.py COUNT [SEED]`` edits small ones at every level: the
compressed file, the text, the header, the entries.

``edited`` makes such a file for any test, and ``edits`` checks many.
"""

from __future__ import annotations

import contextlib
import gzip
import importlib.util
import io
import random
import sys
import tempfile
from collections import Counter
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Dict, List, Tuple

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[n]) for n in (1, 2)]

from helpers.paths import CERTIFICATES, ROOT

import pns
from pns.facts import FactsError
from pns.facts.spr import TITLE
from pns.finding import find_game
from pns.proofs.audit import audit
from pns.proofs.certificate import Certificate, read_certificate
from pns.proofs.check import Checker
from pns.proofs.rules import Rules, find_rules
from pns.proofs.sources import open_source
from pns.sprouts.plain_rules import PlainRules

GAME = find_game("sprouts")
Entries = Dict[bytes, int]
KINDS = ("value changed", "entry removed", "land altered")


MOST_TRIES = 100
"""Changes of a land that are tried before another land is changed."""


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
        tries = 0
        while other == land or other in entries:
            tries += 1
            if tries % MOST_TRIES == 0:  # every change of this land is an entry
                changed[land] = number
                land = rng.choice(sorted(entries))
                number = changed.pop(land)
            other = altered(land, rng)
        changed[other] = number
    return kind, changed


def altered(land: bytes, rng: random.Random) -> bytes:
    """Another land: with more spots somewhere, or after a move."""
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
    """Whether an audit finds that all entries hold and prove the claim."""
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


# Edits of whole files


HEADER = (b"game", b"claim", b"entries", b"tool", b"sha256")
JUNK = (b"", b"\0", b"\xff\xfe", b"9" * 5000, b"-1", b" ", b"0*0", b"A" * 2000, b"\r", b"\n")
POSITIONS = (
    b"0",
    b"0*2",
    b"0*3",
    b"0*4",
    b"0*2+0*3",
    b"0*3+1a1a",
    b"!",
    b"1a1a",
    b"0.AB|AB",
    b"0*x",
)
GAMES = (b"nim", b"kayles", b"chess", b"Sprouts", b"")
LEVELS = ("file", "text", "header", "claim", "number", "missing", "land", "order", "line", "double")


def load_checker() -> Any:
    """scripts/check_certificate.py as a module."""
    path = ROOT / "scripts" / "check_certificate.py"
    spec = importlib.util.spec_from_file_location("check_certificate", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Bytes with some changed, left out, repeated, or cut off."""
    i = rng.randrange(len(data) + 1)
    j = min(len(data), i + rng.choice((1, 1, 2, 30)))
    return rng.choice(
        (
            data[:i] + bytes([rng.randrange(256) for _ in range(j - i)]) + data[j:],
            data[:i] + data[j:],
            data[:j] + data[i:],
            data[:i],
            data[:i] + rng.choice(JUNK) + data[i:],
        )
    )


def packed(header: Dict[bytes, bytes], lines: List[bytes], rng: random.Random) -> bytes:
    """A file with this header and these entries; count and checksum are mostly right."""
    body = TITLE + b"".join([line + b"\n" for line in lines])
    right = {**header, b"entries": b"%d" % len(lines), b"sha256": sha256(body).hexdigest().encode()}
    if rng.random() < 0.05:
        right = {**right, b"entries": b"%d" % (len(lines) + rng.choice((-1, 1, 10**6, 10**30)))}
    text = b"pns certificate 1\n" + b"".join([b"%s %s\n" % (key, right[key]) for key in HEADER])
    return gzip.compress(text + body, 1)


def edited(path: Path, rng: random.Random) -> Tuple[str, bytes]:
    """(level, contents of a file) after one edit of a certificate, or a few."""
    level = rng.choice(LEVELS)
    data = path.read_bytes()
    if level == "file":
        return level, rng.choice((mutated(data, rng), data + mutated(data, rng)))
    text = gzip.decompress(data)
    if level == "text":
        return level, gzip.compress(mutated(text, rng), 1)
    lines = text.split(b"\n")[:-1]
    if level == "header":
        i, j = rng.randrange(7), rng.randrange(7)
        kept = lines[:7]
        kept[i] = rng.choice((kept[j], rng.choice(JUNK), mutated(kept[i], rng), b"game nim"))
        return level, gzip.compress(b"".join([line + b"\n" for line in kept + lines[7:]]), 1)
    header = dict([line.split(b" ", 1) for line in lines[1:6]])
    entries = dict([(land, int(n)) for land, n in [line.split(b" ") for line in lines[7:]]])
    if level == "claim":
        position, _, outcome = header[b"claim"].rpartition(b"=")
        position = rng.choice((position, rng.choice(POSITIONS), mutated(position, rng)))
        outcome = rng.choice((b"win", b"loss", outcome, rng.choice(JUNK)))
        header[b"claim"] = position + b"=" + outcome
        if rng.random() < 0.1:
            header[b"game"] = rng.choice(GAMES)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        land = rng.choice(sorted(entries))
        if level == "number":
            entries[land] = rng.choice((0, 1, 2, 3, entries[land] + 1, 250, 251, 10**9))
        elif level == "missing" and len(entries) > 1:
            del entries[land]
        elif level in ("land", "double"):
            entries[altered(land, rng)] = entries[land] if level == "double" else entries.pop(land)
    rows = [b"%s %d" % entry for entry in sorted(entries.items())]
    i, j = rng.randrange(len(rows)), rng.randrange(len(rows))
    if level == "order":
        rows[i], rows[j] = rows[j], rows[i]
    elif level == "line":
        rows[i] = rng.choice((mutated(rows[i], rng), rows[j], rng.choice(JUNK)))
    return level, packed(header, rows, rng)


@lru_cache(maxsize=None)
def outcome(position: str) -> str:
    """Who wins a small position of Sprouts, by search."""
    return str(pns.solve(position).outcome)


@lru_cache(maxsize=None)
def grundy_number(land: str) -> int:
    """The Grundy number of a small position of Sprouts, by search."""
    return pns.grundy_number(land)


def edits(count: int, seed: int) -> "Counter[Tuple[str, str]]":
    """(level, verdict) of many edits of small certificates.

    The verdict is "refused", "not proved" or "proved". Asserts that nothing else happens,
    that what is proved is true, by every entry, and that the checker proves what the
    audit does.
    """
    rng = random.Random(seed)
    checker: Any = load_checker()
    verdicts: "Counter[Tuple[str, str]]" = Counter()
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "edited.cert.gz"
        for number in range(count):
            original = CERTIFICATES / ("sprouts-%d.cert.gz" % rng.randint(1, 5))
            level, data = edited(original, rng)
            path.write_bytes(data)
            where = (seed, number, level)
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    verdict = "proved" if checker.check(str(path), None, 0) else "not proved"
            except (ValueError, OSError) as error:
                assert len(str(error)) < 1000 and "\n" not in str(error), where
                verdict = "refused"
            verdicts[level, verdict] += 1
            if verdict == "proved":
                proved = checker.read_certificate(str(path))
                assert outcome(proved.position) == ("win" if proved.wins else "loss"), where
                for land, n in proved.entries:
                    assert grundy_number(land) == n, (*where, land)
            try:
                found = audit(open_source(str(path), None))
            except (ValueError, OSError, FactsError) as error:
                assert len(str(error)) < 1000 and "\n" not in str(error), where
                continue
            # What is neither a certificate nor compressed may be a file of facts, of any game.
            if not found.faults and found.claim and not found.why_unproved:
                assert found.game != "sprouts" or verdict == "proved", where
    return verdicts


if __name__ == "__main__" and sys.argv[1].isdigit():
    SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for (name, verdict), times in sorted(edits(int(sys.argv[1]), SEED).items()):
        print("%-10s %-10s %5d" % (name, verdict, times))
elif __name__ == "__main__":
    COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    for (name, verdict), times in sorted(experiment(sys.argv[1], COUNT, SEED).items()):
        print("%-14s %-9s %5d" % (name, verdict, times))
