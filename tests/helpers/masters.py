"""A master and its workers in one process, each call seen on its way, for tests."""

from __future__ import annotations

from typing import Any, List, Optional

from pns.distributed.protocol import (
    JobReport,
    JobResult,
    JobSpec,
    Reply,
)
from pns.facts import Fact, Facts
from pns.game import Game, find_game
from pns.master import Master
from pns.worker import Worker

SPROUTS = find_game("sprouts")


class Clock:
    """Seconds that pass only when they are told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


class LocalLink:
    """A worker's link to a master in the same process."""

    def __init__(self, master: Master, name: str, clock: Clock, group: str = "") -> None:
        self.master, self.name, self.clock, self.group = master, name, clock, group

    def join(self, game: str, forgotten: str = "") -> Reply:
        return self.master.join(self.name, game, self.clock(), self.group, forgotten)

    def get(self) -> Reply:
        return self.master.get(self.name, self.clock())

    def update(self, report: JobReport) -> Reply:
        return self.master.update(self.name, report, self.clock())

    def submit(self, report: JobReport, result: Optional[JobResult]) -> None:
        self.reply = self.master.submit(self.name, report, result, self.clock())

    def answered(self) -> bool:
        return True

    def answer(self) -> Reply:
        return self.reply

    def close(self, report: JobReport) -> Reply:
        return self.master.close(self.name, report, self.clock())

    def add_facts(self, facts: List[Fact]) -> Reply:
        return self.master.add_facts(self.name, facts, self.clock())

    def leave(self) -> None:
        self.master.leave(self.name, self.clock())


def master_of(position: str, game: Game = SPROUTS, **options: Any) -> Master:
    options.setdefault("capacity", 1 << 16)
    facts = options.pop("facts", None)
    facts = Facts(game.name) if facts is None else facts
    return Master(game, game.parse(position), facts, **options)


class ManualWorker(Worker):
    """A worker that does what it is told, so that many can take turns."""

    def __init__(
        self, master: Master, name: str, clock: Clock, group: str = "", **options: Any
    ) -> None:
        link = LocalLink(master, name, clock, group)
        options.setdefault("pause", clock.wait)
        super().__init__(link, master.game, 1 << 14, clock=clock, **options)
        self._unless_over(self.join)

    def turn(self) -> None:
        """Do a job, if there is one."""
        self._unless_over(self._take_turn)

    def take(self) -> Optional[JobSpec]:
        """Get a job, None if there is none."""
        return self._apply_reply(self.link.get()).spec

    def do(self, spec: JobSpec) -> None:
        """Search a leaf and hand it in."""
        self._work(spec)


class Dying(LocalLink):
    """A link that ends with its worker, before it says anything about its job."""

    def update(self, report: JobReport) -> Any:
        raise KeyboardInterrupt

    def submit(self, report: JobReport, result: Any) -> Any:
        raise KeyboardInterrupt


def first(worker: ManualWorker) -> JobSpec:
    spec = worker.take()
    assert spec
    return spec
