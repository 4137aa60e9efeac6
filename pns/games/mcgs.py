"""Test files of the solver MCGS: positions with expected outcomes and Grundy numbers.

    {version 1.4}
    [impartial nogo]  /* a section says which game */
    ..|.. {N 1}       /* a command solves the sum of the games before it */
    [domineering]
    .. ..|.. {B win, W loss}

N asks for the Grundy number, B and W for the outcome if Black or White moves first; in
Domineering Black places vertically. Words and texts in brackets are games, and a command ends
their sum. Sections of other games are read and their commands are skipped.
"""

from __future__ import annotations

import re
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from pns.facts import Facts
from pns.game import NotationError, find_game
from pns.solver import solve

TOKEN = re.compile(
    r"/\*.*?\*/|\[(?P<section>[^][]*)\]|\{(?P<command>[^{}]*)\}|\((?P<one>[^()]*)\)|(?P<word>\S+)",
    re.DOTALL,
)
VERSION = re.compile(r"version [0-9]+\.[0-9]+")
QUESTION = re.compile(r"(?P<player>[BW])(?: (?P<outcome>win|loss))?|N(?: (?P<number>[0-9]{1,4}))?")
SECTIONS = {
    "impartial domineering": "cram",
    "impartial nogo": "nogo",
    "impartial nogo_1xn": "nogo",
    "impartial clobber": "clobber",
    "impartial clobber_1xn": "clobber",
    "domineering": "domineering",
    "kayles": "kayles",
    "impartial kayles": "kayles",
    "nimber": "nim",
    "impartial nimber": "nim",
}
"""The games here by the sections of the files."""
PREFIXES = {"B": "V:", "W": "H:"}
SKIPPED = "skipped"


class SuiteError(ValueError):
    """A file is no test file; says where and why."""

    def __init__(self, path: str, line: int, wrong: str) -> None:
        super().__init__("%s, line %d: %s" % (path, line, wrong))


class Question(NamedTuple):
    """A question about a sum of games, and the answer that a file expects, "" for none."""

    line: int
    games: Tuple[Tuple[str, str], ...]
    """(section, text) of each."""
    player: str
    """B, W, or N for the Grundy number."""
    expected: str

    def text(self) -> str:
        """The question as the file has it."""
        return " ".join(["[%s] %s" % game for game in self.games]) or "no games"


def questions(path: str) -> Iterator[Question]:
    """The questions of a file; raises SuiteError and OSError."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    section = ""
    games: List[Tuple[str, str]] = []
    is_first = True
    for match in TOKEN.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        command, game = match.group("command"), match.group("one") or match.group("word")
        if command is not None and VERSION.fullmatch(command.strip()):
            is_first = False
        elif is_first and (command or game):
            raise SuiteError(path, line, "no {version ...} at the beginning")
        elif command is not None:
            for part in command.split(","):
                found = QUESTION.fullmatch(" ".join(part.split()))
                if not found:
                    raise SuiteError(path, line, "%s is no command" % ascii(part.strip()[:60]))
                expected = found.group("outcome") or found.group("number") or ""
                yield Question(line, tuple(games), found.group("player") or "N", expected)
            games = []
        elif match.group("section") is not None:
            section = " ".join(match.group("section").split())
        elif game is not None:
            if not section:
                raise SuiteError(path, line, "a game before any [section]")
            games.append((section, game))


class Answers:
    """Answers questions, and keeps the facts of all of them."""

    def __init__(self) -> None:
        self._facts: Dict[str, Facts] = {}

    def answer(self, question: Question, path: str) -> str:
        """The answer: win, loss, a Grundy number, or `SKIPPED` for games that are not here.

        Raises SuiteError.
        """
        names = [SECTIONS.get(section, "") for section, _ in question.games]
        is_partisan = "domineering" in names
        if not all(names) or is_partisan and (question.player == "N" or len(set(names)) > 1):
            return SKIPPED
        sums: Dict[str, List[str]] = {}
        for name, (_, text) in zip(names, question.games):
            sums.setdefault(name, []).append(text.strip())
        try:
            if is_partisan:
                text = PREFIXES[question.player] + "+".join(sums["domineering"])
                return self._outcome("domineering", text)
            if question.player != "N" and len(sums) == 1:
                ((name, texts),) = sums.items()
                return self._outcome(name, "+".join(texts))
            number = 0
            for name, texts in sums.items():
                number ^= self._number(name, "+".join(texts))
        except NotationError as error:
            raise SuiteError(path, question.line, str(error)) from error
        if question.player == "N":
            return "%d" % number
        return "win" if number else "loss"

    def _outcome(self, name: str, text: str) -> str:
        return str(solve(text, name, facts=self._of(name)).outcome)

    def _number(self, name: str, text: str) -> int:
        number: Optional[int] = solve(text, name, facts=self._of(name), grundy=True).grundy_number
        assert number is not None
        return number

    def _of(self, name: str) -> Facts:
        return self._facts.setdefault(name, Facts(find_game(name).name))
