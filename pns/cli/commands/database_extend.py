"""`pns db extend`: prove a large position from facts about smaller ones."""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack
from typing import Iterator

from pns.cli.commands.database_queries import say
from pns.cli.commands.database_verbs import played_game, stop_on_signals
from pns.cli.common import STOPPED, die, warn
from pns.cli.knowledge import db_path
from pns.cli.terminal.progress import open_line
from pns.facts import Facts, open_facts
from pns.facts.known import known_facts
from pns.front.memory import caches_of_process, default_capacity
from pns.game import Game, limit_caches, prior_file
from pns.parallel.processes import ProcessesDied
from pns.parallel.tasks import TaskPool
from pns.positions.analogy import SupportsAnalogies
from pns.positions.prior import load
from pns.proofs.extend import Answer, Extender, Extension, GapSearch, GapTask
from pns.search.counted_search import Stopped
from pns.system.machine import physical_cores


def extend(args: argparse.Namespace, game: Game) -> int:
    """Decide a position, and store the facts that prove it."""
    if not isinstance(game, SupportsAnalogies):
        die("argument --game: %s does not define which of its lands are alike" % game.name)
    game = played_game(args, game)
    lands = game.parse(args.position)
    stop = stop_on_signals()
    start = time.monotonic()
    path = db_path(args)
    processes = args.processes or physical_cores()
    with ExitStack() as stack:

        def base() -> Facts:
            return facts if processes == 1 else open_facts(path, game.name, readonly=True)

        prior = load(game.name, prior_file(game))
        positions, game_cache = caches_of_process(processes, None, None)
        limit_caches(game, game_cache)
        capacity = args.capacity or default_capacity()
        search = GapSearch(game, base, prior, stop, capacity, positions)
        pool = stack.enter_context(TaskPool(processes, search.answer))
        facts = stack.enter_context(open_facts(path, game.name))
        if not args.no_known:
            facts.supply(known_facts(game.name).items())
        show_line = stack.enter_context(open_line(args.quiet))

        def observe(extender: Extender) -> None:
            show_line("%d s; %s" % (time.monotonic() - start, line_of(extender, facts)))
            if stop.reason:
                raise Stopped(stop.reason)

        def run(tasks: Iterator[GapTask]) -> Iterator[Answer]:
            return pool.run(tasks, lambda: observe(extender))

        extender = Extender(game, facts, run, observe, args.seed)
        try:
            extension = extender.prove(lands)
        except Stopped as stopped:
            warn("stopped by %s; %d new facts are stored" % (stopped, facts.new))
            return STOPPED
        except ProcessesDied as error:
            warn("%s; %d new facts are stored" % (error, facts.new))
            return 1
        for land, number in extension.claims.items():
            facts.add(land, number)
        facts.flush()
    report(args, game.format(lands), extension, extender, facts)
    return 0


def line_of(extender: Extender, facts: Facts) -> str:
    """How far a proof has come."""
    counted = extender.kept, extender.gaps, extender.searches, extender.expansions, facts.new
    return "%d claims, %d gaps; %d searches, %d expansions; %d new facts" % counted


def report(
    args: argparse.Namespace, name: str, extension: Extension, extender: Extender, facts: Facts
) -> None:
    """Print what was proved."""
    outcome, claims = "win" if extension.wins else "loss", len(extension.claims)
    text = "%s is a %s: %d claims proved, %d facts found by %d searches; stored in %s"
    say(
        args,
        text % (name, outcome, claims, facts.new, extender.searches, facts.path),
        position=name,
        outcome=outcome,
        claims=claims,
        facts=facts.new,
        searches=extender.searches,
        expansions=extender.expansions,
        children=extender.children,
        path=facts.path,
    )
