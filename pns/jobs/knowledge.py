"""What a master knows: facts, the log of their reporters, and the tree that rests on them.

Claims of workers are used as far as `pns.jobs.vetting` believes them. Calls that may
find a contradiction or a full tree are made by `_guarded`.
"""

from __future__ import annotations

from typing import Callable, List, Optional, TypeVar

from pns.choices import NEVER
from pns.facts import Contradiction, Fact, Facts
from pns.facts.log import DATABASE, MASTER, FactLog
from pns.game import Game, Land, Sum, TooLarge
from pns.jobs.jobtree import JobTree
from pns.jobs.policy import JobPolicy
from pns.jobs.protocol import JobReport, JobResult
from pns.jobs.root_query import RootQuery
from pns.jobs.vetting import HOLDS, Claim, Vetting
from pns.positions.exchange import FACT, Publisher
from pns.positions.interned import HEAP, HEAP_BITS
from pns.positions.prior import Prior
from pns.positions.tree_couples import TreeCouples
from pns.search.nodes import Full, Nodes

T = TypeVar("T")


class Knowledge:
    """The facts and the tree of a search for one position.

    `failure` says why the search cannot go on, "" while it can.
    """

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
        self.game = game
        self.lands = lands
        self.facts = facts
        self.grundy = grundy
        self.vetting = vetting
        self.policy = policy
        self.failure = ""
        self.expansions = 0
        self._full_since = -1
        """The number of expansions at which the tree was full, -1 while it is not."""
        self._failed: Optional[Claim] = None
        """A claim that has failed and was not judged yet."""
        self.log = self._log_of_facts()
        exchange = Publisher(lambda land, number: self._add_fact(land, number, MASTER))
        prior = Prior(start=policy.start_numbers)
        self._couples = TreeCouples(game, facts, prior=prior, exchange=exchange)
        self.tree = JobTree(self._couples, Nodes(capacity), policy.epsilon, policy.order)
        self._query = RootQuery(self.tree, lands, grundy)

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
        return self._full_since >= 0

    @property
    def root(self) -> int:
        """The folded couple that is searched now."""
        return self._query.root

    def _log_of_facts(self) -> FactLog:
        """A log of all present facts, with the database as reporter; empty if none are shared."""
        log = FactLog()
        if self.policy.sharing != NEVER:
            for land, number in self.facts.items():
                log.append(land, number, DATABASE)
        return log

    def _add_fact(self, land: Land, number: int, origin: int) -> None:
        """Add a fact, and if it is new, log it with its reporter; raises Contradiction."""
        before = self.facts.new
        self.facts.add(land, number)
        if self.facts.new != before:
            self.log.append(land, number, origin)

    def _is_familiar(self, land: Land) -> bool:
        """Whether a text is already known to be a land."""
        return self.facts.get(land) >= 0 or bool(self._couples.find(land))

    def _accept_facts(self, origin: int, facts: List[Fact]) -> str:
        """Use facts or hold them for a check, up to one that is impossible; why that is, or ""."""
        vetting = self.vetting
        for land, number in facts:
            if self.facts.get(land) == number:
                continue
            wrong = vetting.why_impossible(land, number, self._is_familiar(land))
            if wrong:
                return wrong
            claim = Claim(origin, land, number, is_used=vetting.trusts)
            if vetting.trusts:
                self._use(claim)
            if vetting.is_chosen():
                vetting.hold(claim)
        return ""

    def _use(self, claim: Claim) -> None:
        """Use a claim as a fact or a win; raises Contradiction."""
        if claim.is_win:
            self._couples.note(self._couples.land(claim.land), 1 << claim.number)
            return
        self._add_fact(claim.land, claim.number, claim.origin)
        self._couples.apply(FACT, claim.number, claim.land)

    def _note_solved(self, code: int, report: JobReport, origin: int) -> bool:
        """Note a win that a report claims, if it is believed; whether the couple is solved."""
        if code > HEAP and report.pn == 0 and self._believes_win(origin, code):
            self._couples.note(code >> HEAP_BITS, 1 << (code & HEAP))
        self.tree.settle()
        return self.tree.is_solved(code)

    def _believes_win(self, origin: int, code: int) -> bool:
        """Whether a worker's claim that an unknown atomic couple is a win is believed."""
        land = self._couples.texts[code >> HEAP_BITS]
        return self.vetting.believes_win(Claim(origin, land, code & HEAP, is_win=True))

    def _expand(
        self, code: int, report: JobReport, result: Optional[JobResult], origin: int
    ) -> bool:
        """Give an unsolved leaf the numbers and children of a result; whether it was used."""
        if result is None or report.pn == 0 or report.dn == 0:
            return False
        if not self.tree.is_leaf(code):
            return False
        self.tree.set_numbers(code, report.pn, report.dn)
        if not result.numbers:
            return True
        believes = lambda child: self._believes_win(origin, child)  # noqa: E731
        return self._guarded(lambda: self.tree.expand(code, result, believes)) is not False

    def _forget_believed(self, claim: Claim) -> int:
        """Withdraw the unchecked facts of this search, as a claim failed; their number.

        A recheck uses those that hold again, a few at a time. Raises FactsError.
        """
        log = self.log
        if not claim.is_win and not claim.is_used:
            log.append(claim.land, claim.number, claim.origin)
        believed = [log[i] for i in range(len(log)) if log.origins[i] != DATABASE]
        self.facts.withdraw(believed)
        self.vetting.withdrawn.add(believed)
        self.vetting.distrust(log, claim)
        self.log = log.of_database()
        self.tree.forget()
        self._full_since = -1
        self._query = RootQuery(self.tree, self.lands, self.grundy)
        return len(believed)

    def _use_if_shown(self, claim: Claim) -> bool:
        """Use a claim if the facts show it; whether they do."""
        holds = self.vetting.verdict(claim) == HOLDS
        if holds:
            self._use(claim)
        return holds

    def _refresh(self, path: List[int]) -> None:
        self._guarded(lambda: self.tree.refresh(path))

    def _guarded(self, call: Callable[[], T], origin: int = MASTER) -> Optional[T]:
        """Make a call that may find the tree full or a contradiction; None if it does.

        A contradiction is a failed claim where claims are checked, else the search fails.
        """
        if not self.failure:
            try:
                return call()
            except Full:
                if self._full_since < 0:
                    self._full_since = self.expansions
            except TooLarge as error:
                self.failure = str(error)
            except Contradiction as error:
                if self.vetting.share and self.vetting.trusts:
                    self._failed = Claim(origin, error.land, error.number)
                else:
                    self._contradict(error, origin)
        return None

    def _contradict(self, error: Contradiction, origin: int) -> None:
        """End the search: two numbers are claimed for one land, and no check decides."""
        first = max(DATABASE, self.log.origin_of(error.land))
        names = self.log.names[first], self.log.names[origin]
        self.failure = "%s (this by %s, that by %s)" % (error, names[1], names[0])
