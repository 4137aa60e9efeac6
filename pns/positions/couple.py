"""Couples P + *n of interned positions and heaps: their children, and what is known of them.

What is known of a land P is stored under its exact text, not a hash: its Grundy
number, and `option_numbers`, the set of Grundy numbers that its children are known
to have. P + *n is a win if n is in that set, so every win rests on facts.

Children may be generated in batches: up to one that the prior expects to be a loss, `batch` at
most. What is left is the rest, which a search takes for one more child until it asks for it.
Only a list without a rest proves a Grundy number.
"""

from __future__ import annotations

from array import array
from random import Random
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from pns.facts import Facts
from pns.game import Game, Land, Sum, TooLarge
from pns.positions.columns import CODE_BYTES, LIST_BYTES, NUMBER_BYTES, Lists, keep
from pns.positions.exchange import ALONE, FACT, WIN, Exchange
from pns.positions.interned import (
    BYTES_PER_ID,
    BYTES_PER_TEXT,
    HEAP,
    HEAP_BITS,
    HEAP_KEYS,
    Interned,
)
from pns.positions.prior import Prior
from pns.positions.waiting_wins import WaitingWins
from pns.positions.wrapped import PublishedOrder, find_wrapper

STATE_BYTES = 17
"""The memory of what `Couples` says of a list: its generation, its last visit, its rest."""
MOST_UNFINISHED, LANDS_PER_UNFINISHED = 1000, 128
"""Suspended generators: at most MOST_UNFINISHED, and one for LANDS_PER_UNFINISHED lands.

The children of other lands are generated from the start again, and known ones skipped.
"""
UNFINISHED_BYTES = 8000
"""About the memory of a suspended generator."""


def bits_of(bits: int) -> List[int]:
    """The places of the bits that are set.

    >>> bits_of(0b1101)
    [0, 2, 3]
    """
    return [n for n in range(bits.bit_length()) if bits >> n & 1]


class Couples(Interned):
    """The interned positions of a game, their children, and what facts say about them.

    Facts and wins are published by `exchange`. `rereads_facts` is for facts that others add
    to: an unknown land is then looked up again at every visit. `batch` is the largest number of
    unknown children that are generated at a time, 0 for all.
    """

    batch = 0
    rest_share = 8
    """The rest has the disproof number 1 + branching // rest_share."""

    def __init__(
        self,
        game: Game,
        facts: Facts,
        seed: int = 0,
        prior: Optional[Prior] = None,
        exchange: Exchange = ALONE,
        rereads_facts: bool = False,
    ) -> None:
        self.exchange = exchange
        self.proved = 0
        """The number of facts proved by `prove`."""
        self.records_read = 0
        """The number of records that others have published and that were applied here."""
        self._rereads_facts = rereads_facts
        self.prior = prior or Prior()
        self.heap_keys = HEAP_KEYS
        self.children_generated = 0
        self._random = Random(seed) if seed else None
        self._order = find_wrapper(game, PublishedOrder)
        super().__init__(game, facts)

    def _clear(self) -> None:
        super()._clear()
        self.lists = Lists()
        """The children of lands that were generated."""
        self._generations = array("q")
        """By number of a list: the generation that its codes are folded for."""
        self._visits = array("q")
        """By number of a list: when it was asked for last, counted in calls."""
        self._clock = 0
        self._rests = array("b")
        """By number of a list: 1 if it has a rest, else 0."""
        self._unfinished: Dict[int, Iterator[Sum]] = {}

    def bytes(self) -> int:
        lists = self.lists.bytes() + STATE_BYTES * len(self.lists)
        return super().bytes() + lists + UNFINISHED_BYTES * len(self._unfinished)

    def make_room(self, most_bytes: int) -> None:
        """Keep the lists of the lands visited last, in about `most_bytes`; renumbers all ids.

        Positions that are in no list that stays are dropped. What others found of lands without
        an id stays if it takes no more than half.
        """
        lists, visits = self.lists, self._visits
        wins = self._wins if self._wins.bytes() <= most_bytes // 2 else WaitingWins()
        held = wins.bytes()
        lands = array("I", bytes(4 * len(lists)))
        for land in lists:
            lands[lists.number(land)] = land
        live, stay = bytearray(len(self.store)), bytearray(len(lists))
        for clock, number in self._latest_lists():
            land = lands[number]
            codes = lists[land]
            held += STATE_BYTES + LIST_BYTES + CODE_BYTES * len(codes) + self._mark(live, land)
            held += sum([self._mark(live, code >> HEAP_BITS) for code in codes])
            if held > most_bytes:
                break
            stay[number] = 1
            visits[number] = clock
        self._clock = len(lists)
        with self._whole():
            new_ids = self.keep(live)
            self._wins = wins
            lists.keep(stay, new_ids)
            for column in (self._generations, visits, self._rests):
                keep(column, stay)

    def _latest_lists(self) -> Iterator[Tuple[int, int]]:
        """(its rank by the last visit, its number) of each list, the latest first."""
        visits = self._visits
        order = sorted([visits[number] << 32 | number for number in range(len(self.lists))])
        for rank in range(len(order), 0, -1):
            yield rank, order[rank - 1] & 0xFFFFFFFF

    def keep(self, live: bytearray) -> "array[int]":
        new_ids = super().keep(live)
        self._unfinished.clear()
        return new_ids

    def _mark(self, live: bytearray, i: int) -> int:
        """Mark an id and the lands of a sum; return the bytes that they take beside the others."""
        held = 0
        for land in (i, *self._parts(i)):
            if not live[land]:
                live[land] = 1
                held += self.store.length(land) + BYTES_PER_TEXT + BYTES_PER_ID + NUMBER_BYTES
        return held

    def _note_visit(self, number: int) -> None:
        """Note that a list was asked for."""
        self._clock += 1
        self._visits[number] = self._clock

    def _store(self, land: int, codes: List[int], has_rest: bool, generation: int) -> None:
        """Store the list of a land, which is asked for now."""
        self.lists[land] = codes
        number = self.lists.number(land)
        if number == len(self._visits):
            for column in (self._generations, self._visits, self._rests):
                column.append(0)
        self._generations[number] = generation
        self._rests[number] = has_rest
        self._note_visit(number)

    def children(self, land: int, heap: int) -> List[int]:
        """The children of land + *heap that are not known to be wins, in the order to try them.

        If a child is known to be a loss, `option_numbers` contains the heap and the list means
        nothing.
        """
        if self._rereads_facts and self.numbers[land] < 0:
            number = self.facts.get(self.texts[land])
            if number >= 0:
                self.numbers[land] = number
                self.generation += 1
        option_numbers = self.option_numbers  # of a sum it has no bits
        children: List[int] = []
        for code in self.land_children(land, heap):
            child = code ^ heap
            if not option_numbers[child >> HEAP_BITS] >> (child & HEAP) & 1:
                children.append(child)
        if heap:
            children += self.smaller_heaps(land, heap)
        if self._order:
            children.sort(key=self._rank)
        return children

    def _rank(self, code: int) -> Tuple[int, int, int]:
        """What the published order sorts a folded couple by."""
        assert self._order
        i = code >> HEAP_BITS
        return self._order.rank(
            tuple([self.texts[land] for land in self.parts[i] or (i,)]), code & HEAP
        )

    def first_of(self, lands: Sequence[int]) -> int:
        """The land with the fewest moves left, then children, then the first text [cizek2025]."""
        texts, estimate = self.texts, self.game.estimate
        return min(lands, key=lambda land: (estimate(texts[land]), texts[land]))

    def _mix(self, codes: List[int]) -> None:
        """Shuffle new children by the seed, if there is one, and sort them again."""
        if self._random:
            self._random.shuffle(codes)
            if self._order:
                codes.sort(key=self._rank)

    def smaller_heaps(self, land: int, heap: int) -> List[int]:
        """The children of land + *heap by a move in the heap that are not known to be wins."""
        option_numbers = self.option_numbers[land]
        return [land << HEAP_BITS | n for n in range(heap) if not option_numbers >> n & 1]

    def land_children(self, land: int, heap: int) -> List[int]:
        """The codes of a land's children that are not known yet, folded and distinct.

        Children of its rest are missing. Known ones are in `option_numbers` instead; when one
        is worth *heap the others do not matter, and the list may be empty. It is valid until
        `generation` changes.
        """
        lists = self.lists
        number = lists.number(land)
        if number < 0:
            self.more_children(land, heap)
            return lists.get(land)
        self._note_visit(number)
        codes = lists[land]
        if self._generations[number] != self.generation:
            fold = self.fold
            changed = False
            for code in codes:
                if fold(code) != code:
                    changed = True
                    break
            self._generations[number] = self.generation
            if changed:
                folded = [fold(code) for code in codes]
                codes = self._unknown(land, folded, bool(self._rests[number]))
        return codes

    def is_complete(self, land: int) -> bool:
        """Whether the list of a land, which must exist, has all children."""
        return not self._rests[self.lists.number(land)]

    def rest_numbers(self, land: int) -> Tuple[int, int]:
        """The proof and disproof number of all children of a land not yet generated."""
        return 1, 1 + self.branching[land] // self.rest_share

    def more_children(self, land: int, heap: int) -> bool:
        """Generate a batch of children, up to one that is, or is expected to be, worth *heap.

        False if one is known to be worth *heap; `option_numbers` then contains the heap, and
        a land without a list gets none.
        """
        if self.option_numbers[land] >> heap & 1:
            return False
        codes = self.lists.get(land)
        listed = set(codes)
        new: List[int] = []
        generator = self._unfinished_of(land)
        is_won = is_enough = False
        for child in generator:
            self.children_generated += 1
            code = self._child_code(child)
            if code <= HEAP:
                self.option_numbers[land] |= 1 << code
                is_enough = is_won = code == heap
            elif code not in listed:
                new.append(code)
                is_enough = self._is_enough(len(new), code ^ heap)
            if is_enough:
                break
        if is_won and not codes:
            return False
        self._note_generated(land, not is_enough)
        if is_enough:
            self._suspend(land, generator)
        self._mix(new)
        self._unknown(land, codes + new, is_enough)
        return not is_won

    def _child_code(self, child: Sum) -> int:
        """The folded code of a child that was generated."""
        return self.code(child)

    def _note_generated(self, land: int, are_all: bool) -> None:
        """React to children of a land that were generated, and join its list."""

    def _is_enough(self, count: int, child: int) -> bool:
        """Whether a batch is full or ends with a promising child."""
        return self.batch > 0 and (count >= self.batch or self._is_promising(child))

    def _is_promising(self, child: int) -> bool:
        """Whether a folded couple is expected to be a loss and not known to be a win."""
        land, heap = child >> HEAP_BITS, child & HEAP
        return self._expected_of(land) == heap and not self.option_numbers[land] >> heap & 1

    def _expected_of(self, i: int) -> int:
        """The Grundy number that the prior expects of a land, -1 if none, or for a sum."""
        return -1 if self.is_sum(i) else self.prior.expected(self.keys[i])

    def _unfinished_of(self, land: int) -> Iterator[Sum]:
        """The suspended generator of a land's children, or a new one."""
        return self._unfinished.pop(land, None) or iter(self.game.children(self.texts[land]))

    def _suspend(self, land: int, generator: Iterator[Sum]) -> None:
        """Keep a generator of children; drop the one that has waited longest if they are many."""
        most = min(MOST_UNFINISHED, 1 + self._count_ids() // LANDS_PER_UNFINISHED)
        if len(self._unfinished) >= most:
            del self._unfinished[next(iter(self._unfinished))]
        self._unfinished[land] = generator

    def _unknown(self, land: int, codes: List[int], has_rest: bool) -> List[int]:
        """Store the unknown ones of a land's children and note the numbers of the others."""
        seen = set()
        unknown: List[int] = []
        option_numbers = self.option_numbers[land]
        for code in codes:
            if code <= HEAP:
                option_numbers |= 1 << code
            elif code not in seen:
                seen.add(code)
                unknown.append(code)
        self.option_numbers[land] = option_numbers
        self._store(land, unknown, has_rest, self.generation)
        return unknown

    def least_heap(self, land: int) -> int:
        """The least n for which P + *n is not known to be a win: a lower bound of gn(P)."""
        option_numbers = self.option_numbers[land]
        n = 0
        while option_numbers >> n & 1:
            n += 1
        if n > HEAP:
            raise TooLarge("a Grundy number above %d cannot be held" % HEAP)
        return n

    def least_couple(self, land: int) -> int:
        """The couple that stands for an unknown land of a sum: the land beside its least heap."""
        return land << HEAP_BITS | self.least_heap(land)

    def start_numbers(self, code: int) -> Tuple[int, int]:
        """The initial proof and disproof number of an unknown atomic couple."""
        i = code >> HEAP_BITS
        prior = self.prior
        return prior.start_numbers(prior.expected(self.keys[i]), self.branching[i], code & HEAP)

    def prove(self, land: int, number: int) -> None:
        """Publish a proved Grundy number and write it to the facts; raises Contradiction.

        A contradicting number is published too, so that the receiver can name both sources.
        """
        text = self.texts[land]
        self.exchange.publish(FACT, number, text)
        self.facts.add(text, number)
        self.proved += 1
        self.numbers[land] = number
        self.generation += 1

    def publish_win(self, land: int, heap: int) -> None:
        """Publish that facts show land + *heap to be a win."""
        self.exchange.publish(WIN, heap, self.texts[land])

    def exchange_records(self) -> bool:
        """Apply what others have published; return whether a land with an id changed."""
        changed = False
        for kind, number, text in self.exchange.poll():
            self.records_read += 1
            if self.apply(kind, number, text):
                changed = True
        return changed

    def apply(self, kind: int, number: int, text: Land) -> bool:
        """Apply a record; return whether a land with an id changed. Raises Contradiction."""
        if kind != WIN:
            self.facts.add(text, number)
        land = self.find(text)
        if not land:
            if kind == WIN:
                self._wins.add(text, 1 << number)
            return False
        if kind == WIN:
            return self.note(land, 1 << number)
        if self.numbers[land] >= 0:
            return False
        self.numbers[land] = number
        self.generation += 1
        return True

    def wins(self) -> Iterator[Tuple[Land, int]]:
        """(land, n) for each unknown land that is known to have a child worth *n.

        It may be read step by step while the search goes on, which may also drop lands; later wins
        and those of lands that got other indices may be missing.
        """
        waiting = self._wins
        i = 1
        while i < len(self.store):
            if self.option_numbers[i] and self.numbers[i] < 0:
                land = self.texts[i]
                for n in bits_of(self.option_numbers[i]):
                    yield land, n
            i += 1
        for text, bits in waiting:
            if not self.find(text) and self.facts.get(text) < 0:
                for n in bits_of(bits):
                    yield text, n

    def note(self, land: int, option_numbers: int) -> bool:
        """Add bits to `option_numbers` of a land; return whether any of them is new."""
        known = self.option_numbers[land]
        if not option_numbers & ~known:
            return False
        self.option_numbers[land] = known | option_numbers
        return True

    def describe(self, code: int) -> str:
        """The text of a code, for people: 0*2.A|A + *1."""
        i, heap = code >> HEAP_BITS, code & HEAP
        lands = [self.texts[land] for land in self.parts[i] or (i,) if land]
        text = self.game.format(tuple(sorted(lands))) if lands else ""
        return text + " + *%d" % heap if text and heap else text or "*%d" % heap
