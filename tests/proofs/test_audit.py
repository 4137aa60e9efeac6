"""The audit: single entries, claims, whole sources, and damage, which it has to find."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from random import Random
from typing import Any, Callable, Dict, List, Optional

import pytest
from damage import damaged, experiment, holds
from helpers.paths import CERTIFICATES, TEST_DATA

import pns
from pns.facts import Facts, open_facts
from pns.facts.database import LMDB
from pns.facts.spr import write_spr
from pns.finding import find_game
from pns.proofs import audit as audit_module
from pns.proofs import audit_pool
from pns.proofs.audit import AuditProgress, AuditReport, audit
from pns.proofs.audit_pool import Interrupted
from pns.proofs.certificate import parse_claim, write_certificate
from pns.proofs.check import Checker
from pns.proofs.rules import find_rules
from pns.proofs.sources import open_source
from pns.sprouts import canonical, moves
from pns.sprouts.plain_rules import PlainRules

pytestmark = pytest.mark.search

GAME = find_game("sprouts")

# A proof that 0*2 is lost: 0.AB|AB is answered by 0, 1a1a by ABCD|ABCD.
TWO: Dict[bytes, int] = {b"0*2": 0, b"0": 0, b"ABCD|ABCD": 0}


def lookup_in(numbers: Dict[bytes, int]) -> Callable[[bytes], int]:
    return lambda land: numbers.get(land, -1)


def why_bad(entries: Dict[bytes, int], land: bytes, cancel: bool = False) -> List[str]:
    """The reason, if any, why an entry is bad by the fast rules; the plain rules must agree."""
    found = []
    for independent in (False, True):
        rules = find_rules("sprouts", independent)
        numbers = {rules.key(text): number for text, number in entries.items()}
        checker = Checker(rules, lookup_in(numbers), cancel)
        found.append(checker.why_bad(land, entries[land]))
    assert bool(found[0]) == bool(found[1])
    return found[:1] if found[0] else []


def test_an_entry_holds_by_the_answers_to_all_options() -> None:
    for land in TWO:
        assert why_bad(TWO, land) == []
    assert why_bad({b"0*2": 0, b"0": 0}, b"0*2") == [
        "of its option 1a1a neither the number nor an option with number 0 is known"
    ]


def test_an_entry_holds_only_if_every_smaller_number_is_an_option_s() -> None:
    assert why_bad({b"0*2": 2}, b"0*2") == ["no option is known to have Grundy number 0"]
    assert why_bad({b"0.AB|AB": 1}, b"0.AB|AB") == ["no option is known to have Grundy number 0"]


def test_an_entry_fails_if_an_option_has_its_number() -> None:
    assert why_bad({**TWO, b"1a1a": 0}, b"0*2") == ["its option 1a1a has this number too"]


def test_equal_lands_cancel_only_where_that_is_allowed() -> None:
    checker = Checker(find_rules("sprouts"), lambda land: -1)
    assert checker.known((b"0*3", b"0*3")) == -1
    assert not checker.has_option((b"0*2", b"0*2"), 0)
    checker = Checker(find_rules("sprouts"), lambda land: TWO.get(land, -1), True)
    assert checker.known((b"0*3", b"0*3")) == 0
    assert checker.known((b"0*3", b"0*3", b"0*3")) == -1
    assert checker.known((b"0*2", b"0*3", b"0*3")) == 0
    assert checker.has_option((b"0*3", b"0*3", b"1a1a"), 0)


def test_positions_are_proved_won_by_an_option_and_lost_by_their_lands() -> None:
    checker = Checker(find_rules("sprouts"), lambda land: TWO.get(land, -1))
    assert checker.why_unproved((b"0*2", b"0*2"), False) == ""
    assert checker.why_unproved((b"0*2",), True) == "its Grundy number is known as 0"
    assert checker.why_unproved((b"1a1a", b"0"), True) == ""
    assert checker.why_unproved((b"0*3",), True) == "no option is known to have Grundy number 0"
    assert checker.why_unproved((b"0*3",), False) == "its Grundy number is not known"
    assert checker.why_unproved((), False) == ""


def test_sums_are_answered_in_any_of_their_lands() -> None:
    for independent in (False, True):
        numbers = {b"0": 0, b"2AB|AB": 1, b"AB|AB": 1, b"0.AB|AB": 2}
        checker = Checker(find_rules("sprouts", independent), lookup_in(numbers))
        for lands in ((b"0.AB|AB", b"AB|AB"), (b"AB|AB", b"0.AB|AB")):
            assert checker.has_option(lands, 2)  # to 0.AB|AB + !
            assert checker.has_option(lands, 1)  # to 0 + AB|AB
            assert not checker.has_option(lands, 3)


def test_all_numbers_of_small_lands_hold_and_no_others() -> None:
    rows = (line.split("\t") for line in open(TEST_DATA / "brute_grundy.tsv") if line[0] != "#")
    rules = PlainRules()
    numbers = {land.encode(): int(number) for land, number in rows}
    checker = Checker(rules, lambda land: numbers.get(land, -1))
    for land in sorted(numbers)[::500]:
        assert checker.why_bad(land, numbers[land]) == ""
        for wrong in {0, 1, 2, 3, 4, numbers[land] + 1} - {numbers[land]}:
            assert checker.why_bad(land, wrong), (land, wrong)


# Whole sources


@pytest.fixture(scope="module")
def facts() -> Facts:
    """The facts that solving 0*6 finds."""
    found = Facts("sprouts")
    pns.solve("0*6", facts=found, simplify=False)
    return found


def spr(path: Path, entries: Dict[bytes, int]) -> str:
    write_spr(str(path), sorted(entries.items()))
    return str(path)


def audit_file(path: str, *, log: Optional[Path] = None, **options: object) -> AuditReport:
    return audit(open_source(path, None), log_directory=log and str(log), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("processes", [1, 3])
@pytest.mark.parametrize("independent", [False, True])
def test_bad_entries_are_named(
    tmp_path: Path, facts: Facts, processes: int, independent: bool
) -> None:
    entries = dict(facts.items())
    good = audit_file(
        spr(tmp_path / "good.spr", entries), processes=processes, independent=independent
    )
    assert good.faults == [] and good.checked == good.entries == len(entries)
    entries[b"0*6"] = 5
    bad = audit_file(
        spr(tmp_path / "bad.spr", entries), processes=processes, independent=independent
    )
    assert [(fault.land, fault.number) for fault in bad.faults] == [(b"0*6", 5)]
    assert bad.faults[0].why.startswith("no option is known to have Grundy number")


@pytest.mark.skipif(LMDB is None, reason="no LMDB here")
def test_a_database_and_a_file_give_one_result(tmp_path: Path, facts: Facts) -> None:
    with open_facts(str(tmp_path / "f.lmdb"), "sprouts") as stored:
        stored.add_all(facts.items)
    database = audit_file(str(tmp_path / "f.lmdb"), claim=("0*6", False))
    file = audit_file(spr(tmp_path / "f.spr", dict(facts.items())), claim=("0*6", False))
    assert database._replace(kind="") == file._replace(kind="")
    assert (database.kind, file.kind, file.why_unproved) == ("database", ".spr file", "")


def test_unsorted_files_and_other_games(tmp_path: Path) -> None:
    path = tmp_path / "nim.spr"
    path.write_bytes(b"[Positions+Nimber]\n" + b"".join(b"%d %d\n" % (i, i) for i in (3, 1, 2)))
    assert audit(open_source(str(path), "nim"), claim=("1+2+3", False)).why_unproved == ""
    path.write_bytes(b"[Positions+Nimber]\n3 3\n1 1\n")
    found = audit(open_source(str(path), "nim"))
    assert [(fault.land, fault.number) for fault in found.faults] == [(b"3", 3)]
    with pytest.raises(ValueError, match="no second implementation of nim"):
        audit(open_source(str(path), "nim"), independent=True)


def test_entries_that_need_equal_lands_to_cancel_are_counted(tmp_path: Path) -> None:
    facts = Facts("sprouts")
    pns.solve("0*8", facts=facts, simplify=False)
    entries = dict(facts.items())
    found = audit_file(spr(tmp_path / "f.spr", entries), claim=("0*8", False))
    assert (found.faults, found.why_unproved) == ([], "")
    assert found.cancelling == sum(bool(why_bad(entries, land)) for land in entries)
    write_certificate(str(tmp_path / "f.gz"), "sprouts", "0*8", False, entries, "test")
    found_in_certificate = audit_file(str(tmp_path / "f.gz"))
    assert len(found_in_certificate.faults) == found.cancelling


def test_another_text_of_an_isomorphic_land_is_found(tmp_path: Path) -> None:
    facts = Facts("sprouts")
    pns.solve("0*10", facts=facts)
    entries = dict(facts.items())
    rules = PlainRules()
    swaps = {}
    for land in entries:
        (other,) = GAME.parse(rules.key(land).decode())
        if other not in entries:
            swaps[land] = other
    assert swaps
    found = audit_file(spr(tmp_path / "a.spr", {swaps.get(k, k): v for k, v in entries.items()}))
    assert found.faults == [] and found.equivalent > 0
    assert audit_file(spr(tmp_path / "a.spr", entries)).equivalent == 0


@pytest.mark.parametrize("processes", [1, 2])
def test_an_audit_goes_on_where_it_was_stopped(
    tmp_path: Path, facts: Facts, processes: int
) -> None:
    entries = dict(facts.items())
    first, last = min(entries), max(entries)
    entries[first] = entries[last] = 9
    path = spr(tmp_path / "f.spr", entries)
    seen: List[AuditProgress] = []

    def stop(progress: AuditProgress) -> None:
        seen.append(progress)
        if progress.checked >= 32:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit_file(path, log=tmp_path / "logs", observer=stop, processes=processes)
    (log,) = (tmp_path / "logs").iterdir()
    with open(log, "a") as file:
        file.write('{"checked": 16, "af')  # killed while it wrote
    resumed: List[AuditProgress] = []
    found = audit_file(path, log=tmp_path / "logs", observer=resumed.append, processes=processes)
    assert resumed[0].resumed == seen[-1].checked >= 32
    assert found.checked == len(entries)
    assert {fault.land for fault in found.faults} >= {first, last}
    assert list((tmp_path / "logs").iterdir()) == []


def test_a_log_belongs_to_one_content(tmp_path: Path, facts: Facts) -> None:
    entries = dict(facts.items())

    def stop(progress: AuditProgress) -> None:
        raise KeyboardInterrupt

    path = spr(tmp_path / "f.spr", entries)
    with pytest.raises(KeyboardInterrupt):
        audit_file(path, log=tmp_path / "logs", observer=stop)
    entries[min(entries)] = 9
    spr(tmp_path / "f.spr", entries)
    seen: List[AuditProgress] = []
    assert audit_file(path, log=tmp_path / "logs", observer=seen.append).faults
    assert seen[0].resumed == 0


def test_an_audit_whose_log_was_damaged_starts_again(tmp_path: Path, facts: Facts) -> None:
    """Whatever was changed: the change might mark a bad entry as checked."""
    entries = dict(facts.items())
    entries[min(entries)] = 9
    path = spr(tmp_path / "f.spr", entries)

    def stop(progress: AuditProgress) -> None:
        if progress.checked >= 32:
            raise KeyboardInterrupt

    for seed in range(4):
        with pytest.raises(KeyboardInterrupt):
            audit_file(path, log=tmp_path / "logs", observer=stop)
        (log,) = (tmp_path / "logs").iterdir()
        whole, rng = log.read_bytes(), Random(seed)
        place = rng.randrange(len(whole) - 1)
        log.write_bytes(
            whole[:place] + bytes([whole[place] ^ 1 << rng.randrange(7)]) + whole[place + 1 :]
        )
        seen: List[AuditProgress] = []
        found = audit_file(path, log=tmp_path / "logs", observer=seen.append)
        assert [fault.land for fault in found.faults if fault.land == min(entries)], seed
        assert seen[0].resumed == 0 and found.checked == len(entries), seed


def test_samples(tmp_path: Path, facts: Facts) -> None:
    path = spr(tmp_path / "f.spr", dict(facts.items()))
    assert audit_file(path, sample=20, seed=1).checked == 20
    assert audit_file(path, sample=10**6).checked == len(facts)
    assert audit_file(path, sample=0).checked == 0


def test_a_process_that_is_killed_ends_the_audit(
    tmp_path: Path, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = spr(tmp_path / "f.spr", dict(facts.items()))

    class Killed(audit_pool.AuditPool):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            os.kill(self.processes[0][0], signal.SIGKILL)

    monkeypatch.setattr(audit_module, "AuditPool", Killed)
    with pytest.raises(Interrupted):
        audit_file(path, processes=2)


# Damage


def test_a_thousand_damages_of_a_certificate_are_all_found() -> None:
    verdicts = experiment(str(CERTIFICATES / "sprouts-5.cert.gz"), 1000, 0)
    assert sum(verdicts.values()) == 1000
    assert {verdict for _, verdict in verdicts} == {"found"}


def test_damage_is_harmless_only_where_all_numbers_stay_right(tmp_path: Path, facts: Facts) -> None:
    """In a file that is not reduced some entries may be missing, but none may be wrong."""
    import random

    path = str(tmp_path / "f.cert.gz")
    certificate = write_certificate(path, "sprouts", "0*6", False, dict(facts.items()), "test")
    rng = random.Random(5)
    entries = dict(facts.items())
    harmless = 0
    for _ in range(60):
        kind, changed = damaged(entries, rng)
        if holds(changed, certificate, find_rules("sprouts")):
            harmless += 1
            assert kind != "value changed"
            for land in changed.keys() - entries.keys():
                assert pns.grundy_number(land.decode()) == changed[land]
    assert 0 < harmless < 60


@pytest.mark.parametrize("text", ["0*3", "0*3=", "=win", "0*3=won", "", "win"])
def test_bad_claims(text: str) -> None:
    with pytest.raises(ValueError, match="invalid claim '.*'; expected one such as"):
        parse_claim(text)


def test_an_audit_keeps_the_caches_of_sprouts_small(tmp_path: Path, facts: Facts) -> None:
    seen = set()

    def note_limits(_: AuditProgress) -> None:
        seen.add((moves.most_moves, canonical.most_entries))

    path = spr(tmp_path / "f.spr", dict(facts.items()))
    audit_file(path, observer=note_limits, sample=20)
    ((most_moves, most_entries),) = seen
    assert 10_000 < most_moves < moves.CACHED_MOVES
    assert 10_000 < most_entries < canonical.CACHE_ENTRIES
    assert (moves.most_moves, canonical.most_entries) == (
        moves.CACHED_MOVES,
        canonical.CACHE_ENTRIES,
    )
