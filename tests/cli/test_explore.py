"""The command `pns explore`, in this process; the server itself is a stand-in."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Any, List

import pytest

pytest.importorskip("starlette")
from helpers.inprocess import Caller

import pns.web.app
import pns.web.serving
from pns.cli.commands import explore
from pns.strong import build_solution


@pytest.fixture
def call(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> Caller:
    return Caller(capsys, monkeypatch, "pns explore")


def test_listens_on_the_loopback_address_only(
    call: Caller, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    served: List[Any] = []
    opened: List[str] = []

    def serve(app: Any, listening: socket.socket, warn: Any) -> None:
        served.append(listening.getsockname())

    monkeypatch.setattr(pns.web.serving, "serve", serve)
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    answer = call(explore.main, "0*3", "--port", 0)
    assert answer.status == 0 and not answer.output
    (host, port) = served[0]
    assert host == "127.0.0.1"
    address = re.search(r"http://127\.0\.0\.1:%d/#token=[\w-]{32}" % port, answer.errors[0])
    assert address and opened == [address[0]]
    call(explore.main, "--db", "sprouts-3", "--port", 0, "--no-browser")
    assert len(served) == 2 and len(opened) == 1
    assert not list(tmp_path.iterdir())  # no database is made by looking


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", 70000], "--port"),
        (["--port", -1], "--port"),
        (["--db", "no/such/file", "--port", 0], "no/such/file"),
        (["--late"], "argument --late: sprouts has no late positions to solve; expected pentago"),
        (["--table", "no/such/solution"], "not a complete strong solution"),
    ],
)
def test_bad_input_gets_one_line(call: Caller, words: List[Any], said: str) -> None:
    answer = call(explore.main, *words)
    assert answer.status == 2 and len(answer.errors) == 1
    assert said in answer.errors[0]


def test_a_solution_is_served_for_its_game_only(
    call: Caller, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sessions: List[Any] = []
    monkeypatch.setattr(pns.web.serving, "serve", lambda *_: None)
    monkeypatch.setattr(
        pns.web.app, "make_app", lambda session, *_: sessions.append(session.position)
    )
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    table = str(tmp_path / "table")
    build_solution("kayles", "7", table)
    words = ("--port", 0, "--no-browser", "--table", table)
    assert call(explore.main, "--game", "kayles", *words).status == 0
    assert call(explore.main, "--game", "kayles", "5+3", *words).status == 0
    assert sessions == ["iiiiiii", "iiiii+iii"]
    refused = call(explore.main, *words)
    assert refused.status == 2 and len(refused.errors) == 1
    assert "argument --table: " in refused.errors[0] and "one of sprouts" in refused.errors[0]


def test_a_port_in_use_gets_one_line(call: Caller) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        answer = call(explore.main, "--db", "sprouts-2", "--port", other.getsockname()[1])
    assert answer.status == 2 and "--port" in answer.errors[0]
