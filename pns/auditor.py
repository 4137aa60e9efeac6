"""Audits all entries of a database or a file: in processes, resumable, in bounded memory.

The entries are read from their store in order of their text, checked in chunks by any
number of processes, each with the store open for itself, and reported in order. What
was checked is written to a log, line by line: an audit that was stopped goes on there.
"""

from __future__ import annotations

from contextlib import ExitStack
from hashlib import sha256
from itertools import islice
from os.path import isdir, join
from random import Random
from tempfile import TemporaryDirectory
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from pns.audit import Checker, Fault, PlainRules, Rules, find_rules
from pns.audit_log import Log, open_log
from pns.audit_workers import Store, Workers, check_chunk
from pns.certificate import is_certificate, read_certificate
from pns.database import locate
from pns.facts import Contradiction, Fact, FactsError
from pns.game import Sum, find_game
from pns.spr import TITLE, SprError, read_spr
from pns.sprouts import plain

CHUNK = 16
"""Entries that a process checks before it reports; one where rules are lazy, and slow."""

Claim = Tuple[str, bool]
"""A position and whether it is won."""


class Source(NamedTuple):
    """What is audited: a database, a .spr file or a certificate, told apart by content."""

    path: str
    kind: str
    game: str
    claim: Optional[Claim]
    entries: Dict[bytes, int]
    """Those of a certificate; else empty."""


def open_source(path: str, game_name: Optional[str]) -> Source:
    """The source at a path; raises SprError, FactsError, OSError or ValueError."""
    if isdir(path):
        locate(path, True)
        return Source(path, "database", game_name or "sprouts", None, {})
    if is_certificate(path):
        certificate, entries = read_certificate(path)
        if game_name not in (None, certificate.game):
            raise ValueError("%s: a certificate for %s" % (path, certificate.game))
        claim = certificate.position, certificate.wins
        return Source(path, "certificate", certificate.game, claim, entries)
    with open(path, "rb") as stream:
        kind = ".spr file" if stream.read(len(TITLE)) == TITLE else "database"
    if kind == "database":
        try:
            locate(path, True)
        except FactsError as error:
            raise SprError(path, 1, "neither the title of a .spr file nor a database") from error
    return Source(path, kind, game_name or "sprouts", None, {})


def make_store(source: Source, directory: str) -> Store:
    """A store of what is audited, under its own texts."""
    if source.kind == "database":
        return Store(source.game, source.path)
    store = Store(source.game, join(directory, "entries.lmdb"))
    if source.kind == "certificate":
        store.fill(lambda: sorted(source.entries.items()))
    else:
        store.fill(lambda: read_spr(source.path, find_game(source.game)))
    return store


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
                key = rules.key(land)
                familiar.add(plain.profile(plain.lands(plain.read(key.decode()))[0]))
                yield key, number

        keyed.fill(read)
    return keyed


class Progress(NamedTuple):
    """How far an audit has come."""

    checked: int
    """Of ``chosen``, those of an earlier run included."""
    chosen: int
    faults: int
    resumed: int
    """What an earlier run had checked."""


class Report(NamedTuple):
    """What an audit found."""

    kind: str
    game: str
    entries: int
    checked: int
    faults: List[Fault]
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
    observer: Optional[Callable[[Progress], None]] = None,
) -> Report:
    """Check the entries of a source, all or a random sample, and a claim.

    An audit that was stopped goes on from its log in ``log_directory``. Entries that
    fail are checked once more by the plain rules, where there are any: a file may name a
    land by another of its texts than the one that play leads to.

    Raises what ``open_source`` raises, Interrupted, and FactsError for two numbers of
    one land.
    """
    rules = find_rules(source.game, independent)
    claim = claim or source.claim
    position: Sum = find_game(source.game).parse(claim[0]) if claim else ()
    with TemporaryDirectory(prefix="pns-audit-") as directory:
        store = make_store(source, directory)
        count, digest = digest_of(store)
        audited: Dict[str, object] = {"sha256": digest, "independent": independent}
        chosen = None
        if sample is not None:
            chosen = set(Random(seed).sample(range(count), min(count, sample)))
            audited.update(sample=sample, seed=seed)
        log = open_log(log_directory, audited)
        resumed = log.checked
        total = count if chosen is None else len(chosen)
        faults: List[Fault] = []
        why = ""
        try:
            keyed = make_keyed_store(store, rules, directory)
            for _ in run(store, keyed, rules, chosen, log, processes):
                if observer:
                    observer(Progress(log.checked, total, len(log.faults), resumed))
            faults = log.faults
            why = why_unproved(keyed, rules, position, claim)
            if (faults or why) and source.game == "sprouts" and not independent:
                plain_rules = PlainRules()
                keyed = make_keyed_store(store, plain_rules, directory)
                with keyed.open() as facts:
                    faults = check_chunk(Checker(plain_rules, facts.get), [f[:2] for f in faults])
                why = why_unproved(keyed, plain_rules, position, claim)
        except Contradiction as error:
            faults = [*log.faults, Fault(error.land, error.number, contradicted(error.known))]
        log.remove()
    equivalent = max(0, len(log.faults) - len(faults))
    return Report(
        source.kind, source.game, count, log.checked, faults, equivalent, claim, why, digest
    )


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


def why_unproved(store: Store, rules: Rules, position: Sum, claim: Optional[Claim]) -> str:
    """Why the entries do not show a claim; empty if they do, or if there is none."""
    if claim is None:
        return ""
    with store.open() as facts:
        keys = tuple(rules.key(land) for land in position)
        return Checker(rules, facts.get).why_unproved(keys, claim[1])


def digest_of(store: Store) -> Tuple[int, str]:
    """(entries, SHA-256 of the sorted .spr file that holds them)."""
    digest = sha256(TITLE)
    count = 0
    with store.open() as facts:
        for land, number in facts.items():
            digest.update(b"%s %d\n" % (land, number))
            count += 1
    return count, digest.hexdigest()

