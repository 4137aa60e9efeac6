"""From known Grundy numbers to a certificate: a small proof, each entry checked, then written."""

from __future__ import annotations

from pns.facts import FactsError
from pns.game import Game, Sum
from pns.proofs.certificate import Certificate, write_certificate
from pns.proofs.check import UNKNOWN, Checker, find_rules
from pns.proofs.reduce import Advice, Reducer
from pns.version import VERSION


def certify(path: str, game: Game, lands: Sum, advice: Advice, cycles: int = 0) -> Certificate:
    """Write a certificate of who wins a position, wholly or not at all; returns its header.

    The numbers of `advice` are reduced to a proof, in which no entry can be left out; what it
    lacks is searched for, and where it is wrong it is corrected. Each of the `cycles` looks for a
    smaller proof. Raises OSError, and ValueError for a proof beyond the bounds of certificates.
    """
    reducer = Reducer(game, lands, advice)
    wins, entries = reducer.reduce(cycles)
    checker = Checker(find_rules(game.name), lambda land: entries.get(land, UNKNOWN))
    faults = [checker.why_bad(land, number) for land, number in entries.items()]
    for fault in (*faults, checker.why_unproved(lands, wins)):
        if fault:
            raise FactsError("%s: the proof does not hold: %s" % (path, fault))
    tool = "pns " + VERSION
    return write_certificate(path, game.name, game.format(lands), wins, entries, tool)
