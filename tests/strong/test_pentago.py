"""Pentago by sections and late in the game: counts, every rotation, plain search, random values."""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Callable, List, Sequence, Set, Tuple
from zlib import crc32

import pytest
from helpers import strong
from helpers.boards import Board, squares
from helpers.partisan import after_stones, has_line, mover, pentago_value, turned
from helpers.strong import solved, value_of

import pns
from pns.finding import find_game
from pns.games.board import board_text, canonical
from pns.games.pentago.counts import pentago_counts, whole_group
from pns.games.pentago.late import LateRanking
from pns.games.pentago.loops import CL, EVEN, LoopTable, mixed, place_of, rotation_at
from pns.games.pentago.quadrants import (
    ROWS,
    fixed_turns,
    rows_of_board,
    section_images,
    sections,
    states_by_counts,
    symmetries,
)
from pns.games.pentago.sections import SectionRanking
from pns.positions.ranking import LOSS, WIN, Ranking, code_at, pack, packed_bytes, signed_words
from pns.strong import SolutionError, build_solution, check_solution, read_solution

pytestmark = pytest.mark.search

SMALL = "....|....|....|...."
LATE = [
    "XOO.|.X.O|X.O.|.XX.",
    "XOXOXO|OXOXOX|.XOXOX|XOXOX.|O.OXOX|OXOX.O",
    "OOOXXO|XX..OO|X.XXXO|O.OOOO|OX.XXX|.OXXX.",
]


def cells_of(text: str) -> bytes:
    return text.replace("|", "").encode("ascii")


def board_of(text: str) -> Board:
    return tuple(text.split("|"))


def late(text: str) -> LateRanking:
    return LateRanking(cells_of(text), len(text.split("|")), cells_of)


def value(board: Board) -> int:
    """The code of a position by plain search."""
    return 2 + pentago_value(board)


# --- counts ----------------------------------------------------------------------------------


def orbits_by_listing(side: int, stones: int, generators: Sequence[Tuple[int, ...]]) -> int:
    """The arrangements of stones up to the group of some permutations, each looked at."""
    left = {cells for cells in arrangements(side * side, stones - stones // 2, stones // 2)}
    orbits = 0
    while left:
        todo = [left.pop()]
        orbits += 1
        while todo:
            cells = todo.pop()
            for places in generators:
                image = bytes([cells[place] for place in places])
                if image in left:
                    left.remove(image)
                    todo.append(image)
    return orbits


def arrangements(free: int, firsts: int, seconds: int) -> List[bytes]:
    if not free:
        return [b""]
    found = []
    for letter, left, more in (
        (b".", free - firsts - seconds, (0, 0)),
        (b"X", firsts, (1, 0)),
        (b"O", seconds, (0, 1)),
    ):
        if left:
            rest = arrangements(free - 1, firsts - more[0], seconds - more[1])
            found += [letter + cells for cells in rest]
    return found


def test_small_counts_are_those_of_a_list() -> None:
    counts = pentago_counts(4)
    group = whole_group(4)
    board, whole = group[1:8], group[1:8] + group[8::8]
    for stones in (0, 1, 2, 3, 4, 16):
        found = counts[stones]
        assert found.arrangements == len(arrangements(16, stones - stones // 2, stones // 2))
        if stones < 5:
            assert found.positions == orbits_by_listing(4, stones, board)
            assert found.classes == orbits_by_listing(4, stones, whole[:7] + whole[7::8])
    assert sum([found.arrangements for found in counts]) == 10_165_779


def test_large_counts_are_those_of_the_paper() -> None:
    """[irving2014]: the abstract, sections III and IV, footnotes 3 and 4."""
    counts = pentago_counts(6)
    positions = sum([found.positions for found in counts])
    stored = sum([found.stored for found in counts])
    assert positions == 3_009_081_623_421_558
    assert max([found.sections for found in counts]) == 8239
    assert sum([found.blocks for found in counts]) == 3_654_002_393
    assert sum([found.lines for found in counts]) == 996_084_744
    assert "%.3f" % (256 * sum([found.classes for found in counts]) / positions) == "1.054"
    assert "%.3f" % (256 * stored / positions) == "1.152"
    moves = sum([found.stored * (36 - found.stones) for found in counts])
    assert "%.1f" % (moves / stored) == "12.2"
    peak = max([a.bytes + b.bytes for a, b in zip(counts, counts[1:])])
    assert "%.0f" % (peak / 2**40) == "213"
    assert "%.1f" % (64 * max([found.largest for found in counts]) / 2**40) == "1.8"


def test_sections_hold_every_arrangement() -> None:
    for half, stones in ((2, 7), (2, 16), (3, 3)):
        total = 0
        fixed, states = fixed_turns(half), states_by_counts(half)
        for section in sections(half, stones):
            boards = 1
            for counts in section:
                boards *= sum([4 // fixed[state] for state in states[counts]])
            total += boards * len(set(section_images(section)))
        assert total == pentago_counts(2 * half)[stones].arrangements


# --- rotations -------------------------------------------------------------------------------


def test_rotations_are_numbered() -> None:
    for parity in (0, 1):
        rotations = [rotation_at(place, parity) for place in range(128)]
        assert [place_of(rotation) for rotation in rotations] == list(range(128))
        assert {sum(rotation) % 2 for rotation in rotations} == {parity}
        assert len(set(rotations)) == 128


def test_rotations_are_mixed_as_by_definition() -> None:
    choose = random.Random(8)
    for parity, share in product((0, 1), (0.02, 0.2, 0.6)):
        held = {place for place in range(128) if choose.random() < share}
        words = [sum([1 << 2 * (p % 32) for p in held if p // 32 == w]) for w in range(4)]
        found: LoopTable = mixed(*words)
        for place in range(128):
            rotation = rotation_at(place, 1 - parity)
            near = []
            for quadrant, turns in product(range(4), (1, 3)):
                other = list(rotation)
                other[quadrant] = (other[quadrant] + turns) % 4
                near.append(place_of(other))
            assert found[place // 32] >> 2 * (place % 32) & 1 == bool(held & set(near))
    assert CL & EVEN == CL


def turned_by(board: Board, rotation: Sequence[int]) -> Board:
    half = len(board) // 2
    for (top, left), turns in zip(product((0, half), (0, half)), rotation):
        for _ in range(turns):
            board = turned(board, top, left, True)
    return board


@pytest.mark.parametrize("side", [4, 6])
def test_rows_of_all_rotations_are_those_of_plain_rules(side: int) -> None:
    choose = random.Random(side)
    some = 0
    for share in (1, 2, 4, 8):
        text = board_text(bytes(choose.choices(b".XO", (2, share, 2), k=side**2)), side).decode()
        board, ranking = board_of(text), SectionRanking(side, cells_of, 1)
        states = ranking._states_of(cells_of(text))
        lanes = ranking._rows(tuple([first for first, _ in states])).to_bytes(256, "little")
        shown = [
            3 * has_line(turned_by(board, r), "X", ROWS[side]) for r in product(range(4), repeat=4)
        ]
        assert list(lanes) == shown
        some += 0 < sum(shown) < 3 * 256
    assert some
    assert len(rows_of_board(4)) == 10 and len(rows_of_board(6)) == 32
    assert len(set(symmetries())) == 8


# --- late positions --------------------------------------------------------------------------


@pytest.mark.parametrize("root", LATE)
def test_late_values_are_those_of_plain_search(root: str) -> None:
    ranking = late(root)
    assert ranking.rank(root) == (0, 0) and ranking.text(0, 0) == root
    slices, counts = solved(ranking)
    assert [sum(found) for found in counts] == ranking.sizes
    choose = random.Random(root)
    for number, size in enumerate(ranking.sizes):
        for entry in {choose.randrange(size) for _ in range(6 if len(root) < 20 else 3)}:
            text = ranking.text(number, entry)
            code = code_at(slices[number], entry)
            assert code == value_of(ranking, slices, text) == value(board_of(text)), text
            image = canonical(cells_of(text), len(board_of(text))).decode()
            assert code == value_of(ranking, slices, image), image
            check_children(ranking, slices, number, entry)


def check_children(ranking: Ranking, slices: List[bytearray], number: int, entry: int) -> None:
    """Whether the moves of an entry are those of plain rules, and give its value."""
    board = board_of(ranking.text(number, entry))
    side, letter = len(board), mover(board)
    children = list(ranking.children(number, entry))
    if any([has_line(board, player, ROWS[side]) for player in "XO"]) or not squares(board, "."):
        assert not children
        return
    won = [has_line(after, letter, ROWS[side]) for after in after_stones(board, letter)]
    assert children.count(-1) == sum(won)
    texts = {ranking.text(number + 1, child) for child in children if child >= 0}
    plain = {canonical(cells_of("|".join(after)), side) for after in moves(board)}
    assert {canonical(cells_of(text), side) for text in texts} == plain
    codes = [WIN if c < 0 else 4 - code_at(slices[number + 1], c) for c in children]
    assert max(codes) == code_at(slices[number], entry)


def moves(board: Board) -> Set[Board]:
    """The boards after each stone that makes no row at once, and turn."""
    half, letter = len(board) // 2, mover(board)
    return {
        turned(after, top, left, clockwise)
        for after in after_stones(board, letter)
        if not has_line(after, letter, ROWS[len(board)])
        for top, left, clockwise in product((0, half), (0, half), (True, False))
    }


def test_late_values_are_those_of_dfpn(tmp_path: Path) -> None:
    root = "OO.XXO|XX...O|X..XXO|O.O.OO|OX...X|.OXXX."
    build_solution("pentago", root, str(tmp_path / "new"))
    game: Any = find_game("pentago")
    choose = random.Random(9)
    with read_solution(str(tmp_path / "new")) as solution:
        assert solution.kind == "ranked"
        for _ in range(25):
            text = solution.sample(choose)
            value = solution.value(text)
            assert value == pns.value(text, "pentago"), text
            for lands, good in zip(game.questions(text), (["win"], ["win", "draw"])):
                found = [solution.get(land) for land in lands]
                assert found in ([], [-1 if value in good else 0])
        assert solution.value(root) == pns.value(root, "pentago")


def test_other_positions_have_no_late_entry() -> None:
    ranking = late(LATE[0])
    turn = "|".join(turned(board_of(LATE[0]), 0, 0, True))
    assert ranking.rank(turn) is None  # a turn without a stone
    assert ranking.rank(turn[:-1] + "O") is not None
    assert ranking.rank(SMALL) is None and ranking.rank(LATE[1]) is None
    with pytest.raises(ValueError, match="too early"):
        late("|".join(["......"] * 6))
    game: Any = find_game("pentago")
    assert game.ranking("!") is None and game.section_ranking(LATE[0]) is None


def test_words_have_the_codes_in_order() -> None:
    packed = bytearray(packed_bytes(70))
    pack(bytearray([WIN, *[LOSS] * 30, WIN, LOSS] + [0] * 37), packed, 0)
    words = signed_words(packed)
    assert len(words) == 2
    assert (words[0] & 3, words[0] >> 62 & 3, words[1]) == (WIN, WIN, LOSS)


# --- sections --------------------------------------------------------------------------------


@pytest.fixture
def longer_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strong, "PART", 1 << 14)


def two_ways() -> "Tuple[Any, Any, Any, Any]":
    game: Any = find_game("pentago")
    by_section, by_stones = game.section_ranking(SMALL), game.ranking(SMALL)
    one, counts = solved(by_section)
    other, same = solved(by_stones)
    assert counts == same
    assert sum(map(sum, counts)) == 10_165_779 and counts[0][WIN] == 1
    assert [size // 256 for size in by_section.sizes] == [c.stored for c in pentago_counts(4)]
    return by_section, one, by_stones, other


@pytest.mark.slow
def test_sections_and_stones_agree(longer_parts: None) -> None:
    by_section, one, by_stones, other = two_ways()
    choose = random.Random(10)
    for number, size in enumerate(by_section.sizes):
        for entry in {choose.randrange(size) for _ in range(60)}:
            text = by_section.text(number, entry)
            assert code_at(one[number], entry) == value_of(by_stones, other, text), text
            assert value_of(by_section, one, text) == code_at(one[number], entry)
        check_children(by_section, one, number, choose.randrange(size))


@pytest.mark.slow
def test_sections_and_stones_agree_everywhere(longer_parts: None) -> None:
    by_section, one, by_stones, other = two_ways()
    for number, size in enumerate(by_stones.sizes):
        for entry in range(size):
            text = by_stones.text(number, entry)
            assert value_of(by_section, one, text) == code_at(other[number], entry), text
    for number, size in enumerate(by_section.sizes):
        for entry in range(size):
            text = by_section.text(number, entry)
            assert value_of(by_stones, other, text) == code_at(one[number], entry), text


@pytest.mark.slow
def test_sections_on_the_disk(tmp_path: Path) -> None:
    path = str(tmp_path / "new")
    build_solution("pentago", SMALL, path, sections=True)
    with read_solution(path) as solution:
        assert solution.kind == "sections" and solution.value(SMALL) == "win"
        assert {move.value for move in solution.moves(SMALL)} == {"win"}
    assert check_solution(path, consistency=True, samples=50).holds
    with pytest.raises(SolutionError, match="another solution"):
        build_solution("pentago", SMALL, path)
    for game, root in (("pentago", LATE[0]), ("nim", "3")):
        with pytest.raises(SolutionError, match="no sections"):
            build_solution(game, root, str(tmp_path / "none"), sections=True)


# --- random values ---------------------------------------------------------------------------


def at_random(board: Board) -> int:
    """A code that images of a board share."""
    return crc32(canonical(cells_of("|".join(board)), len(board))) % 3 + 1


def backward(ranking: Ranking, last: int, first: int) -> List[bytearray]:
    """The slices from `first` to `last`, which has random values; none before."""
    slices = [bytearray(packed_bytes(size)) for size in ranking.sizes[: last + 1]]
    texts = [ranking.text(last, entry) for entry in range(ranking.sizes[last])]
    pack(bytearray([at_random(board_of(text)) for text in texts]), slices[last], 0)
    for number in range(last - 1, first - 1, -1):
        strong.fill(ranking, number, slices[number + 1], slices[number])
    return slices


def forward(stones: int) -> Callable[[Board], int]:
    """Plain search to the boards with some stones, which have random values."""

    @lru_cache(maxsize=None)
    def search(board: Board) -> int:
        side = len(board)
        if sum([len(row) - row.count(".") for row in board]) == stones:
            return at_random(board)
        letter, k = mover(board), ROWS[side]
        own = has_line(board, letter, k)
        other = has_line(board, "XO".replace(letter, ""), k)
        if own or other:
            return 2 + own - other
        if any([has_line(after, letter, k) for after in after_stones(board, letter)]):
            return WIN
        best = LOSS
        for after in moves(board):
            best = max(best, 4 - search(after))
            if best == WIN:
                break
        return best

    return search


@pytest.mark.parametrize(
    "side, first, last, samples",
    [
        (6, 1, 3, 2),
        pytest.param(6, 2, 4, 2, marks=pytest.mark.slow),
        pytest.param(4, 7, 10, 20, marks=pytest.mark.slow),
    ],
)
def test_random_values_and_sections(
    side: int, first: int, last: int, samples: int, longer_parts: None
) -> None:
    """The paper's test: backward from random values, beside a forward search to them."""
    ranking = SectionRanking(side, cells_of, last + 1)
    slices = backward(ranking, last, first)
    search = forward(last)
    choose = random.Random(side)
    for number in range(first, last):
        for _ in range(samples * (1 + number - first)):
            entry = choose.randrange(ranking.sizes[number])
            board = board_of(ranking.text(number, entry))
            assert code_at(slices[number], entry) == search(board), board


@pytest.mark.parametrize(
    "root, last", [("XO..|.X..|..O.|....", 3), ("OOOXXO|XX...O|X.XXXO|O.OOOO|OX...X|.OXXX.", 3)]
)
def test_random_values_and_late_positions(root: str, last: int, longer_parts: None) -> None:
    ranking = late(root)
    slices = backward(ranking, last, 0)
    search = forward(len(cells_of(root)) - root.count(".") + last)
    choose = random.Random(root)
    for number in range(last):
        for entry in {0, *[choose.randrange(ranking.sizes[number]) for _ in range(8)]}:
            board = board_of(ranking.text(number, entry))
            assert code_at(slices[number], entry) == search(board), board
