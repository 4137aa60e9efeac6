"""The facts that `pns solve` begins with: those that answer at once, or those of a search."""

from __future__ import annotations

import argparse
import os
from contextlib import contextmanager
from typing import Iterator, List, NamedTuple, Tuple

from pns import Options
from pns.cli.common import warn
from pns.facts import Contradiction, Facts, FactsError, LmdbMissing, default_path, open_facts
from pns.facts.layers import DATABASE, Layer, LayeredFacts, kinds, package_layer
from pns.facts.staged import StagedFacts
from pns.finding import find_game
from pns.positions.simplify import searched
from pns.proofs.check import UNKNOWN, without_pairs
from pns.proofs.why import Explainer

MOST_MOVES = 20_000
"""About the largest number of moves of a position whose moves are looked up."""


class Start(NamedTuple):
    """The facts that a search begins with."""

    facts: Facts
    database: Facts
    """Where new facts are stored, or kept in memory."""
    sources: List[Layer]
    """What decides the position without a search; empty where it has to be searched."""


def begin(args: argparse.Namespace, options: Options, missing: List[str]) -> Start:
    """Look the position up in the database and the facts of the package, else prepare a search.

    An answer that is found writes nothing, unless --db names a file that lacks it. For a search
    the facts of the package are copied into its database first: a fact reaches the disk only
    after those that it rests on, so that the database is a proof by itself.
    """
    package = [] if args.no_known or args.preset else [package_layer(args.game)]
    is_new = args.db is None and not args.no_db and not os.path.exists(default_path(args.game))
    database = Facts(args.game) if is_new else open_database(args, missing)
    own = [Layer(database.path, DATABASE, database)] if database.path else []
    layers = LayeredFacts(args.game, [*own, *package])
    sources, asked = deciding(args, options, layers)
    if sources and (args.db is None or kinds(sources) == [DATABASE]):
        return Start(StagedFacts(LayeredFacts(args.game, asked)), database, sources)
    if is_new:
        database = open_database(args, missing)
    for layer in package:
        database.supply(layer.facts.items())
    return Start(database, database, sources)


def deciding(
    args: argparse.Namespace, options: Options, layers: LayeredFacts
) -> Tuple[List[Layer], List[Layer]]:
    """(the layers that decide what is asked for, these and the layer that has the number).

    Both are empty where the position has to be searched.
    """
    options.check_game(find_game(args.game))
    game = searched(find_game(args.game), options.simplify)
    lands = game.parse(args.position)
    branching = sum([game.estimate(land)[1] for land in lands])
    if not len(layers) or branching > MOST_MOVES:
        return [], []
    step = Explainer(game, layers.get).outcome(lands)
    if step.wins is None or (options.grundy and step.number == UNKNOWN):
        return [], []
    numbered = without_pairs(lands)
    asked = layers.sources_of((*step.lands, *numbered))
    return layers.sources_of(numbered if options.grundy else step.lands), asked


def open_database(args: argparse.Namespace, missing: List[str]) -> Facts:
    """The facts that the command line asks for; names a missing package in `missing`."""
    if not args.no_db:
        try:
            path = default_path(args.game) if args.db is None else args.db
            return open_facts(path, args.game)
        except LmdbMissing as error:
            if args.db is not None:
                raise
            missing.append(str(error))
    return Facts(args.game)


@contextmanager
def storing(facts: Facts) -> Iterator[List[str]]:
    """A list; closes the facts, and adds to the list why some were not stored."""
    lost: List[str] = []
    try:
        yield lost
    finally:
        waiting = facts.waiting
        try:
            facts.close()
        except Contradiction:
            raise
        except FactsError as error:
            lost.append(str(error))
            warn("%d facts could not be stored: %s" % (waiting, error))
