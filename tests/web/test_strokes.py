"""Lines drawn by hand as questions of the page, and an opponent that is mistaken now and then."""

from __future__ import annotations

import re
from typing import Any, Iterator, List

import pytest
from helpers.drawings import winding

from pns import children
from pns.web.api import QUESTIONS
from pns.web.reading import BadRequest
from pns.web.session import WebSession


@pytest.fixture(scope="module")
def session() -> Iterator[WebSession]:
    made = WebSession("sprouts", "sprouts-5", True, "0*5", has_known=False)
    yield made
    made.close()


def asked(session: WebSession, name: str, **data: Any) -> Any:
    return QUESTIONS[name](session, data)


def refused(session: WebSession, name: str, **data: Any) -> str:
    with pytest.raises(BadRequest) as found:
        asked(session, name, **data)
    return str(found.value)


def test_a_stroke_is_read_as_a_step(session: WebSession) -> None:
    sheet = asked(session, "position", start="0*17")["sheets"][0]
    at = {corner[1]: corner[4:] for corner in sheet["corners"]}
    found = asked(session, "stroke", start="0*17", sheet=0, points=[at[3], at[8]])
    assert sorted(found["step"][1:3]) == sorted([~3, ~8])
    after = asked(session, "position", start="0*17", steps=[found["step"]])
    assert after["position"] == "0*15.1a1a"
    assert asked(session, "stroke", start="0*17", sheet=0, points=[at[3], at[3]]) == {
        "error": "short"
    }


def test_the_new_line_passes_where_it_was_drawn(session: WebSession) -> None:
    sheet = asked(session, "position", start="0*5")["sheets"][0]
    at = {corner[1]: corner[4:] for corner in sheet["corners"]}
    top = min([y for _, y in at.values()])
    points = [at[0], [at[0][0], top - 200], [at[2][0], top - 200], at[2]]
    step = asked(session, "stroke", start="0*5", sheet=0, points=points)["step"]
    assert step[:5] == [0, ~0, ~2, [], None]
    heights = []
    for one in (step[:5], step):
        after = asked(session, "position", start="0*5", steps=[one])["sheets"][0]
        heights.append(float(re.findall(r'viewBox="0 0 \d+ (\d+)"', after["svg"])[0]))
    assert heights[1] > heights[0] + 150


def test_what_a_loop_encloses_is_drawn_inside(session: WebSession) -> None:
    inside = [~spot for spot in range(1, 12)]
    for outside in (False, True):
        step = [0, ~0, ~0, inside, outside]
        after = asked(session, "position", start="0*17", steps=[step])
        assert after["position"] == "0*11.AB|0*5.AB"
        (region,) = re.findall(r'<path class="region" d="([^"]+)"', after["sheets"][0]["svg"])
        assert region.count("M") == 1  # spots have no outlines
        corners = after["sheets"][0]["corners"]
        pairs = re.findall(r"([\d.]+) ([\d.]+)", region)
        rim = [(int(float(x)), int(float(y))) for x, y in pairs]
        spots = [(int(x), int(y)) for corner, *_, x, y in corners if corner < 0]
        assert sum([winding(spot, rim) != 0 for spot in spots]) == (5 if outside else 11)


def test_bad_strokes_and_steps_are_refused(session: WebSession) -> None:
    for points in (None, [[1]], [["a", 2]], [[1e9, 0]], [[True, 0]], [[0, 0]] * 5001):
        assert "points" in refused(session, "stroke", start="0*3", sheet=0, points=points)
    assert "sheet" in refused(session, "stroke", start="0*3", sheet=1, points=[])
    wrong: List[Any] = [1, "yes", []]
    for outside in wrong:
        step = [0, ~0, ~0, [], outside]
        assert "fifth" in refused(session, "position", start="0*3", steps=[step])
    wrong = [[1], [0.5, 1], [True, 1], [1 << 21, 0], [0] * 202, {}, "00", None]
    for along in wrong:
        step = [0, ~0, ~1, [], None, along]
        assert "sixth" in refused(session, "position", start="0*3", steps=[step])


def test_a_human_opponent_is_mistaken_now_and_then(session: WebSession) -> None:
    moves = set()
    for seed in range(12):
        found = asked(session, "reply", position="0*5", strength="human", seed=seed)
        assert found == asked(session, "reply", position="0*5", strength="human", seed=seed)
        assert found["to"] in children("0*5") and found["wins"] is True
        moves.add(found["to"])
    best = asked(session, "reply", position="0*5")["to"]
    assert best in moves and len(moves) > 1
