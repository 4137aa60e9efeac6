"""The prior: it returns the numbers it was built from, and no result depends on it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import List

import pytest
from helpers.searches import SPROUTS, brute_grundy, numbers_of, reachable
from helpers.solver import Done, run, solve_json

from pns.dfpn import Search
from pns.facts import Facts
from pns.positions import prior
from pns.positions.couple import Couples
from pns.positions.interned import hash_key
from pns.positions.prior import Prior, PriorError
from pns.search.table import Table

pytestmark = pytest.mark.search

SHIPPED = prior.load("sprouts")


def search_with(expectations: Prior) -> Search:
    return Search(Couples(SPROUTS, Facts("sprouts"), 0, expectations), Table(1 << 14))


def test_a_prior_returns_its_numbers_also_after_saving(tmp_path: Path) -> None:
    numbers = {hash_key(b"land %d" % i): i % 15 for i in range(5000)}
    file = tmp_path / "some.prior"
    prior.save(prior.build(numbers, 10_000), "sprouts", str(file))
    loaded = prior.load("sprouts", str(file))
    right = sum(loaded.expected(key) == number for key, number in numbers.items())
    assert right > 0.99 * len(numbers)  # a few share their check bits or find no free slot
    strangers = [hash_key(b"stranger %d" % i) for i in range(5000)]
    assert sum(loaded.expected(key) >= 0 for key in strangers) < 0.01 * len(strangers)


def test_numbers_without_a_free_slot_are_left_out() -> None:
    crowded = prior.build({hash_key(b"%d" % i): 3 for i in range(100)}, 1)
    assert sum(crowded.expected(hash_key(b"%d" % i)) == 3 for i in range(100)) >= prior.PROBES
    assert Prior().expected(7) == prior.build({7: 15}, 4).expected(7) == -1


def test_a_game_without_a_file_has_an_empty_prior() -> None:
    assert prior.load("nim").words == Prior().words


@pytest.mark.parametrize("damage", ["another game", "cut", "longer", "no header"])
def test_a_foreign_or_damaged_file_is_refused(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "bad.prior"
    prior.save(
        prior.build({1: 2}, 50), "kayles" if damage == "another game" else "sprouts", str(file)
    )
    content = file.read_bytes()
    file.write_bytes(
        {"cut": content[:-2], "longer": content + b"12", "no header": b""}.get(damage, content)
    )
    with pytest.raises(PriorError, match="bad.prior is not a prior for sprouts"):
        prior.load("sprouts", str(file))


def test_the_shipped_prior_knows_small_lands() -> None:
    facts = {land.encode(): number for land, number in numbers_of("nimbers.tsv")}
    small = [land for land in facts if SPROUTS.estimate(land)[0] <= 8]
    known = [land for land in small if SHIPPED.expected(hash_key(land)) >= 0]
    assert len(known) > 0.5 * len(small) > 20
    right = sum(SHIPPED.expected(hash_key(land)) == facts[land] for land in known)
    assert right > 0.97 * len(known)


def train(*arguments: object) -> Done:
    return run("train_prior.py", *arguments)


def test_training_is_repeatable_and_right(tmp_path: Path) -> None:
    files = [tmp_path / "a.prior", tmp_path / "b.prior"]
    for file in files:
        done = train("--seeds", "2", "--size", "5", "--out", file, "0*3", "0*4")
        assert done.status == 0, done
    assert files[0].read_bytes() == files[1].read_bytes()
    learned = prior.load("sprouts", str(files[0]))
    known = [land for land in reachable("0*4") if learned.expected(hash_key(land)) >= 0]
    assert len(known) > 20
    for land in known:
        assert learned.expected(hash_key(land)) == brute_grundy(land), land


def test_training_refuses_bad_arguments() -> None:
    done = train("--game", "nim")
    assert done.status == 2 and "nothing to learn from" in done.errors[-1]
    done = train("0*x")
    assert done.status == 2 and "offset 2" in done.errors[0]


def test_no_prior_turns_the_shipped_prior_off() -> None:
    found = [solve_json("--no-db", "--quiet", *more, "0*6") for more in ((), ("--no-prior",))]
    assert [run["outcome"] for run in found] == ["loss", "loss"]
    assert found[0]["expansions"] != found[1]["expansions"]


class WrongPrior(Prior):
    """Expects another number than the shipped prior, or a random one if that has none."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.random = random.Random(seed)

    def expected(self, key: int) -> int:
        number = SHIPPED.expected(key)
        return number + 1 if number >= 0 else self.random.randrange(4)


@pytest.mark.parametrize("expectations", [Prior(), SHIPPED, WrongPrior(1)])
def test_no_result_depends_on_the_prior(expectations: Prior) -> None:
    lands: List[bytes] = reachable("0*3")
    for land in lands:
        assert search_with(expectations).grundy_number(land) == brute_grundy(land), land
    for spots, wins in zip(range(1, 9), [False, False, True, True, True, False, False, False]):
        assert search_with(expectations).outcome((b"0*%d" % spots if spots > 1 else b"0",)) == wins
