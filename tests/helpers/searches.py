"""DFPN searches for tests, and reference values to compare them with."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Callable, Dict, List, Tuple

from helpers.paths import TEST_DATA
from pns.dfpn import Search
from pns.facts import Facts
from pns.finding import find_game
from pns.game import Game
from pns.positions.couple import Couples
from pns.positions.interned import HEAP, HEAP_BITS
from pns.positions.prior import Prior
from pns.search.table import Table

SPROUTS = find_game("sprouts")


def search_of(game: Game, facts: Any = None, capacity: int = 1 << 14, **options: Any) -> Search:
    seed = options.pop("seed", 0)
    couples = Couples(game, Facts(game.name) if facts is None else facts, seed)
    return Search(couples, Table(capacity), **options)


class Expecting(Prior):
    """Expects one number of every land, or with 9 an arbitrary one of 0 to 3."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def expected(self, key: int) -> int:
        return self.number if self.number < 9 else key % 4


class CheckedCouples(Couples):
    """Checks the reasons of each Grundy number that is proved, on all children of the land."""

    def prove(self, land: int, number: int) -> None:
        assert self.is_complete(land)
        codes = {self.code(child) for child in self.game.children(self.texts[land])}
        assert number not in codes
        for code in codes:
            child = self.fold(code) ^ number
            assert child > 0 and (child <= HEAP or not self.parts[child >> HEAP_BITS])
            assert child <= HEAP or self.option_numbers[child >> HEAP_BITS] >> (child & HEAP) & 1
        super().prove(land, number)


def mex_of_children(land: bytes, number_of: Callable[[bytes], int]) -> int:
    """The Grundy number of a land by its definition, from those of the lands of its children."""
    option_numbers = set()
    for child in SPROUTS.children(land):
        number = 0
        for part in child:
            number ^= number_of(part)
        option_numbers.add(number)
    return min(set(range(len(option_numbers) + 1)) - option_numbers)


@lru_cache(maxsize=None)
def grundy_by_definition(land: bytes) -> int:
    """The Grundy number of a land by brute force alone: seconds from 0*4, a minute from 0*5."""
    return mex_of_children(land, grundy_by_definition)


@lru_cache(maxsize=None)
def brute_grundy(land: bytes) -> int:
    """The same, from a table of brute force by other rules as far as that has the land's text."""
    number = brute_numbers().get(land, -1)
    return number if number >= 0 else mex_of_children(land, brute_grundy)


@lru_cache(maxsize=None)
def brute_numbers() -> Dict[bytes, int]:
    """The numbers of the lands that play from 0*5 leads to, by `tests/data/make_tables.py`."""
    return {SPROUTS.parse(text)[0]: number for text, number in numbers_of("brute_grundy.tsv")}


def reachable(text: str) -> List[bytes]:
    """All lands of a position and of the positions that play leads to."""
    seen = set(SPROUTS.parse(text))
    queue = list(seen)
    for land in queue:
        new = {part for child in SPROUTS.children(land) for part in child} - seen
        seen |= new
        queue += sorted(new)
    return queue


def numbers_of(name: str) -> List[Tuple[str, int]]:
    """The lands and Grundy numbers of a table in the test data."""
    lines = (TEST_DATA / name).read_text().splitlines()
    pairs = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [(land, int(number)) for land, number in pairs]
