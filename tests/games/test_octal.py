"""Octal games: Kayles, published periods, the definition, the parser, `pns octal`."""

from __future__ import annotations

import json
import sys
from typing import Any, Optional, Tuple

import pytest
from helpers.grundy_of import grundy_of

from pns.cli import octal as command
from pns.game import NotationError, find_game
from pns.games.octal import grundy_numbers, parse_code, period

OCTAL = find_game("octal")


@pytest.mark.parametrize("code", ["0.77", "0.07", "0.137", "0.3", "0.07772", "4.3", "0.6", "0.154"])
def test_the_game_has_the_numbers_of_its_code(code: str) -> None:
    numbers = grundy_numbers(parse_code(code), 18)
    assert [grundy_of(OCTAL, "%s:%d" % (code, heap)) for heap in range(19)] == numbers


def test_kayles() -> None:
    numbers = grundy_numbers(parse_code("0.77"), 30)
    kayles = find_game("kayles")
    assert [grundy_of(kayles, "%d" % heap) for heap in range(1, 26)] == numbers[1:26]
    assert grundy_of(OCTAL, "0.77:4+10") == numbers[4] ^ numbers[10]


PERIODS = [
    ("0.77", 200, (12, 70)),
    ("0.07", 180, (34, 52)),
    ("0.137", 180, (34, 51)),
    ("0.3", 10, (2, 0)),
    ("0.6", 300, None),
    ("0.77", 150, None),
]
"""Periods and last exceptions [guy1956]; None where these heaps do not prove one."""


@pytest.mark.parametrize("code, most, found", PERIODS)
def test_periods(code: str, most: int, found: Optional[Tuple[int, int]]) -> None:
    parsed = parse_code(code)
    numbers = grundy_numbers(parsed, 2 * most)
    assert period(parsed, numbers[: most + 1]) == found
    if found:
        p, last = found
        assert all(numbers[n] == numbers[n + p] for n in range(last + 1, 2 * most + 1 - p))
        assert last == 0 or numbers[last] != numbers[last + p]


BAD = [
    ("0.77", 4, "the heaps are missing"),
    ("0.78:4", 0, "no octal code"),
    ("2.7:4", 0, "no octal code"),
    ("0.77:4+x", 7, "'x' is no heap"),
    ("0.77:10001", 5, "no heap"),
    ("", 0, "no octal code"),
]


@pytest.mark.parametrize("text, offset, wrong", BAD)
def test_bad_texts_are_refused(text: str, offset: int, wrong: str) -> None:
    with pytest.raises(NotationError, match=wrong) as caught:
        OCTAL.parse(text)
    assert caught.value.offset == offset


def run(monkeypatch: pytest.MonkeyPatch, capsys: Any, *words: str) -> str:
    monkeypatch.setattr(sys, "argv", ["pns octal", *words])
    assert command.main() == 0
    return str(capsys.readouterr().out)


def test_the_command(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    assert run(monkeypatch, capsys, "0.77").endswith("The period is 12 from heap 71 on.\n")
    out = run(monkeypatch, capsys, "0.3", "--most", "3")
    assert out.splitlines()[0] == "    0: 0 1 0 1"
    found = json.loads(run(monkeypatch, capsys, "0.6", "--most", "5", "--json"))
    assert (found["grundy_numbers"], found["period"]) == ([0, 0, 1, 2, 0, 1], None)
    monkeypatch.setattr(sys, "argv", ["pns octal", "0.77", "--most", "10001"])
    with pytest.raises(SystemExit, match="2"):
        command.main()
