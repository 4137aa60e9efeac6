"""Charts, and the picture of PNS and DFPN by capacity."""

from __future__ import annotations

from typing import Any, Dict

import pytest
from helpers.paths import ROOT
from helpers.svg import elements


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))


@pytest.mark.usefixtures("scripts")
def test_a_logarithmic_chart_draws_powers_at_equal_distances() -> None:
    from pns.cli.reports.chart import Chart, svg

    points = [(1.0, 10.0), (2.0, 100.0), (3.0, 1000.0), (4.0, 100_000.0)]
    picture = svg([Chart("a < b", "spots", "expansions", {"n": points}, log_y=True)])
    (line,) = elements(picture, "polyline")
    places = [tuple(map(float, pair.split(","))) for pair in line.getAttribute("points").split()]
    heights = [y for _, y in places]
    assert [round((heights[0] - y) / (heights[0] - heights[1]), 1) for y in heights] == [0, 1, 2, 4]
    assert len({round(b[0] - a[0], 1) for a, b in zip(places, places[1:])}) == 1
    words = [node.firstChild.data for node in elements(picture, "text")]
    assert {"a < b", "spots", "expansions", "n", "100", "100k"} <= set(words)


@pytest.mark.usefixtures("scripts")
def test_charts_that_cannot_be_drawn() -> None:
    from pns.cli.reports.chart import Chart, svg

    with pytest.raises(ValueError, match="positive"):
        svg([Chart("", "", "", {"n": [(1.0, 0.0)]}, log_y=True)])
    with pytest.raises(ValueError, match="without points"):
        svg([Chart("", "", "", {"n": []})])
    assert elements(svg([Chart("", "", "", {"n": [(0.0, 0.0)]})]), "circle")


@pytest.mark.usefixtures("scripts")
def test_unsolved_runs_are_left_out() -> None:
    from benchmarks.capacities import METHODS, picture

    def found(solved: bool, figure: float) -> Dict[str, Any]:
        run = {"solved": solved, "seconds": figure, "expansions": 10 * figure}
        return {**run, "peak_memory_bytes": 1e6 * figure}

    runs = [found(name != "DFPN(1000)", 1.0 + i) for i, (name, _) in enumerate(METHODS)]
    lines = elements(picture("0*9", runs), "polyline")
    assert [len(line.getAttribute("points").split()) for line in lines] == [4, 4, 4, 3] * 3
    lines = elements(picture("0*9", [found(False, 1.0), *runs[1:]]), "polyline")
    assert len(lines) == 9
