"""`pns db certify`: certificates of the positions that a database decides, each checked."""

from __future__ import annotations

import argparse
import os
import time
from urllib.parse import quote

from pns.cli.commands.database_queries import isolated_spots, known_spots, say
from pns.cli.commands.database_verbs import played_game, stop_on_signals, wrong_numbers
from pns.cli.common import STOPPED, die, warn
from pns.cli.knowledge import Known, open_known, warn_if_empty
from pns.cli.terminal.progress import open_line
from pns.finding import find_game
from pns.game import Game, Sum, SupportsIsolatedSpots
from pns.proofs.audit import audit
from pns.proofs.certify import certify_reduced
from pns.proofs.reduce import Reducer
from pns.proofs.rules import SupportsSecondRules
from pns.proofs.sources import open_source
from pns.search.counted_search import Stopped, StopToken
from pns.system.machine import logical_cores

UNCHECKED = ".unchecked"
"""The end of the name of a certificate until it is checked."""


def certify(args: argparse.Namespace, game: Game) -> int:
    """Write certificates to a directory; those that are there already are left alone."""
    played = played_game(args, game)
    positions = [game.parse(text) for text in args.positions]
    if not positions:
        isolated_spots(game)
    make_directory(args.directory)
    stop = stop_on_signals()
    status = 0
    with open_known(args, is_alone=True) as known:
        warn_if_empty(args, known)
        if not positions:
            decided = known_spots(args, game, known.facts)
            positions = [game.parse("0*%d" % n) for n, _, _, _ in decided]
            if not positions:
                warn("no number of spots is decided; name a position, or give more --spots")
                return 1
        for lands in positions:
            path = os.path.join(args.directory, certificate_name(game, lands))
            if os.path.exists(path):
                say(args, "%s: there already" % path, path=path, written=False)
                continue
            try:
                status = max(status, certify_position(args, played, lands, known, path, stop))
            except Stopped as stopped:
                warn("stopped by %s; the same command goes on from there" % stopped)
                return STOPPED
            except ValueError as error:  # a proof beyond the bounds of certificates
                die("%s: %s" % (path, error))
    return 1 if known.bad else status


def make_directory(path: str) -> None:
    """Make a directory unless it is there; exits where that cannot be done."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        die("%s: %s; name a directory that can be made" % (path or "''", error.strerror))


def certificate_name(game: Game, lands: Sum) -> str:
    """The name of the certificate of a position: sprouts-17.cert.gz for 0*17."""
    name = game.format(lands)
    spots = "1" if name == "0" else name[2:]
    if not (isinstance(game, SupportsIsolatedSpots) and name[:1] == "0" and spots.isdigit()):
        spots = quote(name, safe="")
    return "%s-%s.cert.gz" % (game.name, spots)


def certify_position(
    args: argparse.Namespace, game: Game, lands: Sum, known: Known, path: str, stop: StopToken
) -> int:
    """Reduce what is known to a proof, write its certificate and check that; an exit status."""
    start = time.monotonic()
    name = game.format(lands)
    with open_line(args.quiet) as show_line:

        def show(reducer: Reducer) -> None:
            found = (name, time.monotonic() - start, reducer.cycle, args.cycles, reducer.size)
            show_line("%s: %d s; cycle %d of %d: %d entries" % found)

        reducer = Reducer(game, lands, known.facts, stop=stop, observer=show)
        unchecked = path + UNCHECKED
        certificate = certify_reduced(unchecked, reducer, args.cycles, args.max_seconds)
    source = open_source(unchecked, args.game)
    independent = isinstance(find_game(args.game), SupportsSecondRules)
    report = audit(source, independent=independent, processes=logical_cores())
    holds = not report.faults and not report.why_unproved
    if holds:
        os.replace(unchecked, path)
    else:
        os.remove(unchecked)
    outcome = "win" if certificate.wins else "loss"
    wrong = wrong_numbers(reducer)
    size = os.path.getsize(path) if holds else 0
    entries = "%d entries, %d bytes" % (certificate.entries, size)
    text = "%s is a %s: %s, %s" % (
        name,
        outcome,
        path,
        entries if holds else "does not hold; removed",
    )
    if reducer.missing:
        text += "; %d searches for what was missing" % reducer.missing
    if wrong:
        text += "; %d numbers were wrong" % len(wrong)
    say(
        args,
        text,
        position=name,
        outcome=outcome,
        path=path,
        written=holds,
        entries=certificate.entries,
        bytes=size,
        searches=reducer.missing,
        wrong=wrong,
        independent=independent,
    )
    return 0 if holds else 1
