"""A game against the solver as a dialogue of lines."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Callable, Dict, Iterator, List, Optional, Tuple

from pns.choices import is_drawn
from pns.cli.common import die, explain_notation
from pns.cli.layout import count, table
from pns.cli.parser import close
from pns.cli.reports.verdicts import numbers, verdict
from pns.cli.terminal.drawn_game import DrawnGame
from pns.facts.layers import LayeredFacts, titles
from pns.front.pictures import picture_of
from pns.game import NotationError, Sum
from pns.play.engine import BOUNDS, FACTS, Engine, Judgement
from pns.play.record import RecordError, read_record, write_record
from pns.play.session import DRAW, PlayError, Session
from pns.sprouts.drawing.spot_names import Line, read_line

PAGE = 20
"""Moves that are listed at a time."""
HELP = """\
A move is the position after it, like %s, or #N for move N of the list.
A part of a text lists the moves whose texts have it. On a drawing, 1-2 joins spots 1 and 2,
and 1-1 3 4 is a loop with 3 and 4, and nothing else, on one side.

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
        self,
        engine: Engine,
        session: Session,
        record: Optional[str],
        is_terminal: bool,
        known: Optional[LayeredFacts] = None,
    ) -> None:
        """`known` is what the engine is given, and named as the source of what is known."""
        self._engine = engine
        self._known = known
        self._session = session
        self._record = record
        self._is_terminal = is_terminal
        self._listed: List[Tuple[int, Sum]] = []
        """The rest of the list that `more` shows, with numbers."""
        self._drawings = DrawnGame()
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
                self._run_command(line.strip(), words[0], words[1].strip() if words[1:] else "")
            except (NotationError, PlayError, RecordError) as error:
                self._refuse(number, error)

    def _run_command(self, line: str, word: str, rest: str) -> None:
        """Do what a line says."""
        if word in self._commands:
            self._commands[word](rest)
            return
        child = self._find(line)
        if child is not None:
            self._drawings.draw_move(self._session, child)
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
        if not session.is_over and not session.is_persons_turn:
            before = session.position
            judgement = self._engine.judge(before)
            assert judgement.move is not None
            session.play(judgement.move)
            self._keep()
            print("The solver moves to %s." % self._text(session.position))
            print(verdict(judgement, "The solver", "you", self._source_of(before)))
        self._listed = []
        self._drawings.forget_lines()
        if not session.is_over:
            self._show(self._is_terminal)
        else:
            if self._is_terminal:
                self._draw()
            who = "you win" if session.winner == session.person else "the solver wins"
            print("The game is over: %s." % (DRAW if session.winner is None else who))
            if self._is_terminal:
                print("take back, why, save FILE and load FILE still work; quit leaves.")

    def _show(self, is_drawn: bool) -> None:
        """Show the position as text and perhaps, where the game can be drawn, as a drawing."""
        session = self._session
        name = self._text(session.position)
        if is_drawn:
            self._draw()
        if not session.is_over:
            moves = "one move" if len(session.moves) == 1 else count(len(session.moves)) + " moves"
            print("Position %s: you have %s." % (name, moves))
        elif session.result == DRAW:
            print("Position %s: it is %s." % (name, DRAW))
        else:
            print("Position %s%s" % (name, "." if session.moves else ": there is no move."))

    def _draw(self) -> None:
        """Draw the position, where the game can be drawn."""
        session = self._session
        if self._is_drawn and session.positions[0]:
            print("\n" + self._drawings.at(session).text())
        elif not self._is_drawn and session.position:
            found = picture_of(session.game, session.position)
            if found:
                print("\n" + found.text)

    @property
    def _is_drawn(self) -> bool:
        """Whether moves of the game are drawn."""
        return is_drawn(self._session.game.name)

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
            if self._session.is_over:
                raise PlayError("the game is over")
            digits = text[1:]
            if not (digits.isascii() and digits.isdigit() and 1 <= int(digits[:9]) <= len(moves)):
                raise PlayError("invalid move %s; expected #1 to #%d" % (text[:20], len(moves)))
            return moves[int(digits[:9]) - 1]
        line = read_line(text) if self._is_drawn else None
        if line:
            return self._move_of(line)
        try:
            lands, is_move = self._session.rules.find(text, moves)
        except NotationError:
            if self._is_terminal and self._with(text):
                self._list(text)
                return None
            meant = close(text.split()[0], [*self._commands, "quit"])
            if meant:
                wrong = "unknown move or command %s; did you mean %s?"
                raise PlayError(wrong % (ascii(text[:40]), meant[0])) from None
            raise
        if is_move:
            return lands
        if self._is_terminal and self._with(text):
            self._list(text)
            return None
        if self._session.is_over:
            raise PlayError("the game is over")
        raise PlayError("no move leads to %s; type moves for a list" % self._text(lands))

    def _move_of(self, line: Line) -> Optional[Sum]:
        """The move that draws a line; None if several do, which are listed."""
        if self._session.is_over:
            raise PlayError("the game is over")
        found = self._drawings.find(self._session, line)
        if len(found) == 1:
            return found[0]
        numbered = enumerate(self._session.moves, 1)
        self._listed = [(number, child) for number, child in numbered if child in found]
        if not self._is_terminal:
            listed = ["#%d" % number for number, _ in self._listed]
            raise PlayError("several lines do that: %s" % ", ".join(listed))
        print("Several lines do that; choose one of these, or name spots beside the line:")
        self._show_page()
        return None

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
        if self._session.is_over:
            raise PlayError("the game is over")
        judgement = self._engine.judge(self._session.position)
        assert judgement.move is not None
        print("Move to %s." % self._text(judgement.move))
        print(verdict(judgement, "You", "the solver", self._source_of(self._session.position)))

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
            raise PlayError("you have not moved yet; type why MOVE, or hint")
        judgement = self._engine.judge(after)
        name = self._text(after)
        if session.rules.has_ended(after):
            print("The move to %s loses: it is the last one." % name)
            self._show_better(self._engine.judge(before, seconds=0))
            return
        if judgement.draws:
            print("The move to %s leads to a draw%s." % (name, self._source(judgement)))
            best = self._engine.judge(before, seconds=0)
            if not best.draws:
                self._show_better(best)
            return
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
        self._show_better(self._engine.judge(before, seconds=0))

    def _show_better(self, best: Judgement) -> None:
        """The move that would have been better, as far as that is known."""
        if best.wins is False and not best.draws:
            print("Every other move loses, too.")
        elif best.move is not None and best.source != BOUNDS:
            how = "would keep the draw" if best.draws else "would win"
            print("The move to %s %s." % (self._text(best.move), how))

    def _source_of(self, lands: Sum) -> str:
        """The end of a sentence that says from where it is known who wins a position."""
        if self._known is None:
            return ""
        layers = self._known.sources_of(self._engine.known(lands).lands)
        return " from " + titles(layers) if layers else ""

    def _source(self, judgement: Judgement) -> str:
        return "" if judgement.source == FACTS else ", as a search proves"

    def _show_answers(self, lands: Sum, who: str) -> None:
        """The answers to the moves from a lost position."""
        answers = self._engine.answers(lands, PAGE + 1)
        if not answers:
            print("Then no move is left.")
            return
        print("Whatever follows, %s can answer:" % who)
        rows = [(self._text(move), self._answer(move, answer)) for move, answer in answers[:PAGE]]
        print("\n".join(table([("move", "answer"), *rows])))
        if len(answers) > PAGE:
            print("  and so on")

    def _answer(self, move: Sum, answer: Optional[Sum]) -> str:
        """The answer to a move, as far as it is known; after the last move there is none."""
        if self._session.rules.has_ended(move):
            return "none: that was the last move, which loses"
        return "?" if answer is None else self._text(answer)

    # --- records -----------------------------------------------------------------------------

    def _keep(self) -> None:
        """Write the record that the command line asks for."""
        if self._record is not None:
            write_record(self._session, self._record)

    def _save(self, path: str) -> None:
        if not path:
            raise PlayError("the name of a file is missing; type save FILE")
        with naming_file():
            write_record(self._session, path)
        print("The record is in %s." % path)

    def _load(self, path: str) -> None:
        if not path:
            raise PlayError("the name of a file is missing; type load FILE")
        with naming_file():
            session = read_record(path)
        if session.game.name != self._session.game.name:
            raise RecordError(path, 2, "a game of %s" % session.game.name)
        self._session = session
        self._engine.rules = session.rules
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
