"""scripts/solve.py: its answers, how it is stopped, and how it resumes."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, Iterator, Tuple

import pytest
from helpers.paths import ROOT
from helpers.solver import (
    LONG,
    command,
    contents,
    needs_lmdb,
    on_terminal,
    read_terminal,
    solve,
    solve_json,
    start,
    wait_for_facts,
)

import pns
from pns.facts import Contradiction, open_facts

pytestmark = [pytest.mark.usefixtures("home"), pytest.mark.programs]


# --- answers -------------------------------------------------------------------


def test_a_win() -> None:
    done = solve("--no-db", "0*4")
    assert (done.status, done.errors) == (0, [])
    sentence, move, blank, *block = done.output
    assert blank == ""
    assert sentence == "0*4 is a win: the player to move wins."
    lost = move[len("A winning move leads to ") :]
    assert lost in pns.children("0*4")
    assert pns.solve(lost).outcome == "loss"
    labels = ["algorithm", "expansions", "children", "facts", "time", "memory", "table"]
    assert [line.split()[0] for line in block] == labels
    assert {line[:14] for line in block} == {("  " + label).ljust(14) for label in labels}


def test_a_loss() -> None:
    done = solve("--no-db", "0*2")
    assert (done.status, done.errors) == (0, [])
    assert done.output[:2] == [
        "0*2 is a loss: the player to move loses, whatever the move.",
        "Its Grundy number is 0.",
    ]


def test_the_grundy_number_quietly() -> None:
    assert solve("--no-db", "--grundy", "--quiet", "--game", "nim", "3+5+5+7") == (
        0,
        ["3+5+5+7 is a win: the player to move wins.", "Its Grundy number is 4."],
        [],
    )
    sentence = "0*2 is a loss: the player to move loses, whatever the move."
    assert solve("--no-db", "--quiet", "0*2") == (0, [sentence], [])


def test_version() -> None:
    assert solve("--version") == (0, ["pns " + pns.__version__], [])


TEXT, NUMBER = (str,), (int, type(None))
KEYS = {
    "position": TEXT,
    "canonical": TEXT,
    "game": TEXT,
    "algorithm": TEXT,
    "solved": (bool,),
    "outcome": (str, type(None)),
    "grundy_number": NUMBER,
    "winning_move": (str, type(None)),
    "expansions": (int,),
    "children_generated": (int,),
    "facts_known": (int,),
    "facts_new": (int,),
    "table_entries": (int,),
    "capacity": NUMBER,
    "database": (str, type(None)),
    "from_database": (bool,),
    "sources": (list,),
    "from_table": (bool,),
    "simplify": (bool,),
    "table": (str, type(None)),
    "answered_by_table": NUMBER,
    "seconds": (float,),
    "peak_memory_bytes": (int,),
    "version": TEXT,
}


def check_types(result: Dict[str, Any]) -> None:
    for key, types in KEYS.items():
        assert type(result[key]) in types, key
    assert result["outcome"] in ("win", "loss", None)
    assert (result["algorithm"], result["version"]) == ("dfpn", pns.__version__)


def test_json() -> None:
    done = solve("--no-db", "--json", "--grundy", "AB|0.AB")
    assert (done.status, len(done.output), done.errors) == (0, 1, [])
    result = json.loads(done.output[0])
    check_types(result)
    assert (result["position"], result["canonical"]) == ("AB|0.AB", "0.AB|AB")
    assert (result["solved"], result["game"]) == (True, "sprouts")
    assert (result["outcome"], result["grundy_number"]) == ("win", pns.grundy_number("AB|0.AB"))
    assert pns.solve(result["winning_move"]).outcome == "loss"
    assert 0 < result["facts_new"] == result["facts_known"]


# --- budgets -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "option, budget", [("expansions", "100"), ("seconds", "0.5"), ("memory", "1M")]
)
def test_a_budget(option: str, budget: str) -> None:
    done = solve("--no-db", "--json", "--max-" + option, budget, LONG)
    assert (done.status, len(done.output)) == (3, 1)
    assert done.errors == [
        "%s is not solved: stopped by the budget of %s." % (LONG, option),
        "Facts known: %d, lost with this run, as they were in no database."
        % json.loads(done.output[0])["facts_known"],
    ]
    result = json.loads(done.output[0])
    check_types(result)
    assert (result["solved"], result["stopped_by"]) == (False, option)
    assert (result["outcome"], result["grundy_number"]) == (None, None)
    if option == "expansions":
        assert result["expansions"] == 100
    elif option == "seconds":
        assert 0.5 <= result["seconds"] < 10


def test_no_expansions_at_all() -> None:
    result = solve_json("--no-db", "--max-expansions", 0, "0*3", status=3)
    assert (result["expansions"], result["stopped_by"]) == (0, "expansions")
    result = solve_json("--no-db", "--max-expansions", 0, "0*3+0*3")
    assert (result["expansions"], result["outcome"]) == (0, "loss")


def test_an_outcome_without_the_grundy_number() -> None:
    whole = solve_json("--no-db", "0*5")
    budget = whole["expansions"] + 1
    done = solve("--no-db", "--grundy", "--max-expansions", budget, "0*5")
    assert done.status == 3
    assert done.output[0] == "0*5 is a win: the player to move wins."
    assert done.errors[0] == "Its Grundy number is not known: stopped by the budget of expansions."


# --- the database ------------------------------------------------------------------


@needs_lmdb
def test_the_default_database(home: Path) -> None:
    assert solve("--no-db", "0*2").status == 0
    assert not home.exists()
    first = solve_json("0*5")
    path = home / "pns" / "sprouts.lmdb"
    assert first["facts_new"] == first["facts_known"] == len(contents(path)) > 0
    again = solve_json("0*5")
    for key in ("outcome", "winning_move", "facts_known"):
        assert again[key] == first[key]
    assert again["expansions"] < 5 and again["facts_new"] == 0
    assert (again["database"], again["from_database"]) == (str(path), True)
    assert (first["database"], first["from_database"]) == (str(path), False)
    answer = solve("0*5").output
    assert (
        answer[2]
        == "Answered from the database, without a search; --no-db --no-known searches again."
    )
    assert [line.split()[0] for line in answer[4:]] == ["database", "facts", "time", "memory"]
    assert "expansions" in solve("--no-db", "0*5").output[4]


@needs_lmdb
def test_resuming_after_a_budget(tmp_path: Path) -> None:
    db = tmp_path / "f"
    whole = solve_json("--no-db", "0*7")
    part = solve("--db", db, "0*7", "--max-expansions", whole["expansions"] * 2 // 3)
    assert (part.status, part.output[0].split()[0]) == (3, "algorithm")
    kept = len(contents(db))
    assert part.errors[-1] == (
        "Facts known: %d, stored in %s; the same command goes on from there." % (kept, db)
    )
    rest = solve_json("--db", db, "0*7")
    assert rest["facts_known"] - rest["facts_new"] == kept > 0
    assert (rest["outcome"], rest["grundy_number"]) == ("loss", 0)
    assert rest["expansions"] < whole["expansions"]
    assert solve_json("--db", db, "0*7")["expansions"] == 0


@needs_lmdb
@pytest.mark.parametrize("name, reason", [("SIGINT", "Ctrl-C"), ("SIGTERM", "SIGTERM")])
def test_stopped_by_a_signal(tmp_path: Path, name: str, reason: str) -> None:
    db = tmp_path / "f"
    child = start("--db", db, "--json", LONG)
    seen = wait_for_facts(db, child)
    begin = time.monotonic()
    child.send_signal(getattr(signal, name))
    output, errors = child.communicate(timeout=60)
    assert time.monotonic() - begin < 5
    assert child.returncode == 130
    result = json.loads(output)
    check_types(result)
    assert output.count("\n") == 1
    assert (result["solved"], result["stopped_by"]) == (False, reason)
    stored = contents(db)
    assert seen <= len(stored) == result["facts_known"]
    assert errors.splitlines()[-2:] == [
        "%s is not solved: stopped by %s." % (LONG, reason),
        "Facts known: %d, stored in %s; the same command goes on from there." % (len(stored), db),
    ]
    lands = [land.decode() for land in stored][:20]
    grundy = [sys.executable, str(ROOT / "scripts" / "grundy.py")]
    grundy += ["get", "--no-known", "--db", str(db)]
    found = subprocess.check_output(grundy + lands, text=True).splitlines()
    assert found == ["%s %d" % (land, stored[land.encode()]) for land in lands]

    on = solve_json("--db", db, LONG, "--max-expansions", 200, status=3)
    assert on["facts_known"] - on["facts_new"] == len(stored)


@needs_lmdb
def test_kill_9(tmp_path: Path) -> None:
    db = tmp_path / "f"
    seen = 0
    for _ in range(2):
        child = start("--db", db, "--quiet", LONG)
        while wait_for_facts(db, child) <= seen:
            time.sleep(0.05)
        child.kill()
        assert child.communicate() == ("", "")
        stored = contents(db)
        assert len(stored) > seen
        seen = len(stored)
    small = [land for land in stored if len(land) <= 8]
    assert small
    for land in small:
        assert pns.grundy_number(land.decode()) == stored[land]


@needs_lmdb
def test_two_at_once(tmp_path: Path) -> None:
    db = tmp_path / "f"
    expected = {"0*6": "loss", "0*9": "win"}
    children = {text: start("--db", db, "--json", text) for text in expected}
    for text, child in children.items():
        output, errors = child.communicate(timeout=200)
        assert (child.returncode, json.loads(output)["outcome"]) == (0, expected[text]), errors
    stored = contents(db)
    assert stored[b"0*6"] == 0
    for text in expected:
        assert solve_json("--db", db, text)["expansions"] < 5


@needs_lmdb
def test_a_contradiction(tmp_path: Path) -> None:
    """Another process adds a wrong fact while the solver runs and cannot write."""
    db = tmp_path / "f"
    open_facts(str(db), "sprouts").close()
    child: Any = None
    terminal = -1

    def wrong() -> Iterator[Tuple[bytes, int]]:
        nonlocal child, terminal
        if child is None:
            child, terminal = on_terminal(command("--db", db, "0*8"))
            drawn = b""
            while b"expansions" not in drawn and select.select([terminal], [], [], 10.0)[0]:
                drawn += os.read(terminal, 10000)
            # The search has begun: the panel is drawn, or it waits to write a fact.
        yield b"0*8", 5

    with open_facts(str(db), "sprouts") as facts:
        facts.add_all(wrong)
    drawn = read_terminal(child, terminal)
    output, _ = child.communicate()
    assert (child.returncode, output) == (1, b"")
    message = "solve.py: %s" % Contradiction(b"0*8", 5, 0)
    assert message in drawn
    assert contents(db)[b"0*8"] == 5


def limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20480, 20480))


@needs_lmdb
def test_a_full_disk(tmp_path: Path) -> None:
    db = tmp_path / "f"
    open_facts(str(db), "sprouts").close()  # its lock file is larger than the limit
    # Three times the facts that the file has room for, however often they are committed.
    words = ["--db", db, "--json", "--max-expansions", 6000, "0*22"]
    done = solve(*words, preexec_fn=limit_files)
    found = json.loads(done.output[0])
    assert (done.status, found["outcome"]) == (4, None)
    (lost,) = [line for line in done.errors if "facts could not be stored: %s: " % db in line]
    assert "has room" in lost and int(lost.split()[1]) > 10
    stored = contents(db)
    assert len(stored) + int(lost.split()[1]) == found["facts_known"]
    on = solve_json("--db", db, "0*22", "--max-expansions", 200, status=3)
    assert on["facts_known"] - on["facts_new"] == len(stored)
