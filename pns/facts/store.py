"""Grundy numbers of lands, proved, under their exact text, in memory; the calls of every store."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Type, TypeVar

from pns.facts.database import FactsError
from pns.system import lifeline

Fact = Tuple[bytes, int]
AnyFacts = TypeVar("AnyFacts", bound="Facts")

LARGEST_NUMBER = 250


class Contradiction(FactsError):
    """Two Grundy numbers for one land: one of their sources is wrong."""

    def __init__(self, land: bytes, known: int, number: int) -> None:
        super().__init__(
            "contradiction: %s has Grundy number %d, but %d is known already"
            % (land.decode("ascii", "backslashreplace"), number, known)
        )
        self.land = land
        self.known = known
        self.number = number

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickle the arguments: the default would pass the message instead."""
        return Contradiction, (self.land, self.known, self.number)


class BadEntry(FactsError):
    """A record of a database that is not a fact; the message names it and the fault.

    ``number`` is -1 where the record has none.
    """

    def __init__(self, path: str, land: bytes, number: int, wrong: str) -> None:
        super().__init__("%s: entry %s" % (path, wrong))
        self.path = path
        self.land = land
        self.number = number
        self.wrong = wrong

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickle the arguments: the default would pass the message instead."""
        return BadEntry, (self.path, self.land, self.number, self.wrong)


BadEntryHandler = Callable[[BadEntry], object]
"""Called with each bad entry that a reader meets."""


def raise_bad_entry(entry: BadEntry) -> None:
    """The default handler: end reading at the first bad entry."""
    raise entry


def check_number(land: bytes, number: int) -> None:
    """Raise FactsError for a number that cannot be stored, TypeError for anything but a fact."""
    if not isinstance(land, bytes) or not isinstance(number, int):
        raise TypeError("invalid fact %a; expected (bytes, int)" % ((land, number),))
    if not 0 <= number <= LARGEST_NUMBER:
        raise FactsError(
            "%s: Grundy number %d cannot be stored; expected 0 to %d"
            % (land.decode("ascii", "backslashreplace"), number, LARGEST_NUMBER)
        )


class Facts:
    """Facts of one game in memory, and the calls that every store of facts has.

    ``new`` counts the facts added through this object, ``stored`` those of them that are
    durably on the disk: none here. ``path`` is the file that holds them, None where they
    are in memory only. ``trouble`` says why the last flush failed; it is "" if it did not.

    >>> facts = Facts("nim")
    >>> facts.get(b"3")
    -1
    >>> facts.add(b"3", 3)
    >>> facts.get(b"3"), len(facts)
    (3, 1)
    """

    path: Optional[str] = None
    knows_wins = False
    """Whether `option_numbers` has to be asked about lands whose number is unknown."""

    def __init__(self, game_name: str) -> None:
        self.game_name = game_name
        self.new = 0
        self.stored = 0
        self.trouble = ""
        self._numbers: Dict[bytes, int] = {}

    def get(self, land: bytes) -> int:
        """The land's Grundy number, -1 when it is unknown."""
        return self._numbers.get(land, -1)

    def option_numbers(self, land: bytes) -> int:
        """Bit n is set if land + *n is known to be a win, other than by facts."""
        return 0

    def add(self, land: bytes, number: int) -> None:
        """Add a proved Grundy number; raises Contradiction if another is known."""
        check_number(land, number)
        known = self.get(land)
        if known == number:
            return
        if known >= 0:
            raise Contradiction(land, known, number)
        self._numbers[land] = number
        self.new += 1

    def supply(self, facts: Iterable[Fact]) -> None:
        """Add facts from elsewhere, which `new` and `stored` do not count; raises Contradiction."""
        new, stored = self.new, self.stored
        for land, number in facts:
            self.add(land, number)
        if self.new > new:
            self.try_flush()
        self.new, self.stored = new, stored

    def withdraw(self, facts: Iterable[Fact]) -> None:
        """Remove the given facts, as far as they are known with exactly these numbers."""
        for land, number in facts:
            if self._numbers.get(land) == number:
                del self._numbers[land]
                self.new -= 1

    def items(self, on_bad: BadEntryHandler = raise_bad_entry) -> Iterator[Fact]:
        """All (land, Grundy number), sorted by land; ``on_bad`` gets the bad entries.

        The caller checks whether each text is a canonical land.
        """
        return iter(sorted(self._numbers.items()))

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def waiting(self) -> int:
        """The number of facts that wait in memory to be stored."""
        return 0

    def in_memory(self) -> List[Fact]:
        """The facts that are in no file, in the order in which they were added."""
        return list(self._numbers.items())

    def flush(self) -> None:
        """Store new facts, and read from now on what other processes have stored."""

    def try_flush(self) -> None:
        """Flush; if that fails, the facts wait in memory, and `trouble` says why.

        Raises Contradiction.
        """
        try:
            self.flush()
        except Contradiction:
            raise
        except FactsError as error:
            self.trouble = str(error)
        else:
            self.trouble = ""

    def tick(self) -> None:
        """`try_flush`, if the last flush was a second ago; call it several times a second."""

    def fork(self) -> Tuple[int, int]:
        """Fork as `lifeline.fork` does; the child may only read these facts."""
        return lifeline.fork()

    def close(self) -> None:
        """Flush, and release what is held."""

    def __enter__(self: AnyFacts) -> AnyFacts:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()
