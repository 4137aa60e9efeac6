"""What `--json` prints fits the schemas in docs/schemas, and every command has one."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Dict, List

import pytest
from helpers.grundy import make_database
from helpers.inprocess import Caller
from helpers.paths import CERTIFICATES, ROOT
from helpers.schema import SCHEMAS, faults, load

import pns
from pns import Distribution
from pns.cli.commands.solve import as_json
from pns.facts import database
from pns.facts.spr import TITLE
from pns.strong import build_solution
from pns.usage import JobCounts

pytestmark = pytest.mark.programs

TWO, FOUR = [CERTIFICATES / ("sprouts-%d.cert.gz" % n) for n in (2, 4)]
PAGE = (ROOT / "docs" / "json.md").read_text()


@pytest.fixture
def place(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with files to read."""
    monkeypatch.chdir(tmp_path)
    if database.LMDB is not None:
        make_database(tmp_path / "db")
    texts = {
        "good.spr": b"0*2 0\n",
        "wrong.spr": b"0*2 3\n0*6 0\n",
        "bad.spr": b"0*2 0\n0.0 0\n0*3 1",
        "cut.spr": b"0*2 0\n0*3",
        "old.spr": b"0*2 0\n0.0 1\n",
        "two.spr": b"0 0\n0*2 0\nABCD|ABCD 0\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(TITLE + text)
    build_solution("kayles", "5", str(tmp_path / "table"))
    (tmp_path / "two.cert.gz").write_bytes(TWO.read_bytes())
    (tmp_path / "four.cert.gz").write_bytes(FOUR.read_bytes())
    return tmp_path


SOLVE = "pns.cli.commands.solve"
CALLS = [
    ("solve", SOLVE, "--no-db --no-known 0*3", 0),
    ("solve", SOLVE, "--no-db --no-known --algorithm pns --quiet 0*3", 0),
    ("solve", SOLVE, "--no-db --no-known --quiet --max-expansions 9 0*9", 3),
    ("why", "pns.cli.commands.why", "0*2 --db two.cert.gz", 0),
    ("why", "pns.cli.commands.why", "0*2 --all --db two.cert.gz", 0),
    ("why", "pns.cli.commands.why", "0*4 --db four.cert.gz", 0),
    ("why", "pns.cli.commands.why", "0*9 --no-known --db four.cert.gz", 1),
    ("why", "pns.cli.commands.why", "0*4 --to-the-end --db four.cert.gz", 0),
    ("why", "pns.cli.commands.why", "0*2 --to-the-end --db two.cert.gz", 0),
    ("why", "pns.cli.commands.why", "0*9 --depth 2 --no-known --db four.cert.gz", 1),
    ("check", "pns.checker.command", "two.cert.gz four.cert.gz", 0),
    ("octal", "pns.cli.commands.octal", ".33 --most 20", 0),
    ("octal", "pns.cli.commands.octal", "0.6 --most 5", 0),
    ("octal", "pns.cli.commands.octal", "0.77 --most 9 --misere", 0),
    ("estimate", "pns.cli.commands.estimate", "0*2 --samples 5", 0),
    ("estimate", "pns.cli.commands.estimate", "--game nim 3 --samples 1", 0),
    ("games", "pns.cli.commands.games", "", 0),
    ("doctor", "pns.cli.commands.doctor", "--db db", 0),
    ("simulate", "pns.cli.commands.simulate", "0*3 --cores 1", 0),
    ("audit", "pns.cli.commands.audit", "two.cert.gz --processes 1 --quiet", 0),
    ("audit", "pns.cli.commands.audit", "wrong.spr --processes 1 --quiet --claim 0*2=win", 1),
    (
        "certify",
        "pns.cli.commands.audit:certify",
        "0*2=loss two.spr new.cert.gz --processes 1 --quiet",
        0,
    ),
    (
        "certify",
        "pns.cli.commands.audit:certify",
        "0*2=loss wrong.spr no.cert.gz --processes 1 --quiet",
        1,
    ),
]
VERBS = [
    ("get", "0*2 0*2+0*5 !", 0),
    ("get", "--no-known 0*2 0*2+0*5 !", 1),
    ("list", "", 0),
    ("list", "--count --number 1", 0),
    ("stats", "", 0),
    ("table", "--spots 1-4", 0),
    ("conjecture", "--spots 1-4", 0),
    ("conjecture", "", 1),
    ("export", "new.spr", 0),
    ("import", "good.spr", 0),
    ("merge", "good.spr four.cert.gz", 0),
    ("merge", "good.spr --out both.spr", 0),
    ("merge", "wrong.spr", 1),
    ("diff", "good.spr wrong.spr", 1),
    ("check", "good.spr", 0),
    ("check", "bad.spr", 1),
    ("repair", "cut.spr", 0),
    ("repair", "good.spr", 0),
    ("convert", "good.spr new.glop --to glop", 0),
    ("convert", "old.spr new.glop", 1),
    ("reduce", "0*2 --out small.spr --cycles 1 --quiet", 0),
    ("certify", "new 0*2 --cycles 1 --quiet", 0),
    ("extend", "0*3 --no-known --processes 1 --quiet", 0),
]
STRONG = [
    ("build", "kayles 4 new --processes 1 --quiet", 0),
    ("lands", "sprouts 3 new --processes 1 --quiet", 0),
    ("look", "table 3 9", 1),
    ("look", "table 3 --moves", 0),
    ("check", "table --consistency --samples 5 --processes 1 --quiet", 0),
    ("stats", "table", 0),
    ("count", "pentago --board 4x4", 0),
    ("count", "pentago --board 4x4 --machines 2", 0),
]
CALLS += [("strong-" + verb, "pns.cli.commands.strong", verb + " " + w, s) for verb, w, s in STRONG]
CALLS += [
    ("db-" + verb, "pns.cli.commands.database", "%s %s --db db" % (verb, w), s)
    for verb, w, s in VERBS
]


@pytest.mark.skipif(database.LMDB is None, reason="no LMDB here")
@pytest.mark.parametrize("name, module, words, status", CALLS)
def test_what_is_printed_fits_the_schema(
    name: str,
    module: str,
    words: str,
    status: int,
    place: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, _, function = module.partition(":")
    main = getattr(import_module(path), function or "main")
    answer = Caller(capsys, monkeypatch, "pns")(main, *words.split(), "--json")
    assert answer.status == status, answer
    assert answer.output
    for line in answer.output:
        assert list(faults(json.loads(line), load(name))) == []


def test_the_statistics_of_workers_fit_the_schema() -> None:
    result = pns.solve("0*2")
    found = Distribution(9, 800, 300, 1200, 0.875, 2, 3, JobCounts(given=12), checked=4)
    usage = replace(result.usage, distribution=found)
    value = json.loads(json.dumps(as_json(replace(result, usage=usage), None)))
    assert value["distribution"]["jobs"]["given"] == 12
    assert list(faults(value, load("solve"))) == []


def test_every_schema_is_documented_and_tried() -> None:
    names = {path.stem for path in SCHEMAS.glob("*.json")}
    assert names == set(re.findall(r"\(schemas/([\w-]+)\.json\)", PAGE))
    assert names == {name for name, *_ in CALLS}


def test_the_example_of_the_page(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ((words, line),) = re.findall(r"^    \$ pns db (.*)\n    (.*)$", PAGE, re.MULTILINE)
    monkeypatch.chdir(ROOT)
    main = import_module("pns.cli.commands.database").main
    answer = Caller(capsys, monkeypatch, "pns db")(main, *shlex.split(words))
    assert answer.output == [line]


SCHEMA: Dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": ["integer", "null"]}, "of": {"items": {"enum": ["a", "b"]}}},
    "required": ["n"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "value, wrong",
    [
        ({"n": 1}, []),
        ({"n": None, "of": ["a", "b"]}, []),
        ({"n": True}, [".n: True is no integer or null"]),
        ({}, [": n is missing"]),
        ({"n": 1, "m": 2}, [": m is not in the schema"]),
        ({"n": 1, "of": ["c"]}, [".of[0]: 'c' is not among ['a', 'b']"]),
        ([], [": [] is no object"]),
    ],
)
def test_the_checker_finds_faults(value: Any, wrong: List[str]) -> None:
    assert list(faults(value, SCHEMA)) == wrong
    either = {"anyOf": [SCHEMA, {"const": 7}]}
    assert bool(list(faults(value, either))) == bool(wrong)
    assert list(faults(7, either)) == []
