"""Octal games in misère play: brute force, published genera, `pns octal --misere`."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.misere import is_position_won
from helpers.tools import call

from pns.finding import find_game
from pns.games.octal import parse_code
from pns.misere.genus import pair_of_sum
from pns.misere.octal import misere_heaps

OCTAL = find_game("octal")
KAYLES = (
    "0^120 1^031 2^20 3^31 1^031 4^146 3^31 2^20 1^13 4^046 2^20 6^46 4^046 1^13 2^20 7^57 1^13 "
    "4^64 3^31 2^20"
)
"""The genera of 0 to 19 pins [berlekamp1982], chapter 13."""
DAWSONS_KAYLES = (
    "0^120 0^120 1^031 1^031 2^20 0^120 3^31 1^031 1^031 0^120 3^1431 3^31 2^0520 2^20 4^146 "
    "0^120 5^057 2^0520"
)
"""The genera of 0 to 17 pins, of which two neighbours are taken [berlekamp1982], chapter 13."""


def genera(code: str, most: int) -> str:
    return " ".join([heap.genus for heap in misere_heaps(parse_code(code), most)[0]])


def test_published_genera() -> None:
    assert genera("0.77", 19) == KAYLES
    assert genera("0.07", 17) == DAWSONS_KAYLES


@pytest.mark.parametrize("code", ["0.77", "0.07", "0.137", "0.3", "4.3", "0.6", "0.154", "0.337"])
def test_heaps_and_tame_sums_have_the_outcomes_of_brute_force(code: str) -> None:
    heaps, are_all = misere_heaps(parse_code(code), 9)
    assert are_all and len(heaps) == 10
    for size, heap in enumerate(heaps):
        assert heap.is_won == is_position_won(OCTAL, OCTAL.parse("%s:%d" % (code, size))), size
        for other in range(size + 1):
            pair, with_it = heap.tame_pair, heaps[other].tame_pair
            if pair and with_it:
                lands = OCTAL.parse("%s:%d+%d" % (code, size, other))
                assert is_position_won(OCTAL, lands) == (pair_of_sum([pair, with_it])[1] != 0)


def test_a_list_that_grows_too_long_ends_with_a_line(monkeypatch: Any) -> None:
    monkeypatch.setattr("pns.misere.octal.MOST_TREES", 6)
    done = call("pns", "octal", "0.77", "--misere")
    assert done.status == 0 and done.output.splitlines()[-3:] == [
        "    5  win      4^146      (1,2,3,(2,3))",
        "Not tame: heaps 5.",
        "Larger heaps have more than 6 trees.",
    ]
    assert call("pns", "octal", "0.3", "--misere").output.count("\n") == 23
    assert "All these heaps are tame." in call("pns", "octal", "0.3", "--misere").output
