"""Columns in little memory: texts in chunks, lists that grow, shrink and move."""

from __future__ import annotations

import random
from array import array
from typing import Dict, List, Tuple

import pytest

import pns.positions.columns
from pns.positions.columns import CHUNK, Bits, Lists, Texts, keep, places

pytestmark = pytest.mark.search


def test_lists_are_those_of_a_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pns.positions.columns, "LEAST_UNUSED", 50)
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
    monkeypatch.setattr(pns.positions.columns, "CHUNK_BYTES", 1 << 19)
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


def test_values_that_are_kept_move_up() -> None:
    rng = random.Random(2)
    for share in (0.0, 0.3, 1.0):
        values = [rng.randrange(1 << 30) for _ in range(1000)]
        live = bytes([rng.random() < share for _ in values])
        column = array("i", values)
        keep(column, live)
        assert list(column) == [value for value, is_live in zip(values, live) if is_live]
        new = places(live)
        assert all(column[new[i]] == values[i] for i in range(len(values)) if live[i])
        assert not any(new[i] for i in range(len(values)) if not live[i])


def test_bits_that_are_kept_have_new_indices() -> None:
    bits = Bits()
    values = [1 << n for n in (0, 3, 9, 200, 7, 12, 1)]
    for value in values:
        bits.append(value)
    live = [1, 0, 1, 0, 1, 1, 0]
    bits.keep(live, places(live))
    assert [bits[i] for i in range(4)] == [values[i] for i in (0, 2, 4, 5)] and len(bits.high) == 2


@pytest.mark.parametrize("lengths", [(5, 40), (40, 5), (12, 12)])
@pytest.mark.parametrize("share", [0.01, 0.6, 0.95])
def test_texts_that_are_kept_are_numbered_anew(
    lengths: Tuple[int, int], share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where later texts are longer, so that a chunk that is filled again has to grow."""
    monkeypatch.setattr(pns.positions.columns, "CHUNK_BYTES", 1 << 19)
    rng = random.Random(3)
    half = CHUNK + 500
    expected = [b"%0*x" % (lengths[i // half], i) for i in range(2 * half)]
    texts = Texts()
    for text in expected:
        texts.append(text)
    for turn in range(2):
        live = bytes([rng.random() < share for _ in expected])
        dropped = [text for text, is_live in zip(expected, live) if not is_live]
        expected = [text for text, is_live in zip(expected, live) if is_live]
        before = texts.bytes()
        texts.keep(live)
        texts.index_again()
        assert len(texts) == len(expected) and texts.bytes() < before
        assert texts.dump() == b"".join(expected)
        assert all(texts.find(text) == i for i, text in enumerate(expected))
        assert all(texts.find(text) < 0 for text in dropped[::50])
        for i in range(half // (turn + 1)):
            expected.append(b"more %d %d" % (turn, i))
            texts.append(expected[-1])
        assert [texts[i] for i in range(len(texts))] == expected


def test_a_text_is_replaced_by_one_as_long() -> None:
    texts = Texts()
    for text in (b"one", b"two", b"three"):
        texts.append(text)
    texts.replace(1, b"six")
    texts.index_again()
    assert [texts[i] for i in range(3)] == [b"one", b"six", b"three"]
    assert texts.find(b"two") < 0 and texts.find(b"six") == 1


def test_lists_that_are_kept_have_new_ids_and_numbers() -> None:
    rng = random.Random(4)
    ids = 500
    for share in (0.0, 0.4, 1.0):
        lists = Lists()
        for _ in range(800):
            i = rng.randrange(1, ids)
            lists[i] = [rng.randrange(1, ids) << 8 | rng.randrange(256) for _ in range(i % 7)]
        listed = sorted(lists, key=lists.number)
        stay = bytes([rng.random() < share for _ in listed])
        kept = [i for i, stays in zip(listed, stay) if stays]
        live = bytearray(ids + 10)
        live[0] = 1
        for i in kept:
            live[i] = 1
            for code in lists[i]:
                live[code >> 8] = 1
        new = places(live)
        expected = {new[i]: [new[c >> 8] << 8 | c & 255 for c in lists[i]] for i in kept}
        lists.keep(stay, new)
        assert sorted(lists, key=lists.number) == [new[i] for i in kept]
        assert {i: lists[i] for i in lists} == expected
        assert len(lists._ids) == sum(map(len, expected.values()))
        lists[ids + 5] = [3 << 8]
        assert lists[ids + 5] == [3 << 8] and len(lists) == len(kept) + 1
