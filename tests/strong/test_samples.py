"""Samples as text: the same for a seed, verified against a table; samples solved by a search."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import List

import pytest

from pns.strong import build_solution, check_solution, read_solution, searched
from pns.strong.folder import SLICE, Folder
from pns.strong.samples import SamplesError, read_samples, samples_text

pytestmark = pytest.mark.search

TIC_TAC = "3:...|...|..."


def text_of(path: Path, count: int = 40, seed: int = 3) -> str:
    with read_solution(str(path)) as solution:
        return samples_text(solution, count, seed)


def digested(lines: List[str]) -> str:
    text = "".join([line + "\n" for line in lines])
    return text + "sha256 %s\n" % sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "game, root, listed",
    [("mnk", TIC_TAC, False), ("mnk", TIC_TAC, True), ("cram", "...|...", True)],
)
def test_samples_are_verified(game: str, root: str, listed: bool, tmp_path: Path) -> None:
    path = tmp_path / "new"
    build_solution(game, root, str(path), listed=listed)
    text = text_of(path)
    assert text == text_of(path) != text_of(path, seed=4)
    file = tmp_path / "samples"
    file.write_text(text)
    assert len(read_samples(str(file)).values) == 40
    report = check_solution(str(path), against=str(file), searches=20, seed=5)
    assert report.holds and (report.compared, report.searched, report.undecided) == (40, 20, 0)
    lines = text.splitlines()[:-1]
    position, value = lines[7].split()
    lines[7] = "%s %s" % (position, "5" if game == "cram" else {"win": "loss"}.get(value, "win"))
    file.write_text(digested(lines))
    (fault,) = check_solution(str(path), against=str(file)).faults
    assert fault.startswith(position + " has value " + value)


def test_a_text_never_changes(tmp_path: Path) -> None:
    path = tmp_path / "new"
    build_solution("mnk", TIC_TAC, str(path))
    assert text_of(path, 2, 1).splitlines() == [
        "[Strong solution samples 1]",
        "game mnk",
        "root " + TIC_TAC,
        "3:OX.|OX.|... win",
        "3:O.X|.XO|X.. loss",
        "sha256 " + sha256("".join(
            line + "\n" for line in text_of(path, 2, 1).splitlines()[:-1]
        ).encode()).hexdigest(),
    ]  # fmt: skip


def test_samples_that_are_not_there_are_faults(tmp_path: Path) -> None:
    build_solution("mnk", "3:X..|.O.|...", str(tmp_path / "new"))
    file = tmp_path / "samples"
    head = ["[Strong solution samples 1]", "game mnk", "root " + TIC_TAC]
    file.write_text(digested([*head, TIC_TAC + " draw", "nonsense win"]))
    found = check_solution(str(tmp_path / "new"), against=str(file)).faults
    assert found[0] == "%s is not in the solution, by the samples draw" % TIC_TAC
    assert found[1].startswith("invalid position nonsense in the samples: offset 0: ")


@pytest.mark.parametrize(
    "change, wrong",
    [
        (lambda text: text.replace("draw", "loss"), "the digest of its lines is wrong"),
        (lambda text: text[:-1], "the digest of its lines is wrong"),
        (lambda text: text + "\n", "the digest of its lines is wrong"),
        (lambda text: text.rpartition("sha256")[0], "does not end in a line with sha256"),
        (lambda text: "x" + text, ":1: invalid first line; expected"),
        (lambda text: "", ":1: invalid first line; expected"),
        (lambda text: text + "ä", "not a text of samples"),
        (lambda text: digested(text.splitlines()[:5] + ["x"]), ":6: expected two words"),
        (lambda text: digested(text.splitlines()[:1]), ":2: the game and the root are missing"),
        (lambda text: digested([text.splitlines()[0], "game nim", "root 3"]), "samples of nim"),
    ],
)
def test_bad_files_are_refused(change: object, wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "new"
    build_solution("mnk", TIC_TAC, str(path))
    file = tmp_path / "samples"
    file.write_bytes(change(text_of(path)).encode())  # type: ignore[operator]
    with pytest.raises(SamplesError, match=wrong):
        check_solution(str(path), against=str(file))


def test_wrong_values_are_found_by_a_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from test_damage import forge

    path = tmp_path / "new"
    build_solution("mnk", TIC_TAC, str(path))
    block = Folder(str(path)).open(SLICE, 6).read(0)
    swapped = [sum([(0, 3, 2, 1)[byte >> s & 3] << s for s in (0, 2, 4, 6)]) for byte in block]
    forge(path, 6, bytes(swapped))
    report = check_solution(str(path), searches=40)
    assert report.searched == 40 and "by a search" in report.faults[0]
    monkeypatch.setattr(searched, "MOST_EXPANSIONS", 0)
    report = check_solution(str(path), searches=40)
    assert report.undecided > 0 and report.searched + report.undecided == 40
