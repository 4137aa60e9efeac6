"""What a master believes of its workers: their claims are checked before or after they are used.

A claim says that a land has a Grundy number, or that land + *heap is won because some option
of the land has the number of the heap. It holds if known facts show it, by the rule of the
audit (docs/certificates.md, "What is checked"). While every claim is checked and used only if
it holds, all that the master knows is right, provided that its database was right before.

The facts that a claim rests on come before it or in the same report, unless its sender has it
from another worker of its machine. A claim that lacks some is held back until they are there,
but not for long.

While only a sample is checked, claims are used at once. The first that fails ends this: no
fact of this search is believed then until it was checked, and from there on every claim is.
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

from pns.distributed.factlog import DATABASE, FACTS_IN_REPLY, MASTER, FactLog
from pns.facts import Fact, Facts
from pns.game import Game, Land, TooLarge, check_land, shortened
from pns.parallel.child_store import original_game
from pns.proofs.check import Checker, FastRules, TooExpensive

DEFAULT_SHARE = 0.02
"""Of the claims of workers that are checked by default."""
DEFAULT_TIME = 0.02
"""The part of the master's time that these checks may take."""
PATIENCE, LEAST_WAIT, MOST_WAIT = 8, 10.0, 120.0
"""A claim waits for its reasons until its sender has made so many more reports, but for the first
number of seconds at least, and the second at most: by then all who may know them have reported."""
MOST_HELD = 4000
"""Claims that are held back; beyond this one fails of the worker who has most of them."""
SIFT_SECONDS = 0.05
"""How long a master checks old facts at a time, before it answers again."""

HOLDS, LACKS, FALSE = range(3)
"""What comes of a check: the facts show the claim; they do not, yet; they show the contrary."""


@dataclass
class Claim:
    """What a worker, by its number in the log of facts, says of a land."""

    origin: int
    land: Land
    number: int
    is_win: bool = False
    """Whether it says that land + *number is won, and not that the Grundy number is this."""
    is_used: bool = False
    is_orphan: bool = False
    """Whether who made it has gone."""
    patience: int = PATIENCE
    since: float = float("inf")
    """When it was held back."""

    def is_late(self, now: float) -> bool:
        """Whether its reasons should be there."""
        wait = MOST_WAIT if self.patience > 0 or self.is_orphan else LEAST_WAIT
        return now - self.since >= wait

    def __str__(self) -> str:
        land = shortened(self.land)
        if self.is_win:
            return "%s + *%d is won" % (land, self.number)
        return "%s has Grundy number %d" % (land, self.number)


class Vetting:
    """Checks claims of workers against `facts`.

    `share` is the part of the claims that is checked: 0.0 none, 1.0 all. With less than all,
    checks take no more than the part `most_time` of the time. Options that others generated
    are not used.
    """

    def __init__(self, game: Game, facts: Facts, share: float, most_time: float = 1.0) -> None:
        self.share = share
        self.checked = 0
        self.random = random.Random()
        self.withdrawn = Withdrawn()
        self.sift: Optional[Sift] = None
        self._game = original_game(game)
        self._facts = facts
        self._most_time = most_time
        self.spent = 0.0
        """Seconds of the processor that checks took."""
        self._began = time.perf_counter()
        self._held: List[Claim] = []
        self._new = 0
        """Claims at the end of those that are held which were not checked yet."""
        self._forget_checks()

    def _forget_checks(self) -> None:
        rules = FastRules(self._game, lazy=True)
        self._checker = Checker(rules, self._facts.get, cancel=True, growing=True)

    @property
    def trusts(self) -> bool:
        """Whether claims are used before they are checked."""
        return self.share < 1.0

    def why_no_land(self, land: Land) -> str:
        """Why a text is no land of the game; "" if it is one."""
        try:
            check_land(self._game, land)
        except ValueError as error:
            return str(error)
        return ""

    def why_impossible(self, land: Land, number: int, is_familiar: bool) -> str:
        """Why a land, whose text is good if it is `is_familiar`, cannot have that number."""
        wrong = "" if is_familiar else self.why_no_land(land)
        if not wrong and number and self._game.estimate(land)[0] < number:
            return "%s cannot have Grundy number %d" % (shortened(land), number)
        return wrong

    def is_chosen(self) -> bool:
        """Whether the next claim is one to check."""
        if not self.trusts:
            return True
        if not self.share or self.random.random() >= self.share:
            return False
        return self.spent <= self._most_time * (time.perf_counter() - self._began)

    def believes_win(self, claim: Claim) -> bool:
        """Whether a couple may be noted as won; where that was checked and not shown it is held."""
        if not self.is_chosen():
            return True
        if self.verdict(claim) == HOLDS:
            return True
        claim.is_used = self.trusts
        self._held.append(claim)
        return claim.is_used

    def hold(self, claim: Claim) -> None:
        """Have a claim checked by the next `settle`."""
        self._held.append(claim)
        self._new += 1

    def settle(self, use: Callable[[Claim], None], more: bool, now: float) -> Optional[Claim]:
        """Check what is held; `use` those that hold and were not used; one that fails, if any.

        What was checked before is checked again if there are `more` facts since.
        """
        more = more or any([claim.is_late(now) for claim in self._held])
        start = 0 if more else len(self._held) - self._new
        self._new = 0
        failed = None
        while not failed and start < len(self._held):
            used = False
            kept = self._held[:start]
            for claim in self._held[start:]:
                verdict = self.verdict(claim)
                if verdict == HOLDS:
                    if not claim.is_used:
                        use(claim)
                    used = True
                    continue
                kept.append(claim)
                if verdict == FALSE:
                    failed = failed or claim
            self._held = kept
            if not used:
                break
            start = 0
        for claim in self._held:
            claim.since = min(claim.since, now)
        late = [claim for claim in self._held if claim.is_late(now)]
        self._held = [c for c in self._held if c.is_used or not (c.is_orphan and c.is_late(now))]
        late = [claim for claim in late if claim.is_used or not claim.is_orphan]
        if len(self._held) > MOST_HELD:
            most = Counter([claim.origin for claim in self._held]).most_common(1)[0][0]
            late += [claim for claim in self._held if claim.origin == most]
        return failed or (late[0] if late else None)

    def reported(self, origin: int) -> None:
        """A worker has made another report: what it claimed before should be shown by now."""
        for claim in self._held:
            if claim.origin == origin:
                claim.patience -= 1

    def left(self, origin: int) -> None:
        """A worker has gone. Others of its machine may rest on what it claimed."""
        for claim in self._held:
            if claim.origin == origin:
                claim.is_orphan = True

    def drop(self, origin: int) -> List[Fact]:
        """Forget the claims of a worker, unless they are used: these are soon shown or fail.

        The facts among those that are forgotten.
        """
        held = [claim for claim in self._held if claim.origin == origin]
        for claim in held:
            claim.since = float("-inf")
        dropped = [claim for claim in held if not claim.is_used]
        self._held = [c for c in self._held if c.origin != origin or c.is_used]
        self._new = 0
        return [(claim.land, claim.number) for claim in dropped if not claim.is_win]

    def verdict(self, claim: Claim) -> int:
        """Whether the facts there are show a claim."""
        began = time.process_time()
        self.checked += 1
        try:
            return self._verdict(claim)
        except (TooLarge, TooExpensive):
            return LACKS
        finally:
            self.spent += time.process_time() - began

    def _verdict(self, claim: Claim) -> int:
        land, number = claim.land, claim.number
        known = self._facts.get(land)
        if claim.is_win:
            if known >= 0:
                return FALSE if known == number else HOLDS
            return HOLDS if self._checker.shows_win(land, number) else LACKS
        if known >= 0 and known != number:
            return FALSE
        if known >= 0 and not claim.is_used:
            return HOLDS  # it was shown meanwhile
        if not self._checker.why_bad(land, number):
            return HOLDS
        return FALSE if self._checker.shows_win(land, number) else LACKS

    def is_shown(self, land: Land, number: int) -> bool:
        """Whether a fact follows from the others by itself."""
        try:
            return not self._checker.why_bad(land, number)
        except TooExpensive:
            return False

    def distrust(self, log: FactLog, claim: Claim) -> None:
        """Check every claim from now on, and those of a log that were believed, as one failed."""
        self.share = 1.0
        del self._held[:]
        self._new = 0
        self._forget_checks()
        self.sift = Sift(log, claim)


class Sift:
    """The facts of a log that were believed: taken over again, as far as they hold.

    They are checked in the order of the log, where reasons come first, and those that do not
    hold once more until none does. `failed` is the claim that was the reason.
    """

    def __init__(self, log: FactLog, failed: Claim) -> None:
        self.log = log
        self._failed = failed
        self.left = array("Q", [i for i in range(len(log)) if log.origins[i] != DATABASE])
        """The places of those that do not hold so far."""
        self.total = len(self.left)
        self._at = 0
        self._kept = array("Q")

    def run(self, use: Callable[[Claim], bool], seconds: float = SIFT_SECONDS) -> bool:
        """Offer facts to `use`, which says whether they hold, for a time; whether it is over."""
        end = time.perf_counter() + seconds
        while True:
            if self._at == len(self.left):
                more = len(self._kept) < len(self.left)
                self.left, self._kept, self._at = self._kept, array("Q"), 0
                if not more or not self.left:
                    return True
            i = self.left[self._at]
            self._at += 1
            if not use(Claim(self.log.origins[i], *self.log[i])):
                self._kept.append(i)
            if time.perf_counter() >= end:
                return False

    def first_wrong(self) -> Optional[Claim]:
        """The first claim of a worker that does not hold: what others found rests on it, perhaps.

        None if all do.
        """
        for i in self.left:
            if self.log.origins[i] != MASTER:
                return Claim(self.log.origins[i], *self.log[i])
        return self._failed if self._failed.is_win else None


class Withdrawn:
    """The facts that workers must forget, and how much of that each has done.

    That is a place, which the worker is given with the facts and says when it joins.
    """

    def __init__(self) -> None:
        self._facts: List[Fact] = []
        self._name = ""

    @property
    def place(self) -> str:
        """The place of a worker that has forgotten all; "" while there was nothing."""
        return self._name and "%s:%d" % (self._name, len(self._facts))

    def add(self, facts: List[Fact]) -> None:
        self._name = self._name or hexlify(os.urandom(8)).decode()
        self._facts += facts

    def after(self, place: str) -> Tuple[List[Fact], str]:
        """Facts that a worker at a place is to forget next, and its place then."""
        name, _, digits = place.partition(":")
        start = int(digits) if name == self._name and digits.isdecimal() else 0
        facts = self._facts[start : start + FACTS_IN_REPLY]
        return facts, "%s:%d" % (self._name, min(start + len(facts), len(self._facts)))
