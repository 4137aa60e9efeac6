"""The index of stores: levels, keys of the same tag, and the memory that a small search touches."""

from __future__ import annotations

import random
from typing import Any, List

from pns.parallel.store_index import LEAST_BUCKETS, StoreIndex, index_words, level_buckets, tag_of
from pns.positions.interned import hash_key

SLOT_WORDS, WIDTH = 2, 2
FIRST = 3
KEYS = [hash_key(b"land %d" % i) for i in range(4000)]


def index_of(buckets: int) -> StoreIndex:
    return StoreIndex(
        [0] * (FIRST + index_words(buckets, SLOT_WORDS, WIDTH)), FIRST, buckets, SLOT_WORDS, WIDTH
    )


def put(index: StoreIndex, key: int, value: int) -> bool:
    """Write a value for a key, if it has a place; return whether it has."""
    place = index.place(key)
    if place >= 0:
        index.words[place] = tag_of(key)
        index.words[place + 1] = value
    return place >= 0


def written(index: StoreIndex) -> List[int]:
    """The slots with a tag."""
    return [i for i in range(FIRST, len(index.words), SLOT_WORDS) if index.words[i]]


def test_levels_grow_and_end_with_the_size_that_was_asked_for() -> None:
    for buckets in (1, 7, 1000, 16 * LEAST_BUCKETS - 1, 16 * LEAST_BUCKETS, 10**6, 10**7):
        levels = level_buckets(buckets)
        assert levels[-1] == buckets and levels == sorted(levels)
        assert len(levels) == 1 or LEAST_BUCKETS <= levels[0] < 16 * LEAST_BUCKETS
        assert index_words(buckets, 3, 2) == 6 * sum(levels) < 6 * buckets * 1.07 + 6


def test_keys_are_found_with_their_last_values() -> None:
    index = index_of(1 << 16)
    rng, values = random.Random(1), {}
    for value in range(20_000):
        key = rng.choice(KEYS)
        assert put(index, key, value)
        values[key] = value
    assert {key: index.words[index.find(key) + 1] for key in values} == values
    assert len(written(index)) == len({tag_of(key) for key in values})
    assert all(index.find(hash_key(b"other %d" % i)) < 0 for i in range(4000))


def test_few_entries_are_in_the_first_levels() -> None:
    """So the pages of the last level are not touched, neither by entries nor by look-ups."""
    index = index_of(1 << 20)
    touched = set()

    class Words(List[int]):
        def __getitem__(self, i: Any) -> Any:
            touched.add(i)
            return super().__getitem__(i)

    index.words = Words(index.words)
    for key in KEYS:
        assert put(index, key, 1)
    for i in range(4000):
        index.find(hash_key(b"other %d" % i))
    last = len(index.words) - SLOT_WORDS * 2 * (1 << 20)
    assert sum(i >= last for i in touched) < 20
    assert len(touched) > 1.5 * len(KEYS)


def test_a_full_index_has_no_place_but_that_of_another_key() -> None:
    index = index_of(4)
    placed = [key for key in KEYS if put(index, key, 7)]
    assert 4 <= len(placed) <= 8 and len(written(index)) == len(placed)
    other = next(key for key in KEYS if index.find(key) < 0 and index.place(key) < 0)
    slot = index.taken(other)
    index.words[slot] = tag_of(other)
    assert index.find(other) == slot and len(written(index)) == len(placed)


def test_wide_buckets_hold_nearly_as_many_entries_as_they_have_slots() -> None:
    for width, least in ((1, 2000), (2, 2400), (8, 3000)):
        buckets = len(KEYS) // width
        words = [0] * index_words(buckets, SLOT_WORDS, width)
        index = StoreIndex(words, 0, buckets, SLOT_WORDS, width)
        assert sum(put(index, key, 1) for key in KEYS) > least


def test_stale_slots_are_places() -> None:
    index = index_of(4)
    for key in KEYS:
        put(index, key, 7)
    other = next(key for key in KEYS if index.find(key) < 0)
    assert index.place(other) < 0 and index.place(other, lambda slot: False) < 0
    stale = index.taken(other)
    assert index.place(other, lambda slot: slot == stale) == stale
