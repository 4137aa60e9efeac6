"""Vetting: a master checks the claims of its workers before or after it uses them.

A claim says that a land has a Grundy number, or that land + *heap is a win because a child of
the land has the number of the heap. A claim holds if known facts show it, by the rule of the
audit (docs/certificates.md, "What is checked"). In a search of simpler positions
(`pns.positions.simplify`) these may stand for children, as in an audit. As long as every claim is
checked and used only if it holds, everything that the master knows is right, provided that its
database was right.

The facts that a claim rests on arrive before it or in the same report, unless its sender
received it from another worker of its machine. A claim that lacks some of them is held for a
limited time until they arrive.

While only a sample is checked, claims are used at once. The first one that fails ends this:
all facts of the search are withdrawn and checked, and from then on every claim is checked.
"""

from __future__ import annotations

import os
import random
import time
from array import array
from binascii import hexlify
from collections import Counter
from dataclasses import dataclass
from typing import Callable, List, Optional, Tuple

from pns.facts import Fact, Facts
from pns.facts.log import DATABASE, FACTS_IN_REPLY, MASTER, FactLog
from pns.game import Game, Land, TooLarge, check_land, shortened
from pns.parallel.child_store import original_game
from pns.positions.simplify import find_simplified
from pns.proofs.check import Checker
from pns.proofs.rules import FastRules, TooExpensive

PATIENCE, LEAST_WAIT, MOST_WAIT = 8, 10.0, 120.0
"""A claim waits for its reasons until its sender has made PATIENCE more reports, but between
LEAST_WAIT and MOST_WAIT seconds: by then all workers that may know them have reported."""
MOST_HELD = 4000
"""Claims held at a time; beyond this, a claim of the worker with most of them fails."""
RECHECK_SECONDS = 0.05
"""How long a master checks withdrawn facts at a time, before it answers requests again."""

HOLDS, UNPROVED, REFUTED = range(3)
"""Verdicts: the facts show the claim; they show nothing yet; they show the contrary."""


@dataclass
class Claim:
    """A statement about a land by the worker with the number `origin` in the log of facts."""

    origin: int
    land: Land
    number: int
    is_win: bool = False
    """Whether it claims that land + *number is a win, not that `number` is the Grundy number."""
    is_used: bool = False
    is_orphan: bool = False
    """Whether its worker has left."""
    patience: int = PATIENCE
    since: float = float("inf")
    """The time at which it was held, infinite before that."""

    def is_late(self, now: float) -> bool:
        """Whether its reasons should have arrived by now."""
        wait = MOST_WAIT if self.patience > 0 or self.is_orphan else LEAST_WAIT
        return now - self.since >= wait

    def __str__(self) -> str:
        land = shortened(self.land)
        if self.is_win:
            return "%s + *%d is won" % (land, self.number)
        return "%s has Grundy number %d" % (land, self.number)


class Vetting:
    """Checks claims of workers against `facts`.

    `share` is the part of the claims that is checked, from 0.0 for none to 1.0 for all. Below
    1.0, checks take at most the share `most_time` of the time. Children are generated here,
    not taken from other processes.
    """

    def __init__(self, game: Game, facts: Facts, share: float, most_time: float = 1.0) -> None:
        self.share = share
        self.checked = 0
        self.random = random.Random()
        self.withdrawn = Withdrawn()
        self.recheck: Optional[Recheck] = None
        simplified = find_simplified(game)
        self._simplify = simplified is not None
        self._game = simplified.original if simplified else original_game(game)
        self._facts = facts
        self._most_time = most_time
        self.spent = 0.0
        """Processor seconds spent on checks."""
        self._began = time.perf_counter()
        self._held: List[Claim] = []
        self._new = 0
        """The number of claims at the end of `_held` that were not checked yet."""
        self._forget_checks()

    def _forget_checks(self) -> None:
        rules = FastRules(self._game, self._simplify)
        self._checker = Checker(rules, self._facts.get, cancel=True, growing=True)

    @property
    def trusts(self) -> bool:
        """Whether claims are used before they are checked."""
        return self.share < 1.0

    def why_no_land(self, land: Land) -> str:
        """Why a text is not a land of the game; "" if it is one."""
        try:
            check_land(self._game, land)
        except ValueError as error:
            return str(error)
        return ""

    def why_impossible(self, land: Land, number: int, is_familiar: bool) -> str:
        """Why a land cannot have that number, or is none unless it `is_familiar`; "" if it can."""
        wrong = "" if is_familiar else self.why_no_land(land)
        if wrong or not number:
            return wrong
        if not self._game.decomposes or self._game.estimate(land)[0] < number:
            return "%s cannot have Grundy number %d" % (shortened(land), number)
        return wrong

    def is_chosen(self) -> bool:
        """Decide at random whether the next claim is checked."""
        if not self.trusts:
            return True
        if not self.share or self.random.random() >= self.share:
            return False
        return self.spent <= self._most_time * (time.perf_counter() - self._began)

    def believes_win(self, claim: Claim) -> bool:
        """Whether a couple may be noted as a win; a claim whose check is inconclusive is held."""
        if not self.is_chosen():
            return True
        if self.verdict(claim) == HOLDS:
            return True
        claim.is_used = self.trusts
        self._held.append(claim)
        return claim.is_used

    def hold(self, claim: Claim) -> None:
        """Hold a claim, to be checked by the next `check_held`."""
        self._held.append(claim)
        self._new += 1

    def check_held(self, use: Callable[[Claim], None], more: bool, now: float) -> Optional[Claim]:
        """Check held claims, and `use` those that hold and are unused; a failed claim or None.

        Claims that were checked before are checked again only if there are `more` facts now.
        """
        more = more or any([claim.is_late(now) for claim in self._held])
        start = 0 if more else len(self._held) - self._new
        self._new = 0
        failed = self._use_those_that_hold(use, start)
        overdue = self._overdue(now)
        return failed or overdue

    def _use_those_that_hold(self, use: Callable[[Claim], None], start: int) -> Optional[Claim]:
        """Check held claims from `start` on, and all again after each use; the first refuted one.

        None if none is refuted.
        """
        failed = None
        has_used = True
        while has_used and not failed and start < len(self._held):
            has_used = False
            kept = self._held[:start]
            for claim in self._held[start:]:
                verdict = self.verdict(claim)
                if verdict == HOLDS:
                    if not claim.is_used:
                        use(claim)
                    has_used = True
                    continue
                kept.append(claim)
                if verdict == REFUTED:
                    failed = failed or claim
            self._held = kept
            start = 0
        return failed

    def _overdue(self, now: float) -> Optional[Claim]:
        """A claim that fails as its reasons are late or too many are held, None if there is none.

        Unused claims of workers that have left are dropped when they are late.
        """
        for claim in self._held:
            claim.since = min(claim.since, now)
        self._held = [c for c in self._held if c.is_used or not (c.is_orphan and c.is_late(now))]
        overdue = [claim for claim in self._held if claim.is_late(now)]
        if len(self._held) > MOST_HELD:
            most = Counter([claim.origin for claim in self._held]).most_common(1)[0][0]
            overdue += [claim for claim in self._held if claim.origin == most]
        return overdue[0] if overdue else None

    def count_report(self, origin: int) -> None:
        """Count a report of a worker: the reasons of its earlier claims may come with it."""
        for claim in self._held:
            if claim.origin == origin:
                claim.patience -= 1

    def worker_left(self, origin: int) -> None:
        """Mark the claims of a worker that has left; others of its machine may rest on them."""
        for claim in self._held:
            if claim.origin == origin:
                claim.is_orphan = True

    def drop_claims(self, origin: int) -> List[Fact]:
        """Forget the unused claims of a worker, and return the facts among them.

        Its used claims are due at once: the next checks show them, or they fail.
        """
        held = [claim for claim in self._held if claim.origin == origin]
        for claim in held:
            claim.since = float("-inf")
        dropped = [claim for claim in held if not claim.is_used]
        self._held = [c for c in self._held if c.origin != origin or c.is_used]
        self._new = 0
        return [(claim.land, claim.number) for claim in dropped if not claim.is_win]

    def verdict(self, claim: Claim) -> int:
        """The verdict of the present facts on a claim."""
        began = time.process_time()
        self.checked += 1
        try:
            return self._verdict(claim)
        except (TooLarge, TooExpensive):
            return UNPROVED
        finally:
            self.spent += time.process_time() - began

    def _verdict(self, claim: Claim) -> int:
        land, number = claim.land, claim.number
        known = self._facts.get(land)
        if claim.is_win:
            if known >= 0:
                return REFUTED if known == number else HOLDS
            return HOLDS if self._checker.shows_win(land, number) else UNPROVED
        if known >= 0 and known != number:
            return REFUTED
        if known >= 0 and not claim.is_used:
            return HOLDS  # proved by others meanwhile
        if not self._checker.why_bad(land, number):
            return HOLDS
        return REFUTED if self._checker.shows_win(land, number) else UNPROVED

    def is_shown(self, land: Land, number: int) -> bool:
        """Whether the other facts show a fact."""
        try:
            return not self._checker.why_bad(land, number)
        except TooExpensive:
            return False

    def distrust(self, log: FactLog, claim: Claim) -> None:
        """Check every claim from now on, and recheck the facts of a log, as a claim failed."""
        self.share = 1.0
        del self._held[:]
        self._new = 0
        self._forget_checks()
        self.recheck = Recheck(log, claim)


class Recheck:
    """The check of all withdrawn facts of a log; those that hold are used again.

    They are checked in the order of the log, where reasons come first, and those that fail
    again and again until no more of them hold. `failed` is the claim that was the cause.
    """

    def __init__(self, log: FactLog, failed: Claim) -> None:
        self.log = log
        self._failed = failed
        self.left = array("Q", [i for i in range(len(log)) if log.origin(i) != DATABASE])
        """The indices of the facts that were not shown yet."""
        self.total = len(self.left)
        self._at = 0
        self._kept = array("Q")

    def run(self, use: Callable[[Claim], bool], seconds: float = RECHECK_SECONDS) -> bool:
        """Pass facts to `use`, which returns whether they hold, for a time; whether all is done."""
        end = time.perf_counter() + seconds
        while True:
            if self._at == len(self.left):
                more = len(self._kept) < len(self.left)
                self.left, self._kept, self._at = self._kept, array("Q"), 0
                if not more or not self.left:
                    return True
            i = self.left[self._at]
            self._at += 1
            if not use(Claim(self.log.origin(i), *self.log[i])):
                self._kept.append(i)
            if time.perf_counter() >= end:
                return False

    def first_wrong(self) -> Optional[Claim]:
        """The first claim of a worker that does not hold; later ones may rest on it.

        None if all claims hold.
        """
        for i in self.left:
            if self.log.origin(i) != MASTER:
                return Claim(self.log.origin(i), *self.log[i])
        return self._failed if self._failed.is_win else None


class Withdrawn:
    """The facts that workers must forget, in the order of their withdrawal.

    A cursor is a text that says how many of them a worker has forgotten. The worker receives
    it with the facts and sends it back when it joins.
    """

    def __init__(self) -> None:
        self._facts: List[Fact] = []
        self._name = ""

    @property
    def cursor(self) -> str:
        """The cursor of a worker that has forgotten all of them; "" if there are none."""
        return self._name and "%s:%d" % (self._name, len(self._facts))

    def add(self, facts: List[Fact]) -> None:
        self._name = self._name or hexlify(os.urandom(8)).decode()
        self._facts += facts

    def after(self, cursor: str) -> Tuple[List[Fact], str]:
        """The next facts to forget after a cursor, and the cursor behind them."""
        name, _, digits = cursor.partition(":")
        start = int(digits) if name == self._name and digits.isdecimal() else 0
        facts = self._facts[start : start + FACTS_IN_REPLY]
        return facts, "%s:%d" % (self._name, min(start + len(facts), len(self._facts)))
