"""Check a database of Grundy numbers, a .spr file or a certificate, without any search."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import Any, Callable, Dict, Iterator, Optional

import pns
from pns.cli.common import die, program, run, warn
from pns.cli.options.audit import audit_parser, certify_parser
from pns.cli.terminal.progress import open_counter
from pns.facts import default_path, open_facts
from pns.finding import find_game
from pns.game import NotationError
from pns.positions.simplify import SupportsSimplify
from pns.proofs.audit import AuditProgress, AuditReport, audit
from pns.proofs.audit_pool import Interrupted
from pns.proofs.certificate import MOST_ENTRIES, Certificate
from pns.proofs.certify import write_proof
from pns.proofs.check import UNKNOWN, Checker
from pns.proofs.exchanges import NeedsMore
from pns.proofs.rules import SupportsSecondRules, find_rules
from pns.proofs.sources import RootClaim, Source, open_entries, open_source
from pns.system.machine import logical_cores

MISS_PROBABILITY = 0.05
"""The probability that a sample misses all bad entries, for the share that is reported."""


def in_words(claim: RootClaim) -> str:
    """A claim as a sentence, without its full stop."""
    return "%s is a %s" % (claim[0], "win" if claim[1] else "loss")


def report(found: AuditReport) -> Iterator[str]:
    """The findings, in sentences."""
    for fault in found.faults:
        number = " %d" % fault.number if fault.number >= 0 else ""
        yield "bad: %s%s: %s" % (as_text(fault.land), number, fault.why)
    part = "" if found.checked == found.entries else " of %d" % found.entries
    good = "all hold" if not found.faults else "%d do not hold" % len(found.faults)
    yield "%d%s entries checked: %s." % (found.checked, part, good)
    if found.cancelling:
        yield "%d of them hold because two equal lands cancel." % found.cancelling
    if found.simplified:
        yield "%d of them hold by simpler positions that are worth the same." % found.simplified
    if found.equivalent:
        yield "%d of them hold by another text of an isomorphic land." % found.equivalent
    if part:
        yield coverage(found)
    if found.claim is not None and not found.why_unproved:
        follows = "follows" if not part and not found.faults else "would follow from these entries"
        yield "%s: this %s." % (in_words(found.claim), follows)
    elif found.claim is not None:
        yield "%s: this does not follow: %s." % (in_words(found.claim), found.why_unproved)


def as_text(land: bytes) -> str:
    """The text of an entry, in printable ASCII whatever it is."""
    return ascii(land.decode("latin-1"))[1:-1]


def coverage(found: AuditReport) -> str:
    """The coverage of a sample, and what a sample without bad entries implies for the others."""
    share = 100.0 * found.checked / max(1, found.entries)
    text = "Coverage: %.2f %% of the entries" % share
    if found.faults or not found.checked:
        return text + "."
    # (1 - p)^checked = MISS_PROBABILITY
    most = 1.0 - MISS_PROBABILITY ** (1.0 / found.checked)
    return text + "; were more than %.2g %% bad, one would show in %g of 100 samples." % (
        100.0 * most,
        100.0 * (1.0 - MISS_PROBABILITY),
    )


def as_json(found: AuditReport, seconds: float) -> Dict[str, Any]:
    """The findings as `--json` prints them (docs/schemas/audit.json)."""
    claim = found.claim and {"position": found.claim[0], "wins": found.claim[1]}
    return {
        "kind": found.kind,
        "game": found.game,
        "entries": found.entries,
        "checked": found.checked,
        "bad": [[as_text(fault.land), *fault[1:]] for fault in found.faults],
        "cancelling": found.cancelling,
        "equivalent": found.equivalent,
        "simplified": found.simplified,
        "claim": claim,
        "claim_follows": None if claim is None else not found.why_unproved,
        "why_not": found.why_unproved,
        "sha256": found.sha256,
        "seconds": seconds,
        "version": pns.__version__,
    }


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None and sys.argv[1:2] == ["certify"]:
        return certify(certify_parser(program() + " certify").parse_args(sys.argv[2:]))
    return check(args or audit_parser(program()).parse_args(), certify=False)


def certify(args: Optional[argparse.Namespace] = None) -> int:
    """Check a file, and write a certificate; returns the exit status."""
    return check(args or certify_parser(program()).parse_args(), certify=True)


def check(args: Any, certify: bool) -> int:
    """Audit a file, and write a certificate if that is wanted; returns the exit status."""
    start = time.monotonic()
    try:
        source = open_source(args.path, args.game)
        if certify:
            refuse_large(source)
        if args.independent and not isinstance(find_game(source.game), SupportsSecondRules):
            die(
                "argument --independent: %s has no second implementation of its rules" % source.game
            )
        with open_counter(args.quiet) as count:
            found = audit(
                source,
                independent=args.independent,
                processes=args.processes or logical_cores(),
                sample=None if certify else args.sample,
                seed=0 if certify else args.seed,
                claim=args.claim,
                log_directory=os.path.join(os.path.dirname(default_path("")), "audits"),
                observer=show(count),
            )
        holds = not found.faults and not found.why_unproved
        fields = as_json(found, time.monotonic() - start)
        say = (lambda line: None) if args.json else print
        for line in report(found):
            say(line)
        if certify:
            fields["certificate"] = None
        if certify and holds:
            written = write(args, found)
            holds = written is not None
            if written is None:
                say("Not written: certificates cannot cancel equal lands; reduce the facts first.")
            else:
                size = os.path.getsize(args.out)
                fields["certificate"] = {
                    "path": args.out,
                    "entries": written.entries,
                    "exchanges": len(written.exchanges),
                    "bytes": size,
                }
                say("%s written: %s, %d bytes." % (args.out, contents(written), size))
        if args.json:
            print(json.dumps(fields))
    except Interrupted as error:
        warn("%s; the same command goes on from there" % error)
        return 130
    except NotationError:
        raise
    except ValueError as error:
        die(str(error))
    return 0 if holds else 1


def refuse_large(source: Source) -> None:
    """Exit for more entries than a certificate can hold, before all of them are checked."""
    entries = len(source.entries)
    if source.kind == "database":
        with open_facts(source.path, source.game, readonly=True) as facts:
            entries = len(facts)
    elif source.kind == ".spr file":
        with open(source.path, "rb") as stream:
            entries = sum(1 for _ in stream) - 1
    if entries > MOST_ENTRIES:
        wrong = "%s: too many entries, %d; expected at most %d, as pns db reduce writes them"
        die(wrong % (source.path, entries, MOST_ENTRIES))


def write(args: Any, found: AuditReport) -> Optional[Certificate]:
    """Write the certificate; returns its header, None if a proof needs that equal lands cancel."""
    with open_entries(args.path, args.game) as facts:
        entries = dict(facts.items())
    position, wins = args.claim
    game = find_game(found.game)
    lands = game.parse(position)
    checker = Checker(find_rules(found.game), lambda land: entries.get(land, UNKNOWN))
    needs_more = found.cancelling or found.simplified or checker.why_unproved(lands, wins)
    if needs_more and not isinstance(game, SupportsSimplify):
        return None
    try:
        return write_proof(args.out, game, lands, wins, entries, bool(needs_more))
    except NeedsMore:
        return None


def contents(certificate: Certificate) -> str:
    """What a certificate holds, in words."""
    text = "%d entries" % certificate.entries
    return "%s and %d exchanges" % (text, n) if (n := len(certificate.exchanges)) else text


def show(count: Callable[[int, int, int, str], None]) -> Callable[[AuditProgress], None]:
    """An observer of the audit that shows its progress by a counter."""

    def observer(progress: AuditProgress) -> None:
        bad = "%d bad" % progress.faults
        count(progress.checked, progress.chosen, progress.resumed, bad)

    return observer


if __name__ == "__main__":
    run(main)
