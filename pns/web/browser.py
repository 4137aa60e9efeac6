"""The transport of the page in a browser: what its workers (`worker.js`) call in Pyodide.

One worker answers questions, by `PageAnswers`. Another one searches, by `search`, so that a search
can be stopped at any moment by ending its worker. All that passes between Python and JavaScript is
JSON in a string.
"""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Optional, Tuple

from pns.choices import PARALLEL
from pns.facts import Fact, Facts
from pns.facts.known import known_facts
from pns.front.options import Options
from pns.solver import solve
from pns.web import api
from pns.web.reading import BadRequest, Json
from pns.web.searches import Searches, Specification
from pns.web.session import WebSession
from pns.web.states import StatePrinter

KEPT = "kept in this browser"
"""The database of the page: facts that searches have proved on it."""
Post = Callable[[str], object]
"""Takes a message as JSON."""
KeptFacts = List[Tuple[str, int]]
"""Facts as JSON has them: the text of a land, and its number."""


class BrowserSearches(Searches):
    """Searches of another worker. `begin(specification)` starts one there; None ends it."""

    unavailable = dict.fromkeys(PARALLEL, "it runs several processes, and a browser has none")

    def __init__(self, begin: Callable[[Optional[Specification]], object]) -> None:
        super().__init__()
        self._start_worker = begin

    def _begin(self, specification: Specification) -> None:
        super()._begin(specification)
        self._start_worker(specification)

    def take(self, fields: Dict[str, Any]) -> None:
        """What the worker says of the search: fields of its state; `result` or `error` end it."""
        self._publish({**self.state, **fields})
        if "result" in fields or "error" in fields:
            self._go_on({})

    def stop(self) -> None:
        if self.state["running"]:
            self._start_worker(None)
            result = {"outcome": None, "stopped_by": "an interrupt", "winning_move": None}
            self.take({"result": {**result, "expansions": self.state.get("expansions", 0)}})

    def close(self) -> None:
        self._waiting = []
        self.stop()


class PageAnswers:
    """Answers the questions of a page, and follows its searches.

    `post` gets messages: {"state": ...} for each change of the searches, and {"search": ...} for
    a search to begin, null to end the one that runs.
    """

    def __init__(self, game: str, position: str, post: Post) -> None:
        self._post = post
        self._searches = BrowserSearches(lambda wanted: self._say(search=wanted))
        self._session = WebSession(game, KEPT, False, position, search=self._searches)
        self._seen = self._searches.serial

    def ask(self, name: str, text: str) -> str:
        """The answer to a question whose data is JSON: {"answer": ...} or {"error": ...}."""
        question = api.QUESTIONS.get(name)
        try:
            if question is None:
                raise BadRequest("no such question")
            answer: Json = {"answer": question(self._session, json.loads(text))}
        except api.REFUSALS as error:
            answer = {"error": str(error)}
        self._report()
        return json.dumps(answer)

    def keep(self, game: str, text: str) -> None:
        """Know facts of a game that searches have proved, as JSON has them.

        Those of a game that this version does not have are left out.
        """
        try:
            own = self._session.of(game).own
        except ValueError:
            return
        own.keep([(land.encode(), number) for land, number in json.loads(text)])

    def take(self, text: str) -> None:
        """What the worker of the search says, as JSON."""
        self._searches.take(json.loads(text))
        self._report()

    def state(self) -> str:
        """The state of the searches."""
        return json.dumps(self._searches.state)

    def _report(self) -> None:
        """Post the state of the searches, if it is another one."""
        if self._seen != self._searches.serial:
            self._seen = self._searches.serial
            self._say(state=self._searches.state)

    def _say(self, **message: Any) -> None:
        self._post(json.dumps(message))


def prepare(game: str, position: str) -> None:
    """Do what each visit begins with, up to the first move.

    A copy of Python's memory that is taken then has it done. No file is in that copy.
    """
    answers = PageAnswers(game, position, lambda message: None)
    for name, data in (
        ("about", {}),
        ("position", {"start": position}),
        ("reply", {"position": position, "seconds": 1}),
    ):
        answers.ask(name, json.dumps(data))


class ReportedFacts(Facts):
    """Facts in memory that remember which are new, in the order in which they were proved."""

    def __init__(self, game_name: str) -> None:
        super().__init__(game_name)
        self._unreported: List[Fact] = []

    def add(self, land: bytes, number: int) -> None:
        count = len(self._numbers)
        super().add(land, number)
        if len(self._numbers) > count:
            self._unreported.append((land, number))

    def report(self) -> KeptFacts:
        """The facts that were added since the last report."""
        found = [(land.decode(), number) for land, number in self._unreported]
        self._unreported = []
        return found


def search(text: str, kept: str, post: Post) -> None:
    """Search as a specification says, from the facts of the package and those kept; all are JSON.

    `post` gets {"facts": what was proved since the last message, "fields": as `pns.web.states`
    says}; in the end `fields` have `result` or `error`.
    """
    wanted: Specification = json.loads(text)
    facts = ReportedFacts(wanted["game"])

    def say(**fields: Any) -> None:
        post(json.dumps({"facts": facts.report(), "fields": fields}))

    try:
        facts.supply(known_facts(wanted["game"]).items())
        facts.supply((land.encode(), number) for land, number in json.loads(kept))
        facts.report()
        result = solve(
            wanted["position"],
            wanted["game"],
            Options(**wanted["options"]),
            facts=facts,
            observer=StatePrinter(say),
            with_draws=True,
        )
    except (ValueError, RuntimeError, OSError, MemoryError) as error:
        say(error=str(error) or type(error).__name__)
    else:
        say(result=result.as_dict())
