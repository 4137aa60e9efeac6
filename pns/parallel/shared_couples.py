"""Couples over the positions that all processes of a search share.

What a process holds of its own are the lists of children of the lands that it visits, folded by the
numbers that it knows. Texts, keys, Grundy numbers and wins are those of all, and the children that
another process has generated are taken over, without reading their texts: processes that
share a table should agree on what their numbers mean. A process that has fewer children of a
land than another one would store the numbers of a larger rest, which look smaller, and generate the
same batches at expansions of its own.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, List, Set, Tuple

from pns.facts import Contradiction, Facts
from pns.game import Game, Land, Sum
from pns.parallel.position_store import FACT_COUNTS, WIN_COUNTS, Half, PositionStore
from pns.parallel.shared_positions import SharedPositions
from pns.positions.columns import CODE_BYTES, LIST_BYTES, Derived, Lists, keep, places
from pns.positions.couple import STATE_BYTES, UNFINISHED_BYTES, Couples
from pns.positions.exchange import FACT
from pns.positions.interned import HEAP, HEAP_BITS, IS_SUM, UNKNOWN, hash_key
from pns.positions.wrapped import more_children_of

BYTES_PER_PLACE = 64
"""About the memory of a list's number, and of the place up to which its children were taken."""
OWN_PART = 2
"""Lists may take 1/OWN_PART of the memory of a process, and its share of the positions the rest."""


class SharedBits:
    """`option_numbers` of all processes below 8, and those of this process above.

    Each number has a byte of its own, so that no process loses what another one writes.
    """

    def __init__(self, half: Half) -> None:
        self._wins, self._bytes = half.wins, half.win_bytes
        self.high: Dict[int, int] = {}

    def __getitem__(self, i: int) -> int:
        low: int = self._wins[i]
        if low:
            low |= low >> 32
            low |= low >> 16
            low = (low | low >> 8) & 0xFF
        if self.high:
            return low | self.high.get(i, 0) << 8
        return low

    def __setitem__(self, i: int, bits: int) -> None:
        at, low = 8 * i, bits & 0xFF
        while low:
            bit = low & -low
            self._bytes[at + bit.bit_length() - 1] = bit
            low ^= bit
        if bits >> 8:
            self.high[i] = bits >> 8


class SparseLists(Lists):
    """Lists of codes for a few of many ids."""

    def __init__(self) -> None:
        super().__init__()
        self._number_of: Dict[int, int] = {}

    def __iter__(self) -> Iterator[int]:
        return iter(list(self._number_of))

    def number(self, i: int) -> int:
        return self._number_of.get(i, -1)

    def _new_number(self, i: int) -> int:
        self._number_of[i] = number = self._add_list()
        return number

    def keep_some(self, stay: bytearray) -> None:
        """Drop the lists whose numbers `stay` does not mark, in place."""
        new_numbers = places(stay)
        self._drop(stay)
        self._number_of = {
            i: new_numbers[number] for i, number in self._number_of.items() if stay[number]
        }

    def bytes(self) -> int:
        return CODE_BYTES * len(self._ids) + LIST_BYTES * len(self._starts)


class SharedCouples(Couples):
    """Couples of a process with a place in `store`, or with -1 of its parent.

    `children_taken` counts the children of other processes that were taken over.
    """

    def __init__(
        self, game: Game, facts: Facts, store: PositionStore, process: int = -1, *options: Any
    ) -> None:
        self.children_taken = 0
        self._generated: List[int] = []
        """The ids of the children that are being generated."""
        self.positions = SharedPositions(store, process)
        self._more_children = more_children_of(game)
        super().__init__(game, facts, *options)

    def forget(self) -> None:
        """Drop every list and every id, and use the half of the positions that is current."""
        self.positions.go_on()
        self._clear()

    def _clear(self) -> None:
        super()._clear()
        half = self.positions.half
        self.keys, self.numbers = half.keys, half.numbers
        self._first, self.branching = half.first, half.second
        self.option_numbers = SharedBits(half)  # type: ignore[assignment]
        self.texts = Derived(self.positions.text)
        self.lists: SparseLists = SparseLists()
        self._seen = (0, 0)
        """What others had found at the last look: facts and wins."""
        self.proved_here: Set[int] = set()
        """The lands whose numbers this process has proved; what it knows of others may be new."""
        self._taken: Dict[int, int] = {}
        """Of lands with a rest: the place up to which their children are in the list."""

    def _parts(self, i: int) -> Tuple[int, ...]:
        return self.positions.lands_of(i) if self.numbers[i] == IS_SUM else ()

    def land(self, text: Land) -> int:
        positions = self.positions
        slot = positions.slot_of(text)
        i = positions.id_in(slot, text)
        if not i:
            branching = self._branching_of(text)
            i = positions.add(slot, text, hash_key(text), branching, self.facts.get(text))
            if self.facts.knows_wins and self.numbers[i] < 0:
                self.option_numbers[i] |= self.facts.option_numbers(text)
        return i

    def _sum_id(self, parts: Tuple[int, ...]) -> int:
        return self.positions.sum_of(parts)

    def find(self, text: Land) -> int:
        return self.positions.find(text)

    def lands(self) -> Iterator[Land]:
        for i in self.positions.lands():
            yield self.texts[i]

    def fold(self, code: int) -> int:
        i, numbers = code >> HEAP_BITS, self.numbers
        number = numbers[i]
        if number != IS_SUM:
            return code if number < 0 else code & HEAP ^ number
        first, second = self._first[i], self.branching[i]
        if numbers[first] == UNKNOWN and numbers[second] == UNKNOWN and first != second:
            return code
        lands = self.positions.lands_of(i)
        if len(lands) > 2 and self._are_unknown(lands):
            return code
        return self._sum_code(lands, code & HEAP)

    def _are_unknown(self, lands: Tuple[int, ...]) -> bool:
        """Whether lands in the order of their ids are unknown and different."""
        before = 0
        for land in lands:
            if land == before or self.numbers[land] != UNKNOWN:
                return False
            before = land
        return True

    # --- memory -------------------------------------------------------------------

    def _own_bytes(self) -> int:
        lists = self.lists.bytes() + (STATE_BYTES + BYTES_PER_PLACE) * len(self.lists)
        return lists + UNFINISHED_BYTES * len(self._unfinished)

    def _shared_bytes(self) -> int:
        """This process's part of the memory of the positions."""
        store = self.positions.store
        return store.used // store.processes

    def bytes(self) -> int:
        return self._own_bytes() + self._shared_bytes()

    @property
    def must_go_on(self) -> bool:
        """Whether processes use another half of the positions, or should."""
        positions = self.positions
        return positions.is_old or positions.half.is_full and positions.store.is_free

    def make_room(self, most_bytes: int) -> None:
        """Keep the lists visited last, in half of `most_bytes`; drop all positions if too many.

        That is for all processes, once all have left the positions that were dropped before.
        """
        positions = self.positions
        if not positions.is_old and (
            positions.half.is_full or self._shared_bytes() > most_bytes // OWN_PART
        ):
            positions.change()
        if positions.is_old:
            self.forget()
        elif self._own_bytes() > most_bytes // OWN_PART:
            self._drop_lists(most_bytes // OWN_PART)

    def _drop_lists(self, most_bytes: int) -> None:
        """Keep the lists that were asked for last, in about `most_bytes`."""
        lists, visits = self.lists, self._visits
        stay, held = bytearray(len(lists)), 0
        for clock, number in self._latest_lists():
            held += STATE_BYTES + BYTES_PER_PLACE + LIST_BYTES
            held += CODE_BYTES * lists.length(number)
            if held > most_bytes:
                break
            stay[number] = 1
            visits[number] = clock
        self._clock = len(lists)
        lists.keep_some(stay)
        for column in (self._generations, visits, self._rests):
            keep(column, stay)
        self._taken = {land: place for land, place in self._taken.items() if land in lists}
        self._unfinished.clear()

    def _count_ids(self) -> int:
        return self.positions.count

    # --- children -----------------------------------------------------------------

    def land_children(self, land: int, heap: int) -> List[int]:
        if land not in self.lists and self._take(land, 0):
            if not self.batch and not self.is_complete(land):
                self.more_children(land, heap)
        codes = super().land_children(land, heap)
        return super().land_children(land, heap) if self.take_shared(land) else codes

    def take_shared(self, land: int) -> bool:
        """Take over children of a land's rest; return whether its list has changed."""
        number = self.lists.number(land)
        if number < 0 or not self._rests[number]:
            return False
        known, positions = self._taken.get(land, 0), self.positions
        newest = int(positions.half.lists[land])
        if positions.count_children(newest) <= positions.count_children(known):
            return False
        return self._take(land, known)

    def _take(self, land: int, known: int) -> bool:
        """Add shared children to the list of a land; return whether it has changed."""
        ids, is_complete, place = self.positions.children(land, known)
        if place == known:
            return False
        self.children_taken += len(ids)
        self._unfinished.pop(land, None)  # it is behind
        if is_complete:
            self._taken.pop(land, None)
        else:
            self._taken[land] = place
        codes = self.lists.get(land)
        new, are_distinct = self._folded(ids)
        if codes:
            listed = set(codes)
            new = [code for code in new if code not in listed]
        self._mix(new)
        if are_distinct and not codes:
            self._store(land, new, not is_complete, self.generation)
        else:
            self._unknown(land, codes + new, not is_complete)
        return True

    def _folded(self, ids: List[int]) -> Tuple[List[int], bool]:
        """The folded codes of ids, and whether they are surely unknown and distinct, as the ids."""
        codes: List[int] = []
        numbers, are_distinct = self.numbers, True
        for i in ids:
            code = i << HEAP_BITS
            if numbers[i] != UNKNOWN:
                folded = self.fold(code)
                if folded != code or not i:
                    code, are_distinct = folded, False
            codes.append(code)
        return codes, are_distinct

    def more_children(self, land: int, heap: int) -> bool:
        del self._generated[:]
        return super().more_children(land, heap)

    def _child_code(self, child: Sum) -> int:
        i = self._id_of(child)
        self._generated.append(i)
        return self.fold(i << HEAP_BITS)

    def _note_generated(self, land: int, are_all: bool) -> None:
        known = self._taken.pop(land, 0)
        place = self.positions.add_children(land, known, self._generated, are_all)
        if not are_all:
            self._taken[land] = place

    def _id_of(self, lands: Sum) -> int:
        """The id of a position as the game gives it, not folded."""
        if len(lands) == 1:
            return self.land(lands[0])
        return self.positions.sum_of(sorted([self.land(text) for text in lands]))

    def _unfinished_of(self, land: int) -> Iterator[Sum]:
        found = self._unfinished.pop(land, None)
        return found or iter(self._behind(land, self._taken.get(land, 0)))

    def _behind(self, land: int, known: int) -> Iterable[Sum]:
        """The children of a land behind those up to a place."""
        text = self.texts[land]
        if not known:
            return self.game.children(text)
        texts = [self._texts_of(i) for i in self.positions.children_up_to(known)]
        if self._more_children:
            return self._more_children(text, texts)
        given = set(texts)
        return (child for child in self.game.children(text) if child not in given)

    def _texts_of(self, i: int) -> Sum:
        """A position as the game gives it, from its id."""
        return tuple(sorted([self.texts[land] for land in self.positions.lands_of(i) if land]))

    # --- facts and wins -----------------------------------------------------------

    def prove(self, land: int, number: int) -> None:
        known = self.numbers[land]
        if 0 <= known != number:  # published too, so that the receiver can name both sources
            text = self.texts[land]
            self.exchange.publish(FACT, number, text)
            raise Contradiction(text, known, number)
        super().prove(land, number)
        self.proved_here.add(land)
        self.note_fact()

    def note_fact(self) -> None:
        """Let all processes know that a number has become known."""
        self.positions.store.count(FACT_COUNTS, self.positions.process)

    def publish_win(self, land: int, heap: int) -> None:
        """Let the others look whether it is on their lines; they know it since it was noted."""
        self.positions.store.count(WIN_COUNTS, self.positions.process)

    def exchange_records(self) -> bool:
        """Look for facts and wins of others; return whether there are new ones."""
        store, process = self.positions.store, self.positions.process
        facts = store.count_of_others(FACT_COUNTS, process)
        wins = store.count_of_others(WIN_COUNTS, process)
        seen, self._seen = self._seen, (facts, wins)
        if facts != seen[0]:
            self.generation += 1
        return self._seen != seen
