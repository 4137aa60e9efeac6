"""A search that is given a strong solution: the same answers, sooner; refusals; nothing stored."""

from __future__ import annotations

from pathlib import Path
from typing import List, Tuple

import pytest
from helpers.grundy_of import grundy_of

import pns
from pns.choices import ALGORITHMS, WITH_MASTER
from pns.facts import Facts, FactsError, open_facts
from pns.facts.staged import StagedFacts
from pns.finding import find_game
from pns.solver import solve
from pns.strong import StrongSolution, build_solution, read_solution
from pns.strong.folder import SLICE, Folder
from pns.strong.probe import SolutionFacts

pytestmark = pytest.mark.search

ALONE = [name for name in ALGORITHMS if name not in WITH_MASTER]
LATE = "3v:....|....|.OX."
EARLY = "3v:....|....|..X."


def table(path: Path, game: str, position: str) -> StrongSolution:
    build_solution(game, position, str(path))
    return read_solution(str(path))


@pytest.mark.parametrize("algorithm", ALONE)
@pytest.mark.parametrize(
    "game, small, positions",
    [
        ("cram", "...|...", ["...|...|...", "....|....", "...|...+....", "....|..#.|...."]),
        ("sprouts", "0*2", ["0*3", "0*2+0*3", "0*2.AB|AB", "1a1a"]),
    ],
)
def test_answers_are_those_of_the_definition(
    algorithm: str, game: str, small: str, positions: List[str], tmp_path: Path
) -> None:
    with table(tmp_path / "new", game, small) as known:
        for position in positions:
            for grundy in (False, True):
                found = solve(position, game, algorithm=algorithm, grundy=grundy, table=known)
                number = grundy_of(find_game(game), position)
                assert found.outcome == ("win" if number else "loss"), position
                assert not grundy or found.grundy_number == number


@pytest.mark.parametrize("algorithm", ALONE)
def test_outcomes_of_positions_around_a_late_one(algorithm: str, tmp_path: Path) -> None:
    with table(tmp_path / "new", "mnk", LATE) as known:
        positions = [move.position for move in known.moves(LATE)]
        for text in [EARLY, LATE, *positions]:
            for lands in find_game("mnk").questions(text):  # type: ignore[attr-defined]
                asked = find_game("mnk").format(lands)
                alone = solve(asked, "mnk").outcome
                assert solve(asked, "mnk", algorithm=algorithm, table=known).outcome == alone


def expansions(position: str, game: str, known: StrongSolution) -> Tuple[int, int, int]:
    """Without the table, with it, and how many positions it answered."""
    found = solve(position, game, table=known)
    return (
        solve(position, game).usage.expansions,
        found.usage.expansions,
        int(found.usage.answered_by_table or 0),
    )


def test_what_the_table_has_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with table(tmp_path / "cram", "cram", "...|...|...") as known:
        alone, helped, answered = expansions("....|....|....|...#", "cram", known)
        assert helped < alone and answered
        assert not solve("....|....|....", "cram", table=known).from_table
        at_once = solve("...|...|...", "cram", table=known)
        assert at_once.from_table and not at_once.usage.expansions
    with table(tmp_path / "late", "mnk", LATE) as known:
        alone, helped, answered = expansions(EARLY, "mnk", known)
        assert helped < alone and answered
        monkeypatch.setattr(SolutionFacts, "knows_wins", False)
        assert helped < expansions(EARLY, "mnk", known)[1]
    assert solve(EARLY, "mnk").usage.answered_by_table is None


def test_other_games_boards_and_masters_are_refused(tmp_path: Path) -> None:
    with table(tmp_path / "new", "mnk", "3:X..|.O.|...") as known:
        for text in ("3:....|....", "4:...|...|...", "3v:...|...|..."):
            with pytest.raises(pns.OptionError, match="table: .*; expected one on the board of"):
                solve(text, "mnk", table=known)
        with pytest.raises(pns.OptionError, match="a solution of mnk; expected one of cram"):
            solve("...|...", "cram", table=known)
        for algorithm in WITH_MASTER:
            with pytest.raises(pns.OptionError, match="table: only dfpn, .* not %s" % algorithm):
                solve("3o:...|...|...", "mnk", algorithm=algorithm, table=known)
        assert solve("3:...|...|...", "mnk", table=known).outcome == "draw"


@pytest.mark.parametrize("algorithm", ["dfpn", "pdfpn", "pns"])
def test_damage_ends_the_search(algorithm: str, tmp_path: Path) -> None:
    table(tmp_path / "new", "cram", "...|...|...").close()
    folder = Folder(str(tmp_path / "new"))
    for record in folder.header()["slices"]:
        path = Path(folder.name(SLICE, record["slice"]))
        data = bytearray(path.read_bytes())
        data[30] ^= 1  # of the first block
        path.write_bytes(bytes(data))
    with read_solution(folder.path) as known:
        with pytest.raises(FactsError, match="slice-.*is damaged: block 1"):
            solve("....|....|....", "cram", algorithm=algorithm, table=known)


def test_nothing_is_added_to_the_facts_below(tmp_path: Path) -> None:
    with table(tmp_path / "new", "cram", "...|...") as known:
        with open_facts(str(tmp_path / "facts.lmdb"), "cram") as facts:
            facts.add(b"...", grundy_of(find_game("cram"), "..."))
            facts.flush()
            found = solve("....|....|....", "cram", facts=facts, table=known)
            assert found.usage.facts_new > 0 == facts.waiting
            assert [land for land, _ in facts.items()] == [b"..."]
            mixed = found.facts
            assert isinstance(mixed, StagedFacts) and mixed.path is None
            assert len(mixed) == len(list(mixed.items())) == found.usage.facts_known
            assert len(mixed.in_memory()) == len(mixed) - 1


def test_a_certificate_proves_what_the_table_said(tmp_path: Path) -> None:
    with table(tmp_path / "new", "cram", "...|...|...") as known:
        for position in ("....|....|....", "...|...|..."):
            found = solve(position, "cram", table=known)
            assert found.why().outcome == found.outcome
            path = str(tmp_path / "proof.cert.gz")
            found.certificate(path)
            report = pns.audit_facts(path)
            assert not report.faults and not report.why_unproved


def test_a_search_without_a_table_has_facts_without_wins() -> None:
    facts = Facts("cram")
    assert not facts.knows_wins and facts.option_numbers(b"...") == 0
