"""What one run of `pns explore` holds: a game, its facts, drawings, and a search."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, Optional, Tuple

from pns.choices import DRAWN_GAMES
from pns.finding import find_game
from pns.game import SupportsDraw
from pns.play.engine import Engine
from pns.strong.solution import StrongSolution
from pns.web.knowledge import PageFacts, open_own, open_shipped
from pns.web.search import SearchQueue
from pns.web.sheets import Sketchbook


class WebSession:
    """The state of the server. Everything but the search is used by `thread` only."""

    def __init__(
        self,
        game: str,
        path: str,
        must_exist: bool,
        position: str,
        solution: Optional[StrongSolution] = None,
        has_known: bool = True,
    ) -> None:
        """`path` is a database, `.spr` file or certificate; raises what `open_own` raises."""
        self.game = find_game(game)
        self.own = open_own(path, game, must_exist, solution, has_known)
        self.solution = solution
        """A strong solution that is asked first, and gives the value of every move."""
        self.position = self.game.format(self.game.parse(position))
        """The canonical text of the position that the page begins with."""
        self.sketchbook = Sketchbook()
        self.search = SearchQueue()
        self.thread = ThreadPoolExecutor(1)
        """Answers the questions, one after another."""
        self._engine: Optional[Tuple[PageFacts, Engine]] = None

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
        if self.solution:
            self.solution.close()
