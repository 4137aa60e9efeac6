"""`pns doctor`: what it reports, and what makes it fail."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Dict

import pytest
from helpers.solver import needs_lmdb
from helpers.tools import Done, call

from pns.cli.commands import doctor
from pns.facts import database, open_facts

NAMES = "interpreter,JIT,LMDB,memory,shared memory,database,disk,cores,open files,loopback,clock"


def findings(done: Done) -> Dict[str, Any]:
    return {found["name"]: found for found in json.loads(done.output)["findings"]}


def test_it_looks_at_everything_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    done = call("pns", "doctor", "--json", "--db", tmp_path / "data" / "x.lmdb")
    found = findings(done)
    assert set(NAMES.split(",")) <= set(found) and done.errors == ""
    assert {entry["state"] for entry in found.values()} <= {"ok", "optional", "warning", "problem"}
    assert all([entry["advice"] or entry["state"] == "ok" for entry in found.values()])
    assert str(tmp_path / "data") in found["disk"]["found"]
    assert list((tmp_path / "data").iterdir()) == []
    problems = [entry for entry in found.values() if entry["state"] == "problem"]
    assert done.status == (1 if problems else 0)
    assert len(problems) == json.loads(done.output)["problems"]


@needs_lmdb
def test_a_database_that_cannot_be_used_is_a_problem(tmp_path: Path) -> None:
    garbage = tmp_path / "garbage"
    garbage.write_text("a letter to a friend, not a database\n")
    other = tmp_path / "other.lmdb"
    with open_facts(str(other), "nim") as facts:
        facts.add(b"3", 3)
    for path, why in (
        (garbage, "not an LMDB database"),
        (tmp_path, "a directory without an LMDB database"),
        (tmp_path / "no" / "x.lmdb", "no such directory"),
        (other, "holds facts of nim, not of sprouts"),
        ("", "expected the name of a database"),
    ):
        done = call("pns", "doctor", "--json", "--db", path)
        found = findings(done)["database"]
        assert (done.status, found["state"]) == (1, "problem") and why in found["found"], path
    assert garbage.read_text() == "a letter to a friend, not a database\n"
    found = findings(call("pns", "doctor", "--json", "--db", other, "--game", "nim"))["database"]
    assert found["state"] == "ok"


def test_it_prints_a_line_for_each(tmp_path: Path) -> None:
    done = call("pns", "doctor", "--db", tmp_path / "x.lmdb")
    for name in NAMES.split(","):
        lines = [line for line in done.output.splitlines() if line[9:].startswith(name + " ")]
        assert len(lines) == 1 and lines[0].split()[0] in ("ok", "optional", "warning", "problem")
    interpreter = "PyPy" if sys.implementation.name == "pypy" else "CPython"
    assert interpreter in done.output


def test_every_optional_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(doctor, "import_module", refuse)
    found = {entry.name: entry for entry in doctor.packages()}
    assert set(found) == {"msgpack", "zmq", "starlette", "uvicorn"}
    for name, wanted in (("zmq", "pyzmq"), ("uvicorn", "uvicorn")):
        assert found[name].state == "optional" and wanted in found[name].advice


def test_a_healthy_machine_has_no_warnings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (99.0, 0.0, 0.0))
    monkeypatch.setattr(doctor, "available", lambda otherwise: 8 * 10**9)
    monkeypatch.setattr(doctor, "total_memory", lambda: 8 * 10**9)
    monkeypatch.setattr(doctor, "disk", lambda place: doctor.Finding("disk", doctor.OK, ""))
    if database.LMDB is None:
        pytest.skip("no LMDB here")
    found = doctor.examine(str(tmp_path / "x.lmdb"), "nim")
    assert {entry.state for entry in found} <= {"ok", "optional"}, found
    (cores,) = [entry for entry in found if entry.name == "cores"]
    assert cores.state == "optional" and "load 99.0" in cores.found


def test_a_warning_names_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "available", lambda otherwise: 10**9)
    monkeypatch.setattr(doctor, "total_memory", lambda: 10**9)
    memory = doctor.memory()
    monkeypatch.setattr("resource.getrlimit", lambda kind: (64, 64))
    monkeypatch.setattr("time.time", lambda: 1e9)
    monkeypatch.setattr(doctor, "LMDB", None)
    for found, command in (
        (memory, "pns solve --max-memory 500M"),
        (doctor.open_files(), "ulimit -n 256"),
        (doctor.clock(), "timedatectl set-ntp true"),
        (doctor.lmdb(), " install "),
    ):
        assert found.state in ("warning", "problem") and command in found.advice


def test_a_directory_that_cannot_be_written_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "x")

    monkeypatch.setattr("pns.system.scratch.create", refuse)
    if database.LMDB is not None:
        found = doctor.attempt("database", lambda: doctor.database("/", "/x.lmdb", "nim"))
        assert (found.state, found.found) == ("problem", "Permission denied")


def test_little_space_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    class Space:
        f_bavail, f_frsize = 1000, 4096

    monkeypatch.setattr(os, "statvfs", lambda place: Space)
    assert doctor.disk("/").state == "problem"
    Space.f_bavail = 100_000
    assert doctor.disk("/").state == "warning"
    monkeypatch.setattr(doctor, "available", lambda otherwise: 1_000_000)
    assert doctor.memory().state == "problem"
    monkeypatch.setattr("resource.getrlimit", lambda kind: (16, 16))
    assert doctor.open_files().state == "problem"
    monkeypatch.setattr("time.time", lambda: 1e9)
    assert doctor.clock().state == "warning"
