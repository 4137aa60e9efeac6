"""scripts/release.py refuses to tag what is not finished."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.paths import ROOT

from pns.version import VERSION

pytestmark = pytest.mark.programs

FINISHED = "# Changelog\n\n## %s (2026-01-31)\n\n- Something.\n" % VERSION


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with the files that the script needs, all of them committed."""
    if not shutil.which("git"):
        pytest.skip("git is not here")
    (tmp_path / "scripts").mkdir()
    for name in ("release.py", "bootstrap.py"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    shutil.copytree(ROOT / "pns", tmp_path / "pns", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "CITATION.cff", tmp_path)
    (tmp_path / "CHANGELOG.md").write_text(FINISHED)
    (tmp_path / ".gitignore").write_text("__pycache__/\n")
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path)
    return tmp_path


def git(place: Path, *words: str) -> str:
    settings = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]
    command = ["git", "-C", str(place), *settings, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def commit(place: Path) -> None:
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", "all")


def release(place: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    names = {"GIT_%s_%s" % (who, what) for who in ("AUTHOR", "COMMITTER") for what in ("NAME",)}
    env = {**os.environ, **{name: "Tester" for name in names}}
    env.update({"GIT_AUTHOR_EMAIL": "t@example.org", "GIT_COMMITTER_EMAIL": "t@example.org"})
    command = [sys.executable, str(place / "scripts" / "release.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, env=env)


def test_a_finished_release_is_tagged_once(clone: Path) -> None:
    assert release(clone, VERSION, "--check").returncode == 0
    assert git(clone, "tag") == ""
    assert release(clone, VERSION).returncode == 0
    assert git(clone, "tag").split() == ["v" + VERSION]
    again = release(clone, VERSION)
    assert (again.returncode, "already" in again.stderr) == (2, True)


@pytest.mark.parametrize(
    "changelog, why",
    [
        ("# Changelog\n", "no section"),
        (FINISHED.replace("2026-01-31", "unreleased"), "no date"),
        (FINISHED.replace("- Something.\n", ""), "empty"),
        (FINISHED.replace(VERSION, "99.0.0"), "99.0.0"),
    ],
)
def test_an_unfinished_changelog_is_refused(clone: Path, changelog: str, why: str) -> None:
    (clone / "CHANGELOG.md").write_text(changelog)
    commit(clone)
    refused = release(clone, VERSION)
    assert refused.returncode == 2 and why in refused.stderr
    assert refused.stderr.count("\n") == 1 and git(clone, "tag") == ""


@pytest.mark.parametrize("text", ["version: 99.0.0\n", "title: pns\n"])
def test_another_version_to_cite_is_refused(clone: Path, text: str) -> None:
    (clone / "CITATION.cff").write_text(text)
    commit(clone)
    refused = release(clone, VERSION)
    assert refused.returncode == 2 and "CITATION.cff says" in refused.stderr
    assert refused.stderr.count("\n") == 1 and git(clone, "tag") == ""


def test_changes_and_other_versions_are_refused(clone: Path) -> None:
    assert release(clone, "99.0.0").returncode == 2
    (clone / "new.txt").write_text("new")
    refused = release(clone, VERSION)
    assert refused.returncode == 2 and "not committed" in refused.stderr
    assert git(clone, "tag") == ""
