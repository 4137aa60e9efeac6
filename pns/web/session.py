"""What one run of `pns explore` holds: a game, its facts, drawings, and a search."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from pns.choices import DRAWN_GAMES
from pns.finding import find_game
from pns.game import SupportsDraw
from pns.play.engine import Engine
from pns.web.checks import CertificateChecks
from pns.web.knowledge import PageFacts, open_own, open_shipped
from pns.web.searches import Searches
from pns.web.sheets import Sketchbook

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from pns.strong.solution import StrongSolution


def _processes() -> Searches:
    from pns.web.search import SearchQueue  # a browser has no processes

    return SearchQueue()


class WebSession:
    """The state of the server. Everything but the search is used by `thread` only."""

    def __init__(
        self,
        game: str,
        path: str,
        must_exist: bool,
        position: str,
        table: Optional[StrongSolution] = None,
        has_known: bool = True,
        search: Optional[Searches] = None,
    ) -> None:
        """`path` is a database, `.spr` file or certificate; raises what `open_own` raises.

        `search` runs the searches of the page; by default processes do.
        """
        self.game = find_game(game)
        self.own = open_own(path, game, must_exist, table, has_known)
        self.table = table
        """A strong solution that is asked first, and gives the value of every move."""
        self.position = self.game.format(self.game.parse(position))
        """The canonical text of the position that the page begins with."""
        self.sketchbook = Sketchbook()
        self.checks = CertificateChecks()
        self.search = _processes() if search is None else search
        self._engine: Optional[Tuple[PageFacts, Engine]] = None

    @cached_property
    def thread(self) -> ThreadPoolExecutor:
        """Answers the questions, one after another."""
        from concurrent.futures import ThreadPoolExecutor  # a browser has no threads

        return ThreadPoolExecutor(1)

    @property
    def is_drawn(self) -> bool:
        """Whether moves are drawn on a board, or chosen from the list."""
        return self.game.name in DRAWN_GAMES

    @property
    def has_pictures(self) -> bool:
        """Whether lands can be shown as pictures."""
        return self.is_drawn or isinstance(self.game, SupportsDraw)

    @property
    def can_search(self) -> bool:
        """Whether there is a database to which a search may add."""
        return self.own.path is not None

    def source(self, name: str) -> PageFacts:
        """The session's own facts for "", or a certificate of the package; raises KeyError."""
        source = open_shipped(name) if name else self.own
        source.renew()
        return source

    def engine(self, source: PageFacts) -> Engine:
        """What chooses the solver's moves by a source; the last one is kept."""
        if self._engine is None or self._engine[0] is not source:
            self._engine = source, Engine(self.game, source.facts)
        return self._engine[1]

    def specification(self, position: str, options: Dict[str, Any]) -> Dict[str, Any]:
        """A search for `pns.web.searcher`."""
        assert self.own.path is not None
        return {
            "position": position,
            "game": self.game.name,
            "database": os.path.abspath(self.own.path),
            "options": options,
        }

    def close(self) -> None:
        """End the search and the thread, then release the database."""
        self.search.close()
        self.thread.shutdown(cancel_futures=True)
        self.own.layers.close()
        if self.table:
            self.table.close()
