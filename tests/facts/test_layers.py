"""Facts in layers: the first that knows a land answers, and is named; nothing is copied."""

from __future__ import annotations

from pathlib import Path
from typing import Dict

import pytest

from pns.facts import Facts, FactsError, database, open_facts
from pns.facts.layers import FutureDatabase, Layer, LayeredFacts, package_layer


def layer(name: str, numbers: Dict[bytes, int]) -> Layer:
    facts = Facts("nim")
    facts.supply(numbers.items())
    return Layer(name, "database", facts)


@pytest.fixture
def layers() -> LayeredFacts:
    one = layer("one", {b"3": 3, b"7": 7})
    return LayeredFacts("nim", [one, layer("two", {b"2": 2, b"3": 4, b"5": 5})])


def test_the_first_layer_that_knows_a_land_answers(layers: LayeredFacts) -> None:
    assert [layers.get(land) for land in (b"3", b"5", b"6")] == [3, 5, -1]
    found = [layers.source_of(land) for land in (b"3", b"5", b"6")]
    assert [one and one.name for one in found] == ["one", "two", None]
    assert [one.name for one in layers.sources_of([b"5", b"3", b"5", b"6"])] == ["one", "two"]


def test_each_land_is_listed_once(layers: LayeredFacts) -> None:
    listed = [(land, number, one.name) for land, number, one in layers.listed()]
    assert listed == [(b"2", 2, "two"), (b"3", 3, "one"), (b"5", 5, "two"), (b"7", 7, "one")]
    assert list(layers.items()) == [(land, number) for land, number, _ in listed]


def test_layers_are_read_where_they_are(layers: LayeredFacts) -> None:
    facts = layers.layers[1].facts
    assert isinstance(facts, Facts)
    facts.add(b"9", 9)
    assert layers.get(b"9") == 9
    with pytest.raises(FactsError):
        layers.add(b"8", 8)
    assert layers.get(b"8") == -1


@pytest.mark.skipif(database.LMDB is None, reason="no LMDB here")
def test_a_database_may_come_into_being_later(tmp_path: Path) -> None:
    path = str(tmp_path / "own.lmdb")
    own = Layer(path, "database", FutureDatabase(path, "sprouts"))
    layers = LayeredFacts("sprouts", [own, package_layer("sprouts")])
    assert layers.source_of(b"0*5") == package_layer("sprouts")
    layers.flush()
    assert not (tmp_path / "own.lmdb").exists()
    with open_facts(path, "sprouts") as facts:
        facts.add(b"0*5", 1)
    layers.flush()
    assert layers.source_of(b"0*5") == own
    layers.close()
