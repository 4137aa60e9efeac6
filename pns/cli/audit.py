"""Check a database of Grundy numbers, a .spr file or a certificate, without any search.

Every entry of FILE is checked against the others. `certify POSITION=win|loss FILE OUT` also
writes a certificate of the claim.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import Any, Callable, Iterator, List

import pns
from pns.cli.common import Parser, add_game, amount, die, program, run, warn
from pns.cli.progress import open_counter
from pns.facts import default_path
from pns.game import NotationError
from pns.proofs.audit import AuditProgress, AuditReport, audit
from pns.proofs.audit_pool import Interrupted
from pns.proofs.certificate import parse_claim, write_certificate
from pns.proofs.sources import Claim, open_entries, open_source

EXIT_STATUS = """\
exit status: 0 when all entries that were checked hold and the claim is proved, 1 when
not, 2 after bad input, 130 when it was stopped: the same command then goes on from
there."""
MISS_PROBABILITY = 0.05
"""The probability that a sample misses all bad entries, for the share that is reported."""


def parse_arguments(words: List[str], prog: str, certify: bool) -> argparse.Namespace:
    """The command line of a program, or of the verb `certify`."""
    parser = Parser(
        prog=prog,
        description=__doc__,
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    if certify:
        add("claim", metavar="POSITION=win|loss", type=claim)
    add("path", metavar="FILE", help="database, .spr file or certificate")
    if certify:
        add("out", metavar="OUT", help="the certificate to write, like 0x12.cert.gz")
    else:
        add("--claim", metavar="POSITION=win|loss", type=claim, help="the claim to prove")
        add("--sample", metavar="N", type=amount, help="check N entries, chosen at random")
        add("--seed", metavar="N", type=amount, default=0, help="seed of the sample; default: 0")
        add("--json", action="store_true", help="print one JSON object")
    add_game(parser, None, "default: sprouts, or that of the certificate")
    cores = os.cpu_count() or 1
    add("--processes", metavar="N", type=amount, default=cores, help="default: %(default)s")
    add("--independent", action="store_true", help="use the slow second rules of Sprouts")
    add("--quiet", action="store_true", help="no progress")
    add("--version", action="version", version="pns " + pns.__version__)
    return parser.parse_args(words)


def claim(text: str) -> Claim:
    """Parse a claim for argparse."""
    try:
        return parse_claim(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def in_words(claim: Claim) -> str:
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


def as_json(found: AuditReport, seconds: float) -> str:
    """The findings as a JSON object."""
    claim = found.claim and {"position": found.claim[0], "wins": found.claim[1]}
    return json.dumps(
        {
            "kind": found.kind,
            "game": found.game,
            "entries": found.entries,
            "checked": found.checked,
            "bad": [[as_text(fault.land), *fault[1:]] for fault in found.faults],
            "cancelling": found.cancelling,
            "equivalent": found.equivalent,
            "claim": claim,
            "claim_follows": None if claim is None else not found.why_unproved,
            "why_not": found.why_unproved,
            "sha256": found.sha256,
            "seconds": seconds,
            "version": pns.__version__,
        }
    )


def main() -> int:
    """Do what the command line says; returns the exit status."""
    words = sys.argv[1:]
    if words[:1] == ["certify"]:
        return check(parse_arguments(words[1:], program() + " certify", certify=True), certify=True)
    return check(parse_arguments(words, program(), certify=False), certify=False)


def certify() -> int:
    """Do what the command line of the verb `certify` says, as a program of its own."""
    return check(parse_arguments(sys.argv[1:], program(), certify=True), certify=True)


def check(args: Any, certify: bool) -> int:
    """Audit a file, and write a certificate if that is wanted; returns the exit status."""
    if not 1 <= args.processes <= 1000:
        die("argument --processes: from 1 to 1000")
    start = time.monotonic()
    try:
        source = open_source(args.path, args.game)
        if args.independent and source.game != "sprouts":
            die("argument --independent: %s has no second rules" % source.game)
        with open_counter(args.quiet) as count:
            found = audit(
                source,
                independent=args.independent,
                processes=args.processes,
                sample=None if certify else args.sample,
                seed=0 if certify else args.seed,
                claim=args.claim,
                log_directory=os.path.join(os.path.dirname(default_path("")), "audits"),
                observer=show(count),
            )
        holds = not found.faults and not found.why_unproved
        if not certify and args.json:
            print(as_json(found, time.monotonic() - start))
        else:
            for line in report(found):
                print(line)
        if certify and holds:
            if found.cancelling:
                print("Not written: a certificate may not need that lands cancel; reduce it first.")
                return 1
            print(write(args, source.game))
    except Interrupted as error:
        warn("%s; the same command goes on from there" % error)
        return 130
    except NotationError:
        raise
    except ValueError as error:
        die(str(error))
    return 0 if holds else 1


def write(args: Any, game: str) -> str:
    """Write the certificate; returns a sentence about it."""
    with open_entries(args.path, args.game) as facts:
        entries = dict(facts.items())
    position, wins = args.claim
    tool = "pns " + pns.__version__
    write_certificate(args.out, game, position, wins, entries, tool)
    return "%s written: %d entries, %d bytes." % (
        args.out,
        len(entries),
        os.path.getsize(args.out),
    )


def show(count: Callable[[int, int, int, str], None]) -> Callable[[AuditProgress], None]:
    """An observer of the audit that shows its progress by a counter."""

    def observer(progress: AuditProgress) -> None:
        bad = "%d bad" % progress.faults
        count(progress.checked, progress.chosen, progress.resumed, bad)

    return observer


if __name__ == "__main__":
    run(main)
