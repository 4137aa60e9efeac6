"""The page that `pns solve --report` writes."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Dict, List, Optional, Tuple

import pytest
from helpers.inprocess import Caller

from pns import Progress
from pns.cli.commands.solve import main
from pns.cli.reports import report_page
from pns.cli.reports.chart import Chart, plot
from pns.cli.reports.series import Sample, Series
from pns.search.bounds import INF
from pns.system.package_data import read_data

pytestmark = pytest.mark.usefixtures("home")
VOID = ("meta", "link", "br", "hr", "img", "input")


class Reader(HTMLParser):
    """Checks that elements are nested, and keeps attributes, texts and the rows of tables."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.attributes: List[Tuple[str, str]] = []
        self.ids: List[str] = []
        self.rows: Dict[str, str] = {}
        self.text = ""
        self._open: List[str] = []
        self._name = ""
        self.feed(page)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        self.attributes += [(name, str(value)) for name, value in attrs]
        self.ids += [str(value) for name, value in attrs if name == "id"]
        assert tag != "script"
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] == ["th"]:
            self._name = data
        elif self._open[-1:] == ["td"]:
            self.rows[self._name] = data
        self.text += data


@pytest.fixture
def solve(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> Caller:
    return Caller(capsys, monkeypatch, "pns solve")


def read(path: Path) -> Reader:
    text = path.read_text(encoding="utf-8")
    page = Reader(text)
    assert len(set(page.ids)) == len(page.ids)
    for name, value in page.attributes:
        assert name not in ("href", "src", "xlink:href"), value
        assert name == "xmlns" or "//" not in value, (name, value)
    assert not re.search(r"url\(|@import", text)
    return page


def test_a_win(solve: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_page, "MOST_POSITIONS", 2)  # drawings take most of the time
    path = tmp_path / "a.html"
    done = solve(main, "0*5", "--no-db", "--no-known", "--report", path)
    assert done.status == 0
    page = read(path)
    printed = dict(line.strip().split("  ", 1) for line in done.output[done.output.index("") + 1 :])
    for name, words in printed.items():
        assert page.rows[name] == words.strip()
    assert done.output[0] in page.text and done.output[2] in page.text
    assert page.rows["algorithm"] == "dfpn" and page.rows["no-db"] == "yes"
    assert (page.rows["proof number"], page.rows["disproof number"]) == ("0", "∞")
    assert "pns solve '0*5' --no-db --no-known --report %s" % path in page.text
    assert "pns check sprouts-5" in page.text
    assert "1. the winner moves to" in page.text and "2. the loser moves to" in page.text


def test_a_search_that_stopped(solve: Caller, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    words = ("--report", path, "--max-expansions", "200", "--quiet")
    done = solve(main, "0*12", "--no-db", "--no-known", *words)
    assert done.status == 3
    page = read(path)
    assert "0*12: not solved" in page.text and done.errors[0] in page.text
    assert page.rows["max-expansions"] == "200"
    assert page.rows["proof number"].isdigit()
    assert "Memory, MB" in page.text and "A line of play" not in page.text


def test_another_game_and_texts_are_escaped(solve: Caller, tmp_path: Path) -> None:
    path = tmp_path / "<b>&amp;.html"
    assert solve(main, "3+5", "--game", "nim", "--no-db", "--report", path).status == 0
    page = read(path)
    assert str(path) in page.text
    assert page.rows["game"] == "nim" and "number is 0" in page.text


def test_a_page_that_cannot_be_written(
    solve: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = solve(main, "0*2", "--no-db", "--report", tmp_path / "no" / "a.html")
    assert (found.status, found.output) == (2, [])
    assert found.errors[0].endswith("no such directory")
    (tmp_path / "folder.html").mkdir()
    found = solve(main, "0*2", "--no-db", "--report", tmp_path / "folder.html")
    assert found.status == 2 and found.errors[0].endswith("not a regular file")
    path = tmp_path / "a.html"
    path.write_text("before")

    def fail(*_: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(report_page, "page", fail)
    found = solve(main, "0*2", "--no-db", "--quiet", "--report", path)
    assert (found.status, len(found.output)) == (4, 1)
    assert found.errors == ["pns solve: report not written: %s: No space left on device" % path]
    assert path.read_text() == "before"


def test_thinning_keeps_both_ends() -> None:
    time = [0.0]
    series = Series(8, lambda: time[0])
    for number in range(500):
        time[0] = number / 10
        found = Progress((number, 1), number, 0, 0, 0, ("table", ""))
        series.observe(SimpleNamespace(progress=lambda found=found: found))
        assert len(series.samples) <= 8
        assert series.samples[0].pn == 0
    seconds = [sample.seconds for sample in series.samples]
    assert seconds == sorted(set(seconds)) and seconds[-1] > 40
    gaps = [b - a for a, b in zip(seconds, seconds[1:])]
    assert max(gaps) < 3 * min(gaps)


def test_rates_are_means_over_a_window() -> None:
    samples = [Sample(float(t), 1, INF, 7 * t, 0, 0) for t in range(100)]
    found = report_page.rates(samples, 1.0)
    assert len(found) == 99 and {round(rate, 9) for _, rate in found} == {7.0}


def test_a_logarithmic_plot_puts_powers_at_equal_distances() -> None:
    line = [(1.0, 1.0), (2.0, 100.0), (3.0, 10_000.0), (4.0, 0.0)]
    drawn = plot(Chart('a < "b"', "seconds", "", {"n": line}, log_y=True))
    (path,) = re.findall(r'<polyline points="([^"]*)"', drawn)
    places = [tuple(map(float, pair.split(","))) for pair in path.split()]
    (x0, y0), (x1, y1), (x2, y2) = places
    assert abs((x1 - x0) - (x2 - x1)) < 0.2 and abs((y0 - y1) - (y1 - y2)) < 0.2 < y0 - y1
    assert 'aria-label="a &lt; &quot;b&quot;"' in drawn and "10k" in drawn


def test_the_style_sheet_of_the_page_colours_the_plots() -> None:
    series = {"a": [(1.0, 1.0)], "b": [(1.0, 1.0)]}
    drawn = plot(Chart("", "", "", series, log_y=True))
    style = (read_data("report.html") or b"").decode().partition("</style>")[0]
    styled = set(re.findall(r"\.plot \.([\w-]+) {", style))
    assert styled == set(re.findall(r'<\w+ class="([\w-]+)"', drawn)) - {"plot"}


def test_a_plot_without_points_is_a_frame() -> None:
    for log_y in (False, True):
        drawn = plot(Chart("Rate", "seconds", "", {"": [(1.0, -1.0)][:log_y]}, log_y=log_y))
        assert 'points=""' in drawn and drawn.count('class="grid"') > 3
