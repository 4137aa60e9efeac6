"""The lock files of setup.sh name a version, and hashes, of all that setup.cfg asks for."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any, Dict, List, Sequence

import lock
import pytest
from helpers.paths import ROOT
from helpers.tools import call

pytest.importorskip("packaging")
FILES = ROOT / "scripts" / "requirements"


def test_they_fit_the_ranges() -> None:
    assert list(lock.faults(str(FILES))) == []


@pytest.mark.parametrize(
    "old, new, fault",
    [
        ("msgpack==1.", "msgpack==2.", "msgpack>=1.1,<2"),
        ("pyzmq==", "pyzmq-of-others==", "missing; expected pyzmq"),
        (" \\\n    --hash=sha256:", "\n", "not written by lock.py: 'anyio=="),
        ("anyio==", "--index-url=https://example.org\nanyio==", "not written by lock.py: '--index"),
    ],
)
def test_what_does_not_fit_is_found(old: str, new: str, fault: str, tmp_path: Path) -> None:
    shutil.copytree(FILES, tmp_path / "locks")
    path = tmp_path / "locks" / "main.txt"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    done = call("lock.py", "--check", "--out", tmp_path / "locks")
    assert done.status == 1 and fault in done.output


def test_compiled_packages_have_hashes_for_all_platforms() -> None:
    """All others are the same on all platforms."""
    entries = lock.ENTRY.findall((FILES / "main.txt").read_text())
    many = {name for name, _, hashes in entries if hashes.count("--hash") > 1}
    assert many == {"pyzmq"}
    assert dict([(name, hashes.count("--hash")) for name, _, hashes in entries])["pyzmq"] == len(
        lock.PLATFORMS
    )


def test_set_up_installs_as_the_versions_were_resolved() -> None:
    text = re.sub(r"\\\n *", "", (ROOT / "scripts" / "setup.sh").read_text())
    used = {name: words.split() for name, words in re.findall(r"pip_install (\w+) (--.*)", text)}
    assert used == {name: list(one.options) for name, one in lock.LOCKS.items()}
    for name, value in lock.SETTINGS.items():
        assert "%s=%s pip_install" % (name, value) in text


def test_a_lock_file_from_what_pip_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: List[Sequence[str]] = []

    def resolve(python: str, place: str, words: Sequence[str]) -> List[Any]:
        asked.append(words)
        if "--no-deps" in words:
            return [("pyzmq", "27", "https://x/pyzmq-pp.whl", "sha256:%064x" % len(asked))]
        return [
            ("pyzmq", "27", "https://x/pyzmq-pp.whl", "sha256:" + "b" * 64),
            ("Anyio", "4", "https://x/anyio-py3-none-any.whl", "sha256:" + "a" * 64),
        ]

    monkeypatch.setattr(lock, "resolve", resolve)
    text = lock.text("python", "place", lock.LOCKS["main"])
    assert len(asked) == 1 + len(lock.PLATFORMS)
    assert "msgpack>=1.1,<2" in asked[0]
    entries: Dict[str, str] = {name: hashes for name, _, hashes in lock.ENTRY.findall(text)}
    assert not lock.ENTRY.sub("", text) and list(entries) == ["Anyio", "pyzmq"]
    assert entries["pyzmq"].count("--hash") == 1 + len(lock.PLATFORMS)
    assert "https" not in text


def test_files_of_this_machine_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """pip may be set to find files beside the index, whose hashes nobody else has."""
    fake = tmp_path / "pip"
    report = (
        '{"install": [{"metadata": {"name": "x", "version": "1"}, "download_info": '
        '{"url": "file:///x.whl", "archive_info": {"hash": "sha256=0"}}}]}'
    )
    fake.write_text("#!/bin/sh\nprintf '%%s' '%s' >%s/report.json\n" % (report, tmp_path))
    fake.chmod(0o755)
    with pytest.raises(SystemExit):
        lock.resolve(str(fake), str(tmp_path), [])
    assert "x comes from file:///x.whl; expected an index" in capsys.readouterr().err


@pytest.mark.skipif(
    (sys.implementation.name, *sys.version_info[:2]) == lock.OLDEST, reason="this is that PyPy"
)
def test_another_interpreter_is_refused(tmp_path: Path) -> None:
    done = call("lock.py", "--out", tmp_path / "locks")
    assert done.status == 2 and "; expected pypy 3.9" in done.errors
    assert not os.path.exists(tmp_path / "locks")
