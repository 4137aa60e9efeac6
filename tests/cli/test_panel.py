"""The panel at several sizes, and that it leaves nothing behind on the terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager, redirect_stderr
from dataclasses import replace
from typing import Iterator, List, Optional

import pytest
from helpers.terminal import Terminal

from pns import Progress
from pns.cli.terminal.panel import Heading, Panel, Trend
from pns.cli.terminal.screen import Screen, Span, open_screen
from pns.search.bounds import INF
from pns.usage import Distribution, JobCounts, WorkerProgress

PLAY = " > ".join(["0*22", *["0*%d.AB|0*%d.AB" % (n, 20 - n) for n in range(1, 20)]])
FOUND = Progress(
    root=(1234, 87),
    expansions=38115,
    facts_known=2100,
    facts_new=1800,
    memory=210_000_000,
    store=("table", "1.2 % of 2,000,000"),
    lines=[("line", PLAY)],
)
HEADING = Heading("0*22", "sprouts", "dfpn", "/data/pns/sprouts.lmdb", 60.0, 10**6, 4 * 10**9)
WORKERS = [
    WorkerProgress("a-rather-long-host-name-%d" % i, 12, 123456, 99000, 0.987, float(i))
    for i in range(30)
]
MANY = replace(
    FOUND,
    workers=WORKERS,
    distribution=Distribution(9, 800, 300, 1200, 0.875, 30, 30, JobCounts(), 4),
)


def drawn(found: Progress, columns: int, rows: int = 30, heading: Heading = HEADING) -> List[str]:
    lines = Panel(heading).lines(found, 12.0, 3200.0, columns, rows)
    return ["".join([text for _, text in line]).rstrip() for line in lines]


@pytest.mark.parametrize("columns", [60, 80, 140])
@pytest.mark.parametrize("found", [FOUND, MANY])
def test_every_line_fits(found: Progress, columns: int) -> None:
    lines = drawn(found, columns)
    assert max(map(len, lines)) < columns
    assert len(lines) < 30
    text = "\n".join(lines)
    for word in ("0*22", "dfpn", "time", "expansions", "proof", "disproof", "facts", "table"):
        assert word in text
    assert "sprouts.lmdb" in lines[0] and "3,200/s" in text and "of 60.0 s" in text
    assert "210 MB of 4,000 MB" in text


def test_the_line_of_play_is_broken_between_positions() -> None:
    lines = drawn(FOUND, 60)
    start = [i for i, line in enumerate(lines) if line.startswith("line ")][0]
    assert len(lines) == start + 3
    for line in lines[start + 1 :]:
        assert line.startswith(" " * 12) and line[12] in "0>…"
    assert "…" in "".join(lines[start:])
    short = replace(FOUND, lines=[("line", "0*22 > 0*3")])
    assert drawn(short, 60)[-1] == "line        0*22 > 0*3"


def test_the_workers_silent_for_longest_are_shown() -> None:
    lines = drawn(MANY, 80, rows=20)
    assert len(lines) == 19 and lines[-1].startswith("and ") and lines[-1].endswith("more workers")
    shown = [line for line in lines if "ago" in line]
    assert shown and shown[-1].endswith("29.0 s ago")
    assert int(lines[-1].split()[1]) + len(shown) == 30
    assert len(drawn(MANY, 80, rows=6)) == 5


def test_other_games_and_no_database() -> None:
    heading = Heading("3+4", "nim", "pns")
    assert drawn(FOUND, 60, heading=heading)[0] == "3+4  nim pns  no database"


def test_a_trend_keeps_the_first_and_the_last_part() -> None:
    trend = Trend()
    for i in range(5000):
        trend.add(i)
    values = trend.values(20)
    assert len(values) == 20 and values == sorted(values)
    assert values[0] == 0 and values[-1] > 4900
    steps = {later - earlier for earlier, later in zip(values, values[1:])}
    assert max(steps) < 2 * min(steps)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    found = Terminal()
    found.write("before\n")
    for name, value in (("TERM", "xterm"), ("COLUMNS", "30"), ("LINES", "6")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return found


@contextmanager
def screen_on(terminal: Terminal) -> Iterator[Optional[Screen]]:
    with redirect_stderr(terminal), open_screen() as screen:
        yield screen


def spans(*texts: str) -> List[List[Span]]:
    return [[("red", text)] for text in texts]


def test_nothing_is_left_behind(terminal: Terminal) -> None:
    with screen_on(terminal) as screen:
        assert screen
        screen.draw(spans("one", "two", "three"))
        assert terminal.lines == ["before", "one", "two", "three"]
        screen.draw(spans("four", "x" * 50))
        assert terminal.lines == ["before", "four", "x" * 29]
        assert not terminal.shows_cursor
        print("a warning", file=sys.stderr)
        assert terminal.lines == ["before", "a warning"]
        screen.draw(spans(*"abcdefgh"))
        assert terminal.lines == ["before", "a warning", *"abcde"]
        terminal.write("^C")
    assert terminal.lines == ["before", "a warning"] and terminal.shows_cursor
    assert set(terminal.styles) == {"31", "0"}


def test_in_ascii(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Terminal, "encoding", "ascii")
    monkeypatch.setenv("LINES", "40")
    with screen_on(terminal) as screen:
        assert screen
        screen.draw(Panel(HEADING).lines(replace(FOUND, root=(INF, 5)), 12.0, 0.0, 60, 30))
        assert len(terminal.lines) > 10 and "\n".join(terminal.lines).isascii()


def test_an_error_clears_the_panel(terminal: Terminal) -> None:
    with pytest.raises(KeyboardInterrupt), screen_on(terminal) as screen:
        assert screen
        screen.draw(spans("one", "two"))
        raise KeyboardInterrupt
    assert terminal.lines == ["before"] and terminal.shows_cursor


def test_no_color_and_dumb_terminals_are_obeyed(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    with screen_on(terminal) as screen:
        assert screen
        screen.draw(spans("one"))
    assert not terminal.styles
    seen: List[Optional[object]] = []
    for name in ("dumb", "unknown", ""):
        monkeypatch.setenv("TERM", name)
        with screen_on(terminal) as screen:
            seen.append(screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(Terminal, "isatty", lambda self: False)
    with screen_on(terminal) as screen:
        seen.append(screen)
    assert seen == [None] * 4 and terminal.lines == ["before"]
