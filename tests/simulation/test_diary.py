"""What somebody did over time: exact entries and bounded strips, against each other."""

from __future__ import annotations

import random

import pytest

from pns.simulation.diary import Diary, Strip

pytestmark = pytest.mark.search


@pytest.mark.parametrize("seed", range(5))
def test_a_strip_agrees_with_a_diary(seed: int) -> None:
    rng, diary, now = random.Random(seed), Diary(), 0.0
    for _ in range(400):
        diary.note(now, rng.choice(["searching", "waiting", "talking"]))
        now += rng.expovariate(1.0)
    strip = Strip(0.01, 64)
    for begin, until, doing in diary.spans(now):
        strip.add(begin, until, {doing: until - begin})
    assert len(strip.columns) <= 64 and strip.width >= now / 64
    totals = diary.totals(now)
    for doing, seconds in totals.items():
        assert sum([column.get(doing, 0.0) for column in strip.columns]) == pytest.approx(seconds)
    assert all([sum(column.values()) <= strip.width * 1.000001 for column in strip.columns])
    for i, column in enumerate(strip.columns):
        begin, until = i * strip.width, min(now, (i + 1) * strip.width)
        here = {doing: diary.totals(until).get(doing, 0.0) for doing in totals}
        for doing, seconds in diary.totals(begin).items() if begin else ():
            here[doing] -= seconds
        for doing, seconds in here.items():
            assert column.get(doing, 0.0) == pytest.approx(seconds, abs=1e-9)


def test_what_takes_most_of_a_part() -> None:
    strip = Strip(1.0, 8)
    strip.add(0.0, 1.0, {"searching": 0.4, "waiting": 0.6})
    strip.add(1.0, 3.0, {"searching": 1.8, "waiting": 0.2})
    assert strip.kinds(4.0, 4) == ["waiting", "searching", "searching", ""]
    assert strip.kinds(4.0, 8) == ["waiting"] * 2 + ["searching"] * 4 + ["", ""]
    strip.add(3.0, 16.0, {"waiting": 13.0})
    assert strip.width == 2.0 and strip.kinds(16.0, 8) == ["searching"] * 1 + ["waiting"] * 7


def test_nothing_is_added_for_no_time() -> None:
    strip = Strip()
    strip.add(1.0, 1.0, {"searching": 1.0})
    assert strip.columns == [] and strip.kinds(1.0, 2) == ["", ""]
