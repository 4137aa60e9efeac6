"""Audits all entries of a database or a file: in processes, resumable, in bounded memory.

The entries are read from their store in order of their text, checked in chunks by any
number of processes, each with the store open for itself, and reported in order. What
was checked is written to a log, line by line: an audit that was stopped goes on there.
"""

from __future__ import annotations

from contextlib import ExitStack
from hashlib import sha256
from itertools import islice
from os.path import join
from random import Random
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from pns import scratch
from pns.facts import Contradiction, Fact
from pns.facts.spr import TITLE
from pns.game import Sum, find_game
from pns.proofs.audit_log import Log, open_log
from pns.proofs.audit_workers import Workers, check_chunk, small_caches
from pns.proofs.check import (
    Checker,
    Fault,
    PlainRules,
    Rules,
    TooExpensive,
    find_rules,
    work_for,
)
from pns.proofs.sources import Claim, Source, Store, make_store
from pns.sprouts import plain

CHUNK = 16
"""Entries that a process checks before it reports; one where rules are lazy, and slow."""


def make_keyed_store(store: Store, rules: Rules, directory: str) -> Store:
    """A store of the same entries under the keys of the rules, which learn their profiles.

    Raises Contradiction for two numbers under one key.
    """
    if not isinstance(rules, PlainRules):
        return store
    familiar = rules.familiar
    keyed = Store("sprouts", join(directory, "plain.lmdb"))
    with store.open() as facts:

        def read() -> Iterator[Fact]:
            for land, number in facts.items():
                with work_for(rules, "entry", (land,)):
                    key = rules.key(land)
                familiar.add(plain.profile(plain.lands(plain.read(key.decode()))[0]))
                yield key, number

        keyed.fill(read)
    return keyed


class AuditProgress(NamedTuple):
    """How far an audit has come."""

    checked: int
    """Of ``chosen``, those of an earlier run included."""
    chosen: int
    faults: int
    resumed: int
    """What an earlier run had checked."""


class AuditReport(NamedTuple):
    """What an audit found."""

    kind: str
    game: str
    entries: int
    checked: int
    faults: List[Fault]
    cancelling: int
    """Entries that hold only because two equal lands cancel."""
    equivalent: int
    """Entries that hold only where texts of isomorphic lands count as the same."""
    claim: Optional[Claim]
    why_unproved: str
    """Why the claim does not follow from the entries; empty if it does, or if there is none."""
    sha256: str


def audit(
    source: Source,
    *,
    independent: bool = False,
    processes: int = 1,
    sample: Optional[int] = None,
    seed: int = 0,
    claim: Optional[Claim] = None,
    log_directory: Optional[str] = None,
    observer: Optional[Callable[[AuditProgress], None]] = None,
) -> AuditReport:
    """Check the entries of a source, all or a random sample, and a claim.

    An audit that was stopped goes on from its log in ``log_directory``. Entries that fail
    get a second look, in which equal lands cancel (but not in a certificate), and a third
    by the plain rules, where there are any: a file may name a land by another of its
    texts than the one that play leads to.

    Raises what ``open_source`` raises, Interrupted, TooExpensive for an entry that takes
    too much work, and FactsError for two numbers of one land.
    """
    rules = find_rules(source.game, independent)
    claim = claim or source.claim
    position: Sum = find_game(source.game).parse(claim[0]) if claim else ()
    with small_caches(), scratch.directory() as directory:
        store = make_store(source, directory)
        count, digest = digest_of(store)
        audited: Dict[str, object] = {"sha256": digest, "independent": independent}
        chosen = None
        if sample is not None:
            chosen = set(Random(seed).sample(range(count), min(count, sample)))
            audited.update(sample=sample, seed=seed)
        bad = [Fault(entry.land, entry.number, entry.wrong) for entry in store.bad.values()]
        log = open_log(log_directory, audited)
        resumed = log.checked
        total = count if chosen is None else len(chosen)
        faults: List[Fault] = []
        left: List[int] = []
        why = ""
        try:
            keyed = make_keyed_store(store, rules, directory)
            for _ in run(store, keyed, rules, chosen, log, processes):
                if observer:
                    observer(AuditProgress(log.checked, total, len(bad) + len(log.faults), resumed))
            faults = log.faults
            _, why = look_again(keyed, rules, False, [], position, claim)
            cancel = source.kind != "certificate"
            if (faults or why) and cancel:
                faults, why = look_again(keyed, rules, True, faults, position, claim)
            left.append(len(faults))
            if (faults or why) and source.game == "sprouts" and not independent:
                plain_rules = PlainRules()
                keyed = make_keyed_store(store, plain_rules, directory)
                faults, why = look_again(keyed, plain_rules, cancel, faults, position, claim)
        except Contradiction as error:
            faults = [*log.faults, Fault(error.land, error.number, contradicted(error.known))]
            left = [len(faults)]
        except TooExpensive as error:
            raise TooExpensive("%s: %s" % (source.path, error)) from error
        log.remove()
    return AuditReport(
        source.kind,
        source.game,
        count + len(bad),
        log.checked + len(bad),
        bad + faults,
        max(0, len(log.faults) - left[0]),
        max(0, left[0] - len(faults)),
        claim,
        why,
        digest,
    )


def look_again(
    store: Store,
    rules: Rules,
    cancel: bool,
    faults: List[Fault],
    position: Sum,
    claim: Optional[Claim],
) -> Tuple[List[Fault], str]:
    """(what of the faults is left, why the claim is unproved) by other rules."""
    with store.open() as facts:
        checker = Checker(rules, facts.get, cancel)
        left = check_chunk(checker, [(fault.land, fault.number) for fault in faults])
        return left, why_unproved(checker, rules, position, claim)


def contradicted(number: int) -> str:
    """Why an entry is bad that has one key with another entry."""
    return "another text of the same land has Grundy number %d" % number


def run(
    store: Store,
    keyed: Store,
    rules: Rules,
    chosen: Optional[Set[int]],
    log: Log,
    processes: int,
) -> Iterator[None]:
    """Check the entries that the log does not have yet; yields after every chunk."""
    with ExitStack() as stack:
        workers = stack.enter_context(Workers(processes, keyed, rules))
        facts = stack.enter_context(store.open())
        lookup = facts.get if keyed is store else stack.enter_context(keyed.open()).get
        entries: Iterator[Fact] = (
            fact for i, fact in enumerate(facts.items()) if chosen is None or i in chosen
        )
        todo = (fact for fact in entries if fact[0] > log.after)
        size = 1 if rules.lazy else CHUNK
        chunks = iter(lambda: list(islice(todo, size)), [])
        for chunk, faults in workers.check(chunks, lookup):
            log.add(chunk, faults)
            yield


def why_unproved(checker: Checker, rules: Rules, position: Sum, claim: Optional[Claim]) -> str:
    """Why the entries do not show a claim; empty if they do, or if there is none."""
    if claim is None:
        return ""
    with work_for(rules, "the claim", position):
        keys = tuple([rules.key(land) for land in position])
    return checker.why_unproved(keys, claim[1])


def digest_of(store: Store) -> Tuple[int, str]:
    """(entries, SHA-256 of the sorted .spr file that holds them)."""
    digest = sha256(TITLE)
    count = 0
    with store.open() as facts:
        for land, number in facts.items():
            digest.update(b"%s %d\n" % (land, number))
            count += 1
    return count, digest.hexdigest()
