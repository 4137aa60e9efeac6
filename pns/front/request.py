"""A position to search and how, and what every search for it can do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Callable, Optional, Protocol, Tuple

from pns.facts import Facts
from pns.front.options import Options
from pns.game import Game, Sum, prior_file
from pns.positions.couple import Couples
from pns.positions.prior import Prior, load
from pns.saving.checkpointer import Checkpointer, Steps
from pns.saving.table_checkpoint import SavedTable
from pns.search.counted_search import StopToken
from pns.usage import Progress, Usage


class Solver(Protocol):
    """A search for a position, by any algorithm."""

    couples: Couples

    @property
    def expansions(self) -> int:
        """Expansions of all processes and machines, as far as known here."""

    @property
    def memory(self) -> int:
        """Bytes that the search holds on this machine."""

    @property
    def unsaved(self) -> str:
        """Why the last checkpoint could not be written; "" if it was, or if none was wanted."""

    def outcome(self, lands: Sum) -> bool:
        """Whether the player to move wins; raises Stopped."""

    def grundy_number(self, lands: Sum) -> int:
        """The position's Grundy number; raises Stopped."""

    def stop(self, reason: str) -> None:
        """End the search soon; `outcome` and `grundy_number` then raise Stopped."""

    def tick(self) -> None:
        """Do periodic work; the search calls it before the observer."""

    def save(self) -> None:
        """Save a search that was stopped, if the options name a checkpoint."""

    def progress(self) -> Progress:
        """The progress of the search."""

    def usage(self) -> Usage:
        """What the search used; `pns.solver` fills in facts and seconds."""


@dataclass
class Request:
    """A position to search, and how; `observe` is called every few milliseconds."""

    game: Game
    lands: Sum
    facts: Facts
    options: Options
    stop: StopToken
    observe: Callable[[Solver], None]
    warn: Callable[[str], None]

    @property
    def prior(self) -> Prior:
        prior = self.options.prior
        prior = load(self.game.name, prior_file(self.game)) if prior is None else prior
        return prior.starting(self.options.start_numbers)

    @property
    def epsilon(self) -> float:
        return self.options.epsilon_for(self.game.name)

    @property
    def batch(self) -> int:
        return self.options.batch_for(self.game.name)

    @property
    def restart(self) -> int:
        return self.options.restart_for(self.game.name)

    @property
    def canonical(self) -> str:
        return self.game.format(self.lands)

    def saved_table(self) -> Tuple[Optional[SavedTable], Optional[int]]:
        """(the table to resume from, the capacity to search with); None is none, or the default.

        Raises CheckpointError and OSError.
        """
        path, capacity = self.options.resume, self.options.capacity
        if not path:
            return None, capacity
        saved = SavedTable(path, self.game, self.canonical)
        return saved, saved.capacity(capacity)

    def checkpointer(self, write: Callable[[str], Optional[Steps]]) -> Optional[Checkpointer]:
        """Saves the search as the options say; `write` gets the path."""
        options, path = self.options, self.options.checkpoint
        if not path:
            return None
        return Checkpointer(path, partial(write, path), options.every, self.warn, options.resume)
