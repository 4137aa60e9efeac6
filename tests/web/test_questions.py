"""The page's questions, in this process: drawings, moves, proofs, facts, refusals of searches."""

from __future__ import annotations

import json
import random
import threading
import time
from pathlib import Path
from typing import Any, List

import pytest

pytest.importorskip("starlette")
from helpers.asgi import Page, asked, refused

from pns import children
from pns.finding import find_game
from pns.web import sheets, warmth
from pns.web.app import make_app
from pns.web.gallery import parts
from pns.web.search import SearchQueue
from pns.web.session import WebSession

PORT, TOKEN = 8017, "t" * 32


@pytest.fixture(scope="module")
def page() -> Any:
    session = WebSession("sprouts", "sprouts-5", True, "0*5", has_known=False)
    made = Page(make_app(session, PORT, TOKEN), PORT, TOKEN)
    made.post("about")  # starts the thread that answers
    yield made
    session.close()


def test_a_position_has_a_drawing_and_marked_moves(page: Page) -> None:
    found = asked(page, "position", start="0*5")
    assert found["outcome"] == "win"
    assert sorted(move["to"] for move in found["moves"]) == children("0*5")
    assert found["moves"][0]["number"] == 0  # what wins comes first
    (sheet,) = found["sheets"]
    assert sheet["svg"].count('<g class="spot"') == 5
    assert [corner[1] for corner in sheet["corners"]] == [4, 3, 2, 1, 0]


def test_clicks_lead_to_every_child(page: Page) -> None:
    sheet = asked(page, "position", start="0*3")["sheets"][0]
    corners = [corner[0] for corner in sheet["corners"]]
    steps = [[0, corners[0], corners[1], []]]
    steps += [[0, corners[0], corners[0], left] for left in ([], corners[1:2], corners[1:])]
    reached = {asked(page, "position", start="0*3", steps=[step])["position"] for step in steps}
    assert sorted(reached) == children("0*3")


def test_a_game_by_texts_and_by_corners_stays_legal(page: Page) -> None:
    rng = random.Random(4)
    steps: List[Any] = []
    found = asked(page, "position", start="0*3")
    while found["moves"]:
        to = rng.choice(found["moves"])["to"]
        steps.append(to)
        found = asked(page, "position", start="0*3", steps=steps)
        assert found["position"] == to
    assert 2 <= len(steps) < 9
    assert not any(sheet["corners"] and sum(sheet["lives"]) > 3 for sheet in found["sheets"])


def test_handles_are_corners_of_their_spots(page: Page) -> None:
    found = asked(page, "position", start="0*3", steps=["0.1a1a"])
    sheet = found["sheets"][0]
    by_spot: Any = {}
    for corner, spot, face, _, x, y in sheet["corners"]:
        by_spot.setdefault(spot, set()).add((corner, face, round(x), round(y)))
    numbers = sorted(len(corners) for corners in by_spot.values())
    assert numbers == [1, 1, 1, 2]  # the new spot has two, on the two sides of its line
    step = [0, *[corner for corner, _, _, _ in max(by_spot.values(), key=len)], []]
    assert page.post("position", {"start": "0*3", "steps": ["0.1a1a", step]}).status == 400


def test_a_sum_has_a_sheet_for_each_land(page: Page) -> None:
    found = asked(page, "position", start="0*2+0*3", steps=["0*2.AB|AB+0*2"])
    assert len(found["sheets"]) == 2
    assert found["position"] in children("0*2+0*3")


@pytest.mark.parametrize(
    "steps",
    [
        ["0*9"],
        ["x"],
        [[0, 99, 0, []]],
        [[7, -1, -2, []]],
        [[0, -1, -2, [-3]]],
        [[0, "a", 0, []]],
        [[0, True, 0, []]],
        [3],
        "0",
        [["0"] * 4],
        [[0, -1, -2, [0] * 500]],
        ["0"] * 1000,
    ],
)
def test_bad_steps_get_one_line(page: Page, steps: Any) -> None:
    refused(page, "position", start="0*3", steps=steps)


@pytest.mark.parametrize("start", ["0*x", "", "0*1000", "0" * 3000, 7, None, "0*99999999999"])
def test_bad_positions_get_one_line(page: Page, start: Any) -> None:
    refused(page, "position", start=start)


def test_many_moves_are_not_listed(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MOST_MOVES", 2)
    found = asked(page, "position", start="0*5")
    assert found["moves"] is None and found["branching"] > 2
    assert found["sheets"] and found["number"] is None
    refused(page, "position", start="0*5", steps=["0*4.AB|AB"])


def test_lines_are_marked(page: Page) -> None:
    start = "0*5"
    found = asked(page, "position", start=start)
    numbers = {move["to"]: move["number"] for move in found["moves"]}
    (sheet,) = asked(page, "marks", start=start)["sheets"]
    assert {line[4]: line[3] for line in sheet["lines"]} == numbers
    assert 0 in numbers.values() and found["best"] in numbers and numbers[found["best"]] == 0
    assert {rep for _, rep in sheet["alike"]} == {-5}  # five spots that are all alike
    two = asked(page, "marks", start="0*2+0*3")["sheets"]
    after = [line[4] for sheet in two for line in sheet["lines"]]
    assert sorted(set(after)) == children("0*2+0*3")


def test_a_drawing_comes_to_rest(page: Page) -> None:
    first = asked(page, "position", start="0*4", steps=["0*2.AB|0.AB"])
    assert first["restless"]
    shown = []
    while True:
        found = asked(page, "settle", start="0*4", steps=["0*2.AB|0.AB"])
        shown.append(found["sheets"][0]["svg"])
        if not found["restless"]:
            break
    assert len(set(shown)) == len(sheets.ROUNDS) - 1
    again = asked(page, "position", start="0*4", steps=["0*2.AB|0.AB"])
    assert not again["restless"] and again["sheets"] == found["sheets"]
    assert [c[:4] for c in again["sheets"][0]["corners"]] == [
        c[:4] for c in first["sheets"][0]["corners"]
    ]


def test_the_server_warms_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmth, "STARTS", ("0*2", "0*3"))
    session = WebSession("sprouts", str(tmp_path / "a.lmdb"), False, "0*4")
    steps = sum(1 for _ in warmth.warm_up(session))
    assert steps > 40  # two games, of five requests a move
    session.close()
    other = WebSession("nim", str(tmp_path / "a.lmdb"), False, "1+2")
    assert not list(warmth.warm_up(other))
    other.close()


def test_the_solver_answers(page: Page) -> None:
    to = "0*5"
    turn = 0
    while True:
        answer = asked(page, "reply", position=to, seconds=0)
        assert answer["source"] == "facts" and answer["wins"] == (turn % 2 == 0)
        if answer["to"] is None:
            break
        assert answer["to"] in children(to)
        to, turn = answer["to"], turn + 1
    assert turn % 2 == 1 and to == "!"
    refused(page, "reply", position="0*5", seconds=99)


def test_why_leads_down_the_proof(page: Page) -> None:
    root = asked(page, "why", position="0*5")
    lost = asked(page, "why", position=root["best"])
    assert (root["outcome"], lost["outcome"]) == ("win", "loss")
    assert [move["to"] for move in lost["answers"]]
    answer = asked(page, "why", position=lost["answers"][0]["answer"])
    assert answer["outcome"] == "loss"


def test_facts_and_statistics(page: Page) -> None:
    every = asked(page, "facts")
    assert len(every["facts"]) == every["known"] == 15
    some = asked(page, "facts", contains="A", number=0)["facts"]
    assert some and all("A" in fact["land"] and fact["number"] == 0 for fact in some)
    assert len(asked(page, "facts", skip=10)["facts"]) == 5
    counts = asked(page, "statistics")
    assert sum(count for _, count in counts["by_number"]) == 15
    refused(page, "facts", skip=-1)


def test_the_gallery_is_a_fixed_list(page: Page) -> None:
    about = asked(page, "about")
    names = [one["name"] for one in about["gallery"]]
    assert [name for name in names if "sprouts" in name][:2] == ["sprouts-1", "sprouts-2"]
    assert "sprouts-29" in names
    assert asked(page, "about", source="sprouts-3")["source"]["layers"][0]["kind"] == "certificate"
    for name in ("/etc/passwd", "../certificates/sprouts-3", "sprouts-3.cert.gz", "setup.py"):
        refused(page, "about", source=name)


def test_pictures_of_positions(page: Page) -> None:
    assert b"<svg" in page.get("/api/drawing", "position=0*3").body
    assert page.get("/api/drawing", "position=0*x").status == 400


def test_a_certificate_is_not_searched(page: Page) -> None:
    assert "database" in refused(page, "search", position="0*3", seconds=1)
    assert asked(page, "stop") == {"running": False, "waiting": [], "past": []}


def test_specifications_of_searches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = WebSession("sprouts", str(tmp_path / "a.lmdb"), False, "0*2")
    started: List[Any] = []
    monkeypatch.setattr(session.search, "start", started.append)
    own = Page(make_app(session, PORT, TOKEN), PORT, TOKEN)
    asked(own, "search", position="0*4", algorithm="pdfpn", processes=2, seconds=9)
    assert started[0]["options"] == {
        "algorithm": "pdfpn",
        "grundy": False,
        "max_seconds": 9.0,
        "processes": 2,
    }
    assert started[0]["database"] == str(tmp_path / "a.lmdb")
    for bad in (
        {"algorithm": "ppn2"},
        {"seconds": 0},
        {"seconds": 10**9},
        {"algorithm": "pdfpn", "processes": 999},
    ):
        refused(own, "search", **{"position": "0*4", "seconds": 9, **bad})
    assert len(started) == 1
    assert not list(tmp_path.iterdir())  # nothing was opened to be written
    session.close()


def test_another_game_is_listed(tmp_path: Path) -> None:
    session = WebSession("nim", str(tmp_path / "a.lmdb"), False, "1+2")
    own = Page(make_app(session, PORT, TOKEN), PORT, TOKEN)
    found = asked(own, "position", start="1+2", steps=["1+1"])
    assert (found["position"], found["sheets"], found["outcome"]) == ("1+1", [], "loss")
    assert [move["to"] for move in found["moves"]] == ["1"]
    refused(own, "position", start="1+2", steps=["5"])
    refused(own, "position", start="1+2", steps=[[0, -1, -2, []]])
    session.close()


def test_a_board_game_has_pictures(tmp_path: Path) -> None:
    session = WebSession("cram", str(tmp_path / "a.lmdb"), False, "...|...")
    own = Page(make_app(session, PORT, TOKEN), PORT, TOKEN)
    assert asked(own, "about")["pictures"] and not asked(own, "about")["drawn"]
    found = asked(own, "position", start="...|...")
    assert found["scene"]["svg"].count("<rect") == 6 and not found["sheets"]
    assert asked(own, "position", start="...|...", steps=[found["moves"][0]["to"]])["scene"]
    assert asked(own, "reply", position="...|...", seconds=1)["to"]
    assert b"<svg" in own.get("/api/drawing", "position=..|..").body
    refused(own, "marks", start="...")
    session.close()


def test_answers_are_plain_json(page: Page) -> None:
    text = page.post("position", {"start": "0*2"}).body.decode()
    assert json.loads(text)["start"] == "0*2"


def test_searches_wait_for_each_other(tmp_path: Path) -> None:
    queue = SearchQueue()
    session = WebSession("sprouts", str(tmp_path / "a.lmdb"), False, "0*4", search=queue)
    queue.state = {"running": True}
    own = Page(make_app(session, PORT, TOKEN), PORT, TOKEN)
    for text in ("0*4", "0*3", "0*2", "0*4"):
        waiting = asked(own, "search", position=text, seconds=60)["waiting"]
    assert waiting == ["0*4", "0*2", "0*3"]  # what was asked for last is next
    assert asked(own, "forget", position="0*2")["waiting"] == ["0*4", "0*3"]
    assert queue.thread is None
    for n in range(5, 23):
        asked(own, "search", position="0*%d" % n, seconds=60)
    assert "wait already" in refused(own, "search", position="0*2", seconds=60)
    session.close()


def test_a_search_that_waits_follows(tmp_path: Path) -> None:
    queue = SearchQueue()
    session = WebSession("sprouts", str(tmp_path / "a.lmdb"), False, "0*4", search=queue)
    own = Page(make_app(session, PORT, TOKEN), PORT, TOKEN)
    asked(own, "search", position="0*40", seconds=60)
    asked(own, "search", position="0*3", seconds=60)
    assert queue.thread is not None
    asked(own, "stop")
    queue.thread.join()
    past = session.search.state["past"]
    assert past[0] == {"position": "0*3", "outcome": "win"}
    assert not session.search.state["running"]
    assert asked(own, "position", start="0*3")["outcome"] == "win"
    session.close()


def test_a_search_adds_to_the_database(tmp_path: Path) -> None:
    queue, path = SearchQueue(), str(tmp_path / "a.lmdb")
    session = WebSession("sprouts", path, False, "0*4", has_known=False, search=queue)
    own = Page(make_app(session, PORT, TOKEN), PORT, TOKEN)
    assert asked(own, "position", start="0*4")["outcome"] is None
    first = asked(own, "search", position="0*4", seconds=60)
    assert first["running"] and first["position"] == "0*4"
    assert queue.thread is not None
    queue.thread.join()
    assert session.search.state["running"] is False
    assert session.search.state["result"]["outcome"] == "win"
    assert asked(own, "position", start="0*4")["outcome"] == "win"
    session.close()


@pytest.mark.parametrize("seed", range(2))
def test_a_drawn_move_has_the_name_of_a_child(tmp_path: Path, seed: int) -> None:
    """By a line of the board and by its text, to the end of the game, as the rules call it."""
    rng = random.Random(seed)
    session = WebSession("sprouts", str(tmp_path / "a.lmdb"), False, "0*2")
    own = Page(make_app(session, PORT, TOKEN), PORT, TOKEN)
    start = "0*5" if seed else "0*3+0*2"
    steps: List[Any] = []
    while True:
        found = asked(own, "position", start=start, steps=steps)
        moves = [move["to"] for move in found["moves"]]
        if not moves:
            break
        marked = asked(own, "marks", start=start, steps=steps)["sheets"]
        lines = [(i, line) for i, sheet in enumerate(marked) if sheet for line in sheet["lines"]]
        exact = "2" not in found["position"]  # no spots that the rules lay on one boundary
        if exact:
            assert {line[4] for _, line in lines} == set(moves)
        i, line = rng.choice(lines)
        step = [i, line[0], line[1], []]
        drawn = asked(own, "position", start=start, steps=[*steps, step])["position"]
        assert drawn in moves or not exact
        to = rng.choice(moves)
        assert asked(own, "position", start=start, steps=[*steps, to])["position"] == to
        steps.append(step if exact and rng.random() < 0.5 else to)
    assert len(steps) > 4
    session.close()


def test_a_question_ends_before_the_database_is_closed(tmp_path: Path) -> None:
    session = WebSession("sprouts", str(tmp_path / "a.lmdb"), False, "0*2")
    has_begun = threading.Event()

    def ask() -> int:
        has_begun.set()
        time.sleep(0.2)
        return session.own.get(b"0*99")

    answer = session.thread.submit(ask)
    assert has_begun.wait(10)
    session.close()
    assert answer.done() and answer.result() == -1


def test_a_machine_without_a_database_knows_what_the_package_knows(tmp_path: Path) -> None:
    session = WebSession("sprouts", str(tmp_path / "none.lmdb"), False, "0*5")
    page = Page(make_app(session, PORT, TOKEN), PORT, TOKEN)
    wins = {3, 4, 5}  # n mod 6
    for spots in (17, 36, 41, 42, 43, 44, 5):
        outcome = "win" if spots % 6 in wins else "loss"
        found = asked(page, "position", start="0*%d" % spots)
        assert (found["outcome"], found["sources"]) == (outcome, ["the facts that come with pns"])
    assert None not in [move["number"] for move in found["moves"]]
    counts = [layer["facts"] for layer in asked(page, "about")["source"]["layers"]]
    assert counts[0] == 0 and counts[1] > 70_000
    session.close()


def test_what_the_solver_has_just_found_is_shown(tmp_path: Path) -> None:
    session = WebSession("hex", str(tmp_path / "none.lmdb"), False, "...|...|...")
    page = Page(make_app(session, PORT, TOKEN), PORT, TOKEN)
    start = asked(page, "position", start=session.position)
    assert (start["outcome"], start["sources"]) == (None, [])
    reply = asked(page, "reply", position=start["position"], seconds=10)
    assert (reply["wins"], reply["source"]) == (True, "search")
    for steps, outcome in (([reply["to"]], "loss"), ([], "win")):
        found = asked(page, "position", start=start["position"], steps=steps)
        assert (found["outcome"], found["sources"]) == (outcome, ["a search on this page"])
    session.close()


def test_a_move_is_a_picture_of_its_line(page: Page) -> None:
    drawn = asked(page, "drawing", start="0*5", steps=["0*2.AB|0*2.AB"])["svg"]
    assert drawn.count('<g class="spot') >= 6 and "new" in drawn
    assert "<svg" in asked(page, "drawing", position="0*5")["svg"]
    refused(page, "drawing", start="0*5", steps=["0*9"])
    refused(page, "drawing", position="nonsense")


def test_the_parts_of_a_sum_have_numbers_that_add_up(tmp_path: Path) -> None:
    session = WebSession("sprouts", str(tmp_path / "none"), False, "0*3")
    found = parts(session, {"position": "0*3+0*2"})
    numbers = {part["text"]: part["number"] for part in found["parts"]}
    assert numbers == {"0*3": 1, "0*2": 0} and found["number"] == 1
    unknown = parts(session, {"position": "0*3+0*50"})
    assert unknown["number"] is None
    assert {part["text"]: part["number"] for part in unknown["parts"]} == {"0*3": 1, "0*50": None}
    session.close()


def test_the_gallery_says_who_wins(page: Page) -> None:
    found = asked(page, "gallery")
    assert [one["n"] for one in found["spots"]] == list(range(1, 45))
    for one in found["spots"]:
        assert one["outcome"] == ("win" if one["n"] % 6 > 2 else "loss"), one
    assert found["spots"][16]["certificate"] == "sprouts-17"
    assert found["spots"][43]["certificate"] is None
    for first in found["firsts"]:
        lands = find_game(first["game"]).parse(first["start"])
        assert lands and first["outcome"] in ("win", "loss")
        if first["size"] in ("25", "26"):  # the others take long to read
            data = {"game": first["game"], "source": first["certificate"]}
            step = asked(page, "why", position=first["start"], **data)
            assert step["outcome"] == first["outcome"] and step["best"]
