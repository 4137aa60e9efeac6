"""Audits all entries of a database or a file: in processes, resumable, in bounded memory.

The entries are read from their store in the order of their texts, checked in chunks by any
number of processes, and reported in order. Each process opens the store for itself. A log
records the progress, line by line, so that an audit that was stopped resumes there.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from hashlib import sha256
from itertools import islice
from os.path import join
from random import Random
from typing import (
    Callable,
    Dict,
    Generator,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from pns.facts import Contradiction, Fact
from pns.facts.spr import TITLE
from pns.finding import find_game
from pns.game import Game, Sum, recomputing
from pns.positions.simplify import LandExchange, SupportsSimplify
from pns.proofs.audit_log import Log, open_log
from pns.proofs.audit_pool import AuditPool, Stage, check_chunk, small_caches
from pns.proofs.check import UNKNOWN, Checker, Fault
from pns.proofs.rules import (
    Rules,
    SecondRules,
    SupportsSecondRules,
    TooExpensive,
    bad_exchanges,
    find_rules,
    work_for,
)
from pns.proofs.sources import RootClaim, Source, Store, make_store
from pns.system import scratch

NOT_SHOWN = "play does not show that the second may stand for the first"
"""Why an exchange is bad."""


def make_keyed_store(store: Store, rules: Rules, directory: str) -> Store:
    """A store of the same entries under the keys of second rules, which note them.

    The first rules have no other keys: theirs is the store itself. Raises Contradiction for two
    numbers under one key.
    """
    if not isinstance(rules, SecondRules):
        return store
    second = rules
    keyed = Store(store.game_name, join(directory, "keyed.lmdb"))
    with store.open() as facts:

        def read() -> Iterator[Fact]:
            for land, number in facts.items():
                with work_for(second, "entry", (land,)):
                    key = second.key(land)
                second.note(key)
                yield key, number

        keyed.fill(read)
    return keyed


class AuditProgress(NamedTuple):
    """How far an audit has come."""

    checked: int
    """Entries checked, by this run or by earlier ones."""
    chosen: int
    """Entries to check: all, or the sample."""
    faults: int
    resumed: int
    """Entries that earlier runs had checked."""


class AuditReport(NamedTuple):
    """The result of an audit."""

    kind: str
    game: str
    entries: int
    checked: int
    faults: List[Fault]
    cancelling: int
    """Entries that hold only because two equal lands cancel."""
    equivalent: int
    """Entries that hold only if texts of isomorphic lands count as the same."""
    simplified: int
    """Entries that hold only if simpler positions stand for others of the same number."""
    claim: Optional[RootClaim]
    why_unproved: str
    """Why the claim does not follow from the entries; empty if it does, or if there is none."""
    sha256: str


class AuditPlan(NamedTuple):
    """What the entries of a source are checked by."""

    game: Game
    stages: List[Stage]
    """An entry that fails in one is checked in the next."""
    cancel: bool
    """Whether equal lands cancel in the second stage and after it."""
    simplify: bool
    """Whether positions are simplified in the last stage."""
    exchanges: Optional[List[LandExchange]]
    """The exchanges of a certificate that hold; None for a source that may use any."""
    bad_exchanges: List[LandExchange]

    @property
    def rules(self) -> Rules:
        """The rules of the first stage."""
        return self.stages[0].rules


def plan_of(source: Source, independent: bool) -> AuditPlan:
    """The plan of an audit, as `audit` describes it."""
    game = recomputing(find_game(source.game))
    cancel = source.kind != "certificate"
    bad = bad_exchanges(game, source.exchanges, independent)
    exchanges = None if cancel else [one for one in source.exchanges if one not in bad]
    simplify = isinstance(game, SupportsSimplify) and exchanges != []
    rules = find_rules(source.game, independent)
    stages = [Stage(rules)]
    if cancel:
        stages.append(Stage(rules, cancel))
    if simplify:
        stages.append(Stage(find_rules(source.game, independent, simplify, exchanges), cancel))
    return AuditPlan(game, stages, cancel, simplify, exchanges, bad)


def audit(
    source: Source,
    *,
    independent: bool = False,
    processes: int = 1,
    sample: Optional[int] = None,
    seed: int = 0,
    claim: Optional[RootClaim] = None,
    log_directory: Optional[str] = None,
    observer: Optional[Callable[[AuditProgress], None]] = None,
) -> AuditReport:
    """Check the entries of a source, all or a random sample, and a claim.

    An audit that was stopped resumes from its log in ``log_directory``. Entries that fail
    are checked again: with equal lands cancelling, and then with simpler positions for others, too,
    where the game knows any. In a certificate no lands cancel, and positions are simpler by the
    exchanges that it lists. At last entries are checked by the second rules, where the game has
    them: a file may name a land by another of its texts than the one that play leads to.

    Raises what ``open_source`` raises, Interrupted, TooExpensive for an entry that takes too much
    work, and FactsError for two numbers of one land. An exchange that does not hold is a fault.
    """
    plan = plan_of(source, independent)
    claim = claim or source.claim
    position: Sum = plan.game.parse(claim[0]) if claim else ()
    with small_caches(plan.game), scratch.directory() as directory:
        store = make_store(source, directory)
        count, digest = digest_of(store)
        audited: Dict[str, object] = {"sha256": digest, "independent": independent}
        audited.update(stages=len(plan.stages), exchanges=digest_of_exchanges(plan.exchanges))
        chosen = None
        if sample is not None:
            chosen = set(Random(seed).sample(range(count), min(count, sample)))
            audited.update(sample=sample, seed=seed)
        bad = [Fault(entry.land, entry.number, entry.wrong) for entry in store.bad.values()]
        bad += [Fault(b" ".join(one), UNKNOWN, NOT_SHOWN) for one in plan.bad_exchanges]
        log = open_log(log_directory, audited)
        resumed = log.checked
        total = count if chosen is None else len(chosen)
        faults: List[Fault] = []
        equivalent = 0
        why = ""
        try:
            keyed = make_keyed_store(store, plan.rules, directory)
            pool = AuditPool(processes, keyed, plan.stages)
            with closing(check_entries(store, keyed, plan.rules.chunk, chosen, log, pool)) as done:
                for _ in done:
                    if observer:
                        found = len(bad) + len(log.faults)
                        observer(AuditProgress(log.checked, total, found, resumed))
            faults = log.faults
            why = why_in_stages(keyed, plan.stages, position, claim)
            if (faults or why) and isinstance(plan.game, SupportsSecondRules) and not independent:
                second = plan.game.second_rules(plan.simplify, plan.exchanges)
                keyed = make_keyed_store(store, second, directory)
                stage = Stage(second, plan.cancel)
                faults, why = recheck(keyed, stage, faults, position, claim)
                equivalent = len(log.faults) - len(faults)
        except Contradiction as error:
            faults = [*log.faults, Fault(error.land, error.number, why_contradicted(error.known))]
        except TooExpensive as error:
            raise TooExpensive("%s: %s" % (source.path, error)) from error
        log.remove()
    return AuditReport(
        source.kind,
        source.game,
        count + len(store.bad),
        log.checked + len(store.bad),
        bad + faults,
        log.held[1] if plan.cancel else 0,
        equivalent,
        log.held[len(plan.stages) - 1] if plan.simplify else 0,
        claim,
        why,
        digest,
    )


def recheck(
    store: Store,
    stage: Stage,
    faults: List[Fault],
    position: Sum,
    claim: Optional[RootClaim],
) -> Tuple[List[Fault], str]:
    """(the faults that remain, why the claim is unproved) in another stage."""
    with store.open() as facts:
        checker = Checker(stage.rules, facts.get, stage.cancel)
        left = check_chunk(checker, [(fault.land, fault.number) for fault in faults])
        return left, why_unproved(checker, stage.rules, position, claim)


def why_in_stages(
    store: Store, stages: List[Stage], position: Sum, claim: Optional[RootClaim]
) -> str:
    """Why no stage shows a claim; empty if one does, or if there is no claim."""
    why = ""
    for stage in stages:
        _, why = recheck(store, stage, [], position, claim)
        if not why:
            break
    return why


def why_contradicted(number: int) -> str:
    """Why an entry is bad that shares its key with an entry of another number."""
    return "another text of the same land has Grundy number %d" % number


def check_entries(
    store: Store,
    keyed: Store,
    size: int,
    chosen: Optional[Set[int]],
    log: Log,
    pool: AuditPool,
) -> Generator[None, None, None]:
    """Check the entries that the log lacks, `size` at a time; yields after every chunk."""
    with ExitStack() as stack:
        stack.enter_context(pool)
        facts = stack.enter_context(store.open())
        lookup = facts.get if keyed is store else stack.enter_context(keyed.open()).get
        entries: Iterator[Fact] = (
            fact for i, fact in enumerate(facts.items()) if chosen is None or i in chosen
        )
        todo = (fact for fact in entries if fact[0] > log.after)
        chunks = iter(lambda: list(islice(todo, size)), [])
        for chunk, faults, held in pool.check(chunks, lookup):
            log.add(chunk, faults, held)
            yield


def why_unproved(checker: Checker, rules: Rules, position: Sum, claim: Optional[RootClaim]) -> str:
    """Why the entries do not show a claim; empty if they do, or if there is none."""
    if claim is None:
        return ""
    with work_for(rules, "the claim", position):
        keys = tuple([rules.key(land) for land in position])
    return checker.why_unproved(keys, claim[1])


def digest_of_exchanges(exchanges: Optional[Sequence[LandExchange]]) -> str:
    """The SHA-256 of the exchanges of a certificate; empty for other sources."""
    if exchanges is None:
        return ""
    return sha256(b"\n".join([b" ".join(exchange) for exchange in exchanges])).hexdigest()


def digest_of(store: Store) -> Tuple[int, str]:
    """(entries, SHA-256 of the sorted .spr file that holds them)."""
    digest = sha256(TITLE)
    count = 0
    with store.open() as facts:
        for land, number in facts.items():
            digest.update(b"%s %d\n" % (land, number))
            count += 1
    return count, digest.hexdigest()
