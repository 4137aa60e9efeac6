"""Octal games: Kayles, published periods, the definition, the parser, `pns octal`."""

from __future__ import annotations

import json
import sys
from typing import Any, Optional, Tuple

import pytest
from helpers.grundy_of import grundy_of

from pns.cli.commands import octal as command
from pns.finding import find_game
from pns.game import NotationError
from pns.games.octal import grundy_numbers, parse_code, period

pytestmark = pytest.mark.search

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
    ("0.3", 10, (2, None)),
    ("0.33", 20, (3, None)),
    ("0.03", 20, (4, None)),
    ("0.303", 20, (2, None)),
    ("0.165", 13_500, (1550, 5180)),
    ("0.356", 15_000, (142, 7314)),
    ("0.6", 300, None),
    ("0.77", 150, None),
]
"""Periods and last exceptions [guy1956]; None where these heaps do not prove one."""


@pytest.mark.parametrize("code, most, found", PERIODS)
def test_periods(code: str, most: int, found: Optional[Tuple[int, Optional[int]]]) -> None:
    parsed = parse_code(code)
    numbers = grundy_numbers(parsed, 2 * most)
    assert period(parsed, numbers[: most + 1]) == found
    if found:
        p, last = found
        first = 0 if last is None else last + 1
        assert all(numbers[n] == numbers[n + p] for n in range(first, 2 * most + 1 - p))
        assert last is None or numbers[last] != numbers[last + p]


def test_the_zero_before_the_point_may_be_missing() -> None:
    assert parse_code(".137") == parse_code("0.137")
    assert OCTAL.parse(".137:11") == OCTAL.parse("0.137:11")


BAD = [
    ("0.77", 4, "the heaps are missing"),
    ("0.78:4", 0, "invalid octal code"),
    ("2.7:4", 0, "invalid octal code"),
    ("0.77:4+x", 7, "invalid heap 'x'"),
    ("0.77:10001", 5, "invalid heap"),
    ("", 0, "invalid octal code"),
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
    assert run(monkeypatch, capsys, ".3").endswith("The period is 2 from heap 0 on.\n")
    found = json.loads(run(monkeypatch, capsys, "0.33", "--json"))
    assert (found["period"], found["last_exception"]) == (3, None)
    monkeypatch.setattr(sys, "argv", ["pns octal", "0.77", "--most", "100001"])
    with pytest.raises(SystemExit, match="2"):
        command.main()
