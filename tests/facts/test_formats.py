"""Files of facts: sorting, merging, checking, repairing and converting them."""

from __future__ import annotations

import random
from contextlib import ExitStack
from pathlib import Path
from typing import Dict, List

import pytest
from helpers.paths import TEST_DATA

from pns.facts import formats
from pns.facts.formats import DIALECTS, check, convert, from_any, merged, repair, sorted_facts
from pns.facts.spr import TITLE, SprError, read_spr
from pns.finding import find_game

GAME = find_game("sprouts")


@pytest.fixture(params=[3, 10**6])
def at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of facts that are sorted in memory."""
    monkeypatch.setattr(formats, "SORTED_AT_ONCE", request.param)
    return int(request.param)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 7, 50])
def test_sorting(at_once: int, count: int) -> None:
    facts = [(b"0*%d" % i, i % 5) for i in range(count)] + [(b"0*1", 3)]
    random.Random(count).shuffle(facts)
    with ExitStack() as stack:
        assert list(sorted_facts(facts, stack)) == sorted(facts)


def test_merging_names_the_sources_of_each_number() -> None:
    streams = [iter([(b"a", 1), (b"c", 1)]), iter([(b"a", 1), (b"b", 2)]), iter([(b"c", 0)])]
    assert [tuple(found) for found in merged(streams)] == [
        (b"a", {1: [0, 1]}),
        (b"b", {2: [1]}),
        (b"c", {0: [2], 1: [0]}),
    ]


def test_checking(tmp_path: Path, at_once: int) -> None:
    path = tmp_path / "f.spr"
    reported: List[str] = []
    path.write_bytes(TITLE + b"0 0\n0*2 0\n0*3 1\n0*4 1\n")
    assert tuple(check(str(path), GAME, reported.append)) == (4, 0, True, 0, 0)
    assert reported == []
    path.write_bytes(TITLE + b"0*3 1\n0 0\n0*3 1\n0.0 0\n0*3 2\n0*2 999\n0*4 1\r\n0*9")
    assert tuple(check(str(path), GAME, reported.append)) == (3, 3, False, 1, 1)
    assert [line.split(":")[0] for line in reported] == [
        *["line 5", "line 7", "line 9"],
        "contradiction",
    ]
    path.write_bytes(b"0*3 1\n")
    with pytest.raises(SprError, match="line 1: invalid first line; expected"):
        check(str(path), GAME, reported.append)


@pytest.mark.parametrize("tail", [b"0*", b"0*2 0", b"\0" * 200_000, b"x" * 100_000])
def test_repairing(tmp_path: Path, tail: bytes) -> None:
    path = tmp_path / "f.spr"
    good = TITLE + b"0 0\n" * 30_000
    path.write_bytes(good + tail)
    dropped, copy = repair(str(path))
    assert (dropped, path.read_bytes()) == (tail, good)
    assert Path(copy).read_bytes() == good + tail
    assert repair(str(path)) == (b"", "")
    path.write_bytes(good + b"0")
    assert repair(str(path))[1] not in ("", copy)
    assert sorted(tmp_path.iterdir()) == [path, tmp_path / "f.spr.bak", tmp_path / "f.spr.bak2"]


def test_a_file_without_its_title_is_not_repaired(tmp_path: Path) -> None:
    path = tmp_path / "f.spr"
    for content in (b"", b"[Positions", b"0*2 0\n0"):
        path.write_bytes(content)
        with pytest.raises(SprError, match="line 1: invalid first line; expected"):
            repair(str(path))
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


# Dialects

LONG_ONE = b"".join([b"m(%d)1" % i for i in range(1, 14)])
LONG_TWO = b"".join([b"n(%d)" % i for i in range(1, 27)])


@pytest.mark.parametrize(
    ("land", "glop", "glop1"),
    [
        (b"0*5", b"0*5", b"0*5.}]!"),
        (b"0*2.AB|AB", b"0*2.AB|AB", b"0*2.AB.}AB.}]!"),
        (b"1a1a", b"1a1a", b"1a1a.}]!"),
        (b"0.n(1)|n(1)", b"0.Z(1)|Z(1)", b"0.Z(1).}Z(1).}]!"),
    ],
)
def test_texts_of_other_solvers(land: bytes, glop: bytes, glop1: bytes) -> None:
    assert [DIALECTS[name](land) for name in ("spots", "glop", "glop1")] == [land, glop, glop1]
    lands = GAME.parse(land.decode())
    for text in (glop, glop1):
        assert GAME.parse(from_any(text).decode()) == lands


def test_a_position_of_glop_1_with_several_lands() -> None:
    assert from_any(b"12.AB.}AB.}]0.2ABC.}0.1ab1b.ACB.}]!") == b"12.AB|AB+0.2ABC|0.1ab1b.ACB"


def facts_of_another_solver() -> Dict[bytes, int]:
    rows = [line.split("\t") for line in open(TEST_DATA / "nimbers.tsv") if line[0] != "#"]
    facts = {land.encode(): int(number) for land, number in rows}
    (ring,) = GAME.parse("0.%s|%s" % (LONG_TWO.decode(), LONG_TWO.decode()))
    (fold,) = GAME.parse((LONG_ONE + LONG_ONE).decode())
    assert b"n(26)" in ring and b"m(13)" in fold
    return {**facts, ring: 3, fold: 2}


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_there_and_back(tmp_path: Path, dialect: str, at_once: int) -> None:
    facts = dict(sorted(facts_of_another_solver().items())[:: 1 if at_once > 3 else 9])
    start, there, back = (str(tmp_path / name) for name in ("a.spr", "b.spr", "c.spr"))
    lines = [b"%s %d\n" % fact for fact in facts.items()]
    random.Random(1).shuffle(lines)
    Path(start).write_bytes(TITLE + b"".join(lines))
    reported: List[str] = []
    assert convert(start, there, GAME, dialect, reported.append) == len(facts)
    text = Path(there).read_bytes()
    assert text.startswith(TITLE) and (b"}" in text) == (dialect == "glop1")
    assert (b"n(" in text) == (b"n(" in b"".join(lines) and dialect == "spots")
    assert convert(there, back, GAME, "spots", reported.append) == len(facts)
    assert dict(read_spr(back, GAME)) == facts and reported == []


def test_lines_that_other_solvers_write(tmp_path: Path) -> None:
    path, out = tmp_path / "a", tmp_path / "b"
    path.write_bytes(TITLE + b"\r\n0.0 0\r\n\n0*2 0\n3 0\nBA.0|AB 1\n")
    assert convert(str(path), str(out), GAME, "spots", print) == 2
    assert out.read_bytes() == TITLE + b"0*2 0\n0.AB|AB 1\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"0*2+0*3 1\n", "line 2: '0*2+0*3' is not one land but 2"),
        (b"0*2 1 2\n", "line 2: not a land, one space and a number"),
        (b"0*2 x\n", "line 2: 'x' is not a Grundy number"),
        (b"0*2 251\n", "line 2: Grundy number 251 is above 250"),
        (b"3 1\n", "line 2: '3' has no moves, but number 1"),
        (b"0*2 0", "line 2: cut off"),
        (b"0*2] 0\n", "line 2: '0*2]': offset 3"),
    ],
)
def test_bad_lines_are_not_converted(tmp_path: Path, line: bytes, message: str) -> None:
    path, out = tmp_path / "a", tmp_path / "b"
    path.write_bytes(TITLE + line)
    with pytest.raises(SprError) as error:
        convert(str(path), str(out), GAME, "glop", print)
    assert str(error.value).startswith("%s, %s" % (path, message))
    assert not out.exists()


def test_contradictions_are_reported_and_nothing_is_written(tmp_path: Path) -> None:
    path, out = tmp_path / "a", tmp_path / "b"
    path.write_bytes(TITLE + b"0*2 0\n0.0 1\n")
    reported: List[str] = []
    assert convert(str(path), str(out), GAME, "glop", reported.append) == -1
    assert reported == ["contradiction: 0*2: 0, 1 in %s" % path]
    assert list(tmp_path.iterdir()) == [path]
