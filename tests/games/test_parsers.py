"""Every parser on texts at random and changed ones: NotationError or a position, nothing else."""

from __future__ import annotations

import random
from itertools import islice
from typing import List, cast

import pytest

from pns.choices import GAMES
from pns.finding import find_game
from pns.game import Game, NotationError, SupportsExamples
from pns.tools.laws import check_position

FEW, ALL = 300, 100_000
"""Texts for each parser in the normal tests, and in the slow ones."""
LETTERS = "0123456789|+.*,:-!~?@#ABXYZaxyzmnv()[]{}<>=^%'\"\\/ "
ODD = "\0\t\n\r\x0b\x1b\x7f\x85\xa0²é٣१１Ｘ\u200b\u2028\u2029\ufeff\ud800\U0001f600İß"
"""Control characters, digits and letters that are not ASCII, spaces, half a pair."""
NUMBERS = ("0", "00", "-1", "1e9", "62", "63", "251", "256", "9999", "10001", "9" * 20, "9" * 5000)


def corpus(game: Game, rng: random.Random) -> List[str]:
    """The examples of a game, and texts of positions that play from them leads to."""
    texts = []
    for text in cast(SupportsExamples, game).examples:
        position = game.parse(text)
        texts += [text, game.format(position)]
        while position and len(texts) < 200:
            land = rng.choice(position)
            children = list(islice(game.children(land), 30))
            if not children:
                break
            rest = list(position)
            rest.remove(land)
            position = tuple(sorted(tuple(rest) + rng.choice(children)))
            texts.append(game.format(position))
    return texts


def edited(text: str, texts: List[str], rng: random.Random) -> str:
    """A text with one change."""
    i, j = sorted([rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)])
    near = min(j, i + 3)
    kind = rng.randrange(12)
    if kind == 0:
        return text[:i] + text[j:]
    if kind <= 2:
        return text[:i] + text[near:]
    if kind <= 4:
        return text[:i] + rng.choice("".join(texts) + LETTERS) + text[i:]
    if kind == 5:
        return text[:i] + rng.choice(ODD) + text[rng.choice((i, near)) :]
    if kind == 6:
        return text[:i] + rng.choice(NUMBERS) + text[near:]
    if kind == 7:
        return text[:i] + text[i:j] * rng.choice((2, 2, 3, 10, 1000)) + text[j:]
    if kind == 8 and i < j < len(text):
        return text[:i] + text[j] + text[i + 1 : j] + text[i] + text[j + 1 :]
    if kind == 9:
        return text[:i] + rng.choice(texts)[i:]
    if kind == 10:
        return text + rng.choice(("+", "|", ".", " + ", "\n")) + rng.choice(texts)
    return "".join(rng.choices(text + LETTERS, k=rng.choice((1, 3, 9, 40))))


def changed(texts: List[str], rng: random.Random) -> str:
    """A text after some changes, mostly few."""
    text = rng.choice(texts)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5, 10))):
        text = edited(text, texts, rng)[:20_000]
    return text


def check_parser(name: str, seed: int, times: int) -> None:
    """Parse texts; asserts that some are positions, some are refused, and that is all."""
    game, rng = find_game(name), random.Random("%s %d" % (name, seed))
    texts = corpus(game, rng)
    read = 0
    for number in range(times):
        text = changed(texts, rng)
        where = (name, seed, number, text[:500])
        try:
            position = game.parse(text)
        except NotationError as error:
            assert 0 <= error.offset <= len(text), where
            assert str(error).isprintable() and len(str(error)) < 500, where
        except Exception as error:
            raise AssertionError(where) from error
        else:
            read += 1
            check_position(game, position)
    assert 0 < read < times


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_few_texts(name: str) -> None:
    check_parser(name, 1, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(GAMES))
def test_many_texts(name: str) -> None:
    check_parser(name, 2, ALL)


@pytest.mark.parametrize(
    "name, board",
    [("cram", "..#.."), ("clobber", "XO.XO"), ("nogo", "..O#O.."), ("queens", ".#|##|#.")],
)
def test_a_position_of_too_many_parts_is_refused(name: str, board: str) -> None:
    game = find_game(name)
    check_position(game, game.parse("+".join([board] * 500)))
    with pytest.raises(NotationError, match="a position of 1002 parts; write .* at most 1000"):
        game.parse("+".join([board] * 501))
