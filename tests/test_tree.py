"""Proof-number search on the explicit tree: right results, the order of Theorem 2, its nodes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, Dict, List, Set, Tuple

import pytest
from helpers.paths import ROOT
from helpers.searches import (
    SPROUTS,
    CheckedCouples,
    Expecting,
    brute_grundy,
    brute_numbers,
    numbers_of,
    reachable,
)
from helpers.trees import PlainTree, TreeGame, copy_of, leaves_of_dfpn

import pns.positions.couple
import pns.positions.tree_couples
import pns.tree
from pns.facts import Facts
from pns.finding import find_game
from pns.game import Game
from pns.positions.columns import CHUNK, Texts
from pns.positions.interned import HEAP, HEAP_BITS
from pns.positions.tree_couples import TreeCouples
from pns.search.bounds import INF
from pns.search.counted_search import Stopped, StopToken
from pns.search.nodes import (
    DN,
    FIRST,
    META,
    MOVE_SHIFT,
    NEXT,
    NODE_WORDS,
    PN,
    REFERENCE,
    REST,
    SUM,
    Nodes,
    View,
)
from pns.tree import TreeSearch

pytestmark = pytest.mark.search

Leaf = Tuple[bytes, int]


def search_of(game: Game, facts: Any = None, seed: int = 0, **options: Any) -> TreeSearch:
    couples = TreeCouples(game, Facts(game.name) if facts is None else facts, seed)
    return TreeSearch(couples, Nodes(1 << 20), **options)


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_lands_below_four_spots_have_their_brute_force_numbers(step: int) -> None:
    for land in reachable("0*4")[::step]:
        assert search_of(SPROUTS).grundy_number(land) == brute_grundy(land), land


@pytest.mark.parametrize("step", [50, pytest.param(10, marks=pytest.mark.slow)])
def test_lands_below_five_spots_have_the_numbers_of_the_slow_implementation(step: int) -> None:
    """Some of them are asked for; to prove these, the search proves many of the others."""
    search, numbers = search_of(SPROUTS), brute_numbers()
    for land in list(numbers)[::step]:
        assert search.grundy_number(land) == numbers[land], land
    facts = dict(search.couples.facts.items())
    known = facts.keys() & numbers.keys()
    assert len(known) > 1_000
    assert [land for land in known if facts[land] != numbers[land]] == []


def test_grundy_numbers_of_another_solver() -> None:
    search = search_of(SPROUTS)
    pairs = numbers_of("nimbers.tsv")
    small = [(land, n) for land, n in pairs if SPROUTS.estimate(land.encode())[0] <= 20]
    assert len(small) > 100
    for land, number in small[::4]:
        assert search.grundy_number(land.encode()) == number, land


def test_one_search_proves_only_true_facts() -> None:
    for seed in range(5):
        search = search_of(SPROUTS, seed=seed)
        assert search.outcome(SPROUTS.parse("0*5"))
        facts = list(search.couples.facts.items())
        assert len(facts) > 10
        for land, number in facts:
            assert number == brute_grundy(land), land


def test_closed_forms() -> None:
    nim = search_of(find_game("nim"))
    for heaps in [(), (b"1",), (b"3", b"5"), (b"3", b"5", b"6"), (b"250", b"7")]:
        number = 0
        for heap in heaps:
            number ^= int(heap)
        assert nim.outcome(heaps) == (number != 0)
    assert nim.grundy_number(b"250") == 250
    kayles = search_of(find_game("kayles"))
    numbers = [kayles.grundy_number(b"%d" % row) for row in range(1, 25)]
    assert numbers == [1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7, 4]


class CheckedTreeCouples(CheckedCouples, TreeCouples):
    """Checks too that lists of children grow only at the end."""

    grown = 0

    def _keep_children(self, land: int, codes: List[int], is_complete: bool) -> None:
        old = self.child_codes(land)
        assert codes[: len(old)] == old and len(set(codes)) == len(codes)
        self.grown += len(old) > 0
        super()._keep_children(land, codes, is_complete)


@pytest.mark.parametrize(
    "batch, expected", [(1, -1), (1, 9), (2, 0), (3, 1), (1000, -1), (1000, 0), (1000, 9)]
)
def test_the_size_of_batches_changes_no_result(
    batch: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For right and wrong priors, and with generators that are dropped."""
    monkeypatch.setattr(pns.positions.tree_couples.TreeCouples, "batch", batch)
    monkeypatch.setattr(pns.positions.couple, "MOST_UNFINISHED", 3)
    partial = grown = 0
    for seed, (text, number) in enumerate(numbers_of("brute_grundy.tsv")[::500]):
        couples = CheckedTreeCouples(SPROUTS, Facts("sprouts"), seed % 3, Expecting(expected))
        search = TreeSearch(couples, Nodes(1 << 14))
        assert search.grundy_number(SPROUTS.parse(text)[0]) == number, text
        lands = [i for i in range(len(couples.store)) if couples.child_starts[i]]
        partial += len([i for i in lands if not couples.is_complete(i)])
        grown += couples.grown
    assert (partial > 50 and grown > 50) == (batch < 1000 or expected >= 0), (partial, grown)


class CompactTreeCouples(TreeCouples):
    """Couples of a tree game in which a move in the heap leads to a copy of the land."""

    def smaller_heap(self, land: int, heap: int, n: int) -> int:
        return self.fold(self.land(copy_of(self.texts[land], heap, n)) << HEAP_BITS | n)


class RecordingTreeSearch(TreeSearch):
    """Records the couples that it expands."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.leaves: List[Leaf] = []

    def _expand(self, record: int, code: int) -> None:
        self.leaves.append((self.couples.texts[code >> HEAP_BITS], code & HEAP))
        super()._expand(record, code)


def leaves_of_tree(game: TreeGame, root: Tuple[bytes, ...], stay_deep: bool) -> List[Leaf]:
    couples = CompactTreeCouples(game, Facts(game.name))
    search = RecordingTreeSearch(couples, Nodes(1 << 14), stay_deep=stay_deep)
    assert search.outcome(root) == (game.grundy(root) != 0)
    return search.leaves


@pytest.mark.parametrize("root", [(b"r",), (b"r", b"s"), (b"r", b"s", b"t")])
@pytest.mark.parametrize("depth, width", [(3, 3), (4, 3)])
def test_expands_the_leaves_of_dfpn_in_their_order(
    root: Tuple[bytes, ...], depth: int, width: int
) -> None:
    trees = 0
    for seed in range(30):
        game = TreeGame(seed, depth, width)
        plain = PlainTree(game, root)
        deep = leaves_of_tree(game, root, True)
        if not plain.shares:
            assert deep == plain.leaves == leaves_of_dfpn(game, root)[1], seed
            assert deep == leaves_of_tree(game, root, False), seed
            trees += len(deep) > 3
    assert trees >= 8


def test_other_thresholds_lead_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: with 1+ε, or without the bound of equation (12), it does."""

    def differs() -> bool:
        games = [TreeGame(seed, 4, 3) for seed in range(8)]
        return any(
            [
                leaves_of_tree(game, (b"r",), True) != PlainTree(game, (b"r",)).leaves
                for game in games
            ]
        )

    assert not differs()
    with monkeypatch.context() as patch:
        patch.setattr(pns.tree, "dt_of_child", lambda pt, second, epsilon: min(pt, second + 3))
        assert differs()
    with monkeypatch.context() as patch:
        patch.setattr(pns.tree, "mt_of_land", lambda total, number, *rest: number + 3)
        assert differs()


@pytest.mark.parametrize("options", [{"epsilon": 0.25}, {"stay_deep": False}, {"seed": 3}])
def test_options_change_no_result(options: Any) -> None:
    search = search_of(SPROUTS, **options)
    assert [search.outcome(SPROUTS.parse("0*%d" % n)) for n in range(1, 8)] == [0, 0, 1, 1, 1, 0, 0]


def test_sums_and_known_lands() -> None:
    facts = Facts("sprouts")
    facts.add(b"0*30", 5)
    facts.add(b"0*31", 5)
    search = search_of(SPROUTS, facts)
    assert not search.outcome((b"0*30", b"0*31"))
    assert search.outcome((b"0*30", b"0*31", b"0*3"))
    assert search.expansions < 30
    assert not search.outcome((b"0*20", b"0*20"))
    for text in ["0*4+0*2", "0*5+0*3+0*2", "1a1a+0*4+0*5"]:
        lands = SPROUTS.parse(text)
        number = 0
        for land in lands:
            number ^= brute_grundy(land)
        for heap in range(4):
            assert search_of(SPROUTS).outcome(lands, heap) == (number != heap)


def test_long_lines_of_play() -> None:
    kayles = find_game("kayles")
    search = search_of(kayles, most_expansions=5_000)
    try:
        search.outcome(kayles.parse("400+401"))
    except Stopped:
        pass
    assert search.expansions > 100


def test_budget_stop_token_and_observer() -> None:
    seen = []
    search = search_of(SPROUTS, most_expansions=200, observer=lambda s: seen.append(s.expansions))
    with pytest.raises(Stopped, match="expansions"):
        search.outcome(SPROUTS.parse("0*9"))
    assert search.expansions == 200 and seen == [64, 128, 192]
    stop = StopToken()
    search = search_of(SPROUTS, stop=stop, observer=lambda s: stop.stop("enough"))
    with pytest.raises(Stopped, match="enough"):
        search.outcome(SPROUTS.parse("0*9"))
    assert search.expansions == 64
    assert search.line[0] == search.couples.code((b"0*9",)) and len(search.line) > 1
    assert search.root[0] and search.root[1]


def stopped_search(expansions: int = 500) -> TreeSearch:
    search = search_of(SPROUTS, most_expansions=expansions)
    with pytest.raises(Stopped):
        search.outcome(SPROUTS.parse("0*9"))
    return search


def test_each_couple_has_one_owner() -> None:
    """Every record is in one list: an owner, a reference to an owner, a sum, or a rest."""
    search = stopped_search()
    nodes, words = search.nodes, search.nodes.words
    owners: Dict[int, Tuple[int, int]] = {}
    for land, heap, record in nodes.entries():
        assert record not in owners and (land, heap) not in owners.values()
        assert nodes.find(land, heap) == record
        owners[record] = land, heap
    listed: Set[int] = set()
    references = sums = rests = 0
    for record, (land, heap) in owners.items():
        child = words[record * NODE_WORDS + FIRST]
        while child:
            at = child * NODE_WORDS
            move = words[at + META] >> MOVE_SHIFT
            assert child not in listed
            listed.add(child)
            if words[at + META] & REST:
                assert not words[at + NEXT] and not words[at + FIRST]
                assert not search.couples.is_complete(land)
                assert move <= search.couples.count_children(land)
                rests += 1
                break
            code = search.child(land << HEAP_BITS | heap, move)
            if words[at + META] & SUM:
                sums += 1
            else:
                owner = words[at + FIRST] if words[at + META] & REFERENCE else child
                references += owner != child
                known = code <= HEAP  # then the owner is solved, and dropped at the next update
                assert known or owners[owner] == (code >> HEAP_BITS, code & HEAP)
            child = words[at + NEXT]
    assert references > 10 and sums > 10 and rests > 10
    assert nodes.used <= nodes.top - 1 and len(owners) == nodes.owners


def test_solved_records_say_what_the_facts_say() -> None:
    search = stopped_search()
    solved = 0
    for land, heap, record in search.nodes.entries():
        at = record * NODE_WORDS
        pn, dn = search.nodes.words[at + PN], search.nodes.words[at + DN]
        number = search.couples.numbers[land]
        won = bool(search.couples.option_numbers[land] >> heap & 1) or 0 <= number != heap
        assert (pn == 0, dn == 0) == (won, number == heap)
        assert (dn == INF, pn == INF) == (won, number == heap)
        solved += pn == 0 or dn == 0
    assert solved > 50


WATCH = """
import sys
sys.path.insert(0, sys.argv[1])
from pns.search.nodes import View
view = View(sys.argv[2])
print(view.count, *view.root, *view.moves())
try:
    view.words[5] = 1
except TypeError:
    print("read only")
"""


def test_another_process_can_read_the_nodes() -> None:
    search = stopped_search()
    if not search.nodes.name:
        pytest.skip("no memory with a name here")
    command = [sys.executable, "-c", WATCH, str(ROOT), search.nodes.name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    figures, last = done.stdout.splitlines()
    count, pn, dn, *moves = map(int, figures.split())
    assert count == search.nodes.top - 1 and (pn, dn) == search.root
    code = search.line[0]
    for move in moves:
        code = search.child(code, move)
        assert code > HEAP
    assert moves and last == "read only"
    with pytest.raises(OSError):
        View("/proc/%d/fd/none" % 1)
    with pytest.raises(ValueError):
        View(__file__)


def test_texts_are_found_exactly() -> None:
    texts = Texts()
    for i in range(CHUNK + 2000):
        texts.append(b"%d" % (i * i))
    assert len(texts) == CHUNK + 2000
    for i in (0, 1, 999, CHUNK - 1, CHUNK, CHUNK + 1, CHUNK + 1999):
        assert texts[i] == b"%d" % (i * i) and texts.find(texts[i]) == i
    assert texts.find(b"2") == texts.find(b"") == -1
