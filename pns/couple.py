"""Couples P + *n: positions and heaps as ints, with known lands folded into the heap.

Positions are interned: id 0 is the empty position, every other id a land or a
sum of two or more different lands. A code is ``id << 8 | n`` and stands for the
couple P + *n. Since a land of known Grundy number g is worth *g, codes are kept
folded: every land in them is unknown, and a code below 256 is a bare heap, a
loss when it is 0 and a win otherwise. Two equal lands cancel.

What is known of a land P is stored under its exact text, not a hash: its Grundy
number, and `option_numbers`, the set of Grundy numbers that its children are known
to have. P + *n is a win if n is in that set, so every win rests on facts.
"""

from __future__ import annotations

from random import Random
from typing import Dict, Iterable, Iterator, List, Optional, Protocol, Tuple, TypeVar

from pns.exchange import ALONE, FACT, WIN, Exchange
from pns.facts import Facts
from pns.game import Game, Land, Sum, TooLarge
from pns.prior import Prior

HEAP_BITS = 8
HEAP = (1 << HEAP_BITS) - 1
"""The largest heap that a code holds, and the mask of its bits."""
KEY_PRIME, KEY_FACTOR = 7853981633974483123, 6180339887498948483
"""A prime below 2**63 without special form, and a multiplier that spreads short texts."""
MOST_BRANCHING = 1 << 20
"""Larger estimates are cut, so that proof numbers do not overflow."""


T = TypeVar("T")


class Column(Protocol[T]):
    """One value for each id: a list, or a more compact sequence with the same operations."""

    def __getitem__(self, i: int, /) -> T: ...

    def __setitem__(self, i: int, value: T, /) -> None: ...

    def append(self, value: T, /) -> None: ...


def hash_key(text: bytes) -> int:
    """A hash below 2**63, the same in every process: the text as a number, modulo a prime."""
    return int.from_bytes(text, "little") * KEY_FACTOR % KEY_PRIME


def bits_of(bits: int) -> List[int]:
    """The places of the bits that are set.

    >>> bits_of(0b1101)
    [0, 2, 3]
    """
    return [n for n in range(bits.bit_length()) if bits >> n & 1]


class Couples:
    """The interned positions of a game, their children, and what facts say about them.

    Lists are indexed by id; `forget` empties them and invalidates all ids. Facts and wins
    are published by `exchange`. `rereads_facts` is for facts that others add to: an unknown
    land is then looked up again at every visit.
    """

    def __init__(
        self,
        game: Game,
        facts: Facts,
        seed: int = 0,
        prior: Optional[Prior] = None,
        exchange: Exchange = ALONE,
        rereads_facts: bool = False,
    ) -> None:
        self.game = game
        self.facts = facts
        self.exchange = exchange
        self.proved = 0
        """The number of facts proved by `prove`."""
        self._rereads_facts = rereads_facts
        self.prior = prior or Prior()
        self.heap_keys = [hash_key(b"*%d" % n) if n else 0 for n in range(HEAP + 1)]
        self.children_generated = 0
        self._random = Random(seed) if seed else None
        self.forget()

    def forget(self) -> None:
        """Drop every id; facts stay."""
        self.ids: Dict[Land, int] = {}
        self.sum_ids: Dict[Tuple[int, ...], int] = {}
        self.texts: Column[Land] = [b""]
        no_parts: List[Tuple[int, ...]] = [()]
        self.parts: Column[Tuple[int, ...]] = no_parts
        """The ids of a sum's lands; empty for a land."""
        self.keys: Column[int] = [0]
        self.numbers: Column[int] = [0]
        """The Grundy number of a land, -1 while it is unknown."""
        self.option_numbers: Column[int] = [0]
        """Bit n is set if a child of the land is known to have Grundy number n."""
        self.branching: Column[int] = [0]
        self.generation = 0
        """Grows whenever a Grundy number becomes known."""
        self._land_children: List[Optional[List[int]]] = [None]
        self._generations: List[int] = [0]
        self.child_count = 0
        self._wins: Dict[Land, int] = {}
        """`option_numbers` of lands, as published by others before the land had an id."""

    def size(self) -> int:
        """The size of all lists: 1 for a code in a list of children, 8 for an id, 2 for a win."""
        return 8 * len(self._generations) + self.child_count + 2 * len(self._wins)

    def land(self, text: Land) -> int:
        """The id of a land."""
        i = self.ids.get(text, 0)
        if not i:
            branching = min(self.game.estimate(text)[1], MOST_BRANCHING)
            i = self._new_id(text, (), hash_key(text), self.facts.get(text), branching)
            self.ids[text] = i
        return i

    def _new_id(
        self, text: Land, parts: Tuple[int, ...], key: int, number: int, branching: int
    ) -> int:
        i = len(self._generations)
        self.texts.append(text)
        self.parts.append(parts)
        self.keys.append(key)
        self.numbers.append(number)
        self.option_numbers.append(self._wins.get(text, 0) if self._wins else 0)
        self.branching.append(branching)
        self._land_children.append(None)
        self._generations.append(-1)
        return i

    def code(self, lands: Sum) -> int:
        """The folded code of a position."""
        if len(lands) == 1:
            i = self.land(lands[0])
            number = self.numbers[i]
            return number if number >= 0 else i << HEAP_BITS
        return self._sum_code([self.land(text) for text in lands], 0)

    def _sum_code(self, lands: Iterable[int], heap: int) -> int:
        unknown: List[int] = []
        for i in sorted(lands):
            number = self.numbers[i]
            if number >= 0:
                heap ^= number
            elif unknown and unknown[-1] == i:
                unknown.pop()
            else:
                unknown.append(i)
        if len(unknown) < 2:
            return (unknown[0] if unknown else 0) << HEAP_BITS | heap
        return self._sum_id(tuple(unknown)) << HEAP_BITS | heap

    def _sum_id(self, parts: Tuple[int, ...]) -> int:
        i = self.sum_ids.get(parts, 0)
        if not i:
            key = 0
            for land in parts:
                key ^= self.keys[land]
            i = self._new_id(b"", parts, key, -1, 0)
            self.sum_ids[parts] = i
        return i

    def fold(self, code: int) -> int:
        """The code with all lands that are known by now folded into its heap."""
        i = code >> HEAP_BITS
        parts = self.parts[i]
        if not parts:
            number = self.numbers[i]
            return code if number < 0 else code & HEAP ^ number
        for land in parts:
            if self.numbers[land] >= 0:
                return self._sum_code(parts, code & HEAP)
        return code

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
        parts, option_numbers = self.parts, self.option_numbers
        children: List[int] = []
        for code in self.land_children(land, heap):
            child = code ^ heap
            i = child >> HEAP_BITS
            if parts[i] or not option_numbers[i] >> (child & HEAP) & 1:
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

        Known children are in `option_numbers` instead; when one of them is worth
        *heap the others do not matter, and the list may be empty. The list is the
        stored one: it is valid until `generation` changes.
        """
        codes = self._land_children[land]
        if codes is None:
            return self._generate(land, heap)
        if self._generations[land] != self.generation:
            fold = self.fold
            changed = False
            for code in codes:
                if fold(code) != code:
                    changed = True
                    break
            self._generations[land] = self.generation
            if changed:
                self.child_count -= len(codes)
                codes = self._unknown(land, [fold(code) for code in codes])
        return codes

    def _generate(self, land: int, heap: int) -> List[int]:
        """Generate children until one is known to be worth *heap; store them only if none is."""
        if self.option_numbers[land] >> heap & 1:
            return []
        codes: List[int] = []
        for child in self.game.children(self.texts[land]):
            self.children_generated += 1
            code = self.code(child)
            if code <= HEAP:
                self.option_numbers[land] |= 1 << code
                if code == heap:
                    return []
            else:
                codes.append(code)
        if self._random:
            self._random.shuffle(codes)
        return self._unknown(land, codes)

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
        self._land_children[land] = unknown
        self._generations[land] = self.generation
        self.child_count += len(unknown)
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
        for i in range(1, len(self._generations)):
            if option_numbers[i] and numbers[i] < 0:
                for n in bits_of(option_numbers[i]):
                    yield texts[i], n
        for text, bits in waiting:
            if not self.find(text) and self.facts.get(text) < 0:
                for n in bits_of(bits):
                    yield text, n

    def find(self, text: Land) -> int:
        """The id of a land, 0 if it has none."""
        return self.ids.get(text, 0)

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
