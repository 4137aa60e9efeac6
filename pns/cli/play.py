"""Play against the solver in the terminal, or by lines of a pipe."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Callable, Iterator, Optional, Union

from pns.cli.common import STOPPED, die, first_position, program, warn
from pns.cli.dialogue import Dialogue
from pns.cli.play_options import play_parser
from pns.facts import Contradiction, LmdbMissing, default_path
from pns.facts.known import known_facts
from pns.game import Game, Land, find_game
from pns.play import Engine, Session, unknown
from pns.reader import FactsReader, read_facts

if TYPE_CHECKING:
    from pns.strong.solution import StrongSolution


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


Known = Union[FactsReader, "StrongSolution"]


def open_source(args: argparse.Namespace, stack: ExitStack) -> Optional[Known]:
    """What the command line names, or the facts of the user's database if there is one."""
    path = default_path(args.game) if args.db is None else args.db
    if os.path.isdir(path):
        from pns.strong.solution import is_solution, read_solution

        if is_solution(path):
            solution = stack.enter_context(read_solution(path))
            if solution.game != args.game:
                die("%s is a solution of %s, not of %s" % (path, solution.game, args.game))
            return solution
    if args.db is None and not os.path.exists(path):
        return None
    try:
        return stack.enter_context(read_facts(path, args.game))
    except LmdbMissing as error:
        if args.db is not None:
            raise
        warn(str(error))
        return None


def look_up(args: argparse.Namespace, facts: Optional[Known]) -> Callable[[Land], int]:
    """What gives a land's Grundy number, -1 if it is unknown.

    Unless the command line names facts, those that come with the package are known, too.
    """
    own = facts.get if facts else unknown
    if args.db is not None:
        return own
    known = known_facts(args.game)
    return lambda land: max(own(land), known.get(land))


def first_of(facts: Optional[Known], game: Game) -> str:
    """What is played unless a position is given."""
    if facts is None:
        return first_position(game)
    if not isinstance(facts, FactsReader):
        return facts.position
    return facts.claim[0] if facts.claim else first_position(game)


def play(args: argparse.Namespace, facts: Optional[Known]) -> int:
    """Play a game; returns the exit status."""
    game = find_game(args.game)
    start = first_of(facts, game) if args.position is None else args.position
    is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    session = Session(game, start, 1 if args.second else 0)
    with_draws = session.rules.with_draws
    engine = Engine(game, look_up(args, facts), args.seconds, with_draws=with_draws)
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
        for entry in facts.bad if isinstance(facts, FactsReader) else ():
            warn(str(entry))
    return status
