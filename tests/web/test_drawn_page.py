"""The page and games with draws: a draw is called one, and a question no verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pns
from pns.facts import open_facts
from pns.web import positions, searcher
from pns.web.session import WebSession

EMPTY = "3:...|...|..."


def test_a_draw_is_called_one(tmp_path: Path) -> None:
    path = str(tmp_path / "facts")
    with open_facts(path, "mnk") as facts:
        assert pns.solve("3o:...|...|...", "mnk", facts=facts).outcome == "loss"
        assert pns.solve("3x:...|...|...", "mnk", facts=facts).outcome == "win"
    session = WebSession("mnk", path, False, EMPTY)
    found = positions.position(session, {"start": EMPTY, "steps": [], "source": ""})
    assert (found["outcome"], found["number"]) == ("draw", None)
    assert positions.why(session, {"position": EMPTY, "source": ""})["outcome"] == "draw"
    reply = positions.reply(session, {"position": EMPTY, "source": "", "seconds": 1})
    assert (reply["wins"], reply["source"]) == (None, "bounds")


def test_an_excluded_win_is_no_loss(tmp_path: Path) -> None:
    path = str(tmp_path / "facts")
    with open_facts(path, "mnk") as facts:
        facts.add(b"3o:...|...|...", 0)
    session = WebSession("mnk", path, False, EMPTY)
    found = positions.position(session, {"start": EMPTY, "steps": [], "source": ""})
    assert (found["outcome"], found["number"]) == (None, None)


def test_a_search_of_the_page_asks_both_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    wanted = {
        "position": "3o:...|...|...",
        "game": "mnk",
        "database": str(tmp_path / "facts"),
        "options": {"algorithm": "dfpn"},
    }
    monkeypatch.setattr("pns.system.lifeline.follow", lambda: None)
    monkeypatch.setattr("sys.argv", ["searcher", json.dumps(wanted)])
    assert searcher.main() == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])["result"]
    assert (result["outcome"], result["possible"]) == ("draw", ["draw"])


def test_the_end_of_a_board_is_not_called_a_loss(tmp_path: Path) -> None:
    """A drawn board and a lost one are the same position, the one without moves."""
    session = WebSession("mnk", str(tmp_path / "facts"), False, "3:XOX|XOO|OX.")
    found = positions.position(session, {"start": "!", "steps": [], "source": ""})
    assert (found["moves"], found["outcome"], found["number"]) == ([], None, None)
    nim = WebSession("nim", str(tmp_path / "facts"), False, "1")
    found = positions.position(nim, {"start": "!", "steps": [], "source": ""})
    assert (found["moves"], found["outcome"]) == ([], "loss")
