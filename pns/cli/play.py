"""Play against the solver in the terminal, or by lines of a pipe."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack, contextmanager, suppress
from typing import Callable, Dict, Iterator, List, Optional, Tuple

from pns.cli.common import STOPPED, close, die, explain_notation, program, warn
from pns.cli.layout import count, table
from pns.cli.play_options import STARTS, play_parser
from pns.facts import Contradiction, LmdbMissing, default_path
from pns.game import Game, NotationError, Sum, find_game, first_example
from pns.pictures import picture_of
from pns.play import (
    BOUNDS,
    FACTS,
    Engine,
    Judgement,
    PlayError,
    RecordError,
    Session,
    read_record,
    unknown,
    write_record,
)
from pns.reader import FactsReader, read_facts

PAGE = 20
"""Moves that are listed at a time."""
HELP = """\
A move is the position after it, like %s, or #N for move N of the list.
A part of a text lists the moves whose texts have it.

  moves [TEXT]  list the moves, or those whose texts have TEXT; more: go on
  hint          the move that the solver would make for you
  why [MOVE]    why your last move, or MOVE, loses or wins
  take back     undo your last move and the answer to it
  show          show the position, drawn for Sprouts and boards
  save FILE     write the record of the game
  load FILE     go on with a recorded game
  resign        give up
  quit          leave"""


class Dialogue:
    """A game that is played by lines of text: moves and commands.

    In a terminal a bad line is explained and positions are drawn at every turn. In a pipe
    a bad line ends the program, and only `show` draws.
    """

    def __init__(
        self, engine: Engine, session: Session, record: Optional[str], is_terminal: bool
    ) -> None:
        self._engine = engine
        self._session = session
        self._record = record
        self._is_terminal = is_terminal
        self._listed: List[Tuple[int, Sum]] = []
        """The rest of the list that `more` shows, with numbers."""
        self._commands: Dict[str, Callable[[str], None]] = {
            "moves": self._list,
            "more": lambda word: self._show_page(),
            "hint": lambda word: self._hint(),
            "why": self._why,
            "back": lambda word: self._take_back(),
            "take": lambda word: self._take_back(),
            "show": lambda word: self._show(True),
            "save": self._save,
            "load": self._load,
            "resign": lambda word: self._resign(),
            "help": lambda word: self._help(),
        }

    def run(self, lines: Iterator[str]) -> None:
        """Play until `quit`, or the end of the lines."""
        self._keep()
        if self._is_terminal:
            print("Type help for the commands.")
        self._go_on()
        for number, line in enumerate(lines, 1):
            words = line.split(None, 1)
            if not words:
                continue
            if words[0] in ("quit", "exit"):
                return
            try:
                self._obey(line.strip(), words[0], words[1].strip() if words[1:] else "")
            except (NotationError, PlayError, RecordError) as error:
                self._refuse(number, error)

    def _obey(self, line: str, word: str, rest: str) -> None:
        """Do what a line says."""
        if word in self._commands:
            self._commands[word](rest)
            return
        child = self._find(line)
        if child is not None:
            self._session.play(child)
            self._keep()
            self._go_on()

    def _refuse(self, number: int, error: Exception) -> None:
        """Say what is wrong with a line; in a pipe, exit."""
        text = explain_notation(error) if isinstance(error, NotationError) else str(error)
        if not self._is_terminal:
            die("line %d: %s" % (number, text))
        print(text)

    # --- turns -------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Let the solver move if it is its turn; then show the position, or who has won."""
        session = self._session
        if session.winner is None and not session.is_persons_turn:
            before = session.position
            judgement = self._engine.judge(before)
            assert judgement.move is not None
            session.play(judgement.move)
            self._keep()
            print("The solver moves to %s." % self._text(session.position))
            print(verdict(judgement, "The solver", "you"))
        self._listed = []
        if session.winner is None:
            self._show(self._is_terminal)
        else:
            who = "you win" if session.winner == session.person else "the solver wins"
            print("The game is over: %s." % who)
            if self._is_terminal:
                print("take back, why, save FILE and load FILE still work; quit leaves.")

    def _drawing(self, name: str) -> str:
        """The position for a terminal, in Sprouts with the last move; "" without drawings."""
        session = self._session
        if session.game.name != "sprouts":
            found = picture_of(session.game, session.position)
            return found.text if found else ""
        from pns.sprouts.drawing import draw, draw_move

        if len(session.positions) > 1:
            return draw_move(self._text(session.positions[-2]), name).text()
        return draw(name).text()

    def _show(self, is_drawn: bool) -> None:
        """Show the position as text and, where the game can be drawn, as a drawing."""
        session = self._session
        name = self._text(session.position)
        drawing = self._drawing(name) if is_drawn and session.position else ""
        if drawing:
            print("\n" + drawing)
        if session.winner is None:
            moves = "one move" if len(session.moves) == 1 else count(len(session.moves)) + " moves"
            print("Position %s: you have %s." % (name, moves))
        else:
            print("Position %s: there is no move." % name if not session.moves else name)

    def _resign(self) -> None:
        self._session.resign()
        self._keep()
        print("You resign.")
        self._go_on()

    def _take_back(self) -> None:
        self._session.take_back()
        self._keep()
        self._go_on()

    # --- moves -------------------------------------------------------------------------------

    def _find(self, text: str) -> Optional[Sum]:
        """The move that a text or #N means; None if moves that have the text were listed."""
        moves = self._session.moves
        if text.startswith("#"):
            digits = text[1:]
            if not (digits.isascii() and digits.isdigit() and 1 <= int(digits[:9]) <= len(moves)):
                raise PlayError("there is no move %s; the last is #%d" % (text[:20], len(moves)))
            return moves[int(digits[:9]) - 1]
        try:
            lands = self._session.game.parse(text)
        except NotationError:
            if self._is_terminal and self._with(text):
                self._list(text)
                return None
            meant = close(text.split()[0], [*self._commands, "quit"])
            if meant:
                wrong = "%s is no move and no command; did you mean %s?"
                raise PlayError(wrong % (ascii(text[:40]), meant[0])) from None
            raise
        if lands in moves:
            return lands
        if self._is_terminal and self._with(text):
            self._list(text)
            return None
        if self._session.winner is not None:
            raise PlayError("the game is over")
        raise PlayError("no move leads to %s; moves lists them" % self._text(lands))

    def _with(self, text: str) -> List[Tuple[int, Sum]]:
        """The moves whose texts have a part, with their numbers."""
        wanted = text.replace(" ", "")
        numbered = enumerate(self._session.moves, 1)
        return [(number, move) for number, move in numbered if wanted in self._text(move)]

    def _list(self, text: str) -> None:
        """List the first page of the moves whose texts have a part."""
        self._listed = self._with(text)
        if not self._listed:
            raise PlayError("no move has %s in its text" % ascii(text[:40]) if text else "no moves")
        self._show_page()

    def _show_page(self) -> None:
        """List the next page."""
        if not self._listed:
            raise PlayError("there are no more moves to list")
        rows = [("#%d" % number, self._text(move)) for number, move in self._listed[:PAGE]]
        print("\n".join(table(rows, right=[0])))
        del self._listed[:PAGE]
        if self._listed:
            print("  and %s: more, or type a part of the text" % count(len(self._listed)))

    # --- help --------------------------------------------------------------------------------

    def _help(self) -> None:
        moves = self._session.moves
        print(HELP % self._text(moves[0] if moves else self._session.position))

    def _hint(self) -> None:
        if self._session.winner is not None:
            raise PlayError("the game is over")
        judgement = self._engine.judge(self._session.position)
        assert judgement.move is not None
        print("Move to %s." % self._text(judgement.move))
        print(verdict(judgement, "You", "the solver"))

    def _why(self, word: str) -> None:
        """Why a move, by default the last one of the person, wins or loses."""
        session = self._session
        if word:
            child = self._find(word)
            if child is None:
                return
            before, after = session.position, child
        elif session.last_move:
            before, after = session.last_move
        else:
            raise PlayError("you have not moved yet; why MOVE, or hint")
        judgement = self._engine.judge(after)
        name = self._text(after)
        if judgement.wins is False:
            print("The move to %s wins%s." % (name, self._source(judgement)))
            self._show_answers(after, "you")
            return
        if not judgement.wins:
            pn, dn = judgement.numbers
            print("Whether the move to %s loses is not decided." % name)
            print("Of its win: %s." % numbers(dn, pn))
            return
        if judgement.source == BOUNDS or judgement.move is None:
            print("The move to %s loses; by which answer is not known." % name)
            return
        answer = self._text(judgement.move)
        print("The move to %s loses%s: the answer is %s." % (name, self._source(judgement), answer))
        self._show_answers(judgement.move, "the solver")
        step = self._engine.known(before)
        if step.move is not None:
            print("The move to %s would win." % self._text(step.move))
        elif step.wins is False:
            print("Every other move loses, too.")

    def _source(self, judgement: Judgement) -> str:
        return "" if judgement.source == FACTS else ", as a search proves"

    def _show_answers(self, lands: Sum, who: str) -> None:
        """The answers to the moves from a lost position."""
        answers = self._engine.answers(lands, PAGE + 1)
        if not answers:
            print("Then no move is left.")
            return
        print("Whatever follows, %s can answer:" % who)
        rows = [
            (self._text(move), "?" if answer is None else self._text(answer))
            for move, answer in answers[:PAGE]
        ]
        print("\n".join(table([("move", "answer"), *rows])))
        if len(answers) > PAGE:
            print("  and so on")

    # --- records -----------------------------------------------------------------------------

    def _keep(self) -> None:
        """Write the record that the command line asks for."""
        if self._record is not None:
            write_record(self._session, self._record)

    def _save(self, path: str) -> None:
        if not path:
            raise PlayError("save FILE: a file is missing")
        with naming_file():
            write_record(self._session, path)
        print("The record is in %s." % path)

    def _load(self, path: str) -> None:
        if not path:
            raise PlayError("load FILE: a file is missing")
        with naming_file():
            session = read_record(path)
        if session.game.name != self._session.game.name:
            raise RecordError(path, 2, "a game of %s" % session.game.name)
        self._session = session
        self._keep()
        self._go_on()

    def _text(self, lands: Sum) -> str:
        return self._session.game.format(lands)


@contextmanager
def naming_file() -> Iterator[None]:
    """Turn an error of the system into a PlayError that names the file."""
    try:
        yield
    except OSError as error:
        raise PlayError("%s: %s" % (error.filename, error.strerror)) from error


def verdict(judgement: Judgement, mover: str, other: str) -> str:
    """What is known about the position from which a player moves."""
    how = "this is known" if judgement.source == FACTS else "a search has proved it"
    if judgement.source == BOUNDS:
        if judgement.wins:
            return "%s can win, but by which move is not known; this one is a guess." % mover
        return "Who wins is not decided. By bounds this move is best: %s." % numbers(
            *judgement.numbers
        )
    if judgement.wins:
        return "%s can win by it: %s." % (mover, how)
    return "All moves lose, so %s can win: %s." % (other, how)


def numbers(pn: int, dn: int) -> str:
    """The numbers of a player's win."""
    return "proof number %s, disproof number %s" % (count(pn), count(dn))


def typed_lines(is_terminal: bool) -> Iterator[str]:
    """The lines of standard input, in a terminal after a prompt."""
    if sys.stdin is None:
        return
    sys.stdin.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if not is_terminal:
        yield from iter(sys.stdin.readline, "")
        return
    with suppress(ImportError):
        import readline  # noqa: F401  # input() then has editing and a history
    while True:
        try:
            yield input("> ")
        except EOFError:
            print()
            return


def open_source(args: argparse.Namespace, stack: ExitStack) -> Optional[FactsReader]:
    """The facts that the command line names, or those of the user's database if there is one."""
    path = default_path(args.game) if args.db is None else args.db
    if args.db is None and not os.path.exists(path):
        return None
    try:
        return stack.enter_context(read_facts(path, args.game))
    except LmdbMissing as error:
        if args.db is not None:
            raise
        warn(str(error))
        return None


def start_of(game: Game) -> str:
    """What is played unless a position is given; exits where nothing is known."""
    start = STARTS.get(game.name) or first_example(game)
    if not start:
        die("name a position: %s has no examples" % game.name)
    return start


def play(args: argparse.Namespace, facts: Optional[FactsReader]) -> int:
    """Play a game; returns the exit status."""
    game = find_game(args.game)
    start = args.position
    if start is None:
        start = facts.claim[0] if facts and facts.claim else start_of(game)
    is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    engine = Engine(game, facts.get if facts else unknown, args.seconds)
    session = Session(game, game.parse(start), 1 if args.second else 0)
    try:
        Dialogue(engine, session, args.record, is_terminal).run(typed_lines(is_terminal))
    except KeyboardInterrupt:
        print()
        return STOPPED
    except Contradiction as error:
        warn(str(error))
        return 1
    return 0


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None:
        args = play_parser(program()).parse_args()
    with ExitStack() as stack:
        facts = open_source(args, stack)
        status = play(args, facts)
        for entry in facts.bad if facts else ():
            warn(str(entry))
    return status
