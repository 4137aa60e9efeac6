"""Test files of the solver MCGS: positions with expected outcomes and Grundy numbers.

    {version 1.4}
    [impartial nogo]  /* a section says which game */
    ..|.. {N 1}       /* a command solves the sum of the games before it */
    [domineering]
    .. ..|.. {B win, W loss}

N asks for the Grundy number, B and W for the outcome if Black or White moves first; in
Domineering Black places vertically. Words and texts in brackets are games, and a command ends
their sum. A comment ends at the first word that ends in `*/`. Sections of other games and other
commands are read; what they ask is skipped.
"""

from __future__ import annotations

import re
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from pns.facts import Facts
from pns.finding import find_game
from pns.game import NotationError
from pns.solver import solve
from pns.system.files import read_some, require_regular

MOST_BYTES = 10_000_000
"""Bytes of a test file."""
MOST_QUESTIONS = 3
"""Questions of a command, as in MCGS, so that a file asks no more than it is long."""
COMMENT = "/*"
CLOSING = {"[": "]", "{": "}", "(": ")"}
START = re.compile(r"(?P<opening>/\*|[\[{(])|\S+")
BRACKET = re.compile(r"[\[\](){}]")
COMMENT_END = re.compile(r"\*/(?!\S)")
VERSION = re.compile(r"version [0-9]+\.[0-9]+")
QUESTION = re.compile(r"(?P<player>[BW])(?: (?P<outcome>win|loss))?|N(?: (?P<number>[0-9]{1,4}))?")
KNOWN = ("B", "W", "N")
"""The first words of the commands that are known."""
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
    """A file is not a test file; says where and why."""

    def __init__(self, path: str, line: int, wrong: str) -> None:
        super().__init__("%s, line %d: %s" % (path, line, wrong))


class Question(NamedTuple):
    """A question about a sum of games, and the answer that a file expects, "" for none."""

    line: int
    games: Tuple[Tuple[str, str], ...]
    """(section, text) of each."""
    player: str
    """B, W, or N for the Grundy number; "" for a command that is not known."""
    expected: str
    command: str
    """The words that ask."""

    def text(self) -> str:
        """The question as the file has it."""
        return " ".join(["[%s] %s" % game for game in self.games]) or "no games"


class Token(NamedTuple):
    """A word, or what stands in brackets."""

    line: int
    opening: str
    """The bracket before it, "" for a word."""
    text: str


def questions(path: str) -> Iterator[Question]:
    """The questions of a file; raises SuiteError, and OSError for anything but a regular file."""
    section = ""
    games: List[Tuple[str, str]] = []
    is_first = True
    for line, opening, text in tokens(path):
        words = " ".join(text.split())
        if opening == "{" and VERSION.fullmatch(words):
            is_first = False
        elif is_first and opening != "[":
            raise SuiteError(path, line, "no {version ...} at the beginning")
        elif opening == "{":
            yield from asked(path, line, tuple(games), words)
            games = []
        elif opening == "[":
            section = words
        elif not section:
            raise SuiteError(path, line, "a game before any [section]")
        else:
            games.append((section, text))


def tokens(path: str) -> Iterator[Token]:
    """The words and brackets of a file, without comments; raises SuiteError and OSError.

    Each character is looked at a bounded number of times.
    """
    text = read_text(path)
    line, counted, place = 1, 0, 0
    while True:
        start = START.search(text, place)
        if start is None:
            return
        line += text.count("\n", counted, start.start())
        counted, place = start.start(), start.end()
        opening = start.group("opening") or ""
        if not opening:
            yield Token(line, "", start.group())
            continue
        end = (COMMENT_END if opening == COMMENT else BRACKET).search(text, place)
        if opening == COMMENT:
            if end is None:
                raise SuiteError(path, line, "a comment without an end; end it with the word */")
        elif end is None or end.group() != CLOSING[opening]:
            wrong = "%s without %s; write no brackets within brackets"
            raise SuiteError(path, line, wrong % (opening, CLOSING[opening]))
        else:
            yield Token(line, opening, text[place : end.start()])
        place = end.end()


def read_text(path: str) -> str:
    """The text of a file; raises SuiteError for a large one, OSError for a pipe or a device."""
    require_regular(path)
    with open(path, "rb") as stream:
        data = read_some(stream, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise SuiteError(path, 1, "a test file has at most %d bytes; split it" % MOST_BYTES)
    return data.decode("utf-8", "replace")


def asked(
    path: str, line: int, games: Tuple[Tuple[str, str], ...], words: str
) -> Iterator[Question]:
    """The questions of a command, none for an empty one; raises SuiteError."""
    parts = [part.strip() for part in words.split(",")] if words else []
    if len(parts) > MOST_QUESTIONS:
        wrong = "%d questions in a command; write at most %d"
        raise SuiteError(path, line, wrong % (len(parts), MOST_QUESTIONS))
    for part in parts:
        found = QUESTION.fullmatch(part)
        if found:
            expected = found.group("outcome") or found.group("number") or ""
            yield Question(line, games, found.group("player") or "N", expected, part)
        elif not part or part.split()[0] in KNOWN:
            right = "write commands like B win, W, or N 2"
            raise SuiteError(path, line, "invalid command %s; %s" % (ascii(part[:60]), right))
        else:
            yield Question(line, games, "", "", part)


class Answers:
    """Answers questions, and keeps the facts of all of them."""

    def __init__(self) -> None:
        self._facts: Dict[str, Facts] = {}

    def answer(self, question: Question, path: str) -> str:
        """The answer: win, loss, a Grundy number, or `SKIPPED` for games that are not here.

        The question has a player. Raises SuiteError.
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
