"""The front door: solves a position by any of the algorithms."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional, Sequence, Tuple

from pns.algorithms import BUILDERS
from pns.choices import DEFAULT_GAME, PARALLEL, WITH_MASTER, misfit
from pns.facts import Facts
from pns.facts.staged import StagedFacts
from pns.finding import find_game, misere_name
from pns.front.draws import asked, outcomes, questions
from pns.front.memory import MemoryWatch
from pns.front.options import OptionError, Options
from pns.front.request import Request, Solver
from pns.front.result import Result
from pns.game import Game, Sum, SupportsDraws, checked_text, children_of, read_position
from pns.positions.interned import HEAP
from pns.positions.simplify import find_simplified, searched, simplified
from pns.positions.wrapped import ordered
from pns.search.counted_search import Stopped, StopToken
from pns.system.files import Reporter
from pns.system.machine import NoMemory
from pns.version import VERSION

if TYPE_CHECKING:
    from pns.strong.probe import SolutionFacts
    from pns.strong.solution import StrongSolution

SolverObserver = Callable[[Solver], None]


def children(text: str, game: str = DEFAULT_GAME) -> List[str]:
    """The children of a position: canonical texts, sorted, distinct; raises NotationError.

    >>> children("0*3")
    ['0*2.AB|AB', '0.1a1a', '0.AB|0.AB']
    """
    rules = find_game(game)
    return sorted({rules.format(child) for child in children_of(rules, read_position(rules, text))})


def grundy_number(text: str, game: str = DEFAULT_GAME) -> int:
    """The Grundy number of a position.

    It is searched for without a budget; `solve` with `grundy` has budgets. Raises NotationError,
    OptionError for a game without Grundy numbers, and NoMemory when memory runs out first.

    >>> grundy_number("3+5", game="nim")
    6
    """
    result = solve(text, game, grundy=True)
    if result.grundy_number is None:
        raise NoMemory("the Grundy number of %s is not known: memory ran out" % result.canonical)
    return result.grundy_number


def value(text: str, game: str, options: Optional[Options] = None, **named: Any) -> Optional[str]:
    """The value of a position in a game with draws, for the player to move: win, draw or loss.

    None if a budget ends or `stop` is set before it is decided; use `solve` to get the possible
    outcomes. A letter in the text that says for whom a draw counts is ignored. Arguments and
    errors are those of `solve`. Raises OptionError for a game without draws.

    >>> value("3:...|...|...", "mnk")
    'draw'
    >>> print(value("3:...|...|...", "mnk", max_expansions=1))
    None
    """
    rules = find_game(game)
    if not isinstance(rules, SupportsDraws):
        raise OptionError("game", "%s has no draws" % rules.name)
    return solve(text, game, options, with_draws=True, **named).outcome


def solve(  # noqa: PLR0913  (keywords of the public call)
    text: str,
    game: str = DEFAULT_GAME,
    options: Optional[Options] = None,
    *,
    misere: bool = False,
    facts: Optional[Facts] = None,
    table: Optional[StrongSolution] = None,
    stop: Optional[StopToken] = None,
    observer: Optional[SolverObserver] = None,
    warn: Optional[Callable[[str], None]] = None,
    catch_interrupt: bool = False,
    with_draws: bool = False,
    **named: Any,
) -> Result:
    """Solve a position: whether the player to move wins and, with `grundy`, its Grundy number.

    With `misere`, who makes the last move loses: the game is then NAME-misere.
    `options`, or its fields as keywords, set how to search (see `pns.Options`). Facts are
    read from and added to `facts`, which stays open; by default they are kept in memory for
    this call. With a strong solution as `table` they are only read: the search takes what the
    solution has for granted, and what it proves stays in memory.

    The position of a game with draws is a win, a draw or a loss. That takes up to two searches,
    for a win and for at least a draw, within the same budgets. A text that says for whom a draw
    counts as a win asks only one of the two questions, and the outcome is then a win or a loss;
    `with_draws` asks both all the same.

    The search ends with `solved` false when a budget of expansions, seconds or bytes of memory
    runs out, when the tree of pns-tree is full, when `stop` is set, and, with `catch_interrupt`,
    on SIGINT in the main thread, which otherwise raises KeyboardInterrupt. `observer` is called
    with the search every few expansions. What cannot be written, as on a full disk, is reported
    to `warn`, by default as a RuntimeWarning, and tried again; facts wait in memory.

    Raises NotationError for a text that is not a position, OptionError for a bad option and for
    facts or a solution of another game, TypeError for an argument of another type,
    TooLittleMemory for a max_memory that leaves a tree no room, NoMemory for tables that do
    not fit in a limit of the shell, Contradiction when facts disagree, CheckpointError for a
    checkpoint that cannot be resumed, FactsError for a damaged solution, ProcessesDied when
    processes die again and again, and OSError for a file that cannot be used.

    >>> solve("0*5").outcome
    'win'
    >>> solve("1+2+3", game="nim").outcome
    'loss'
    >>> solve("1+2+3", "nim", misere=True).game, solve("1", "nim-misere").outcome
    ('nim-misere', 'loss')
    >>> solve("3:...|...|...", "mnk").outcome, solve("3o:...|...|...", "mnk").outcome
    ('draw', 'loss')
    """
    start = time.monotonic()
    rules = find_game(misere_name(game) if misere else game)
    checked_text(text)
    _check_arguments(rules, options, facts, stop, observer)
    asked_for = questions(rules, text) if with_draws else asked(rules, text)
    options = replace(options or Options(), **named)
    _check_options(options, rules, asked_for)
    facts = Facts(rules.name) if facts is None else facts
    solution_facts = None
    from_table = False
    if table is not None:
        solution_facts = _over(facts, table, rules, text, options.algorithm)
        facts = StagedFacts(solution_facts)
        from_table = all([solution_facts.decides(question) for question in asked_for])
    stop = stop or StopToken()
    observe = _watching(options, facts, start, observer, warn or _warn)
    played = searched(rules, options.simplify)
    simplifies = find_simplified(played) is not None
    request = Request(
        ordered(played, options.order), asked_for[0], facts, options, stop, observe, warn or _warn
    )
    found = _Findings(rules, asked_for)
    with interrupts(stop, catch_interrupt):
        solver = BUILDERS[options.algorithm](request)
        found.search(solver, request)
    outcome = found.outcome
    if outcome == "win" and rules.decomposes and found.number is None:
        found.number = known_number(solver, found.lands)
    facts.try_flush()
    solved = outcome is not None and not (options.grundy and found.number is None)
    answered = None  # what the search was answered, not the look for a move after it
    if solution_facts is not None and options.algorithm not in PARALLEL:
        answered = solution_facts.answered
    move = None
    if outcome in ("win", "draw"):
        move = winning_move(solver, rules, simplifies, found.lands)
    usage = solver.usage()
    usage = replace(
        usage,
        facts_known=len(facts),
        facts_new=facts.new,
        answered_by_table=answered,
        seconds=usage.seconds or time.monotonic() - start,
    )
    return Result(
        position=text,
        canonical=rules.format(found.lands),
        game=rules.name,
        algorithm=options.algorithm,
        solved=solved,
        outcome=outcome,
        possible=found.possible,
        grundy_number=found.number,
        winning_move=move if outcome == "win" else None,
        drawing_move=move if outcome == "draw" else None,
        stopped_by=None if solved else stop.reason or None,
        unsaved=found.unsaved or None if not solved else None,
        usage=usage,
        version=VERSION,
        from_table=from_table,
        simplify=simplifies,
        facts=facts,
    )


class _Findings:
    """What a search has found out about the one or two questions of a position.

    `lands` is the question searched last, `possible` the outcomes that are left, and `unsaved`
    why there is no checkpoint of a search that ended early.
    """

    def __init__(self, rules: Game, asked_for: Tuple[Sum, ...]) -> None:
        self.lands = asked_for[0]
        self.possible = outcomes(asked_for)
        self.number: Optional[int] = None
        self.unsaved = ""
        self._rules = rules
        self._asked_for = asked_for

    @property
    def outcome(self) -> Optional[str]:
        """The outcome, None while several are possible."""
        return self.possible[0] if len(self.possible) == 1 else None

    def search(self, solver: Solver, request: Request) -> None:
        """Ask the solver until all is known, or until a budget is spent."""
        options = request.options
        try:
            self._ask(solver, options.grundy)
        except Stopped:
            solver.save()
            self.unsaved = solver.unsaved
        except MemoryError:
            if options.algorithm in PARALLEL:
                raise
            request.stop.stop("memory")
            if options.checkpoint:  # a tree in the middle of a change must not be saved
                self.unsaved = "%s: memory ran out; the previous one is kept" % options.checkpoint

    def _ask(self, solver: Solver, grundy: bool) -> None:
        for question in self._asked_for:
            self.lands = question
            if solver.outcome(question):
                self.possible = self.possible[:1]
                break
            self.possible = self.possible[1:]
        if self.possible == ("loss",):
            self.number = 0 if self._rules.decomposes else None
        elif grundy:
            self.number = solver.grundy_number(self.lands)


def _watching(
    options: Options,
    facts: Facts,
    start: float,
    observer: Optional[SolverObserver],
    warn: Callable[[str], None],
) -> SolverObserver:
    """An observer that keeps the budgets of seconds and memory, then calls `observer`."""
    report = Reporter(warn).report
    watch = MemoryWatch(options.max_memory)

    def observe(solver: Solver) -> None:
        if options.max_seconds is not None and time.monotonic() - start >= options.max_seconds:
            solver.stop("seconds")
        if watch.is_spent(lambda: solver.memory):
            solver.stop("memory")
        if facts.trouble:
            report("facts wait in memory: %s" % facts.trouble)
        if observer:
            observer(solver)

    return observe


def _check_options(options: Options, rules: Game, asked_for: Sequence[Sum]) -> None:
    """Raise OptionError for options that are bad, or do not suit the game or its questions."""
    options.check()
    options.check_game(rules)
    if len(asked_for) > 1 and options.algorithm in WITH_MASTER:
        texts = [rules.format(question) for question in asked_for]
        wrong = "%s answers one question; give %s for a win, or %s for at least a draw"
        raise OptionError("algorithm", wrong % (options.algorithm, *texts))


def _check_arguments(
    rules: Game, options: object, facts: object, stop: object, observer: object
) -> None:
    """Raise TypeError for an argument of another type, OptionError for facts of another game."""
    for name, given, kind in (
        ("options", options, Options),
        ("facts", facts, Facts),
        ("stop", stop, StopToken),
    ):
        if given is not None and not isinstance(given, kind):
            raise TypeError("invalid %s %a; expected %s" % (name, given, kind.__name__))
    if observer is not None and not callable(observer):
        raise TypeError("invalid observer %a; expected a function" % (observer,))
    if isinstance(facts, Facts) and facts.game_name != rules.name:
        wrong = "facts of %s; expected those of %s"
        raise OptionError("facts", wrong % (facts.game_name, rules.name))


def _over(
    facts: Facts, solution: StrongSolution, rules: Game, text: str, algorithm: str
) -> SolutionFacts:
    """Facts above those of a strong solution; raises OptionError if it does not fit."""
    from pns.strong.probe import SolutionFacts, unfit
    from pns.strong.solution import StrongSolution

    if not isinstance(solution, StrongSolution):
        raise TypeError("invalid table %a; expected StrongSolution" % (solution,))
    wrong = misfit("table", algorithm) or unfit(solution, rules, text)
    if wrong:
        raise OptionError("table", wrong)
    return SolutionFacts(facts, solution)


@contextmanager
def interrupts(stop: StopToken, are_caught: bool = True) -> Iterator[None]:
    """Let SIGINT set the token within the context, if `are_caught` and in the main thread."""
    if not are_caught or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: stop.stop("an interrupt"))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def known_number(solver: Solver, lands: Sum) -> Optional[int]:
    """The Grundy number of a position, None unless the facts show it."""
    code = solver.couples.code(lands)
    return code if code <= HEAP else None


def winning_move(solver: Solver, rules: Game, simplify: bool, lands: Sum) -> Optional[str]:
    """The first child of a won question that the facts show to be lost, None if there is none.

    With `simplify` they may show it of a simpler position.
    """
    code = solver.couples.code
    for child in children_of(rules, lands):
        if code(child) == 0 or (simplify and code(simplified(rules, child)) == 0):
            return rules.format(child)
    return None


def _warn(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=2)
