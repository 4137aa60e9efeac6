"""What a command knows: the source that its command line names, then the facts of the package."""

from __future__ import annotations

import argparse
import os
from contextlib import ExitStack, contextmanager
from typing import Iterator, List, NamedTuple, Optional, Tuple

from pns.choices import DEFAULT_GAME
from pns.cli.common import die, warn
from pns.facts import BadEntry, BadEntryHandler, LmdbMissing, default_path
from pns.facts.layers import SOLUTION, Layer, LayeredFacts, package_layer
from pns.proofs.sources import open_entries, open_source


class Known(NamedTuple):
    """What is known of a game."""

    facts: LayeredFacts
    bad: List[BadEntry]
    """The bad entries that were met so far."""
    position: Optional[str]
    """The position that the named certificate or strong solution is about."""


def db_path(args: argparse.Namespace) -> str:
    """The path of the database that the command line names, or of the user's own."""
    return str(default_path(args.game) if args.db is None else args.db)


def report_bad(entry: BadEntry) -> None:
    """Print a bad entry of a database on standard error."""
    warn(str(entry))


@contextmanager
def open_known(
    args: argparse.Namespace, report: BadEntryHandler = report_bad, is_alone: bool = False
) -> Iterator[Known]:
    """Open what --db names, or the user's database if there is one, above the package's facts.

    --no-known leaves the package out, and so does --db with `is_alone`. Raises what
    `open_source` raises for a path that --db names.
    """
    bad: List[BadEntry] = []

    def note_bad(entry: BadEntry) -> None:
        bad.append(entry)
        report(entry)

    layers: List[Layer] = []
    position = None
    with ExitStack() as stack:
        if args.db is not None or os.path.exists(db_path(args)):
            try:
                layer, position = _named(args, note_bad, stack)
                layers.append(layer)
            except LmdbMissing as error:
                if args.db is not None:
                    raise
                warn(str(error))
        if not args.no_known and not (is_alone and args.db is not None):
            layers.append(package_layer(args.game))
        yield Known(LayeredFacts(args.game, layers), bad, position)


def _named(
    args: argparse.Namespace, report: BadEntryHandler, stack: ExitStack
) -> Tuple[Layer, Optional[str]]:
    """(the layer of --db or of the user's database, the position that it is about)."""
    path = db_path(args)
    if os.path.isdir(path):
        from pns.strong.probe import SolutionLayer
        from pns.strong.solution import is_solution, read_solution

        if is_solution(path):
            solution = stack.enter_context(read_solution(path))
            if solution.game != args.game:
                die(solution.misfit(args.game))
            return Layer(path, SOLUTION, SolutionLayer(solution)), solution.position
    source = open_source(path, args.game)
    entries = stack.enter_context(open_entries(path, args.game, report))
    return Layer(path, source.kind, entries), source.claim[0] if source.claim else None


def warn_if_empty(args: argparse.Namespace, known: Known) -> None:
    """Say what to do where nothing is known of a game yet."""
    if args.db is None and not len(known.facts):
        option = "" if args.game == DEFAULT_GAME else "--game %s " % args.game
        warn("nothing is known about %s yet; run pns solve %sPOSITION" % (args.game, option))
