"""The record of a game between a person and the solver: a text file.

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
The result is one of `RESULTS`. Whoever has no move loses. In a game with draws, a start that
does not say for whom a draw counts is played with draws.
"""

from __future__ import annotations

import os
import re
from typing import List

from pns.finding import named_game
from pns.game import NotationError
from pns.play.session import BY_RESIGNATION, RESULTS, SIDES, PlayError, Session
from pns.system.files import open_whole, read_some, require_regular

TITLE = "[Game record 1]"
PERSON, SOLVER = PLAYERS = ("person", "solver")
MOST_BYTES = 1_000_000
"""The size of the largest record that is read."""


class RecordError(ValueError):
    """A file is not a record of a game: its path, the line, and what is wrong."""

    def __init__(self, path: str, line: int, wrong: str) -> None:
        super().__init__("%s: line %d: %s" % (path, line, wrong))


def format_record(session: Session) -> str:
    """The record of a game.

    >>> nim = named_game("nim")
    >>> session = Session(nim, "2")
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
    moves = map(session.game.format, session.positions[1:])
    lines = [TITLE, "game: " + session.game.name, "start: " + session.start]
    lines += ["%s: %s" % pair for pair in zip(SIDES, players)]
    lines += ["result: " + session.result, ""]
    lines += ["%d. %s" % (i, move) for i, move in enumerate(moves, 1)]
    return "\n".join(lines) + "\n"


def parse_record(text: str, path: str) -> Session:
    """The game of a record, whose `path` is for errors; raises RecordError."""
    lines = [line.rstrip() for line in text.split("\n")]
    if lines[0] != TITLE:
        raise RecordError(path, 1, "not a record of a game; expected the line %s" % TITLE)
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
        raise RecordError(path, 4, "expected person for one player and solver for the other")
    if result not in RESULTS:
        wrong = "invalid result %s; expected one of %s" % (ascii(result[:40]), ", ".join(RESULTS))
        raise RecordError(path, 6, wrong)
    try:
        session = Session(game, start, (first, second).index(PERSON))
    except NotationError as error:
        raise RecordError(path, 3, str(error)) from error
    for number, line in enumerate(lines[6:], 7):
        if line:
            _replay(path, number, line, session)
    if result.endswith(BY_RESIGNATION) and not session.is_over:
        session.resigned = 1 - SIDES.index(result.split()[0])
    if result != session.result:
        raise RecordError(
            path, 6, "the result does not follow from the moves; expected %s" % session.result
        )
    return session


def _value(path: str, lines: List[str], number: int, name: str) -> str:
    """What a line of the head says."""
    line = lines[number - 1] if number <= len(lines) else ""
    if not line.startswith(name + ": "):
        raise RecordError(path, number, "%s: is missing" % name)
    return line[len(name) + 2 :].strip()


def _replay(path: str, number: int, line: str, session: Session) -> None:
    """Make the move that a line says."""
    ply = len(session.positions)
    match = re.fullmatch(r"([0-9]{1,9})\. +(.+)", line, re.ASCII)
    if not match or int(match[1]) != ply:
        wrong = "invalid move %s; expected '%d. POSITION'" % (ascii(line[:40]), ply)
        raise RecordError(path, number, wrong)
    try:
        session.play(session.rules.find(match[2], session.moves)[0])
    except (NotationError, PlayError) as error:
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
            raise RecordError(path, 1, "not a record of a game, and is not replaced")
    with open_whole(path) as stream:
        stream.write(format_record(session).encode())
