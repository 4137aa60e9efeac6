"""Checks Grundy numbers entry by entry, in any order, without any search.

The options of a position are its children, the positions after one move. known(X) is the
xor of the entries of X's lands, if all of them are entries. An entry Q -> n holds if

(a) for every i < n some option of Q has known = i, and
(b) every option Q' of Q has known(Q') != n, or some option of Q' has known = n.

If all entries hold, all are right, by induction on the number of moves left: (a) and
(b) rest on positions with fewer moves, and say that n is the least number that no
option has. A position is won if some option has known = 0, and lost if its own is 0.
"""

from __future__ import annotations

from typing import Callable, Dict, NamedTuple, Set

from pns.game import Land, Sum, shown
from pns.proofs.rules import Rules, work_for

UNKNOWN = -1
CACHED_LANDS = 200_000
"""Lands whose option numbers are cached; at this size the cache is cleared."""

Lookup = Callable[[Land], int]
"""The Grundy number that the entries give a land, UNKNOWN if it is not an entry."""


def known(lands: Sum, lookup: Lookup) -> int:
    """The xor of the entries of the lands, UNKNOWN if one of them is missing."""
    number = 0
    for land in lands:
        found = lookup(land)
        if found < 0:
            return UNKNOWN
        number ^= found
    return number


def without_pairs(lands: Sum) -> Sum:
    """A position without lands that occur twice.

    >>> without_pairs((b"0", b"12", b"12", b"12", b"2", b"2"))
    (b'0', b'12')
    """
    return tuple(sorted([land for land in set(lands) if lands.count(land) % 2]))


class Fault(NamedTuple):
    """An entry that does not hold, and why."""

    land: Land
    number: int
    why: str


class Checker:
    """Checks single entries, and claims, against all entries as ``lookup`` gives them.

    With ``cancel``, two equal lands need not be entries: P + P has Grundy number 0 whatever
    that of P is, since the second player can mirror every move. The search uses this, so
    its databases may need it. With ``growing``, entries may be added between two checks.
    """

    def __init__(
        self, rules: Rules, lookup: Lookup, cancel: bool = False, growing: bool = False
    ) -> None:
        self._rules = rules
        self._lookup = lookup
        self._cancel = cancel
        self._growing = growing
        self._option_numbers: Dict[Land, int] = {}
        """Bit n: some option of the land is known to have number n."""
        self._complete: Set[Land] = set()
        """Lands whose options have all been examined for that."""

    def known(self, lands: Sum) -> int:
        """The Grundy number that a position is known to have, or UNKNOWN."""
        number = self._known(lands)
        if number < 0:
            for simpler in self._rules.simpler(lands):
                number = self._known(simpler)
                if number >= 0:
                    break
        return number

    def _known(self, lands: Sum) -> int:
        number = known(lands, self._lookup)
        if number < 0 and self._cancel and len(set(lands)) < len(lands):
            number = known(without_pairs(lands), self._lookup)
        return number

    def land_has_option(self, land: Land, number: int) -> bool:
        """Whether some option of a land has known = number."""
        option_numbers = self._option_numbers.get(land, 0)
        if option_numbers >> number & 1:
            return True
        if land in self._complete:
            return False
        if len(self._option_numbers) >= CACHED_LANDS:
            self._option_numbers.clear()
            self._complete.clear()
        for child in self._rules.candidate_children(land):
            value = self.known(child)
            if value >= 0:
                option_numbers |= 1 << value
                if value == number:
                    break
        else:
            if not self._growing:
                self._complete.add(land)
        self._option_numbers[land] = option_numbers
        return bool(option_numbers >> number & 1)

    def has_option(self, lands: Sum, number: int) -> bool:
        """Whether some option of a position has known = number."""
        if self._has_option(lands, number):
            return True
        return any([self._has_option(simpler, number) for simpler in self._rules.simpler(lands)])

    def _has_option(self, lands: Sum, number: int) -> bool:
        if self._cancel and len(set(lands)) < len(lands):
            if self._has_option_as_is(without_pairs(lands), number):
                return True
        return self._has_option_as_is(lands, number)

    def _has_option_as_is(self, lands: Sum, number: int) -> bool:
        lookup = self._lookup
        unknown = b""
        for land in lands:
            found = lookup(land)
            if found >= 0:
                number ^= found
            elif unknown:
                return False  # every option leaves an unknown land
            else:
                unknown = land
        if unknown:
            return self.land_has_option(unknown, number)
        # All are known; number is now the xor by which the move has to change the sum.
        return any([self.land_has_option(land, lookup(land) ^ number) for land in lands])

    def shows_win(self, land: Land, number: int) -> bool:
        """Whether the entries show land + *number to be won by a move in the land.

        Raises TooExpensive.
        """
        with work_for(self._rules, "entry", (land,)):
            return self.land_has_option(land, number)

    def why_bad(self, land: Land, number: int) -> str:
        """Why the entry land -> number does not hold; empty if it does. Raises TooExpensive."""
        with work_for(self._rules, "entry", (land,)):
            return self._why_bad(land, number)

    def _why_bad(self, land: Land, number: int) -> str:
        found = 0
        unanswered: Sum = ()
        for child in self._rules.children(self._rules.key(land)):
            value = self.known(child)
            if value == number:
                return "its option %s has this number too" % shown(child)
            if value >= 0:
                found |= 1 << value
            elif not unanswered and not self.has_option(child, number):
                unanswered = child
        missing = [i for i in range(number) if not found >> i & 1]
        if missing:
            return "no option is known to have Grundy number %d" % missing[0]
        if unanswered:
            return "of its option %s neither the number nor an option with number %d is known" % (
                shown(unanswered),
                number,
            )
        return ""

    def why_unproved(self, lands: Sum, wins: bool) -> str:
        """Why the entries do not show that a position (of keys) is won, or lost; or empty.

        Raises TooExpensive.
        """
        value = self.known(lands)
        if wins:
            with work_for(self._rules, "the claim", lands):
                if self.has_option(lands, 0):
                    return ""
            why = "no option is known to have Grundy number 0"
        else:
            if value == 0:
                return ""
            why = "its Grundy number is not known"
        return "its Grundy number is known as %d" % value if value >= 0 else why
