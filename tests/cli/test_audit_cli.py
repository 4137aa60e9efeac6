"""scripts/audit.py, run from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest
from helpers.paths import CERTIFICATES, ROOT
from helpers.solver import Done, run

from pns.facts.spr import TITLE
from pns.proofs.audit_log import SEAL, sealed
from pns.proofs.certificate import read_certificate

TWO = TITLE + b"0 0\n0*2 0\nABCD|ABCD 0\n"


def command(*arguments: object) -> List[str]:
    return [sys.executable, str(ROOT / "scripts" / "audit.py"), *map(str, arguments)]


def environment(home: Path) -> "dict[str, str]":
    return dict(os.environ, XDG_DATA_HOME=str(home))


def audit(home: Path, *arguments: object) -> Done:
    return run("audit.py", *arguments, env=environment(home))


@pytest.fixture
def spr(tmp_path: Path) -> Path:
    path = tmp_path / "f.spr"
    path.write_bytes(TWO)
    return path


def test_entries_that_hold(tmp_path: Path, spr: Path) -> None:
    summary = "3 entries checked: all hold."
    assert audit(tmp_path, spr) == (0, [summary], [])
    for words in (["--independent"], ["--processes", 1], []):
        assert audit(tmp_path, spr, "--claim", "0*2=loss", *words) == (
            0,
            [summary, "0*2 is a loss: this follows."],
            [],
        )
    assert list((tmp_path / "pns" / "audits").iterdir()) == []


@pytest.mark.search
def test_entries_that_do_not_hold(tmp_path: Path, spr: Path) -> None:
    spr.write_bytes(TWO.replace(b"0*2 0", b"0*2 3"))
    status, output, errors = audit(tmp_path, spr, "--claim", "0*2=loss")
    assert (status, errors) == (1, [])
    assert output == [
        "bad: 0*2 3: no option is known to have Grundy number 0",
        "3 entries checked: 1 do not hold.",
        "0*2 is a loss: this does not follow: its Grundy number is known as 3.",
    ]
    spr.write_bytes(TWO)
    assert audit(tmp_path, spr, "--claim", "0*2=win")[:2] == (
        1,
        [
            "3 entries checked: all hold.",
            "0*2 is a win: this does not follow: its Grundy number is known as 0.",
        ],
    )


@pytest.mark.search
def test_json(tmp_path: Path, spr: Path) -> None:
    status, output, _ = audit(tmp_path, spr, "--json", "--claim", "0*2=loss")
    found = json.loads("\n".join(output))
    assert status == 0
    assert (found["entries"], found["checked"], found["bad"]) == (3, 3, [])
    assert found["claim"] == {"position": "0*2", "wins": False} and found["claim_follows"]
    spr.write_bytes(TWO.replace(b"0*2 0", b"0*2 3"))
    status, output, _ = audit(tmp_path, spr, "--json")
    found = json.loads("\n".join(output))
    assert status == 1 and found["claim"] is None
    assert found["bad"] == [["0*2", 3, "no option is known to have Grundy number 0"]]


def test_a_sample_reports_its_coverage(tmp_path: Path) -> None:
    path = CERTIFICATES / "sprouts-10.cert.gz"
    count = read_certificate(str(path))[0].entries
    status, output, errors = audit(tmp_path, path, "--sample", 26, "--seed", 4)
    assert (status, errors) == (0, [])
    assert output == [
        "26 of %d entries checked: all hold." % count,
        "Coverage: %.2f %% of the entries; were more than 11 %% bad,"
        " one would show in 95 of 100 samples." % (2600 / count),
        "0*10 is a win: this would follow from these entries.",
    ]


@pytest.mark.search
def test_certify(tmp_path: Path, spr: Path) -> None:
    out = tmp_path / "two.cert.gz"
    status, output, errors = audit(tmp_path, "certify", "0*2=loss", spr, out)
    assert (status, errors) == (0, [])
    assert output[-1] == "%s written: 3 entries, %d bytes." % (out, out.stat().st_size)
    assert audit(tmp_path, out)[1][1:] == ["0*2 is a loss: this follows."]
    for claim, source in (("0*2=win", spr), ("0*3=win", out)):
        bad = tmp_path / "bad.cert.gz"
        assert audit(tmp_path, "certify", claim, source, bad)[0] == 1
        assert not bad.exists()


def test_other_games(tmp_path: Path) -> None:
    spr, out = tmp_path / "nim.spr", tmp_path / "nim.cert.gz"
    spr.write_bytes(TITLE + b"1 1\n2 2\n3 3\n")
    words = ("certify", "1+2+3=loss", spr, out, "--game", "nim")
    assert audit(tmp_path, *words)[0] == 0
    assert audit(tmp_path, out)[:2] == (
        0,
        ["3 entries checked: all hold.", "1+2+3 is a loss: this follows."],
    )
    assert audit(tmp_path, out, "--independent")[0] == 2
    assert audit(tmp_path, out, "--game", "kayles")[0] == 2


def test_an_audit_that_is_stopped_resumes(tmp_path: Path) -> None:
    path = CERTIFICATES / "sprouts-8.cert.gz"
    words = command(path, "--independent", "--processes", 2, "--quiet")
    child = subprocess.Popen(
        words, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    logs = tmp_path / "pns" / "audits"
    while not (logs.is_dir() and any(log.stat().st_size > 900 for log in logs.iterdir())):
        assert child.poll() is None
        try:
            child.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
    child.send_signal(signal.SIGINT)
    output, errors = child.communicate(timeout=60)
    assert (child.returncode, output, errors) == (130, b"", b"")
    (log,) = logs.iterdir()
    lines = log.read_text().splitlines()
    whole = read_certificate(str(path))[0].entries
    assert 10 < len(lines) <= 1 + whole  # a header, and a line for each entry at most
    planted = lines[5][SEAL:].replace('"faults": []', '"faults": [["0*2", 7, "planted"]]')
    lines[5] = sealed(planted)
    log.write_text("".join([line + "\n" for line in lines]))
    status, output_lines, _ = audit(tmp_path, path, "--independent")
    assert status == 1  # faults in the log are reported, the planted one too
    assert output_lines[0] == "bad: 0*2 7: planted"
    assert output_lines[1] == "%d entries checked: 1 do not hold." % whole


BAD_INPUT = [
    [],
    ["none"],
    ["f.spr", "--claim", "0*2"],
    ["f.spr", "--claim", "0*x=win"],
    ["f.spr", "--processes", "0"],
    ["f.spr", "--sample", "-1"],
    ["f.spr", "--game", "chess"],
    ["f.spr", "--game", "nim", "--independent"],
    ["f.spr", "extra"],
    ["contradicting.spr"],
    ["cut.spr"],
    [os.devnull],
    [__file__],
    ["certify", "0*2=loss", "f.spr"],
    ["certify", "0*2=loss", "f.spr", "none/out"],
]


@pytest.mark.parametrize("arguments", BAD_INPUT, ids=lambda arguments: " ".join(arguments)[:40])
def test_bad_input(tmp_path: Path, spr: Path, arguments: List[str]) -> None:
    (tmp_path / "contradicting.spr").write_bytes(TWO + b"0*2 1\n")
    (tmp_path / "cut.spr").write_bytes(TWO[:-3])
    done = run("audit.py", *arguments, cwd=tmp_path, env=environment(tmp_path))
    lines = done.errors
    assert done.status == 2
    if "none/out" not in arguments:
        assert done.output == []
    assert lines[0].startswith("audit.py") and len(lines[0]) < 300
    assert len(lines) == (3 if "0*x=win" in arguments else 1)
