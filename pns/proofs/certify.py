"""From known Grundy numbers to a certificate: a small proof, each entry checked, then written."""

from __future__ import annotations

from math import inf
from typing import Dict

from pns.facts import FactsError
from pns.finding import find_game
from pns.game import Game, Land, Sum
from pns.positions.simplify import Simplified, find_simplified
from pns.proofs.certificate import Certificate, write_certificate
from pns.proofs.check import UNKNOWN, Checker
from pns.proofs.exchanges import needed_exchanges
from pns.proofs.reduce import Advice, Reducer
from pns.proofs.rules import find_rules
from pns.version import VERSION


def certify(
    path: str, game: Game, lands: Sum, advice: Advice, cycles: int = 0, simplify: bool = False
) -> Certificate:
    """Write a certificate of who wins a position, wholly or not at all; returns its header.

    The numbers of `advice` are reduced to a proof, in which no entry can be left out; what it
    lacks is searched for, and where it is wrong it is corrected. Each of the `cycles` looks for a
    smaller proof. With `simplify` the proof rests on simpler positions (`pns.positions.simplify`),
    as those numbers should. Raises OSError, and ValueError for a proof beyond the bounds of
    certificates.
    """
    reducer = Reducer(Simplified(game) if simplify else game, lands, advice)
    return certify_reduced(path, reducer, cycles)


def certify_reduced(path: str, reducer: Reducer, cycles: int, seconds: float = inf) -> Certificate:
    """Write a certificate of what a reducer proves, wholly or not at all; returns its header.

    Raises what `certify` and `Reducer.reduce` raise.
    """
    wins, entries = reducer.reduce(cycles, seconds)
    simplify = find_simplified(reducer.game) is not None
    game, lands = find_game(reducer.game.name), reducer.lands
    rules = find_rules(game.name, simplify=simplify)
    checker = Checker(rules, lambda land: entries.get(land, UNKNOWN))
    faults = [checker.why_bad(land, number) for land, number in entries.items()]
    for fault in (*faults, checker.why_unproved(lands, wins)):
        if fault:
            raise FactsError("%s: the proof does not hold: %s" % (path, fault))
    return write_proof(path, game, lands, wins, entries, simplify)


def write_proof(
    path: str, game: Game, lands: Sum, wins: bool, entries: Dict[Land, int], simplify: bool
) -> Certificate:
    """Write a certificate of entries that hold, wholly or not at all; returns its header.

    With `simplify` they, or the claim, may rest on simpler positions: the certificate lists the
    exchanges. Raises OSError, and ValueError for a proof beyond the bounds of certificates, and
    for one that holds only because two equal lands cancel.
    """
    exchanges = needed_exchanges(game, entries, lands, wins) if simplify else ()
    tool = "pns " + VERSION
    position = game.format(lands)
    return write_certificate(path, game.name, position, wins, entries, tool, exchanges)
