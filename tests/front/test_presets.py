"""The published algorithms: each option changes what it names, and every answer stays right."""

from __future__ import annotations

import json
import random
from typing import Any, Dict, List, Tuple

import pytest
from helpers.masters import master_of
from helpers.searches import SPROUTS, brute_grundy, reachable
from helpers.solver import solve as run_solve
from helpers.trees import TreeGame

import pns
from pns.choices import (
    ALGORITHMS,
    AT_ONCE,
    DFPN_BATCH,
    EPSILON,
    ITERATIONS,
    NEVER,
    ONE,
    ORDERS,
    PAPER,
    PUBLISHED,
    SHARING,
    SMALLEST,
    TREE_BATCH,
    WITH_JOBS,
    WITH_MASTER,
)
from pns.dfpn import Search
from pns.facts import Facts
from pns.front.options import OptionError, Options
from pns.game import check_land
from pns.jobs.protocol import GO_ON, JobReport
from pns.positions.couple import Couples
from pns.positions.prior import Prior
from pns.positions.tree_couples import TreeCouples
from pns.positions.wrapped import ordered
from pns.search.nodes import Nodes
from pns.search.table import Table
from pns.tree import TreeSearch

pytestmark = pytest.mark.search

LOCAL = [name for name in ALGORITHMS if name not in WITH_MASTER]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_as_published_decides_the_small_positions(algorithm: str) -> None:
    more: Dict[str, Any] = {"processes": 2} if algorithm in ("pdfpn", "spdfpn") else {}
    if algorithm in WITH_MASTER:
        more = {"workers": 2, "iterations": 20}
    for spots in (2, 5) if more else range(1, 8):
        options = Options.preset(PAPER, algorithm, **more)
        result = pns.solve("0*%d" % spots, options=options)
        assert result.outcome == ("win" if spots % 6 in (3, 4, 5) else "loss"), spots


@pytest.mark.parametrize("algorithm", LOCAL)
@pytest.mark.parametrize("count", [5, pytest.param(40, marks=pytest.mark.slow)])
def test_grundy_numbers_as_published(algorithm: str, count: int) -> None:
    lands = random.Random(3).sample(sorted(reachable("0*4")), count)
    for land in lands:
        more = {"processes": 2} if algorithm in ("pdfpn", "spdfpn") else {}
        options = Options.preset(PAPER, algorithm, grundy=True, **more)
        assert pns.solve(land.decode(), options=options).grundy_number == brute_grundy(land), land


@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(6, 40), marks=pytest.mark.slow)])
def test_random_games_with_every_order_of_sums_and_children(seeds: range) -> None:
    for seed in seeds:
        game: Any = TreeGame(seed, 5, 4)
        lands = (b"0", b"1", b"2")
        wanted = game.grundy(lands) != 0
        for first_land in (False, True):
            for order in ORDERS:
                couples = Couples(ordered(game, order), Facts("tree"), seed, Prior(start=ONE))
                search = Search(couples, Table(1 << 8), first_land=first_land)
                assert search.outcome(lands) == wanted, (seed, first_land, order)


def test_leaves_start_at_1_and_1() -> None:
    prior = Prior(start=ONE)
    for couples in (Couples, TreeCouples):
        some = couples(SPROUTS, Facts("sprouts"), prior=prior)
        code = some.land(b"0*7") << 8
        assert some.start_numbers(code) == (1, 1)
        other = couples(SPROUTS, Facts("sprouts"))
        assert other.start_numbers(other.land(b"0*7") << 8) == (1, 1 + SPROUTS.estimate(b"0*7")[1])


def test_a_prior_keeps_its_expectations_with_other_start_numbers() -> None:
    prior = pns.Prior()
    assert prior.starting(prior.start) is prior
    assert prior.starting(ONE).words is prior.words


def test_smallest_games_first() -> None:
    game, land = ordered(SPROUTS, SMALLEST), b"0*2.AB|0.AB"
    sizes = [size_of(child) for child in game.children(land)]
    assert sizes == sorted(sizes)
    assert sorted(game.children(land)) == sorted(SPROUTS.children(land))
    assert [size_of(child) for child in SPROUTS.children(land)] != sizes
    check_land(game, land)


def size_of(lands: Tuple[bytes, ...]) -> List[int]:
    return [sum([SPROUTS.estimate(land)[i] for land in lands]) for i in range(2)]


def test_a_tree_generates_all_children_at_once() -> None:
    generated: Dict[int, int] = {}
    for batch in (1, 0):
        result = pns.solve("0*7", algorithm="pns", batch=batch, prior=Prior())
        assert result.outcome == "loss"
        generated[batch] = result.usage.children_generated
    assert generated[0] > generated[1]


LANDS = tuple(sorted([b"0*4.A|0.A", b"0*6"]))
"""A sum whose first land is 0*4.A|0.A, which has fewer moves left than 0*6 and a later id."""


def test_the_lands_of_a_sum_are_sorted_by_moves_left_then_children_then_text() -> None:
    couples = Couples(SPROUTS, Facts("sprouts"))
    lands = [couples.land(text) for text in (b"0*6", b"0*4.A|0.A", b"0*3", b"0*5")]
    order = []
    while lands:
        order.append(couples.first_of(lands))
        lands.remove(order[-1])
    found = [(*SPROUTS.estimate(couples.texts[land]), couples.texts[land]) for land in order]
    assert found == sorted(found) and found[0][2] == b"0*3"


@pytest.mark.parametrize("is_tree", [False, True])
def test_the_first_land_of_a_sum_is_searched(is_tree: bool) -> None:
    """Until it is known no other land is visited; by default the search goes to and fro."""
    visited: Dict[bool, List[bytes]] = {}
    for first_land in (False, True):
        seen: List[bytes] = []

        def observe(search: Any, seen: List[bytes] = seen) -> None:
            line, couples = search.line, search.couples
            if len(line) > 1 and len(couples.parts[line[0] >> 8]) == 2:
                text = couples.texts[line[1] >> 8]
                if text in LANDS and couples.fold(line[0]) == line[0]:
                    seen.append(text)

        kept: Dict[str, Any] = {"first_land": first_land, "observer": observe, "observe_every": 1}
        if is_tree:
            search: Any = TreeSearch(
                TreeCouples(SPROUTS, Facts("sprouts"), prior=Prior(start=ONE)),
                Nodes(1 << 16),
                **kept,
            )
        else:
            couples = Couples(SPROUTS, Facts("sprouts"), prior=Prior(start=ONE))
            search = Search(couples, Table(1 << 14), **kept)
        search.outcome(LANDS)
        visited[first_land] = seen
    assert set(visited[True]) == {b"0*4.A|0.A"}
    assert set(visited[False]) == set(LANDS)


def test_the_published_order_of_children() -> None:
    """By moves left plus four times the heap, then more lands, then fewer children."""
    game, land = ordered(SPROUTS, PUBLISHED), b"0*2.AB|0.AB"

    def rank(lands: Tuple[bytes, ...], heap: int = 0) -> Tuple[int, int, int]:
        size, branching = size_of(lands)
        return size + 4 * heap, -len(lands), branching

    ranks = [rank(child) for child in game.children(land)]
    assert ranks == sorted(ranks) and len({lands for _, lands, _ in ranks}) > 1
    assert sorted(game.children(land)) == sorted(SPROUTS.children(land))
    check_land(game, land)
    for kind in (Couples, TreeCouples):
        for seed in (0, 1):
            couples = kind(game, Facts("sprouts"), seed)
            couples.batch = 0
            for heap in (0, 2):
                codes = couples.children(couples.land(land), heap)
                found = [
                    rank(
                        tuple([couples.texts[i] for i in couples.parts[c >> 8] or (c >> 8,)]),
                        c & 255,
                    )
                    for c in codes
                ]
                assert found == sorted(found)
                heaps = [code & 255 for code in codes]
                assert heap == 0 or heaps != sorted(heaps, reverse=True)  # *0 and *1 come between


def test_jobs_end_by_expansions_only() -> None:
    master = master_of("0*7", iterations=40, job_end=ITERATIONS)
    master.join("a", "sprouts", 0.0)
    spec = master.get("a", 0.0).spec
    assert spec and (spec.iterations, spec.least) == (40, 40)
    assert min(spec.limits[:3]) == max(spec.limits[:3])


@pytest.mark.parametrize("sharing", SHARING)
def test_facts_travel_as_the_policy_says(sharing: str) -> None:
    master = master_of("0*7", iterations=40, sharing=sharing)
    for name in ("a", "b"):
        master.join(name, "sprouts", 0.0)
    spec = master.get("a", 0.0).spec
    assert spec and not master.add_facts("b", [(b"1a1a", 0)], 0.0).facts
    report = JobReport(spec.job, spec.land, spec.heap, 1, 1, 1, 1, 0.1, 1, [])
    reply = master.update("a", report, 0.0)
    assert reply.status == GO_ON
    assert bool(reply.facts) == (sharing == AT_ONCE)
    master.submit("a", report, None, 0.0)
    assert bool(master.get("a", 0.0).facts) == (sharing == WITH_JOBS)
    assert not (sharing == NEVER and len(master.knowledge.log) == 0)


def test_a_preset_gives_way_to_options() -> None:
    options = Options.preset(PAPER, "pdfpn", epsilon=0.5, seed=2)
    assert (options.epsilon, options.seed, options.counting) == (0.5, 2, "everywhere")
    assert Options.preset(PAPER, "dfpn").counting == Options().counting
    with pytest.raises(OptionError, match="preset: unknown value 'papers'; expected one of paper"):
        Options.preset("papers")


def test_the_command_line_has_the_preset() -> None:
    words = ("--no-db", "--json", "--preset", "paper", "0*6")
    plain, seeded = solve_json(*words), solve_json(*words, "--seed", "2")
    assert plain["expansions"] > solve_json("--no-db", "--json", "0*6")["expansions"]
    assert plain["expansions"] != seeded["expansions"]
    options = Options.preset(PAPER, "dfpn")
    assert plain["expansions"] == pns.solve("0*6", options=options).usage.expansions


def solve_json(*words: str) -> Any:
    done = run_solve(*words)
    assert done.status == 0, done.errors
    return json.loads(done.output[0])


@pytest.mark.parametrize(
    "words, wanted",
    [
        (("--counting", "everywhere"), "argument --counting: only pdfpn and pns-pdfpn have it"),
        (
            ("--algorithm", "spdfpn", "--batch", "3"),
            "argument --batch: only dfpn, pdfpn, pns, pn2, pns-pdfpn and ppn2 have it, not spdfpn",
        ),
        (("--work-limit", "0"), "argument --work-limit: invalid count '0'"),
        (("--work-limit", "9"), "argument --work-limit: only spdfpn has it, not dfpn"),
        (
            ("--algorithm", "spdfpn", "--sum-order", "first"),
            "argument --sum-order: only dfpn, pns and pn2 have",
        ),
        (("--sharing", "never"), "argument --sharing: only pns-pdfpn and ppn2 have it"),
        (("--job-end", "iterations"), "argument --job-end: only pns-pdfpn and ppn2 have it"),
    ],
)
def test_options_are_refused_where_they_do_not_fit(words: Any, wanted: str) -> None:
    done = run_solve("--no-db", *words, "0*3")
    assert (done.status, len(done.errors)) == (2, 1)
    assert wanted in done.errors[0]


@pytest.mark.parametrize("algorithm", ["dfpn", "pdfpn", "spdfpn", "pns", "pn2", "pns-pdfpn"])
def test_epsilon_and_batches_are_used_where_they_were_measured_to_pay(algorithm: str) -> None:
    options, is_tree = Options(algorithm), algorithm in ("pns", "pn2")
    assert options.epsilon_for("sprouts") == (0.0 if is_tree else EPSILON)
    assert options.epsilon_for("cram") == 0.0
    batch = TREE_BATCH if is_tree else 0 if algorithm == "spdfpn" else DFPN_BATCH
    assert options.batch_for("sprouts") == batch
    assert options.batch_for("cram") == (TREE_BATCH if is_tree else 0)
    for value in (options.epsilon_for, options.batch_for):
        assert value("sprouts-misere") == value("sprouts")
    given = Options(algorithm, epsilon=0.5, batch=3)
    assert (given.epsilon_for("cram"), given.batch_for("cram")) == (0.5, 3)


def test_workers_have_the_epsilon_and_the_batches_of_their_search() -> None:
    for algorithm, batch in (("pns-pdfpn", DFPN_BATCH), ("ppn2", TREE_BATCH)):
        options = Options(algorithm)
        assert options.worker_policy("cram").epsilon == options.job_policy("cram").epsilon == 0.0
        policy = options.worker_policy("sprouts")
        assert (policy.epsilon, policy.batch) == (EPSILON, batch)
    assert Options("pns-pdfpn", processes=2).worker_policy("sprouts").batch == 0
    given = Options("pns-pdfpn", processes=2, batch=3).worker_policy("sprouts")
    assert given.of_processes()["batch"] == 3
