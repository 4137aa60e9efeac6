"""The plain implementation of Sprouts against reference data and against itself."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Dict, Iterator, List, Tuple

import pytest
from helpers.paths import TEST_DATA
from helpers.published import published

from pns.checker.sprouts import KNOWN, Position, canonical, children, grundy, moves, read, reduced

pytestmark = pytest.mark.search


def rows_of(name: str) -> List[List[str]]:
    lines = (TEST_DATA / name).read_text().splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def lives_of(text: str) -> int:
    return sum(read(text).lives.values())


@pytest.fixture(scope="module")
def table() -> Dict[str, int]:
    return {land: int(number) for land, number in rows_of("brute_grundy.tsv")}


# Moves


def test_children_are_those_of_an_independent_solver() -> None:
    for position, count, *texts in rows_of("children.tsv"):
        assert len(texts) == int(count)
        assert children(position) == {canonical(read(text)) for text in texts}, position


# The canonical form


def scrambled(position: Position, rng: random.Random) -> Position:
    """The same position: shuffled, renamed, walks rotated, some regions mirrored."""
    spots = list(position.lives)
    new = dict(zip(spots, rng.sample(range(len(spots) + 9), len(spots))))
    regions = []
    for region in position.regions:
        way = rng.choice((1, -1))
        walks = []
        for walk in region:
            i = rng.randrange(len(walk))
            walks.append(tuple(new[s] for s in (walk[i:] + walk[:i])[::way]))
        rng.shuffle(walks)
        regions.append(tuple(walks))
    rng.shuffle(regions)
    return Position(tuple(regions), {new[s]: position.lives[s] for s in spots})


def test_canonical_text_is_one_for_all_ways_to_write_a_position() -> None:
    rng = random.Random(2)
    for position, _, *texts in rows_of("children.tsv"):
        for text in (position, texts[0], texts[-1]):
            key = canonical(read(text))
            assert canonical(read(key)) == key
            assert canonical(scrambled(read(text), rng)) == key, text


def least_by_trial(position: Position) -> Tuple[object, ...]:
    """A canonical form from the definition: the least over all ways to name the spots."""
    regions, lives = reduced(position)
    passed = [s for region in regions for walk in region for s in walk]
    names = sorted({s for s in passed if passed.count(s) > 1})
    forms = []
    for order in permutations(range(len(names))):
        letter = {s: 2 + lives[s] for s in lives}
        letter.update((s, 9 + i) for s, i in zip(names, order))
        form = []
        for region in regions:
            words = [[letter[s] for s in walk] for walk in region]
            form.append(
                min(
                    sorted(min((w[i:] + w[:i])[::way] for i in range(len(w))) for w in words)
                    for way in (1, -1)
                )
            )
        forms.append(sorted(form))
    return tuple(tuple(tuple(map(tuple, region)) for region in min(forms)))


def test_canonical_texts_are_equal_exactly_for_isomorphic_positions() -> None:
    texts = {t for position, _, *rest in rows_of("children.tsv") for t in (position, *rest)}
    pairs = set()
    for text in sorted(texts):
        if len({letter for letter in text if letter.isalpha()}) <= 4 and "+" not in text:
            by_trial = least_by_trial(read(text))
            assert least_by_trial(read(canonical(read(text)))) == by_trial, text
            pairs.add((canonical(read(text)), by_trial))
    assert len(pairs) > 500
    assert len({key for key, _ in pairs}) == len(pairs)
    assert len({by_trial for _, by_trial in pairs}) == len(pairs)


# Grundy numbers


def test_outcomes_of_starts(table: Dict[str, int]) -> None:
    outcomes = published()
    assert [table["0*%d" % n if n > 1 else "0"] for n in range(1, 6)] == [0, 0, 1, 1, 1]
    for spots in range(1, 5):
        assert ("win" if grundy("0*%d" % spots) else "loss") == outcomes[spots]


def test_table_of_small_lands_is_what_brute_force_gives(table: Dict[str, int]) -> None:
    KNOWN.clear()
    KNOWN["!"] = 0
    for land, number in table.items():
        if lives_of(land) <= 6:
            assert grundy(land) == number, land


def test_table_has_the_least_excluded_numbers(table: Dict[str, int]) -> None:
    for land in list(table)[::100]:
        assert canonical(read(land)) == land
        option_numbers = set()
        for child in children(land):
            number = 0
            for part in child.split("+"):
                number ^= table[part] if part != "!" else 0
            option_numbers.add(number)
        assert table[land] not in option_numbers, land
        assert option_numbers.issuperset(range(table[land])), land


def test_grundy_numbers_of_another_solver(table: Dict[str, int]) -> None:
    looked_up = 0
    for land, number in rows_of("nimbers.tsv"):
        key = canonical(read(land))
        if key in table:
            looked_up += 1
            assert table[key] == int(number), land
        elif lives_of(land) <= 7:
            assert grundy(land) == int(number), land
    assert looked_up > 100


# What reduction may remove


def by_rules_alone(position: Position, known: Dict[object, int]) -> int:
    """The Grundy number without reduction and without symmetries."""
    new: Dict[int, int] = {}
    regions = tuple(
        tuple(tuple(new.setdefault(s, len(new)) for s in walk) for walk in region)
        for region in position.regions
    )
    key = (regions, tuple(position.lives[s] for s in new))
    if key not in known:
        numbers = {by_rules_alone(after, known) for after in moves(position)}
        known[key] = next(n for n in range(len(numbers) + 1) if n not in numbers)
    return known[key]


def small_lands(table: Dict[str, int], lives: int) -> Iterator[str]:
    return (land for land in table if lives_of(land) <= lives)


def test_reduction_keeps_grundy_numbers(table: Dict[str, int]) -> None:
    for land in ["0*2", "1.2aAa|2A", *small_lands(table, 4)]:
        assert by_rules_alone(read(land), {}) == grundy(land), land


def test_flattening_small_regions_keeps_grundy_numbers() -> None:
    known = {"!": 0}

    def grundy_without(text: str) -> int:
        number = 0
        for land in text.split("+"):
            if land not in known:
                numbers = {grundy_without(after) for after in children(land, flat=False)}
                known[land] = next(n for n in range(len(numbers) + 1) if n not in numbers)
            number ^= known[land]
        return number

    assert grundy_without("0*3") == 1
    assert any(canonical(read(land)) != land for land in known)
    for land, number in known.items():
        assert grundy(land) == number, land


# Notation


@pytest.mark.parametrize(
    "text",
    [
        *["", "abc", "A", "aaa", "A|A|A", "0*", "0*-1", "0*3 1", "0*3;0*4", "00", "ZZ", "#0"],
        *["n(0)", "n(x)", "0*0", "0*99999999999999", "é", "0*2A|A", "A.A", "0+", "+0", "0|", ".1"],
        *["!+0", "A+A", "a.a", "01", "AA", "m(1)", "Z(1)|Z(2)", "0*1\n", "\n", "0*\u0661"],
    ],
)
def test_bad_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^invalid (walk|land) '.*'; expected "):
        read(text)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("!", "!"),
        ("3", "!"),
        ("A|A", "!"),
        ("aa", "!"),
        ("0*1", "0"),
        ("0.0.0", "0*3"),
        ("0.3|33", "0"),
        ("Z(1)2|2n(1)", "2A|2A"),
        ("m(1)1m(1)1", "1a1a"),
        ("2.1", "12"),
        ("2.1.A|2A", "1.2.A|2A"),
        ("bAbB|1BA", "2AB|1AB"),
        ("0+0*2.AB|BA", "0*2.AB|AB+0"),
        ("0.ABC|2D|BAC.D", "0.ABC|2D|ABC.D"),
    ],
)
def test_reading(text: str, key: str) -> None:
    assert canonical(read(text)) == canonical(read(key))


def test_names_beyond_the_letters() -> None:
    pairs = "".join("m(%d)1" % i for i in range(1, 14))
    folded = canonical(read(pairs + "".join("m(%d)1" % i for i in range(13, 0, -1))))
    assert folded.count("m(13)") == 2 and folded.count("m(") == 26
    ring = "".join("n(%d)" % i for i in range(1, 27))
    key = canonical(read("0.%s|%s" % (ring, ring.replace("n(", "Z("))))
    assert key.startswith("0.n(1)n(2)") and key.count("n(") == 52
    for text in (folded, key):
        assert canonical(read(text)) == text
