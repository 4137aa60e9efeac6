"""A game between a person and the solver: its history, the solver's choice, and its record.

A position is known where facts decide it (`FACTS`) or a search within a budget does (`SEARCH`);
there the solver keeps every win. Elsewhere it takes the move that its search holds for the most
promising (`BOUNDS`): the child with the least disproof number, since that is the proof number of a
win by this move, equation (4) of [cizek2025].

The record of a game is a text file:

    [Game record 1]
    game: nim
    start: 1+2
    first: person
    second: solver
    result: first wins

    1. 1+1
    2. 1
    3. !

Each move is the position after it, in any notation of the game; the canonical one is written.
The result is one of `RESULTS`. Whoever has no move loses.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from time import monotonic
from typing import List, NamedTuple, Optional, Tuple

from pns.choices import BRANCHING
from pns.couple import HEAP, Couples
from pns.dfpn import LOSS, WIN, Search, Stopped
from pns.facts import Facts
from pns.files import open_whole, read_some, require_regular
from pns.game import Game, Land, NotationError, Sum, children_of, named_game
from pns.memory import BYTES_PER_UNIT, cache_bytes
from pns.prior import load
from pns.proofs.check import UNKNOWN, Lookup
from pns.proofs.why import Explainer, Step
from pns.table import Table

FACTS, SEARCH, BOUNDS = "facts", "search", "bounds"
CAPACITY = 500_000
"""Entries of the transposition table: 10 MB."""
MOST_EXPANSIONS = 1 << 60

TITLE = "[Game record 1]"
PERSON, SOLVER = PLAYERS = ("person", "solver")
SIDES = ("first", "second")
BY_RESIGNATION = " by resignation"
RESULTS = (
    "unfinished",
    "first wins",
    "second wins",
    "first wins" + BY_RESIGNATION,
    "second wins" + BY_RESIGNATION,
)
MOST_BYTES = 1_000_000
"""The size of the largest record that is read."""


class PlayError(ValueError):
    """What the rules do not allow, or not now; the message says why."""


class RecordError(ValueError):
    """A file is no record of a game: its path, the line, and what is wrong."""

    def __init__(self, path: str, line: int, wrong: str) -> None:
        super().__init__("%s: line %d: %s" % (path, line, wrong))


# --- the solver's choice ---------------------------------------------------------------------


def unknown(land: Land) -> int:
    """A lookup that knows nothing."""
    return UNKNOWN


class FactsOver(Facts):
    """Facts in memory, above those of a source that is only read."""

    def __init__(self, game_name: str, lookup: Lookup) -> None:
        super().__init__(game_name)
        self._lookup = lookup

    def get(self, land: bytes) -> int:
        """The land's Grundy number, -1 when it is unknown."""
        number = super().get(land)
        return number if number >= 0 else self._lookup(land)


class Judgement(NamedTuple):
    """What the solver makes of a position."""

    wins: Optional[bool]
    """Whether the player to move wins; None where that is not decided."""
    move: Optional[Sum]
    """The position after the move to make; None where there is no move."""
    source: str
    """FACTS or SEARCH where the move keeps a win, or where all moves lose; else BOUNDS. With
    BOUNDS a position may be won and the winning move not be found."""
    numbers: Tuple[int, int]
    """(proof number, disproof number) of the position."""


class Engine:
    """Judges positions of a game by facts, and within a budget by DFPN.

    `lookup` gives the Grundy numbers that are known. What is proved stays known
    for the rest of the game. The budget of a judgement is `seconds` and `expansions`; it is
    exceeded by some tenths of a second.
    """

    def __init__(
        self,
        game: Game,
        lookup: Lookup = unknown,
        seconds: float = 3.0,
        expansions: int = MOST_EXPANSIONS,
    ) -> None:
        self.game = game
        self.seconds = seconds
        self.expansions = expansions
        facts = FactsOver(game.name, lookup)
        self._explainer = Explainer(game, facts.get)
        self._deadline = 0.0
        self._search = Search(
            Couples(game, facts, prior=load(game.name).starting(BRANCHING)),
            Table(CAPACITY),
            max_size=cache_bytes(1) // BYTES_PER_UNIT,
            observer=self._observe,
        )

    def judge(self, lands: Sum) -> Judgement:
        """Who wins a position, and the move to make; raises Contradiction and TooLarge."""
        step, source = self.known(lands), FACTS
        if not _is_decided(step):
            source = SEARCH
            self._deadline = monotonic() + self.seconds
            budget = self.expansions if self.seconds else 0
            self._search.job_ends = self._search.expansions + budget
            if step.wins is None:
                self._decide(lands)
                step = self.known(lands)
            if not _is_decided(step):
                self._seek_loss(step)
                step = self.known(lands)
        if not _is_decided(step):
            move = min([move.position for move in step.moves], key=self._promise)
            return Judgement(step.wins, move, BOUNDS, self._numbers(lands))
        if step.wins:
            return Judgement(True, step.move, source, WIN)
        moves = [move.position for move in step.moves]
        longest = max(moves, key=lambda child: (*self._size(child), child), default=None)
        return Judgement(False, longest, source, LOSS)

    def known(self, lands: Sum) -> Step:
        """What the facts show about a position and its moves; nothing is searched."""
        return self._explainer.outcome(lands)

    def answers(self, lands: Sum, most: int) -> List[Tuple[Sum, Optional[Sum]]]:
        """(move, answer) for the first moves from a lost position; None: no answer is known.

        The answer leads to a lost position again.
        """
        moves = [move.position for move in self.known(lands).moves[:most]]
        return [(move, self._explainer.winning_move(move)) for move in moves]

    def _decide(self, lands: Sum) -> None:
        """Search a position within what is left of the budget."""
        with suppress(Stopped):
            self._search.outcome(lands)

    def _seek_loss(self, step: Step) -> None:
        """Search for the winning move of a position that is won by its Grundy number."""
        if not step.wins:
            return
        unknown = [move.position for move in step.moves if move.number == UNKNOWN]
        for child in sorted(unknown, key=self._promise):
            if self._search.expansions >= self._search.job_ends:
                return
            self._decide(child)
            if self.known(child).wins is False:
                return

    def _observe(self, search: Search) -> None:
        if monotonic() >= self._deadline:
            search.job_ends = search.expansions

    def _numbers(self, lands: Sum) -> Tuple[int, int]:
        code = self._search.couples.code(lands)
        if code <= HEAP:
            return WIN if code else LOSS
        return self._search.numbers(code)

    def _promise(self, child: Sum) -> Tuple[int, int, Tuple[int, int], Sum]:
        """Orders the children of a position, the most promising first."""
        pn, dn = self._numbers(child)
        return dn, -pn, self._size(child), child

    def _size(self, lands: Sum) -> Tuple[int, int]:
        """The sums of the two estimates of the lands (`Game.estimate`)."""
        found = [self.game.estimate(land) for land in lands]
        return sum([size for size, _ in found]), sum([branching for _, branching in found])


def _is_decided(step: Step) -> bool:
    """Whether it is known who wins, and by which move."""
    return step.wins is False or step.move is not None


# --- a game ----------------------------------------------------------------------------------


class Session:
    """A game that is played: positions from the start on, and whose move it is.

    Players are 0 for the one who began and 1 for the other.
    """

    def __init__(self, game: Game, start: Sum, person: int = 0) -> None:
        self.game = game
        self.person = person
        """The player who is the person; the other one is the solver."""
        self.positions = [start]
        self.resigned: Optional[int] = None
        """The player who resigned."""
        self._moves: Optional[List[Sum]] = None

    @property
    def position(self) -> Sum:
        return self.positions[-1]

    @property
    def player(self) -> int:
        """The player to move."""
        return (len(self.positions) - 1) % 2

    @property
    def is_persons_turn(self) -> bool:
        return self.player == self.person and self.winner is None

    @property
    def moves(self) -> List[Sum]:
        """The positions that a move leads to, sorted."""
        if self._moves is None:
            self._moves = children_of(self.game, self.position)
        return self._moves

    @property
    def winner(self) -> Optional[int]:
        """The player who has won; None while the game goes on."""
        if self.resigned is not None:
            return 1 - self.resigned
        return None if self.moves else 1 - self.player

    @property
    def last_move(self) -> Optional[Tuple[Sum, Sum]]:
        """The positions before and after the last move of the person, None if there is none."""
        for i in range(len(self.positions) - 1, 0, -1):
            if (i - 1) % 2 == self.person:
                return self.positions[i - 1], self.positions[i]
        return None

    def play(self, child: Sum) -> None:
        """Move to a position; raises PlayError unless a move leads there."""
        if self.winner is not None:
            raise PlayError("the game is over")
        if child not in self.moves:
            raise PlayError("no move leads to %s" % self.game.format(child))
        self.positions.append(child)
        self._moves = None

    def take_back(self) -> None:
        """Undo the last move of the person, and the answer to it; or the resignation.

        Raises PlayError where there is nothing to undo.
        """
        if self.resigned is not None:
            self.resigned = None
            return
        ends = [i for i in range(1, len(self.positions)) if (i - 1) % 2 == self.person]
        if not ends:
            raise PlayError("there is no move to take back")
        del self.positions[ends[-1] :]
        self._moves = None

    def resign(self) -> None:
        """End the game as lost for the person; raises PlayError if it is over."""
        if self.winner is not None:
            raise PlayError("the game is over")
        self.resigned = self.person

    @property
    def result(self) -> str:
        """One of RESULTS."""
        if self.winner is None:
            return RESULTS[0]
        resigned = BY_RESIGNATION if self.resigned is not None else ""
        return "%s wins%s" % (SIDES[self.winner], resigned)


# --- its record ------------------------------------------------------------------------------


def format_record(session: Session) -> str:
    """The record of a game.

    >>> nim = named_game("nim")
    >>> session = Session(nim, nim.parse("2"))
    >>> session.play(())
    >>> print(format_record(session), end="")
    [Game record 1]
    game: nim
    start: 2
    first: person
    second: solver
    result: first wins
    <BLANKLINE>
    1. !
    """
    players = PLAYERS if session.person == 0 else PLAYERS[::-1]
    start, *moves = map(session.game.format, session.positions)
    lines = [TITLE, "game: " + session.game.name, "start: " + start]
    lines += ["%s: %s" % pair for pair in zip(SIDES, players)]
    lines += ["result: " + session.result, ""]
    lines += ["%d. %s" % (i, move) for i, move in enumerate(moves, 1)]
    return "\n".join(lines) + "\n"


def parse_record(text: str, path: str) -> Session:
    """The game of a record, whose `path` is for errors; raises RecordError."""
    lines = [line.rstrip() for line in text.split("\n")]
    if lines[0] != TITLE:
        raise RecordError(path, 1, "%s is missing: this is no record of a game" % TITLE)
    values = [
        _value(path, lines, number, name)
        for number, name in enumerate(("game", "start", *SIDES, "result"), 2)
    ]
    name, start, first, second, result = values
    try:
        game = named_game(name)
    except ValueError as error:
        raise RecordError(path, 2, str(error)) from error
    if {first, second} != set(PLAYERS):
        raise RecordError(path, 4, "one player is the person and the other the solver")
    if result not in RESULTS:
        wrong = "no result %s; there are %s" % (ascii(result[:40]), ", ".join(RESULTS))
        raise RecordError(path, 6, wrong)
    session = Session(game, _position(path, 3, game, start), (first, second).index(PERSON))
    for number, line in enumerate(lines[6:], 7):
        if line:
            _replay(path, number, line, session)
    if result.endswith(BY_RESIGNATION) and session.winner is None:
        session.resigned = 1 - SIDES.index(result.split()[0])
    if result != session.result:
        raise RecordError(path, 6, "the moves have the result: %s" % session.result)
    return session


def _value(path: str, lines: List[str], number: int, name: str) -> str:
    """What a line of the head says."""
    line = lines[number - 1] if number <= len(lines) else ""
    if not line.startswith(name + ": "):
        raise RecordError(path, number, "%s: is missing" % name)
    return line[len(name) + 2 :].strip()


def _position(path: str, number: int, game: Game, text: str) -> Sum:
    try:
        return game.parse(text)
    except NotationError as error:
        raise RecordError(path, number, str(error)) from error


def _replay(path: str, number: int, line: str, session: Session) -> None:
    """Make the move that a line says."""
    ply = len(session.positions)
    match = re.fullmatch(r"([0-9]{1,9})\. +(.+)", line, re.ASCII)
    if not match or int(match[1]) != ply:
        wrong = "%s is no move; write '%d. POSITION'" % (ascii(line[:40]), ply)
        raise RecordError(path, number, wrong)
    try:
        session.play(_position(path, number, session.game, match[2]))
    except PlayError as error:
        raise RecordError(path, number, str(error)) from error


def read_record(path: str) -> Session:
    """The game of a file; raises RecordError and OSError."""
    require_regular(path)
    with open(path, "rb") as stream:
        data = read_some(stream, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise RecordError(path, 1, "a record has at most %d bytes" % MOST_BYTES)
    return parse_record(data.decode("utf-8", "backslashreplace"), path)


def write_record(session: Session, path: str) -> None:
    """Write the record of a game; raises OSError, and RecordError for a file of another kind."""
    if os.path.exists(path):
        require_regular(path)
        with open(path, "rb") as stream:
            beginning = read_some(stream, len(TITLE))
        if beginning not in (b"", TITLE.encode()):
            raise RecordError(path, 1, "this is no record of a game, and is not replaced")
    with open_whole(path) as stream:
        stream.write(format_record(session).encode())
