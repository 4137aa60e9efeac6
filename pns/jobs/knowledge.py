"""What a master knows: facts, the log of their reporters, and the tree that rests on them.

Claims of workers are used as far as `pns.jobs.vetting` believes them. No method raises an
exception: a contradiction ends the search or, where claims are checked, becomes a failed claim.
"""

from __future__ import annotations

from typing import Callable, Collection, Iterable, List, Optional, Tuple, TypeVar

from pns.choices import NEVER
from pns.facts import Contradiction, Fact, Facts
from pns.facts.log import DATABASE, MASTER, FactLog
from pns.game import Game, Land, Sum, TooLarge
from pns.jobs.jobtree import JobTree
from pns.jobs.policy import JobPolicy
from pns.jobs.protocol import JobReport, JobResult
from pns.jobs.root_query import RootQuery
from pns.jobs.vetting import HOLDS, Claim, Recheck, Vetting
from pns.positions.exchange import FACT, Publisher
from pns.positions.interned import HEAP, HEAP_BITS
from pns.positions.prior import Prior
from pns.positions.tree_couples import TreeCouples
from pns.search.bounds import Numbers
from pns.search.nodes import Full, Nodes

T = TypeVar("T")


class Knowledge:
    """The facts and the tree of a search for the outcome of `lands`, or their Grundy number."""

    def __init__(
        self,
        game: Game,
        lands: Sum,
        facts: Facts,
        capacity: int,
        grundy: bool,
        vetting: Vetting,
        policy: JobPolicy,
    ) -> None:
        self.facts = facts
        self.vetting = vetting
        self.failure = ""
        """Why the search cannot go on, "" while it can."""
        self.error: Optional[Exception] = None
        """The exception that this came from."""
        self.expansions = 0
        """The expansions that workers have reported."""
        self.full_since = -1
        """The number of expansions at which the tree was full, -1 while it is not."""
        self.failed: Optional[Claim] = None
        """A claim that has failed, until the master has dealt with it."""
        self._lands, self._heap = lands, 0
        self._grundy = grundy
        self._shares_facts = policy.sharing != NEVER
        self.log = self._log_of_facts()
        exchange = Publisher(self._add_proved)
        prior = Prior(start=policy.start_numbers)
        self._couples = TreeCouples(game, facts, prior=prior, exchange=exchange)
        self.tree = JobTree(self._couples, Nodes(capacity), policy.epsilon, policy.order)
        self._query = RootQuery(self.tree, lands, grundy)

    def restore(self, expansions: int, full_since: int) -> None:
        """Go on from a tree and facts that were loaded from a checkpoint, and its figures."""
        self.expansions, self.full_since = expansions, full_since
        self.tree.unlock_all()
        self._restart_query()
        self.log = self._log_of_facts()

    def _restart_query(self) -> None:
        """Look the position up again, since its ids in the tree have changed."""
        self._query = RootQuery(self.tree, self._lands, self._grundy, self._heap)

    def ask(self, lands: Sum, heap: int) -> None:
        """Search lands + *heap from now on, in the same tree."""
        self._lands, self._heap = lands, heap
        self._restart_query()

    def import_facts(self, facts: Iterable[Fact]) -> None:
        """Use facts that are believed, and log them as of the database; raises Contradiction."""
        used: List[Fact] = []
        try:
            for land, number in facts:
                if self.facts.get(land) != number:
                    self._couples.apply(FACT, number, land)
                    used.append((land, number))
        finally:
            self.log.extend(used, DATABASE)
            self.tree.search.settle()

    @property
    def outcome(self) -> Optional[bool]:
        """Whether the player to move wins, None while it is not known."""
        return self._query.outcome

    @property
    def grundy_number(self) -> Optional[int]:
        """The position's Grundy number, None while it is not known."""
        return self._query.grundy_number

    @property
    def is_solved(self) -> bool:
        return self._query.is_answered

    @property
    def is_full(self) -> bool:
        """Whether the tree has no room for the children of another leaf."""
        return self.full_since >= 0

    @property
    def root(self) -> int:
        """The folded couple that is searched now."""
        return self._query.root

    @property
    def root_numbers(self) -> Numbers:
        """The proof and disproof number of the root."""
        return self.tree.search.numbers(self.root)

    @property
    def last_leaf(self) -> int:
        """The couple to search when the tree has no room: that of the first unknown land."""
        return self._query.first_couple(self.root)

    def code_of(self, land: Land, heap: int) -> int:
        """The folded couple land + *heap."""
        return self._couples.fold(self._couples.code((land,)) ^ heap)

    def couple_of(self, code: int) -> Tuple[Land, int]:
        """The land and the heap of an atomic couple."""
        return self._couples.texts[code >> HEAP_BITS], code & HEAP

    def fold(self, code: int) -> int:
        """The couple with all known lands folded into its heap."""
        return self._couples.fold(code)

    @property
    def since_full(self) -> int:
        """The expansions since the tree was full, -1 while it is not."""
        return self.expansions - self.full_since if self.is_full else -1

    def choose_path(self) -> Optional[List[int]]:
        """The path to the pseudo most proving leaf; [] if there is none now.

        None if the tree has no room, or if the search has failed.
        """
        root, path = -1, None
        while not (path or self.failure or self.is_solved) and self.root != root:
            root = self.root
            path = self._guarded(lambda: self.tree.pseudo_most_proving(self.root))
        return path

    def _log_of_facts(self) -> FactLog:
        """A log of all present facts, with the database as reporter; empty if none are shared."""
        log = FactLog()
        if self._shares_facts:
            log.extend(self.facts.items(), DATABASE)
        return log

    def _add_proved(self, land: Land, number: int) -> None:
        """Add a fact that follows from others in the tree, and log it; raises Contradiction."""
        before = self.facts.new
        self.facts.add(land, number)
        if self.facts.new != before:
            self.log.append(land, number, MASTER)

    def is_familiar(self, land: Land) -> bool:
        """Whether a text is already known to be a land."""
        return self.facts.get(land) >= 0 or bool(self._couples.find(land))

    def accept(self, origin: int, facts: Collection[Fact]) -> str:
        """Use facts of a worker or hold them for a check; why one is impossible, or "".

        `origin` is the worker's number in the log.
        """
        self.vetting.count_report(origin)
        return self._guarded(lambda: self._use_or_hold(origin, facts), origin) or ""

    def check_held(self, has_grown: bool, now: float) -> None:
        """Check the claims that are held; all of them if the log `has_grown` since the last time.

        `failed` is set if one of them fails.
        """
        check = self.vetting.check_held
        if not self.failed and self.vetting.share:
            self.failed = self._guarded(lambda: check(self._use, has_grown, now))

    def _use_or_hold(self, origin: int, facts: Collection[Fact]) -> str:
        """Use facts or hold them for a check, up to one that is impossible; why that is, or ""."""
        vetting, get, couples = self.vetting, self.facts.get, self._couples
        used: List[Fact] = []
        try:
            for land, number in facts:
                known = get(land)
                if known == number:
                    continue
                familiar = known >= 0 or bool(couples.find(land))
                wrong = vetting.why_impossible(land, number, familiar)
                if wrong:
                    return wrong
                if vetting.trusts:
                    couples.apply(FACT, number, land)
                    used.append((land, number))
                if vetting.is_chosen():
                    vetting.hold(Claim(origin, land, number, is_used=vetting.trusts))
        finally:
            self.log.extend(used, origin)
        return ""

    def _use(self, claim: Claim) -> None:
        """Use a claim as a fact or a win; raises Contradiction."""
        if claim.is_win:
            self._couples.note(self._couples.land(claim.land), 1 << claim.number)
        elif self.facts.get(claim.land) != claim.number:
            self._couples.apply(FACT, claim.number, claim.land)
            self.log.append(claim.land, claim.number, claim.origin)

    def note_solved(self, code: int, report: JobReport, origin: int) -> bool:
        """Note a win that a report claims, if it is believed; whether the couple is solved."""
        if code > HEAP and report.pn == 0 and self._believes_win(origin, code):
            self._couples.note(code >> HEAP_BITS, 1 << (code & HEAP))
        self.tree.search.settle()
        return self.tree.is_solved(code)

    def _believes_win(self, origin: int, code: int) -> bool:
        """Whether a worker's claim that an unknown atomic couple is a win is believed."""
        land = self._couples.texts[code >> HEAP_BITS]
        return self.vetting.believes_win(Claim(origin, land, code & HEAP, is_win=True))

    def expand(
        self, code: int, report: JobReport, result: Optional[JobResult], origin: int
    ) -> bool:
        """Give an unsolved leaf the numbers and children of a result; whether it was used."""
        if self.failure or result is None or report.pn == 0 or report.dn == 0:
            return False
        if not self.tree.is_leaf(code):
            return False
        self.tree.set_numbers(code, report.pn, report.dn)
        if not result.numbers:
            return True
        believes = lambda child: self._believes_win(origin, child)  # noqa: E731
        return self._guarded(lambda: self.tree.expand(code, result, believes)) is not False

    def forget_believed(self, claim: Claim) -> int:
        """Withdraw the unchecked facts of this search, as a claim failed; their number.

        A recheck uses those that hold again, a few at a time. Raises FactsError.
        """
        log = self.log
        if not claim.is_win and not claim.is_used:
            log.append(claim.land, claim.number, claim.origin)
        believed = log.reported()
        self.facts.withdraw(believed)
        self.vetting.withdrawn.add(believed)
        self.vetting.distrust(log, claim)
        self.log = log.of_database()
        self.tree.forget()
        self.full_since = -1
        self._restart_query()
        return len(believed)

    def continue_recheck(self, recheck: Recheck) -> bool:
        """Check some of the withdrawn facts, and use those that hold; whether all are checked."""
        done = self._guarded(lambda: recheck.run(self._use_if_shown))
        self.tree.search.settle()
        return bool(done)

    def _use_if_shown(self, claim: Claim) -> bool:
        """Use a claim if the facts show it; whether they do."""
        holds = self.vetting.verdict(claim) == HOLDS
        if holds:
            self._use(claim)
        return holds

    def restart_tree(self) -> None:
        """Drop all numbers of the tree; facts stay."""
        self.tree.forget_numbers()
        self.full_since = -1

    def refresh(self, path: List[int]) -> None:
        """Compute the numbers of a path again."""
        self._guarded(lambda: self.tree.refresh(path))

    def _guarded(self, call: Callable[[], T], origin: int = MASTER) -> Optional[T]:
        """Make a call that may find the tree full or a contradiction; None if it does.

        A contradiction is a failed claim where claims are checked, else the search fails.
        """
        if not self.failure:
            try:
                return call()
            except Full:
                if self.full_since < 0:
                    self.full_since = self.expansions
            except TooLarge as error:
                self.failure, self.error = str(error), error
            except Contradiction as error:
                if self.vetting.share and self.vetting.trusts:
                    self.failed = Claim(origin, error.land, error.number)
                else:
                    self.contradict(error, origin)
        return None

    def contradict(self, error: Contradiction, origin: int) -> None:
        """End the search: two numbers are claimed for one land, and no check decides."""
        first = max(DATABASE, self.log.origin_of(error.land))
        names = self.log.names[first], self.log.names[origin]
        self.error = error
        self.failure = "%s (this by %s, that by %s)" % (error, names[1], names[0])
