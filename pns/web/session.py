"""What one run of `pns explore` holds: a game, its facts, drawings, and a search."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from pns.choices import GAMES, is_drawn, normal_name
from pns.facts import default_path
from pns.finding import find_game, installed_games
from pns.front.draws import DrawRules
from pns.game import (
    Game,
    Sum,
    SupportsDraw,
    SupportsDraws,
    SupportsScenes,
    TooLarge,
    first_example,
    for_play,
)
from pns.play.engine import Engine
from pns.sprouts import notation
from pns.web.checks import CertificateChecks
from pns.web.knowledge import PageFacts, open_own, open_shipped
from pns.web.searches import Searches
from pns.web.sheets import Sheets, Sketchbook, lands_of

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from pns.strong.late import LateValues
    from pns.strong.solution import StrongSolution


def _processes() -> Searches:
    from pns.web.search import SearchQueue  # a browser has no processes

    return SearchQueue()


def standard_start(game: Game) -> str:
    """What a game begins with on the page unless a position is given, "" where that is unknown."""
    if isinstance(game, SupportsScenes):
        return game.scenes.start([size.value for size in game.scenes.sizes])
    return first_example(game)


class WebSession:
    """What the page can ask about one game, and through `of` about each other one.

    Everything but the search is used by `thread` only.
    """

    def __init__(
        self,
        game: str,
        path: str,
        must_exist: bool,
        position: str,
        solution: Optional[StrongSolution] = None,
        has_known: bool = True,
        search: Optional[Searches] = None,
        late: Optional[LateValues] = None,
    ) -> None:
        """`path` is a database, `.spr` file or certificate; raises what `open_own` raises.

        `search` runs the searches of the page, perhaps also those of other sessions; by default
        processes do. `late` solves late positions that `solution` does not have.
        """
        self.game = for_play(find_game(game))
        self.rules = DrawRules(self.game, isinstance(self.game, SupportsDraws))
        self.own = open_own(path, game, must_exist, solution, has_known)
        self.solution = solution
        """A strong solution that is asked first, and gives the value of every move."""
        self.late = late
        self.position = self._laid(position)
        """The text of the position that the page begins with: canonical, or a scene."""
        self.sketchbook = Sketchbook()
        self.checks = CertificateChecks()
        self.search = _processes() if search is None else search
        self._has_known = has_known
        self._engine: Optional[Tuple[PageFacts, Engine]] = None
        self._others: Dict[str, WebSession] = {}

    def _laid(self, text: str) -> str:
        """A position as the page shows it first; raises NotationError."""
        if isinstance(self.game, SupportsScenes):
            try:
                return self.game.scenes.scene(text).text
            except TooLarge:
                pass
        return self.game.format(self.game.parse(text))

    def of(self, name: str) -> WebSession:
        """The session of a game of the package or an installed one, "" for that of this session.

        It is opened when it is first asked for, and has the user's database of its game, if there
        is one, above the facts of the package. Raises ValueError for another name, and what
        `open_own` raises.
        """
        if name in ("", self.game.name):
            return self
        if name not in self._others:
            if normal_name(name) not in (*GAMES, *installed_games()):
                raise ValueError("unknown game %s" % ascii(name[:60]))
            start = standard_start(find_game(name))
            path = default_path(name)
            self._others[name] = WebSession(
                name, path, False, start, has_known=self._has_known, search=self.search
            )
        return self._others[name]

    @cached_property
    def thread(self) -> ThreadPoolExecutor:
        """Answers the questions, one after another."""
        from concurrent.futures import ThreadPoolExecutor  # a browser has no threads

        return ThreadPoolExecutor(1)

    @property
    def is_drawn(self) -> bool:
        """Whether moves are drawn on a board, or chosen from the list."""
        return is_drawn(self.game.name)

    def can_show(self, text: str) -> bool:
        """Whether no reduced tree stands for lands of a position that is drawn."""
        return not (self.is_drawn and any(part.strip()[:1] == "*" for part in text.split("+")))

    def position_on(self, sheets: Sheets) -> Sum:
        """The position that is drawn on sheets."""
        return self.position_of(lands_of(sheets))

    def position_of(self, lands: Sum) -> Sum:
        """The position of lands of Sprouts, which in misère play are not apart."""
        return notation.position_in(self.game, lands)

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
            with_draws = self.rules.with_draws
            self._engine = source, Engine(self.game, source.facts, with_draws=with_draws)
        return self._engine[1]

    @property
    def has_values(self) -> bool:
        """Whether positions have values beside facts: by a table, or as they are solved late."""
        return self.solution is not None or self.late is not None

    def solve_late(self, text: str, source: PageFacts) -> None:
        """Solve a late position, if the session does so and its table does not have it."""
        if self.late and source is self.own and not (self.solution and self.solution.value(text)):
            source.keep(self.late.solve(text))

    def value(self, text: str) -> Optional[str]:
        """The value of a position by the table, or by what was solved late; None for neither."""
        found = self.solution.value(text) if self.solution else None
        return self.late.value(text) if found is None and self.late else found

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
        for one in (self, *self._others.values()):
            one.own.layers.close()
        if self.solution:
            self.solution.close()
