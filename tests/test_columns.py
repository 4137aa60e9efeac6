"""Columns in little memory: texts in chunks, lists that grow, shrink and move."""

from __future__ import annotations

import random
from typing import Dict, List

import pytest

import pns.columns
from pns.columns import CHUNK, Lists, Texts


def test_lists_are_those_of_a_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pns.columns, "LEAST_UNUSED", 50)
    rng = random.Random(1)
    lists = Lists()
    expected: Dict[int, List[int]] = {}
    closed = 0
    for _ in range(5000):
        i = rng.choice([rng.randrange(40), rng.randrange(3000)])
        length = max(0, len(expected.get(i, [])) + rng.randrange(-3, 9))
        codes = [rng.randrange(1 << 40) for _ in range(length)]
        unused = lists._unused
        lists[i] = codes
        expected[i] = codes
        closed += lists._unused < unused
        some = rng.choice(list(expected))
        assert lists[some] == lists.get(some) == expected[some]
    assert closed > 10
    assert list(lists) == sorted(expected) and len(lists) == len(expected)
    assert all(lists[i] == codes for i, codes in expected.items())
    total = sum(map(len, expected.values()))
    assert lists.bytes() > 5 * total
    lists._close_up()
    assert len(lists._ids) == len(lists._heaps) == total
    assert all(lists[i] == codes for i, codes in expected.items())
    numbers = sorted(lists.number(i) for i in lists)
    assert numbers == list(range(len(lists)))


def test_an_id_without_a_list_has_none() -> None:
    lists = Lists()
    lists[5] = [7 << 8]
    for i in (0, 4, 6, 1000):
        assert i not in lists and lists.number(i) < 0 and lists.get(i) == []
        with pytest.raises(KeyError):
            lists[i]


@pytest.mark.parametrize("length", [3, 40])
def test_texts_in_several_chunks_are_kept_and_restored(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chunks whose texts exceed the room that they were given, and others."""
    monkeypatch.setattr(pns.columns, "CHUNK_BYTES", 1 << 19)
    count = 2 * CHUNK + 1000
    texts, copy = Texts(), Texts()
    for i in range(count):
        texts.append(b"%0*x" % (length if i % 2 else 5, i))
    copy.restore(texts.dump(), texts.ends[:])
    for i in range(count):
        text = b"%0*x" % (length if i % 2 else 5, i)
        if i % 97 == 0 or i > count - 5:
            for store in (texts, copy):
                assert store[i] == text and store.find(text) == i and store.length(i) == len(text)
    assert texts.find(b"none") == copy.find(b"none") == -1
    copy.append(b"none")
    assert copy.find(b"none") == count == len(texts) and copy[count] == b"none"
    assert len(texts.dump()) < texts.bytes()
