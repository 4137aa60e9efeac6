"""Every command of the README runs as it is written, in order, in an empty directory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Dict

import pytest
from helpers.commands import shown
from helpers.paths import ROOT
from helpers.published import published

README = ROOT / "README.md"
TEXT = README.read_text("utf-8")
COMMANDS = [command for command in shown(README) if command.startswith("pns ")]
INSTALLED = "#!%s\nimport sys\nfrom pns.cli.main import main\nsys.exit(main())\n"
"""The command pns, as pip installs it."""
ROW = re.compile(r"^\| (\d+) \| (wins|loses) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", re.MULTILINE)


INSTALL = [
    "sh scripts/setup.sh && .venv/bin/pns solve --no-known --no-db '0*17'",
    "python3 -m venv ~/pns-env && ~/pns-env/bin/pip install '.[web]'",
    "pypy3 scripts/make_zipapp.py -o pns.pyz",
    "sh scripts/setup.sh && pypy3 scripts/test.py",
]
"""CI runs the first and WHOLE; test_package.py and test_zipapp.py do what the others do."""
WHOLE = "pypy3 scripts/test.py --all"
ALIASES = {
    "clone": '"$PWD/.venv/bin/pns"',
    "pip": "~/pns-env/bin/pns",
    "file": '"pypy3 $PWD/pns.pyz"',
}


def test_the_quick_start_is_what_ci_runs() -> None:
    assert [command for command in shown(README) if command not in COMMANDS] == INSTALL
    ci = (ROOT / ".ci" / "run").read_text()
    parts = [*INSTALL[0].split(" && "), *INSTALL[-1].split(" && ")[:-1], WHOLE]
    assert "`%s`" % WHOLE in TEXT and WHOLE == INSTALL[-1].split(" && ")[-1] + " --all"
    assert [line for line in ci.splitlines() if line in parts] == parts


@pytest.mark.parametrize("way", ALIASES)
def test_each_way_gives_the_command_by_an_alias(way: str, tmp_path: Path) -> None:
    """In a directory with a program for that way only, the alias of the README runs it."""
    lines = re.findall(r"`alias (pns=\S+|pns=\"[^\"]+\")`", TEXT)
    assert lines == ["pns=" + words for words in ALIASES.values()]
    says = '#!/bin/sh\necho %s "$*"\n'
    for name in (".venv/bin/pns", "pns-env/bin/pns", "bin/pypy3"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(says % name)
        (tmp_path / name).chmod(0o755)
    ran = {"clone": ".venv/bin/pns", "pip": "pns-env/bin/pns", "file": "bin/pypy3 %s/pns.pyz"}
    env = {"HOME": str(tmp_path), "PATH": "%s/bin:/bin:/usr/bin" % tmp_path}
    script = "alias pns=%s\npns why\n" % ALIASES[way]
    done = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert done.stdout.split() == (ran[way].replace("%s", str(tmp_path)) + " why").split()


@pytest.mark.search
def test_five_commands_from_an_empty_database(tmp_path: Path) -> None:
    pytest.importorskip("cffi")
    assert len(COMMANDS) == 5
    place, programs = tmp_path / "empty", tmp_path / "bin"
    place.mkdir()
    programs.mkdir()
    (programs / "pns").write_text(INSTALLED % sys.executable)
    (programs / "pns").chmod(0o755)
    env: Dict[str, str] = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    env["PATH"] = os.pathsep.join([str(programs), os.environ["PATH"]])
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), *sys.path])
    outputs = []
    for command in COMMANDS:
        words = ["sh", "-c", command]
        done = subprocess.run(words, cwd=place, env=env, capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stderr)
        outputs.append(done.stdout)
    solved, why, reduced, certified, checked = outputs
    assert "0*9 is a win" in solved and "0*4.AB|0*4.AB" in solved and " 0 expansions" not in solved
    assert "0*4.AB|0*4.AB" in why
    assert "nine.spr" in reduced and "nine.cert.gz written" in certified
    assert "0*9 is a win: proved." in checked
    assert {path.name for path in place.iterdir()} == {
        "nine.lmdb",
        "nine.lmdb-lock",
        "nine.spr",
        "nine.cert.gz",
    }


def test_the_table_of_results_is_that_of_the_measurements() -> None:
    speed = (ROOT / "docs" / "speed.md").read_text("utf-8")
    measured = {
        int(row[0]): row[1:4]
        for row in re.findall(r"^\| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|", speed, re.M)
    }
    outcomes = published()
    rows = ROW.findall(TEXT)
    assert len(rows) == 6
    for spots, outcome, seconds, theirs, faster in rows:
        ours, other, ratio = map(float, measured[int(spots)])
        assert {"wins": "win", "loses": "loss"}[outcome] == outcomes[int(spots)]
        assert abs(float(seconds) - ours) < 0.051
        assert float(theirs) == other
        assert float(faster) == ratio


def test_the_known_outcomes_agree_with_the_conjecture() -> None:
    known = {spots: outcome for spots, outcome in published().items() if outcome}
    assert "all %d numbers" % len(known) in TEXT
    for spots, outcome in known.items():
        assert (outcome == "win") == (spots % 6 in (3, 4, 5)), spots
