"""What commands know on a machine without a database, and which source they name."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any, Callable, List

import pytest
from helpers.inprocess import Answer, Caller
from helpers.paths import CERTIFICATES

from pns.cli.commands import database as db_command
from pns.cli.commands import play, solve, why
from pns.facts import database, default_path

pytestmark = pytest.mark.programs

FOUR = CERTIFICATES / "sprouts-4.cert.gz"
KNOWN = "Known from the facts that come with pns."


@pytest.fixture
def call(home: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Answer]:
    """Calls a command of a user who has no database, and checks that none is made."""
    caller = Caller(capsys, monkeypatch, "pns")

    def called(main: Callable[[], int], *words: object) -> Answer:
        answer = caller(main, *words)
        assert not home.exists()
        return answer

    return called


def objects(answer: Answer) -> List[Any]:
    assert answer.errors == []
    return [json.loads(line) for line in answer.output]


def test_why_answers_from_the_package(call: Callable[..., Answer]) -> None:
    answer = call(why.main, "0*5")
    assert (answer.status, answer.errors) == (0, [])
    assert answer.output[0].startswith("0*5 is a win: move to ") and answer.output[-1] == KNOWN
    (found,) = objects(call(why.main, "0*44", "--json"))
    assert (found["outcome"], found["sources"]) == ("loss", ["package"])
    assert KNOWN in call(why.main, "0*5", "--depth", 1).output


def test_a_named_source_answers_first(call: Callable[..., Answer]) -> None:
    (found,) = objects(call(db_command.main, "get", "--json", "--db", FOUR, "0*2+0*5"))
    assert found["sources"] == ["certificate", "package"]
    assert [land["source"] for land in found["lands"]] == ["certificate", "package"]
    assert call(db_command.main, "get", "0*5").output == ["0*5 1 package"]
    alone = call(db_command.main, "get", "--no-known", "--db", FOUR, "0*5")
    assert (alone.status, alone.output) == (1, ["0*5 unknown"])


def test_tables_name_their_sources(call: Callable[..., Answer]) -> None:
    rows = objects(call(db_command.main, "table", "--json", "--db", FOUR, "--spots", "4-5"))
    assert [row["sources"] for row in rows] == [["certificate"], ["package"]]
    rows = objects(call(db_command.main, "conjecture", "--json", "--spots", "1-44"))
    assert len(rows) == 44 and {"package"} == {name for row in rows for name in row["sources"]}


def test_counts_of_a_named_file_are_of_this_file_only(call: Callable[..., Answer]) -> None:
    (own,) = objects(call(db_command.main, "stats", "--json", "--db", FOUR))
    assert own["sources"] == [{"source": "certificate", "facts": own["facts"]}]
    (found,) = objects(call(db_command.main, "stats", "--json"))
    assert found["sources"] == [{"source": "package", "facts": found["facts"]}]
    assert found["database"] is None and found["facts"] > 70_000 > own["facts"]
    listed = objects(call(db_command.main, "list", "--json", "--limit", 2))
    assert [fact["source"] for fact in listed] == ["package"] * 2


@pytest.mark.parametrize("words", [["get", "3"], ["list"], ["stats"], ["why", "3+5+7"]])
def test_a_game_without_facts_says_what_to_run(
    call: Callable[..., Answer], words: List[str]
) -> None:
    answer = call(db_command.main, *words, "--game", "nim")
    assert answer.errors == [
        "pns: nothing is known about nim yet; run pns solve --game nim POSITION"
    ]
    assert answer.status == (1 if words[0] in ("get", "why") else 0)


def test_play_names_the_package(
    call: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    def played(*words: object) -> List[str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"hint\n"), "utf-8"))
        return list(call(play.main, "0*5", "--seconds", 0, *words).output)

    sentence = "You can win by it: this is known from the facts that come with pns."
    assert sentence in played() and sentence in played("--db", FOUR)
    assert any([line.startswith("Who wins is not decided.") for line in played("--no-known")])


def test_solve_writes_nothing_for_what_is_known(call: Callable[..., Answer]) -> None:
    (found,) = objects(call(solve.main, "--json", "--quiet", "0*44"))
    assert (found["sources"], found["from_database"]) == (["package"], False)
    assert (found["database"], found["expansions"]) == (None, 0)
    answer = call(solve.main, "0*5")
    assert (
        "Answered from the facts that come with pns, without a search; --no-known searches."
        in answer.output
    )


@pytest.mark.skipif(database.LMDB is None, reason="no LMDB here")
def test_a_search_makes_a_database_that_answers_then(
    home: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = Caller(capsys, monkeypatch, "pns")
    words = ("--json", "--quiet", "0*6.1.1.1")
    first, second = [objects(call(solve.main, *words))[0] for _ in range(2)]
    assert (first["sources"], first["from_database"]) == ([], False)
    assert first["facts_known"] > 70_000 > first["facts_new"] > 0  # it proves what it holds
    assert (second["sources"], second["from_database"]) == (["database"], True)
    assert first["database"] == second["database"] == default_path("sprouts")
    assert call(db_command.main, "get", "0*5").output == ["0*5 1 database"]


def test_a_timeline_of_nothing_says_so(call: Callable[..., Answer], tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    words = ("0*5", "--algorithm", "pns-pdfpn", "--quiet")
    answer = call(solve.main, *words, "--timeline", path)
    assert (answer.status, answer.errors) == (0, [])
    assert ">nothing was searched<" in path.read_text()
    answer = call(solve.main, *words, "--statistics", tmp_path / "x.json")
    assert answer.status == 0 and not (tmp_path / "x.json").exists()
    assert answer.errors == ["pns: statistics not written: nothing was searched"]
