"""What docs/errata.md says about the papers, checked on small examples."""

from __future__ import annotations

import csv
import math
from typing import Dict, List, Optional, Tuple

import pytest
from helpers.paths import OUTCOMES, ROOT
from helpers.trees import PlainTree, TreeGame, leaves_of_dfpn

import pns.dfpn
from pns.search.bounds import INF, dt_of_child, mt_of_land
from pns.search.bounds import ROOT as NO_LIMITS

pytestmark = pytest.mark.search

Tree = Tuple["Tree", ...]
"""A game tree: the children of a node, none at a terminal, which is a loss."""
INFINITE = float("inf")


class Node:
    """A node of plain proof-number search in negamax form; leaves start at (1, 1)."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.children: Optional[List[Node]] = None
        self.pn, self.dn = (1.0, 1.0) if tree else (INFINITE, 0.0)

    def step(self) -> None:
        """Expand the most proving leaf, the first among equals, and update the path to it."""
        if self.children is None:
            self.children = [Node(child) for child in self.tree]
        else:
            min(self.children, key=lambda child: child.dn).step()
        self.pn = min(child.dn for child in self.children)
        self.dn = sum(child.pn for child in self.children)

    def terminals_of_proof(self) -> float:
        """The terminals of the smallest proof in the tree expanded so far."""
        if not self.tree:
            return 1
        if self.children is None or (self.pn and self.dn):
            return INFINITE
        sizes = [child.terminals_of_proof() for child in self.children if child.pn in (0, INFINITE)]
        return min(
            [child.terminals_of_proof() for child in self.children if child.dn == 0],
            default=sum(sizes),
        )


WIN_IN_ONE: Tree = ((),)


def chain(length: int) -> Tree:
    """A loss with a reply to learn at each of `length` steps, and length + 1 terminals."""
    return (WIN_IN_ONE, (chain(length - 1),)) if length else (WIN_IN_ONE,)


def test_proof_number_search_need_not_find_a_smallest_proof() -> None:
    wide: Tree = (WIN_IN_ONE,) * 3
    root = Node((chain(10), wide))
    while root.pn and root.dn:
        root.step()
    whole = Node((wide,))
    while whole.pn and whole.dn:
        whole.step()
    assert (root.pn, root.terminals_of_proof(), whole.terminals_of_proof()) == (0, 11, 3)


def test_delta_at_most_the_parents_phi_does_not_keep_the_most_proving_node() -> None:
    """The path g, p, n, c: after c is expanded, δ(n) = 1 is not above φ(p) = 1."""
    leaf: Tree = (WIN_IN_ONE,)
    c: Tree = (leaf, leaf)
    n: Tree = (c,)
    p: Tree = (n,)
    g = Node((p, leaf))
    for _ in range(3):
        g.step()
    assert g.children is not None
    first = g.children[0]
    phi_before = first.pn
    g.step()
    assert first.children is not None
    changed = first.children[0]
    assert (changed.pn, changed.dn, phi_before) == (2, 1, 1)  # changed, and δ(n) <= φ(p)
    assert g.children[1].dn < first.dn  # but the most proving node is no longer below p


def test_equation_12_is_right_for_the_first_land_and_not_for_the_least(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert mt_of_land(5, 2, INF, *NO_LIMITS) == INF  # as printed: below w until it is solved
    assert mt_of_land(5, 2, 3, *NO_LIMITS) == 4

    def as_printed(total: int, number: int, second: int, *limits: int) -> int:
        return mt_of_land(total, number, INF, *limits)

    def differing() -> int:
        root, found = (b"r", b"s"), 0
        for seed in range(15):
            plain = PlainTree(TreeGame(seed, 3, 3), root)
            leaves = leaves_of_dfpn(TreeGame(seed, 3, 3), root)[1]
            found += not plain.shares and leaves != plain.leaves
        return found

    assert differing() == 0
    monkeypatch.setattr(pns.dfpn, "mt_of_land", as_printed)
    assert differing() >= 3


def test_the_thresholds_of_pdfpn_need_the_raised_number_of_the_second_child() -> None:
    numbers, threads = (5, 3), (1, 4)
    raised = [a + b for a, b in zip(numbers, threads)]
    assert raised[0] < raised[1]  # so the first child is chosen
    assert numbers[1] + 1 - threads[0] <= numbers[0]  # but it would be left at once
    assert dt_of_child(INF, raised[1], 0.0, threads[0]) > numbers[0]


def test_one_plus_epsilon_without_epsilon_is_not_the_rule_of_dfpn() -> None:
    second = 7
    assert math.ceil((1 + 0.0) * second) == second  # a child with the same number is left at once
    assert dt_of_child(INF, second, 0.0) == second + 1


def rows(table: str, heuristic: str = "yes") -> Dict[int, Dict[str, str]]:
    """The best runs of a table with or without the heuristic, by cores."""
    with open(ROOT / "pns" / "data" / "paper-scaling.csv", encoding="utf-8") as file:
        found = [row for row in csv.DictReader(file) if row["table"] == table]
    return {
        int(row["cores"]): row
        for row in found
        if row["heuristic"] == row["tuned_for_heuristic"] == heuristic
    }


def test_tables_1_and_3_agree_on_speedups_and_not_on_parameters() -> None:
    one, three = rows("1"), rows("3")
    assert len(one) == len(three) == len(rows("1", "no")) == 11
    assert all(one[cores]["speedup"] == three[cores]["speedup"] for cores in one)
    differing = [
        cores
        for cores in one
        if [one[cores][name] for name in ("iterations", "threads")]
        != [three[cores][name] for name in ("iterations", "threads")]
    ]
    assert differing == [8, 16, 32, 64]
    beside = rows("1", "no")[1024]
    assert [beside[name] for name in ("iterations", "threads", "speedup")] == [
        "1000",
        "16",
        "208.67",
    ]


def test_the_statistics_of_table_3_fit_the_parameters_of_table_1() -> None:
    """Nodes in all tables for each expansion, and nodes of the master for each full job."""
    one, three = rows("1"), rows("3")

    def entries(table: Dict[int, Dict[str, str]], cores: int) -> float:
        workers = cores / float(table[cores]["threads"])
        return workers * float(three[cores]["worker_nodes"]) / float(three[cores]["expansions"])

    def master(table: Dict[int, Dict[str, str]], cores: int) -> float:
        jobs = float(three[cores]["expansions"]) / float(table[cores]["iterations"])
        return float(three[cores]["master_nodes"]) / jobs

    assert all(0.4 < entries(one, cores) < 0.95 for cores in one)
    assert [cores for cores in three if entries(three, cores) > 0.95] == [32, 64]
    assert all(master(one, cores) <= 40 for cores in one)
    assert [cores for cores in three if master(three, cores) > 40.1] == [8]


def test_overheads_of_table_3() -> None:
    overheads = {c: float(row["expansions"]) / 17.2e6 for c, row in rows("3").items()}
    assert {c: round(value, 2) for c, value in overheads.items() if c in (1, 2, 4, 16, 64)} == {
        1: 0.95,
        2: 0.84,
        4: 0.94,
        16: 1.02,
        64: 1.08,
    }
    assert round(overheads[1024], 2) == 2.5 == round(max(overheads.values()), 2)


def test_the_counts_of_table_2_are_those_of_the_text() -> None:
    with open(OUTCOMES, encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    solved = {int(row["spots"]) for row in found if row["outcome"]}
    new = [row for row in found if row["solved_by"] == "SPOTS"]
    assert (len(solved), len(new)) == (89, 42) and solved >= set(range(1, 63))
    assert sum(row["proof_size"] == "1e9" for row in new) == 10
    for row in found:
        if row["outcome"]:
            assert (row["outcome"] == "win") == (int(row["spots"]) % 6 in (3, 4, 5))
