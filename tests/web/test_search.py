"""The process of a search of the page: a stop that comes at any moment of its life."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict

import pytest

pytest.importorskip("starlette")

from pns.web import search as module
from pns.web.search import SearchQueue

PROGRAM = """\
import os, signal

def stop(*_):
    os.kill(os.getpid(), signal.SIGINT)

def before(owner, name):
    def stopped(*args, **named):
        stop()
        return found(*args, **named)
    found = getattr(owner, name)
    setattr(owner, name, stopped)

%s
import sys
from pns.web import searcher
sys.exit(searcher.main())
"""
"""A search that sends itself what *Stop* sends; Python handles it before its next step."""

MOMENTS = {
    "before anything is imported": "stop()",
    "while the package is imported": "import json; stop(); import pns.solver",
    "before the program begins": "from pns.web import searcher; stop()",
    "with its lifeline": "from pns.system import lifeline; before(lifeline, 'follow')",
    "as it opens the database": "from pns.web import searcher; before(searcher, 'open_facts')",
    "as it reads the facts of the package": (
        "from pns.web import searcher; before(searcher, 'known_facts')"
    ),
    "before the search begins": "from pns.web import searcher; before(searcher, 'solve')",
    "as the search observes": "from pns.web import searcher; searcher.StatePrinter.__call__ = stop",
}
LATE = {
    "as it closes the database": (
        "from pns.web import searcher; found = searcher.open_facts\\n"
        "def opened(*words):\\n"
        "    facts = found(*words); before(facts, 'close'); return facts\\n"
        "searcher.open_facts = opened"
    ),
    "before it prints the result": "from pns.web import searcher; before(searcher, 'say')",
    "as the interpreter ends": "import atexit; atexit.register(stop)",
}


@pytest.fixture
def searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> Callable[[str, str], Dict[str, Any]]:
    """Searches a position, stopped at a moment: the result, after an end without complaints."""

    def search(moment: str, position: str) -> Dict[str, Any]:
        state = state_after(monkeypatch, tmp_path, moment, position)
        assert not state["running"] and "error" not in state, state
        assert capfd.readouterr().err == ""
        result = state["result"]
        assert state["past"] == [{"position": position, "outcome": result["outcome"]}]
        return dict(result)

    return search


def state_after(
    monkeypatch: pytest.MonkeyPatch, directory: Path, moment: str, position: str
) -> Dict[str, Any]:
    """The state of the page after a search that is stopped at a moment."""
    monkeypatch.setattr(module, "SEARCHER", ("-c", PROGRAM % moment.replace("\\n", "\n")))
    search = SearchQueue()
    search.start(
        {
            "position": position,
            "game": "sprouts",
            "database": str(directory / "a.lmdb"),
            "options": {"algorithm": "dfpn", "max_seconds": None},
        }
    )
    assert search.thread is not None
    search.thread.join()
    return search.state


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_stop_ends_the_search_with_an_answer(moment: str, searched: Any) -> None:
    result = searched(MOMENTS[moment], "0*45")
    assert (result["outcome"], result["stopped_by"]) == (None, "an interrupt")


@pytest.mark.parametrize("moment", LATE)
def test_a_stop_that_comes_late_loses_nothing(moment: str, searched: Any) -> None:
    assert searched(LATE[moment], "0*4")["outcome"] == "win"
