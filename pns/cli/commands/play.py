"""Play against the solver in the terminal, or by lines of a pipe."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from typing import Iterator, Optional

from pns.cli.common import STOPPED, first_position, program, warn
from pns.cli.knowledge import Known, open_known
from pns.cli.options.play import play_parser
from pns.cli.terminal.dialogue import Dialogue
from pns.facts import Contradiction
from pns.facts.staged import StagedFacts
from pns.finding import find_game
from pns.play.engine import Engine
from pns.play.session import Session
from pns.strong.late import LateValues
from pns.system.machine import NoMemory


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


def play(args: argparse.Namespace, known: Known) -> int:
    """Play a game; returns the exit status."""
    game = find_game(args.game)
    start = args.position
    if start is None:
        start = known.position or first_position(game)
    is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    session = Session(game, start, 1 if args.second else 0)
    with_draws = session.rules.with_draws
    late = LateValues(session.game) if args.late else None
    engine = Engine(
        session.game,
        StagedFacts(known.facts),
        args.seconds,
        with_draws=with_draws,
        prove=late.solve if late else None,
    )
    try:
        Dialogue(engine, session, args.record, is_terminal, known.facts).run(
            typed_lines(is_terminal)
        )
    except KeyboardInterrupt:
        print()
        return STOPPED
    except (Contradiction, NoMemory) as error:
        warn(str(error))
        return 1
    return 0


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None:
        args = play_parser(program()).parse_args()
    with open_known(args, lambda entry: None) as known:
        status = play(args, known)
        for entry in known.bad:
            warn(str(entry))
    return status
