"""Couples P + *n of interned positions and heaps: their children, and what is known of them.

What is known of a land P is stored under its exact text, not a hash: its Grundy
number, and `option_numbers`, the set of Grundy numbers that its children are known
to have. P + *n is a win if n is in that set, so every win rests on facts.

Children may be generated in batches: up to one that the prior expects to be a loss, `batch` at
most. What is left is the rest, which a search takes for one more child until it asks for it.
Only a list without a rest proves a Grundy number.
"""

from __future__ import annotations

from random import Random
from typing import Dict, Iterator, List, Optional, Set, Tuple

from pns.exchange import ALONE, FACT, WIN, Exchange
from pns.facts import Facts
from pns.game import Game, Land, Sum, TooLarge
from pns.interned import (
    BYTES_PER_ID,
    BYTES_PER_TEXT,
    BYTES_PER_WIN,
    HEAP,
    HEAP_BITS,
    Interned,
    hash_key,
)
from pns.prior import Prior

BYTES_PER_LIST, BYTES_PER_CHILD = 200, 12
"""About the memory of a list of children and of an entry, with what the collector needs."""
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
        self._rereads_facts = rereads_facts
        self.prior = prior or Prior()
        self.heap_keys = [hash_key(b"*%d" % n) if n else 0 for n in range(HEAP + 1)]
        self.children_generated = 0
        self._random = Random(seed) if seed else None
        super().__init__(game, facts)

    def _clear(self) -> None:
        super()._clear()
        self._lists: Dict[int, List[int]] = {}
        """The children of lands that were generated, and the generation of each list."""
        self._generations: Dict[int, int] = {}
        self._partial: Set[int] = set()
        """The lands whose lists have a rest."""
        self._unfinished: Dict[int, Iterator[Sum]] = {}
        self._visits: Dict[int, int] = {}
        """When the list of a land was asked for last, counted in calls."""
        self._clock = 0
        self.child_count = 0

    def bytes(self) -> int:
        lists = BYTES_PER_LIST * len(self._lists) + BYTES_PER_CHILD * self.child_count
        return super().bytes() + lists + UNFINISHED_BYTES * len(self._unfinished)

    def make_room(self, most_bytes: int) -> None:
        """Keep the lists of the lands visited last, in about `most_bytes`; renumbers all ids.

        Positions that are in no list that stays are dropped. What others found of lands without
        an id stays if it takes no more than half.
        """
        lists, generations, visits = self._lists, self._generations, self._visits
        partial = self._partial
        wins = self._wins if BYTES_PER_WIN * len(self._wins) <= most_bytes // 2 else {}
        held = BYTES_PER_WIN * len(wins)
        live = bytearray(len(self.store))
        stay = []
        for land in sorted(lists, key=visits.__getitem__, reverse=True):
            codes = lists[land]
            held += BYTES_PER_LIST + BYTES_PER_CHILD * len(codes) + self._mark(live, land)
            held += sum([self._mark(live, code >> HEAP_BITS) for code in codes])
            if held > most_bytes:
                break
            stay.append(land)
        new_ids = self.keep(live)
        self._wins = wins
        for land in reversed(stay):
            new, codes = new_ids[land], lists[land]
            self._lists[new] = [
                new_ids[code >> HEAP_BITS] << HEAP_BITS | code & HEAP for code in codes
            ]
            self._generations[new] = generations[land]
            if land in partial:
                self._partial.add(new)
            self._note_visit(new)
            self.child_count += len(codes)

    def _mark(self, live: bytearray, i: int) -> int:
        """Mark an id and the lands of a sum; return the bytes that they take beside the others."""
        held = 0
        for land in (i, *self._parts(i)):
            if not live[land]:
                live[land] = 1
                held += self.store.length(land) + BYTES_PER_TEXT + BYTES_PER_ID
        return held

    def _note_visit(self, land: int) -> None:
        self._clock += 1
        self._visits[land] = self._clock

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
        return children

    def smaller_heaps(self, land: int, heap: int) -> List[int]:
        """The children of land + *heap by a move in the heap that are not known to be wins."""
        option_numbers = self.option_numbers[land]
        return [land << HEAP_BITS | n for n in range(heap) if not option_numbers >> n & 1]

    def land_children(self, land: int, heap: int) -> List[int]:
        """The codes of a land's children that are not known yet, folded and distinct.

        Children of its rest are missing. Known ones are in `option_numbers` instead; when one
        is worth *heap the others do not matter, and the list may be empty. The list is the
        stored one: it is valid until `generation` changes.
        """
        codes = self._lists.get(land)
        if codes is None:
            self.more_children(land, heap)
            return self._lists.get(land, [])
        self._note_visit(land)
        if self._generations[land] != self.generation:
            fold = self.fold
            changed = False
            for code in codes:
                if fold(code) != code:
                    changed = True
                    break
            self._generations[land] = self.generation
            if changed:
                codes = self._unknown(land, [fold(code) for code in codes])
        return codes

    def is_complete(self, land: int) -> bool:
        """Whether the list of a land, which must exist, has all children."""
        return land not in self._partial

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
        codes = self._lists.get(land, [])
        listed = set(codes)
        new: List[int] = []
        generator = self._unfinished_of(land)
        is_won = is_enough = False
        for child in generator:
            self.children_generated += 1
            code = self.code(child)
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
        if is_enough:
            self._suspend(land, generator)
            self._partial.add(land)
        else:
            self._partial.discard(land)
        if self._random:
            self._random.shuffle(new)
        self._unknown(land, codes + new)
        return not is_won

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
        most = min(MOST_UNFINISHED, 1 + len(self.store) // LANDS_PER_UNFINISHED)
        if len(self._unfinished) >= most:
            del self._unfinished[next(iter(self._unfinished))]
        self._unfinished[land] = generator

    def _unknown(self, land: int, codes: List[int]) -> List[int]:
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
        self._note_visit(land)
        self.child_count += len(unknown) - len(self._lists.get(land, ()))
        self._lists[land] = unknown
        self._generations[land] = self.generation
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
            if self.apply(kind, number, text):
                changed = True
        return changed

    def apply(self, kind: int, number: int, text: Land) -> bool:
        """Apply a record; return whether a land with an id changed. Raises Contradiction."""
        if kind == FACT:
            self.facts.add(text, number)
        land = self.find(text)
        if not land:
            if kind == WIN:
                self._wins[text] = self._wins.get(text, 0) | 1 << number
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

        It may be read step by step while the search goes on; later wins may be missing.
        """
        waiting = list(self._wins.items())
        texts, numbers, option_numbers = self.texts, self.numbers, self.option_numbers
        for i in range(1, len(self.store)):
            if option_numbers[i] and numbers[i] < 0:
                for n in bits_of(option_numbers[i]):
                    yield texts[i], n
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
