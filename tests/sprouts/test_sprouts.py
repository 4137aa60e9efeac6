"""Sprouts: parsing, canonical text, moves."""

from __future__ import annotations

import random
import time
from typing import List

import pytest
from helpers.paths import TEST_DATA
from hypothesis import given, settings
from hypothesis import strategies as st

from pns.finding import find_game
from pns.game import NotationError
from pns.sprouts.code import count_prefix, decode, encode, split_prefix
from pns.sprouts.notation import MAX_SPOTS
from pns.sprouts.texts import is_canonical

pytestmark = pytest.mark.search

GAME = find_game("sprouts")
CHILDREN = [line.split("\t") for line in (TEST_DATA / "children.tsv").read_text().splitlines()]

BAD = {
    "": (0, "the text is empty"),
    "abc": (0, "a occurs once on its boundary"),
    "A": (0, "A occurs once in its land"),
    "aaa": (2, "a occurs 3 times on its boundary"),
    "A|A|A": (4, "A occurs 3 times in its land"),
    "0*": (2, "expected a positive number, found the end"),
    "0*-1": (2, "expected a positive number, found '-'"),
    "0*0": (2, "the position has no spots"),
    "0*3 1": (3, "a space inside a land"),
    " 0 .1": (2, "a space inside a land"),
    "0*3\t": (3, "unexpected '\\t'"),
    "   ": (0, "the text is empty"),
    " 0*3 + ": (7, "a boundary is missing here"),
    " +0": (1, "a boundary is missing here"),
    "! + 0": (0, "'!' is not alone"),
    "0*3;0*4": (3, "unexpected ';'"),
    "00": (1, "an isolated spot shares its boundary"),
    "0*2A|A": (3, "an isolated spot shares its boundary"),
    "20*2": (1, "an isolated spot shares its boundary"),
    "ZZ": (0, "'Z' needs a number"),
    "m": (0, "'m' needs a number"),
    "#0": (0, "unexpected '#'"),
    "n(0)": (2, "expected a number from 1 to 9999 and ')', found '0'"),
    "n(x)": (2, "expected a number from 1 to 9999 and ')', found 'x'"),
    "n(": (2, "expected a number from 1 to 9999 and ')', found the end"),
    "n(12": (2, "expected a number from 1 to 9999 and ')', found '1'"),
    "0*99999999999999": (2, "more than 1000 spots"),
    "0*900+0*900": (8, "more than 1000 spots"),
    "0*999.0.0": (8, "more than 1000 spots"),
    "0*3+": (4, "a boundary is missing here"),
    "+0": (0, "a boundary is missing here"),
    "0..1": (2, "a boundary is missing here"),
    "A||A": (2, "a boundary is missing here"),
    "A.A": (2, "A occurs twice in one region"),
    "A+A": (0, "A occurs once in its land"),
    "1a.1a": (1, "a occurs once on its boundary"),
    "0*3!": (3, "'!' is not alone"),
    "0\u00b2": (1, "unexpected '\\xb2'"),
    "\u0660": (0, "unexpected '\\u0660'"),
}


@pytest.mark.parametrize("text", sorted(BAD))
def test_bad_text_is_explained(text: str) -> None:
    offset, wrong = BAD[text]
    with pytest.raises(NotationError) as caught:
        GAME.parse(text)
    assert (caught.value.offset, caught.value.wrong[: len(wrong)]) == (offset, wrong)
    assert caught.value.right and "\n" not in str(caught.value)


def test_a_megabyte_of_junk_is_refused_quickly() -> None:
    start = time.monotonic()
    for junk in ("x", "0.", "A|", "(", "0*3+"):
        with pytest.raises(NotationError):
            GAME.parse(junk * (10**6 // len(junk)))
    assert time.monotonic() - start < 5


READ = {
    "!": "!",
    "3": "!",
    "0*1": "0",
    "0.0.0": "0*3",
    "0.3": "0",
    "A|A": "!",
    "2A|AB|0.B": "0.A|2B|AB",
    "0*2+0*3": "0*3+0*2",
    "0*2 + 1a1a": "0*2+1a1a",
    "  0  +1 ": "0+1",
    " ! ": "!",
    "1a1a": "1a1a",
    "1a2a": "1a2a",
    "Z(1)2|n(1)2": "2A|2A",
    "n(7)2|n(7)2": "2A|2A",
    "0.m(1)2m(1)2": "0.2a2a",
    "2.2.2": "222",
    "2.2": "22",
    "12": "12",
    "aa.0": "0.2",
    "2B|2D|BD": "2A|2B|AB",
    "1A|A": "12",
    "0.22.12+1|A|A": "0.12.22+1",
}


@pytest.mark.parametrize("text", sorted(READ))
def test_texts_are_reduced_and_canonical(text: str) -> None:
    assert GAME.format(GAME.parse(text)) == READ[text]


def children_in_order(text: str) -> List[str]:
    lands = GAME.parse(text)
    return sorted(
        {
            GAME.format(tuple(sorted(lands[:i] + lands[i + 1 :] + child)))
            for i, land in enumerate(lands)
            for child in GAME.children(land)
        }
    )


def test_children_are_those_of_another_solver_byte_for_byte() -> None:
    assert len(CHILDREN) == 261
    for position, count, *children in CHILDREN:
        assert children_in_order(position) == children, position
        assert len(children) == int(count)


def test_canonical_texts_are_parsed_unchanged() -> None:
    for position, _, *children in CHILDREN:
        for text in [position, *children]:
            assert GAME.format(GAME.parse(text)) == text


def shuffled(text: str, rng: random.Random) -> str:
    """The same position: parts shuffled, boundaries rotated, regions mirrored, names changed."""
    lands = []
    for land in text.split("+"):
        regions = []
        for region in land.split("|"):
            mirror = rng.choice([1, -1])
            boundaries = []
            for boundary in region.split("."):
                if not boundary.startswith("0"):
                    turn = rng.randrange(len(boundary))
                    boundary = (boundary[turn:] + boundary[:turn])[::mirror]
                    names = sorted({c for c in boundary if c.islower()})
                    new = rng.sample("abcdefghijkl", len(names))
                    boundary = boundary.translate(str.maketrans("".join(names), "".join(new)))
                boundaries.append(boundary)
            rng.shuffle(boundaries)
            regions.append(".".join(boundaries))
        rng.shuffle(regions)
        names = sorted({c for c in land if c.isupper()})
        new = rng.sample("ABCDEFGHIJKLMNOPQRSTUVWXY", len(names))
        lands.append("|".join(regions).translate(str.maketrans("".join(names), "".join(new))))
    rng.shuffle(lands)
    return "+".join(lands)


def test_equivalent_texts_mostly_have_one_canonical_text() -> None:
    rng = random.Random(3)
    same = 0
    for position, *_ in CHILDREN:
        other = GAME.format(GAME.parse(shuffled(position, rng)))
        same += other == position
        lengths = [len(part) for part in sorted(position)]
        assert [len(part) for part in sorted(other)] == lengths
    assert same > 200


@given(st.text("012ABCabc.|+*!(mnZ)3 ", max_size=14))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_junk_never_crashes(text: str) -> None:
    try:
        lands = GAME.parse(text)
    except NotationError as error:
        assert 0 <= error.offset <= len(text)
    else:
        assert GAME.parse(GAME.format(lands)) == lands
        assert GAME.parse(" %s  " % GAME.format(lands).replace("+", "  + ")) == lands
        children_in_order(GAME.format(lands))


@given(st.text(max_size=20))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_characters_never_crash(text: str) -> None:
    try:
        GAME.parse(text)
    except NotationError as error:
        assert str(error).isascii()


def test_many_names() -> None:
    """Beyond 12 one-region or 25 two-region names of a land, all names of that kind get numbers."""
    ones = "".join(["m(%d)2" % i for i in range(1, 14)] + ["m(%d)1" % i for i in range(1, 14)])
    (land,) = GAME.parse(ones + ".0")
    assert b"m(13)" in land and b"a" not in land
    assert GAME.parse(land.decode()) == (land,)
    twos = "|".join(["0.n(%d)Z(%d)" % (i, i % 30 + 1) for i in range(1, 31)])
    (land,) = GAME.parse(twos)
    assert b"n(30)" in land and b"A" not in land
    assert GAME.parse(land.decode()) == (land,)
    for child in list(GAME.children(land))[:50]:
        for part in child:
            assert GAME.parse(part.decode()) == (part,)


@pytest.mark.parametrize("count", [12, 13, 14, 15, 40, 77])
def test_names_stay_distinct(count: int) -> None:
    """Some codes of numbered names are letters, too: none may be mistaken for another name."""
    numbers = range(1, count + 1)
    ones = "".join(["m(%d)%d" % (i, degree) for degree in (2, 1) for i in numbers])
    twos = "|".join(["0.n(%d)n(%d)" % (i, i % count + 1) for i in numbers])
    for text in (ones, twos):
        (land,) = GAME.parse(text)
        code = encode(land)
        assert decode(code) == land and GAME.parse(land.decode()) == (land,)
        names = [c for c in code if c >= 0x33 and c < 0xFA]
        assert len(names) == 2 * count and len(set(names)) == count
        assert all([(c < 0x80) == (text is not twos) for c in names])


@pytest.mark.parametrize("spots", [1, 2, 47, 48, 49, 95, 96, 97, MAX_SPOTS])
def test_isolated_spots_are_a_count(spots: int) -> None:
    text = b"0*%d" % spots if spots > 1 else b"0"
    (land,) = GAME.parse(text.decode())
    assert land == text and decode(encode(land)) == land
    assert split_prefix(count_prefix(spots) + b"x") == (spots, b"x")
    assert len(encode(land)) == 1 + spots // 48
    assert count_prefix(spots) < count_prefix(spots - 1) + b"\x00"  # more spots sort first


def test_an_n_spot_position_has_a_move_for_each_split_of_the_others() -> None:
    for spots in range(2, 120):
        children = list(GAME.children(b"0*%d" % spots))
        assert len(children) == (spots + 1) // 2 + 1
        assert all([GAME.estimate(part)[0] < 3 * spots for child in children for part in child])


@pytest.mark.parametrize("changes", [2000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_canonical_texts_are_recognised_without_parsing(changes: int) -> None:
    """Random changes of canonical texts are recognised only if they are canonical, too."""
    rng = random.Random(5)
    lands = set()
    for position in ("0*3", "0*5"):
        for _ in range(60):
            play = GAME.parse(position)
            while play:
                land = rng.choice(play)
                lands.add(land)
                play = rng.choice([*GAME.children(land), ()])
    texts = sorted(lands)
    assert len(texts) > 100 and all([is_canonical(land) for land in texts])
    letters = b"0123abcdAABBCCDDEZ.|+*()mn!x"
    for _ in range(changes):
        text = bytearray(rng.choice(texts))
        for _ in range(rng.randint(1, 3)):
            i = rng.randrange(len(text) + 1)
            text[i : i + rng.randint(0, 1)] = bytes([rng.choice(letters)])[: rng.randint(0, 1)]
        if rng.random() < 0.3:
            regions = text.split(b"|")
            text = bytearray(b"|".join(rng.sample(regions, len(regions))))
        if is_canonical(bytes(text)):
            assert GAME.parse(text.decode()) == (bytes(text),), text
    for wrong in ("", "00", "!", "xyz", "0*2+0*2", "0*1", "2", "A", "aaa", "0.A|A|A", "m(200)"):
        assert not is_canonical(wrong.encode()), wrong
    assert is_canonical(b"0.A|0.A") and not is_canonical(b"0.A|0.A|0.B|0.B")  # two lands
    crowd = "0*99.AB|" * 11 + "0*99.AB"
    assert not is_canonical(crowd.encode())
