"""A `solution.json` that was changed, under a right digest, is refused or found by the check."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Tuple

import pytest

from pns.strong import SolutionError, build_solution, check_solution, read_solution
from pns.strong.blocks import compressed, digest_of, write_blocks
from pns.strong.build import build_lands
from pns.strong.folder import HEADER, LISTS, SLICE, Folder, read_object, write_object
from pns.strong.lands import land_block, read_block

pytestmark = pytest.mark.search

Place = Tuple[Any, ...]
WRONG_TYPES: List[Any] = [
    None,
    True,
    1.0,
    -1,
    float("nan"),
    "",
    "x\ny",
    [],
    {},
    [None],
    {"a": 1},
    10**40,
    "0" * 64,
]
FREE = {("version",)}
"""Fields that may be any text."""
DECISIVE = ("game", "kind", "values", "lives")
"""Fields that decide what others have to be, so that one of those may be named."""
BUILDS: Dict[str, Callable[[str], None]] = {
    "ranked": lambda path: build_solution("mnk", "2:..|..", path),
    "listed": lambda path: build_solution("cram", "...|...", path),
    "lands": lambda path: build_lands("sprouts", 4, path),
}


def places(value: Any, above: Place = ()) -> Iterator[Place]:
    """All fields and items of an object, and of what is in it."""
    items: List[Tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    for key, found in items:
        yield (*above, key)
        yield from places(found, (*above, key))


def wrong_values(value: Any) -> Iterator[Any]:
    """Other values for a field, of other types and of its own."""
    for wrong in WRONG_TYPES:
        if type(wrong) is not type(value) or wrong != value:
            yield wrong
    if isinstance(value, int):
        yield from (value + 1, value - 1, 7 * value + 3, float(value), str(value), bool(value))
    elif isinstance(value, str):
        yield from (value + "0", value[:-1], value.upper() + " ", [value])
        yield from (
            "nim",
            "kayles",
            "sprouts",
            "0*2",
            "3",
            "..|..",
            "listed",
            "sections",
            "outcome",
        )
    elif isinstance(value, list):
        yield from (value[:-1], value[::-1], value + value[-1:], [value])
    else:
        yield from ({**value, "more": 1}, [value])


def changes(header: Dict[str, Any]) -> Iterator[Tuple[Place, Dict[str, Any]]]:
    """Each field with the headers in which it is missing or another."""
    for place in places(header):
        changed = copy.deepcopy(header)
        holder = changed
        for key in place[:-1]:
            holder = holder[key]
        old = holder[place[-1]]
        for wrong in wrong_values(old):
            if type(wrong) is type(old) and wrong == old:
                continue
            holder[place[-1]] = wrong
            yield place, changed
        del holder[place[-1]]
        yield place, changed
    yield ("lives",), {**header, "lives": header.get("lives", 3) + 1}
    yield ("more",), {**header, "more": 1}


def is_free(place: Place, header: Dict[str, Any]) -> bool:
    found = header.get(place[0])
    return place in FREE and type(found) is str and found.isprintable() and found != ""


@pytest.mark.parametrize("share", [0.25, pytest.param(1.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", BUILDS)
def test_a_changed_field_is_refused_or_found(kind: str, share: float, tmp_path: Path) -> None:
    """`share` is the share of all changes that are tried."""
    choose = random.Random(kind)
    path = str(tmp_path / "new")
    BUILDS[kind](path)
    assert check_solution(path, consistency=True).holds
    file = str(tmp_path / "new" / HEADER)
    header = read_object(file)
    refused = found = 0
    for place, changed in changes(header):
        if choose.random() >= share:
            continue
        write_object(file, changed)
        try:
            with read_solution(path) as solution:
                solution.value(solution.position)
        except ValueError as error:  # of a game that is not known, or of a header
            text = str(error)
            assert text.isprintable(), (place, text)
            names = [key for key in place if type(key) is str]
            names += header if place[0] in DECISIVE else []
            assert any([name in text for name in names]), (place, text)
            refused += 1
        try:
            report = check_solution(path)
        except ValueError as error:
            assert str(error).startswith("unknown game ") or "invalid name of a game" in str(error)
            continue
        if is_free(place, changed):
            assert report.holds
            continue
        assert not report.holds, (place, changed)
        assert all([line.isprintable() for line in report.damage + report.faults])
        found += 1
    assert refused > 200 * share and found > 200 * share


def test_another_root_of_the_same_shape_is_found_by_consistency(tmp_path: Path) -> None:
    for kind, position, wrong in (
        ("ranked", "3:..|..", "do not follow"),
        ("lands", "12", "the root is 12"),
    ):
        path = tmp_path / kind
        BUILDS[kind](str(path))
        header = read_object(str(path / HEADER))
        write_object(str(path / HEADER), {**header, "position": position})
        assert any([wrong in line for line in check_solution(str(path), consistency=True).faults])


def test_missing_small_lands_are_found(tmp_path: Path) -> None:
    path = tmp_path / "new"
    build_solution("sprouts", "0", str(path))
    header = read_object(str(path / HEADER))
    write_object(str(path / HEADER), {**header, "lives": header["slices"][0]["size"]})
    assert check_solution(str(path)).holds
    assert "222 is missing" in " ".join(check_solution(str(path), consistency=True).faults)


def test_surplus_and_missing_slices_are_found(tmp_path: Path) -> None:
    path = tmp_path / "new"
    BUILDS["listed"](str(path))
    (path / "slice-77.pns").write_bytes(b"")
    (found,) = check_solution(str(path)).damage
    assert "slice-77.pns: slice is not in the header" in found
    (path / "slice-77.pns").unlink()
    (path / "slice-00.pns").unlink()
    (found,) = check_solution(str(path)).damage
    assert found.endswith("slice-00.pns is missing")


@pytest.mark.parametrize("name", ["slice", "size", "entries", "positions", "firsts"])
def test_heads_of_files_are_checked(name: str, tmp_path: Path) -> None:
    BUILDS["listed"](str(tmp_path))
    folder = Folder(str(tmp_path))
    file = folder.open(SLICE, 1)
    blocks = [compressed(block) for block in file]
    file.close()
    for wrong in (None, True, -1, "x", [1], {"a": "b"}):
        write_blocks(file.path, blocks, {**file.about, name: wrong})
        with pytest.raises(SolutionError, match="slice-01.pns: invalid " + name):
            folder.open(SLICE, 1)
    write_blocks(file.path, blocks, {key: file.about[key] for key in file.about if key != name})
    with pytest.raises(SolutionError, match="slice-01.pns: no field " + name):
        folder.open(SLICE, 1)


def test_values_are_counted_again(tmp_path: Path) -> None:
    BUILDS["listed"](str(tmp_path))
    folder = Folder(str(tmp_path))
    header = folder.header()
    file = folder.open(SLICE, 0)
    lands, codes = read_block(file.read(0))
    file.close()
    for block, wrong in (
        (land_block(lands, bytes([codes[0] + 1]) + codes[1:]), "invalid positions"),
        (land_block(lands, codes + codes), "the length of its lands is wrong"),
        (land_block([*lands, b"z"], codes + codes[:1]), "invalid entries"),
        (land_block([b"x"] * len(lands), codes), "invalid firsts"),
        (b"", "the length of its lands is missing"),
    ):
        write_blocks(file.path, [compressed(block)], file.about)
        header["slices"][0] = folder.record(0)
        write_object(str(tmp_path / HEADER), header)
        (found,) = check_solution(str(tmp_path)).damage
        assert "slice-00.pns: " in found and wrong in found


@pytest.mark.parametrize(
    "line", [b"[]", b"nothing", b"[" * 100_000, b'{"format": true}'], ids="abcd"
)
def test_a_header_that_is_no_object_is_refused(line: bytes, tmp_path: Path) -> None:
    digest = digest_of(line).hex().encode("ascii")
    (tmp_path / HEADER).write_bytes(line + b"\n" + digest + b"\n")
    with pytest.raises(SolutionError, match="solution.json: "):
        read_solution(str(tmp_path))
    assert len(check_solution(str(tmp_path)).damage) == 1


@pytest.mark.parametrize("lands", [None, 3, "x", [], [0], [True], [1.5]])
def test_the_lists_of_a_begun_build_are_checked(lands: Any, tmp_path: Path) -> None:
    write_object(str(tmp_path / LISTS), {"format": 1, "lands": lands})
    with pytest.raises(SolutionError, match="lists.json: invalid lands"):
        Folder(str(tmp_path)).lists()
