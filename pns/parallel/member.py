"""A process of a parallel search: what `pdfpn.py` and `spdfpn.py` have in common.

Every process runs the search of `dfpn.py` over a table that all share. What it proves
goes to its log on the board: Grundy numbers, and couples shown to be wins by the
Grundy number of an option. All read it every few expansions. No fact rests on the
table or on a hash: what is read from a log is exact text.
"""

from __future__ import annotations

from time import monotonic
from typing import Any, Callable, Dict, List, Optional, Tuple

from pns.couple import HEAP, HEAP_BITS, Couples
from pns.dfpn import Search
from pns.facts import Contradiction, Fact, Facts, check_number
from pns.game import Land
from pns.parallel.board import EXPANSIONS, GENERATED, ROOT_DN, ROOT_PN, USED, Board
from pns.parallel.logs import FACT, WIN, Wins
from pns.parallel.optionstore import SharedGame
from pns.table import Table

REMARK_SECONDS = 0.2
MOST_RECENT = 100_000
"""Facts of this run that a process holds before it drops those that are in the database."""


class SharedFacts(Facts):
    """Facts of a process: those of the base, which it only reads, and those of the logs."""

    def __init__(self, base: Facts, publish: Callable[[int, int, Land], None]) -> None:
        super().__init__(base.game_name)
        self._base = base
        self._publish = publish
        self._ticked = monotonic()

    def get(self, land: Land) -> int:
        """The land's Grundy number, -1 when it is unknown."""
        number = self._numbers.get(land, -1)
        return number if number >= 0 else self._base.get(land)

    def add(self, land: Land, number: int) -> None:
        """Learn a proved Grundy number and tell the others; raises Contradiction."""
        if self.learn(land, number):
            self.new += 1
            self._publish(FACT, number, land)

    def learn(self, land: Land, number: int) -> bool:
        """Learn what another process proved; whether it is new; raises Contradiction."""
        check_number(land, number)
        known = self.get(land)
        if known >= 0 and known != number:
            raise Contradiction(land, known, number)
        self._numbers[land] = number
        return known < 0

    def tick(self) -> None:
        """Once a second see what is in the database by now."""
        now = monotonic()
        if now - self._ticked >= 1.0:
            self._ticked = now
            self._base.flush()
            if len(self._numbers) > MOST_RECENT:
                kept = [fact for fact in self._numbers.items() if self._base.get(fact[0]) < 0]
                self._numbers = dict(kept)


class SharedCouples(Couples):
    """Couples that also hold, for lands not met yet, which couples others showed to be wins."""

    def __init__(self, *arguments: Any) -> None:
        self._wins: Dict[Land, int] = {}
        super().__init__(*arguments)

    def forget(self) -> None:
        """Drop every id; facts stay."""
        super().forget()
        self._wins.clear()

    def cells(self) -> int:
        return super().cells() + 2 * len(self._wins)

    def _new_id(
        self, text: Land, parts: Tuple[int, ...], key: int, number: int, branching: int
    ) -> int:
        i = super()._new_id(text, parts, key, number, branching)
        if text in self._wins:
            self.reached[i] = self._wins[text]
        return i

    def told(self, kind: int, number: int, text: Land, new: bool) -> bool:
        """Take in a record of another process; whether it changes a land that was met here."""
        i = self.ids.get(text, 0)
        if kind == WIN:
            if not i:
                self._wins[text] = self._wins.get(text, 0) | 1 << number
                return False
            before = self.reached[i]
            self.reached[i] = before | 1 << number
            return self.reached[i] != before
        if i and new:
            self.numbers[i] = number
            self.stamp += 1
            return True
        return False


class CollectingCouples(SharedCouples):
    """Couples that collect what is proved, here or by others, for a master to be told."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.proved: List[Fact] = []

    def learn(self, land: int, number: int) -> None:
        self.proved.append((self.texts[land], number))  # a contradiction too is to be reported
        super().learn(land, number)

    def told(self, kind: int, number: int, text: Land, new: bool = False) -> bool:
        """Take in what another process proved; raises Contradiction."""
        if kind == FACT:
            new = self.facts.get(text) != number
            if new:
                self.proved.append((text, number))
                self.facts.add(text, number)
        return super().told(kind, number, text, new)


class Member(Search):
    """The search of one process, at place `process` of the board, but for its choices.

    `base` has the facts of before and is only read: those of the logs up to the
    positions `read`, by default up to now.
    """

    couples: SharedCouples

    def __init__(
        self,
        board: Board,
        process: int,
        game: Any,
        base: Facts,
        table: Table,
        seed: int = 0,
        prior: Any = None,
        read: Optional[List[int]] = None,
        **options: Any,
    ) -> None:
        self.facts = SharedFacts(base, self._publish)
        self.game = SharedGame(game, board.options, process)
        super().__init__(SharedCouples(self.game, self.facts, seed, prior), table, **options)
        self.board = board
        self.process = process
        self._read = read or board.heads()
        self._start = [board.get(process, word) for word in (EXPANSIONS, GENERATED, USED)]
        self._used = table.used
        self._remarked = 0.0
        self._untold = Wins()

    def _publish(self, kind: int, number: int, lands: bytes) -> None:
        self.board.append(self.process, kind, number, lands, self.board.stopped)

    def _won(self, land: int, heap: int) -> None:
        self._untold.add(self.couples.texts[land], heap)

    def _observe(self) -> None:
        super()._observe()
        self.report()
        if self.board.stopped():
            self.stop.stop("board")
        if self._take_in():
            for depth in range(len(self.line)):
                if self._is_decided(self.line[depth]):
                    self._decided(depth)
                    break

    def _decided(self, depth: int) -> None:
        """Another process decided the couple at that depth of the line."""

    def _take_in(self) -> bool:
        """Read the logs of the others; whether anything there is about lands that were met."""
        matters = False
        for kind, number, land in self.board.records_of_others(self.process, self._read):
            new = kind == FACT and self.facts.learn(land, number)
            if self.couples.told(kind, number, land, new):
                matters = True
        return matters

    def _is_decided(self, code: int) -> bool:
        """Whether facts decide a couple, or fold a sum."""
        couples = self.couples
        i = code >> HEAP_BITS
        if couples.parts[i]:
            return couples.fold(code) != code
        return couples.numbers[i] >= 0 or bool(couples.reached[i] >> (code & HEAP) & 1)

    def report(self) -> None:
        """Tell the board how far this process is, and which couples it showed to be wins."""
        board, me = self.board, self.process
        for heap, lands in self._untold.take():
            self._publish(WIN, heap, lands)
        expansions, generated, used = self._start
        board.set(me, EXPANSIONS, expansions + self.expansions)
        board.set(me, GENERATED, generated + self.game.children_generated)
        board.set(me, USED, used + self.table.used - self._used)
        board.set(me, ROOT_PN, self.root[0])
        board.set(me, ROOT_DN, self.root[1])
        now = monotonic()
        if now - self._remarked >= REMARK_SECONDS:
            self._remarked = now
            line = self.line[-3:]
            board.set_remark(
                me,
                "depth %d: %s" % (len(self.line), " > ".join(map(self.couples.describe, line))),
            )
