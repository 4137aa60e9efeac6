"""Strong solutions, opened to be read: the value of a position, its moves, the best of them."""

from __future__ import annotations

import bisect
import os
import weakref
from dataclasses import dataclass
from random import Random
from typing import Any, Dict, List, Optional

from pns.finding import named_game
from pns.front.draws import questions
from pns.game import Land, NotationError, Sum, children_of
from pns.positions.ranking import DRAW, LOSS, NONE, WIN, SupportsBoards, code_at
from pns.strong.blocks import BlockFile, SolutionError
from pns.strong.codes import GRUNDY_NUMBER, OUTCOMES, value_name
from pns.strong.fitting import Unfit, fitting_ranking
from pns.strong.folder import HEADER, SLICE, Folder
from pns.strong.lands import LANDS_OF_BLOCK, code_in, read_block
from pns.strong.ranked import PART

NEGATED = (NONE, WIN, DRAW, LOSS)
"""The code of a value for one player by that for the other."""
NO_MOVES = "!"
"""The position that a move leads to which wins at once."""


@dataclass(frozen=True)
class SolutionSlice:
    """The counts of a slice of a strong solution."""

    number: int
    """How many moves lead here from the root; of a list, how many larger slices there are."""
    entries: int
    """Codes that are stored."""
    positions: Dict[str, int]
    """How many positions have each value, Grundy numbers as texts.

    Where positions are ranked, images count each; where they are listed, canonical lands do.
    """
    bytes: int
    """On the disk."""


@dataclass(frozen=True)
class SolvedMove:
    """A move from a position of a strong solution, and its value."""

    position: str
    """The position that it leads to, `!` where it wins at once."""
    value: str
    """ "win", "draw" or "loss" for the player who makes it."""


class StrongSolution:
    """The values of all positions that are reached from a root; `read_solution` opens one.

    Positions are texts in any notation of the game. A position that is not reached from the root
    has no value: None. Blocks are read as they are needed and checked each time; damage raises
    SolutionError. It is closed by `close`, at the end of a `with`, or when nothing refers to it.
    """

    def __init__(self, path: str) -> None:
        folder = Folder(path)
        header = folder.header()
        self.path = path
        self.game: str = header["game"]
        """The name of the game."""
        self.position: str = header["position"]
        """The root."""
        self.lives: Optional[int] = header.get("lives")
        """All lands of at most this many lives are in it; None if it was built from the root."""
        self.kind: str = header["kind"]
        """ "listed" if positions are stored under their text; "ranked" or "sections": a number."""
        self.values: str = header["values"]
        """ "outcome" or "grundy_number"."""
        self.positions: Dict[str, int] = header["positions"]
        """How many positions have each value."""
        self.slices: List[SolutionSlice] = []
        """From the root on."""
        self._digests: List[str] = []
        for record in header["slices"]:
            known = record["slice"], record["entries"], record["positions"], record["bytes"]
            self.slices.append(SolutionSlice(*known))
            self._digests.append(record["digest"])
        self._numbers = {record.get("size"): record["slice"] for record in header["slices"]}
        """The slice of each size of lands."""
        self.bytes = sum([found.bytes for found in self.slices])
        self.bytes += os.path.getsize(os.path.join(path, HEADER))
        """Bytes of all its files."""
        self._folder = folder
        self._rules = named_game(self.game)
        try:
            self._ranking = fitting_ranking(self._rules, header)
        except Unfit as error:
            raise SolutionError("%s: %s" % (os.path.join(path, HEADER), error)) from error
        self._files: Dict[int, BlockFile] = {}
        self._finalizer = weakref.finalize(self, close_all, self._files)

    # --- values ------------------------------------------------------------------------------

    def value(self, position: str) -> Optional[str]:
        """ "win", "draw" or "loss" for the player to move, None if it is not in the solution.

        Raises NotationError.
        """
        if self._ranking is not None:
            return OUTCOMES[self._ranked_code(position)] or None
        codes = [self._sum_code(lands) for lands in questions(self._rules, position)]
        if self.values == GRUNDY_NUMBER:
            return OUTCOMES[WIN if codes[0] > LOSS else codes[0]] or None
        # a draw loses in the first question, and wins in the second
        if codes[0] == WIN or codes[-1] == LOSS:
            return OUTCOMES[codes[0] if codes[0] == WIN else LOSS]
        return None if NONE in codes else OUTCOMES[DRAW]

    def grundy_number(self, position: str) -> Optional[int]:
        """The Grundy number of a position; raises NotationError, and ValueError without such."""
        if self.values != GRUNDY_NUMBER:
            raise ValueError("%s has outcomes and no Grundy numbers" % self.game)
        code = self._sum_code(self._rules.parse(position))
        return code - 1 if code else None

    def misfit(self, game: str) -> str:
        """Why this is not a solution of a game; "" where it is one."""
        wrong = "%s: a solution of %s; expected one of %s" % (self.path, self.game, game)
        return "" if game == self.game else wrong

    def get(self, land: Land) -> int:
        """The number of a land as facts have it, -1 when it is unknown.

        That is its Grundy number, or 0 for a lost land of a game of outcomes: a win is not a fact.
        """
        code = self.code(land)
        return code - 1 if self.values == GRUNDY_NUMBER or code == LOSS else -1

    def code(self, land: Land) -> int:
        """The code of a land (`pns.strong.codes`): of an outcome LOSS or WIN, 0 if it has none."""
        if self._ranking is None:
            return self._land_code(land)
        text = land.decode("ascii")
        try:
            code = self._ranked_code(text)
            if code == DRAW:  # the land says for whom it counts as a win
                return LOSS if questions(self._rules, text)[0] == (land,) else WIN
        except NotationError:
            return NONE
        return code

    def shares_board(self, position: str) -> bool:
        """Whether play from a position may lead to what the solution has, as far as boards tell.

        Raises NotationError.
        """
        ranking = self._ranking
        return not isinstance(ranking, SupportsBoards) or ranking.shares_board(position)

    def stored(self, text: str) -> str:
        """The value of a text that `sample` returned: a Grundy number, or the outcome; "" for none.

        Of a listed game of outcomes that is the outcome of the land. Raises NotationError.
        """
        if self._ranking is not None:
            return self.value(text) or ""
        code = self._sum_code(self._rules.parse(text))
        return value_name(code, self.values) if code else ""

    def sample(self, random: Random) -> str:
        """The text of a position at random, of the listed ones that of a land."""
        weights = [sum(found.positions.values()) for found in self.slices]
        (found,) = random.choices(self.slices, weights)
        file = self._file(found.number)
        if self._ranking is None:
            block, rest = divmod(random.randrange(found.entries), LANDS_OF_BLOCK)
            return file.block(block, read_block)[0][rest].decode("ascii")
        entry = random.randrange(found.entries)
        while not self._entry_code(found.number, entry):
            entry = (entry + 1) % found.entries
        return self._ranking.text(found.number, entry)

    def look(self, position: str, with_moves: bool = False) -> Dict[str, Any]:
        """What it has of a position, as `pns strong look` prints it in JSON; raises as `value`."""
        value = self.value(position)
        has_numbers = self.values == GRUNDY_NUMBER
        found: Dict[str, Any] = {
            "position": position,
            "game": self.game,
            "value": value,
            "grundy_number": self.grundy_number(position) if has_numbers else None,
        }
        if with_moves:
            moves = [] if value is None else self.moves(position)
            found["moves"] = [{"position": move.position, "value": move.value} for move in moves]
        return found

    # --- moves -------------------------------------------------------------------------------

    def moves(self, position: str) -> List[SolvedMove]:
        """All moves from a position, the best first; none where play is over.

        They may be those of an image of the position. Of a listed game with draws these are only
        moves that keep the value. Raises NotationError, and SolutionError if the position is not
        in the solution.
        """
        if self.value(position) is None:
            raise SolutionError("%s is not in %s" % (position, self.path))
        if self._ranking is not None:
            found = self._ranked_moves(position)
        else:
            found = self._listed_moves(position)
        order = {name: -code for code, name in enumerate(OUTCOMES)}
        return sorted(set(found), key=lambda move: (order[move.value], move.position))

    def best_move(self, position: str) -> Optional[SolvedMove]:
        """A move that keeps the value of a position, None where play is over; raises as `moves`."""
        return next(iter(self.moves(position)), None)

    def _ranked_moves(self, position: str) -> List[SolvedMove]:
        assert self._ranking is not None
        found = []
        number, entry = self._ranking.rank(position) or (0, 0)
        for child in self._ranking.children(number, entry):
            if child < 0:
                found.append(SolvedMove(NO_MOVES, OUTCOMES[WIN]))
                continue
            code = NEGATED[self._entry_code(number + 1, child)]
            found.append(SolvedMove(self._ranking.text(number + 1, child), OUTCOMES[code]))
        return found

    def _listed_moves(self, position: str) -> List[SolvedMove]:
        asked = questions(self._rules, position)
        value = self.value(position) or ""
        lands = asked[-1 if value != OUTCOMES[WIN] else 0]
        moves = [(child, self._sum_code(child)) for child in children_of(self._rules, lands)]
        text = self._rules.format
        if len(asked) == 1:
            return [
                SolvedMove(text(child), OUTCOMES[WIN if code == LOSS else LOSS])
                for child, code in moves
            ]
        kept = WIN if value == OUTCOMES[LOSS] else LOSS  # for the other player, in this question
        return [SolvedMove(text(child), value) for child, code in moves if code == kept]

    # --- codes -------------------------------------------------------------------------------

    def _ranked_code(self, text: str) -> int:
        assert self._ranking is not None
        place = self._ranking.rank(text)
        return NONE if place is None else self._entry_code(*place)

    def _entry_code(self, number: int, entry: int) -> int:
        block, rest = divmod(entry, PART)
        return code_at(self._file(number).block(block, bytes), rest)

    def _sum_code(self, lands: Sum) -> int:
        """The code of a sum; of a game of outcomes that of its land."""
        number = 0
        for land in lands:
            code = self._land_code(land)
            if not code or self.values != GRUNDY_NUMBER:
                return code
            number ^= code - 1
        return number + 1

    def _land_code(self, land: Land) -> int:
        number = self._numbers.get(self._rules.estimate(land)[0])
        if number is None:
            return NONE
        file = self._file(number)
        block = bisect.bisect_right(file.about["firsts"], land.decode("ascii")) - 1
        return code_in(file.block(block, read_block), land) if block >= 0 else NONE

    def _file(self, number: int) -> BlockFile:
        file = self._files.get(number)
        if file is None:
            file = self._files[number] = self._folder.open(SLICE, number, self._digests[number])
        return file

    def close(self) -> None:
        """Close its files; it may be called again."""
        self._finalizer()

    def __enter__(self) -> "StrongSolution":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def close_all(files: Dict[int, BlockFile]) -> None:
    """Close some files, and forget them."""
    while files:
        files.popitem()[1].close()


def is_solution(path: str) -> bool:
    """Whether a complete strong solution is in a directory."""
    return Folder(path).is_complete


def read_solution(path: str) -> StrongSolution:
    """Open a strong solution that `pns strong build` has written.

    Raises SolutionError for a directory without one, for damage, and for a game that is not known.
    """
    return StrongSolution(path)
