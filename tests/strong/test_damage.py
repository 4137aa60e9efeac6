"""Any changed byte of a strong solution is found by the check, and refused by look-ups."""

from __future__ import annotations

import random
from pathlib import Path
from typing import List

import pytest

from pns.positions.ranking import DRAW, WIN
from pns.strong import SolutionError, build_solution, check_solution, read_solution
from pns.strong.blocks import compressed, write_blocks
from pns.strong.codes import GRUNDY_NUMBER, by_value, summed
from pns.strong.folder import SLICE, Folder
from pns.strong.kinds import LISTED
from pns.strong.lands import land_block, read_block

pytestmark = pytest.mark.search

GAMES = [
    ("kayles", "4", "2+3", 5),
    pytest.param("kayles", "4", "2+3", 1, marks=pytest.mark.slow),
    pytest.param("mnk", "2:...", "2:X..", 1, marks=pytest.mark.slow),
]
"""A game, the root of its solution, another position, and a byte of how many is changed."""


def check(path: Path, consistency: bool = False) -> List[str]:
    found = check_solution(str(path), consistency=consistency)
    return found.damage + found.faults


@pytest.mark.parametrize("game, root, position, every", GAMES)
def test_a_changed_byte_is_found(
    game: str, root: str, position: str, every: int, tmp_path: Path
) -> None:
    path = tmp_path / "new"
    build_solution(game, root, str(path))
    assert check(path, consistency=True) == []
    value = read_solution(str(path)).value(position)
    refused = 0
    for file in sorted(path.iterdir()):
        data = file.read_bytes()
        for place in range(random.Random(file.name).randrange(every), len(data), every):
            file.write_bytes(
                data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]
            )
            assert check(path), (file.name, place)
            try:
                with read_solution(str(path)) as solution:
                    assert solution.value(position) == value
            except SolutionError as error:
                assert file.name in str(error)
                refused += 1
        for changed in (data[:-1], data + b"x", b""):
            file.write_bytes(changed)
            assert check(path), (file.name, len(changed))
        file.unlink()
        if file.name != "solution.json":
            assert check(path) == ["%s is missing" % file]
        file.write_bytes(data)
    assert refused > 200 // every and check(path) == []


def test_a_file_of_another_solution_is_refused(tmp_path: Path) -> None:
    for name, root in (("one", "4"), ("two", "5")):
        build_solution("kayles", root, str(tmp_path / name))
    other = (tmp_path / "two" / "slice-02.pns").read_bytes()
    (tmp_path / "one" / "slice-02.pns").write_bytes(other)
    (found,) = check(tmp_path / "one")
    assert "another file" in found


def forge(path: Path, number: int, block: bytes) -> None:
    """Replace the only block of a slice, with all digests, and of a list the counts by value."""
    folder = Folder(str(path))
    header = folder.header()
    del header["format"]
    file = folder.open(SLICE, number)
    about = dict(file.about)
    if header["kind"] == LISTED:
        codes = read_block(block)[1]
        about["positions"] = by_value([codes.count(code) for code in range(256)], GRUNDY_NUMBER)
    write_blocks(folder.name(SLICE, number), [compressed(block)], about)
    header["slices"][number] = folder.record(number)
    header["positions"] = summed([record["positions"] for record in header["slices"]])
    folder.complete(header)


def test_wrong_values_under_right_digests_are_found(tmp_path: Path) -> None:
    path = tmp_path / "ranked"
    build_solution("mnk", "3v:...|...|...", str(path))
    assert check(path, consistency=True) == []
    block = bytearray(Folder(str(path)).open(SLICE, 4).read(0))
    place = next(i for i, byte in enumerate(block) if byte & 3 == WIN)
    block[place] ^= WIN ^ DRAW
    forge(path, 4, bytes(block))
    assert check(path) == []
    found = check(path, consistency=True)
    assert "slice 4: the values of the entries 0 to" in found[0] and found[1].startswith("slice ")
    path = tmp_path / "listed"
    build_solution("cram", "...|...|...", str(path))
    lands, codes = read_block(Folder(str(path)).open(SLICE, 2).read(0))
    forge(path, 2, land_block(lands, bytes([codes[0] + 1]) + codes[1:]))
    found = check(path, consistency=True)
    assert "the value of %s does not follow" % lands[0].decode() in found


def test_wrong_values_are_found_by_samples(tmp_path: Path) -> None:
    path = tmp_path / "new"
    build_solution("mnk", "3:...|...|...", str(path))
    assert check_solution(str(path), samples=60).holds
    block = Folder(str(path)).open(SLICE, 5).read(0)
    swapped = bytes(
        [sum([(0, 3, 2, 1)[byte >> s & 3] << s for s in (0, 2, 4, 6)]) for byte in block]
    )
    forge(path, 5, swapped)
    report = check_solution(str(path), samples=60)
    assert report.samples == 60 and report.faults and not report.damage and not report.holds
