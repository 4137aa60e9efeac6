"""What a master does about claims that fail: it drops their workers, and withdraws facts."""

from __future__ import annotations

from typing import Callable, Dict

from pns.facts import Contradiction, FactsError
from pns.facts.log import DATABASE
from pns.jobs.dispatch import Dispatcher
from pns.jobs.knowledge import Knowledge
from pns.jobs.roster import Roster
from pns.jobs.vetting import Claim, Recheck


class Judge:
    """Judges failed claims about what is in `knowledge`, of `workers` that have `jobs`.

    `lose` removes a worker, given its name and the time.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        workers: Roster,
        jobs: Dispatcher,
        lose: Callable[[str, float], None],
    ) -> None:
        self._knowledge, self._workers, self._jobs, self._lose = knowledge, workers, jobs, lose
        self._vetting = knowledge.vetting
        self.warn: Callable[[str], None] = lambda text: None
        """Called with a line of text when a worker is dropped or facts are withdrawn."""
        self.before_restart: Callable[[str], None] = lambda name: None
        """Called with the name of a worker that was dropped, or with "" when all facts of this
        search were withdrawn. Whoever shares memory with that worker may hold its claims."""
        self.dropped: Dict[str, str] = {}
        """Why workers were dropped, by name."""

    def judge(self, claim: Claim, now: float) -> None:
        """A claim has failed: drop its worker; if claims were trusted, stop trusting them."""
        knowledge, vetting = self._knowledge, self._vetting
        knowledge.failed = None
        known = knowledge.facts.get(claim.land)
        contradicts = not claim.is_win and known >= 0 and known != claim.number
        from_database = knowledge.log.origin_of(claim.land) <= DATABASE
        if contradicts and from_database and not vetting.is_shown(claim.land, known):
            knowledge.contradict(Contradiction(claim.land, known, claim.number), claim.origin)
        elif vetting.trusts:
            self.distrust(claim, now)
        else:
            self.drop(claim.origin, "a claim without proof: %s" % claim, now)

    def drop(self, origin: int, why: str, now: float) -> None:
        """Drop a worker, given by its number in the log of facts, for good."""
        name, workers = self._knowledge.log.names[origin], self._workers
        worker = workers.get(name)
        unused = self._vetting.drop_claims(origin)
        self.dropped[name] = why
        self._lose(name, now)
        if unused:
            self._vetting.withdrawn.add(unused)
            for other in list(workers.values()):
                if worker and other.group is worker.group:
                    self._lose(other.name, now)
        self.warn("%s is dropped: %s" % (name, why))
        self.before_restart(name)

    def distrust(self, claim: Claim, now: float) -> None:
        """Withdraw all unchecked facts of this search; all workers have to begin again."""
        for name in list(self._workers):
            self._lose(name, now)
        self._jobs.end_all()
        who = self._knowledge.log.names[claim.origin]
        try:
            count = self._knowledge.forget_believed(claim)
        except FactsError as error:
            self._knowledge.failure = "wrong facts are stored: %s" % error
            return
        self.warn("a claim of %s without proof: %s" % (who, claim))
        self.warn("all %d facts of this search are withdrawn until they are checked" % count)
        self.before_restart("")

    def continue_recheck(self, recheck: Recheck, now: float) -> None:
        """Check some of the withdrawn facts and use those that hold; at the end drop the liar."""
        if self._knowledge.continue_recheck(recheck):
            self._vetting.recheck = None
            self.warn("%d of %d facts hold" % (recheck.total - len(recheck.left), recheck.total))
            first = recheck.first_wrong()
            if first:
                self.drop(first.origin, "a claim without proof: %s" % first, now)
