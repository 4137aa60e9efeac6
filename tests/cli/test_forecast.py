"""How long a search still takes: forecasts, where they are shown, and the record behind them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, List, Tuple

import pytest
from helpers.paths import ROOT
from helpers.solver import run
from helpers.tools import call

import pns
from pns.cli.metrics.master import master_metrics
from pns.cli.reports.forecast import (
    GROWTHS,
    LEAST_EXPANSIONS,
    QUARTILES,
    STEP,
    Forecaster,
    Note,
    class_of,
    left_text,
)
from pns.cli.reports.records import figures
from pns.cli.terminal.panel import Heading, Panel
from pns.distributed.solver import progress_of
from pns.search.bounds import INF

RECORD = ROOT / "data" / "figures" / "forecasts.csv"


def after(*notes: Tuple[int, int, int]) -> Forecaster:
    """A forecaster with notes of a search that makes 100 expansions in a second."""
    forecaster = Forecaster()
    for expansions, pn, dn in notes:
        forecaster.note(Note(expansions, pn, dn, expansions / 100))
    return forecaster


def test_the_growth_is_that_of_the_number_that_grew_less() -> None:
    assert after((500, 20, 80), (1000, 30, 100)).growth() == 1.25
    assert after((500, 20, 80), (1000, 22, 160)).growth() == 1.1
    # Half of the expansions lie between two notes: the earlier one counts.
    assert after((400, 20, 20), (600, 30, 30), (1000, 40, 40)).growth() == 2.0


def test_nothing_is_said_too_early_or_at_the_end() -> None:
    assert after().growth() is None and left_text(after()) == ""
    least = LEAST_EXPANSIONS
    assert after((least // 4, 1, 1), (least - 1, 9, 9)).forecast() is None
    assert after((least // 4, 1, 1), (least, 9, 9)).forecast()
    assert after((least, 1, 1), (2 * least - 1, 9, 9)).forecast() is None  # a resumed search
    assert after((0, 1, 1), (least, 9, 9)).forecast() is None  # nothing is known of half
    decided = after((least, 5, 5), (2 * least, 9, 9), (3 * least, 0, INF))
    assert decided.forecast() is None and left_text(decided) == ""
    decided.note(Note(4 * least, 9, 9, 100.0))  # of the next search
    assert decided.forecast()


def test_the_time_left_follows_the_pace_since_half_of_the_expansions() -> None:
    forecaster = Forecaster()
    for note in (Note(1000, 10, 10, 500.0), Note(2000, 10, 10, 510.0)):
        forecaster.note(note)
    found = forecaster.forecast()
    assert found
    for seconds, part in zip(found, QUARTILES[class_of(1.0)]):
        assert seconds == pytest.approx(20.0 * part)


def test_classes() -> None:
    assert [class_of(growth) for growth in (0.0, GROWTHS[0], 1.0, GROWTHS[-1], 99.0)] == [
        *(0, 1, 1),
        *(len(GROWTHS), len(GROWTHS)),
    ]
    assert all([low < middle < high for low, middle, high in QUARTILES])
    assert [row[1] for row in QUARTILES] == sorted([row[1] for row in QUARTILES])


def test_few_notes_are_kept() -> None:
    forecaster = after(*[(expansions, 10, 10) for expansions in range(1, 200_000, 50)])
    assert len(forecaster._notes) < 200
    kept = [note.expansions for note in forecaster._notes]
    assert all([b >= STEP * a for a, b in zip(kept, kept[1:])])


def test_the_record_counts_forecasts_that_were_too_short() -> None:
    forecaster = after(*[(expansions, 10, 10) for expansions in range(100, 2100, 100)])
    assert forecaster.record() == (0, 1)
    total = 2000 * (1 + QUARTILES[class_of(1.0)][1])
    forecaster.note(Note(int(total), 10, 10, 99.0))
    assert forecaster.record() == (0, 1)
    forecaster.note(Note(int(total) + 1, 10, 10, 99.0))
    assert forecaster.record() == (1, 1)
    assert "1 of 1 such forecasts too short" in left_text(forecaster)


@pytest.mark.search
def test_it_follows_a_search() -> None:
    clock = [0.0]
    forecaster = Forecaster(lambda: clock[0])
    texts: List[str] = []

    def observe(solver: pns.Solver) -> None:
        clock[0] += 1.0
        forecaster.observe(solver)
        texts.append(left_text(forecaster))

    assert pns.solve("0*12", observer=observe).outcome == "loss"
    assert texts[0] == "" and any(texts)
    assert all([text.startswith("perhaps ") for text in texts if text])


def test_where_it_is_shown() -> None:
    forecaster = after((1000, 10, 10), (4000, 10, 10))
    text, forecast = left_text(forecaster), forecaster.forecast()
    assert text.startswith("perhaps ") and forecast
    found: Any = pns.Progress((1, 1), 4000, 0, 0, 0, ("table", "1 %"))
    for left, count in ((text, 1), ("", 0)):
        lines = Panel(Heading("0*7", "sprouts", "dfpn")).lines(found, 1.0, 1.0, 100, 40, left)
        shown = ["".join([part for _, part in line]) for line in lines]
        assert sum([line.startswith("left ") for line in shown]) == count
    from helpers.masters import master_of

    progress = progress_of(master_of("0*6"), 1.0)
    row = figures(progress, 1.0, forecast)
    assert (row["left_low"], row["left"], row["left_high"]) == tuple(
        [round(seconds, 1) for seconds in forecast]
    )
    assert "left" not in figures(progress, 1.0, None)
    values = {
        labels: value
        for metric in master_metrics(progress, 1.0, (), forecast)
        if metric.name == "pns_master_left_seconds"
        for labels, value in metric.values.items()
    }
    assert list(values.values()) == list(forecast)


def test_the_quartiles_are_those_of_the_record() -> None:
    done = call("forecasts.py", "--save", RECORD)
    assert done.status == 0
    rows = [line.split() for line in done.output.splitlines()[2 : 3 + len(GROWTHS)]]
    found = [tuple([float(word) for word in row[-3:]]) for row in rows]
    assert found == [tuple(row) for row in QUARTILES]


def test_a_search_is_recorded_once(tmp_path: Path) -> None:
    path = tmp_path / "record.csv"
    words = ("forecasts.py", "--save", path, "--seeds", 2, "0*10")
    done = run(*words)
    assert done.status == 0 and done.output[0] == "2 searches, 1 positions"
    rows = list(csv.DictReader(open(path)))
    (known,) = [
        row
        for row in csv.DictReader(open(RECORD))
        if (row["position"], row["seed"], row["algorithm"]) == ("0*10", "0", "dfpn")
    ]
    assert rows[0] == known and rows[1]["seed"] == "1"
    written = path.read_bytes()
    assert run(*words).output == done.output and path.read_bytes() == written
