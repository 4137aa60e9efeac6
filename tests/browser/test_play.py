"""The door Play: games against the solver by mouse, touch and keys, loops, and lost games."""

from __future__ import annotations

import json
import re
from typing import Any, Iterator, List, Tuple
from urllib.parse import quote

import pytest
from helpers.browser import Visits, button, shoot
from helpers.explore import Explore
from playwright.sync_api import Browser, Locator, Page, expect

from pns import children, grundy_number

GAME = "door=play&spots=%d&against=%s&first=me&seed=1"
OVER = "There is no line left to draw."
READY = re.compile("^%s$|^Drag from a spot" % re.escape(OVER))
STEPS = "JSON.parse(new URLSearchParams(location.search).get('steps') ?? '[]')"


class PlayVisits(Visits):
    """The door Play, once its card or its board is shown."""

    shown = ".opening h1, #play-board svg"


@pytest.fixture
def table(browser: Browser, server: Explore) -> Iterator[PlayVisits]:
    """Opens the door; a fault of the page fails the test."""
    visits = PlayVisits(browser, server)
    yield visits
    visits.close()


def spots(page: Page) -> Locator:
    """The spots from which a line can be drawn."""
    return page.locator("#play-board .hit")


def steps_of(page: Page) -> List[Any]:
    found: List[Any] = page.evaluate(STEPS)
    return found


def is_my_turn(page: Page) -> bool:
    """Waits for the turn of the person (True) or the end of the game."""
    expect(page.locator("#say")).to_have_text(READY)
    return page.locator("#say").text_content() != OVER


def middle(spot: Locator) -> Tuple[float, float]:
    box = spot.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def choose_winning_moves(page: Page) -> None:
    """Play to the end with the moves that the hint draws."""
    while is_my_turn(page):
        button(page, "Hint").click()
        button(page, "Play it").click()
        expect(button(page, "Play it")).to_have_count(0)


def test_a_game_from_five_spots_is_won(table: PlayVisits) -> None:
    page = table("door=play")
    expect(page.locator(".number")).to_have_text("5")
    button(page, "Play").click()
    choose_winning_moves(page)
    expect(page.locator("#turn")).to_have_text("You won!")
    shoot(page, "play-won")


def test_a_line_is_drawn_by_mouse(table: PlayVisits) -> None:
    page = table(GAME % (5, "friend"))
    page.mouse.move(*middle(spots(page).nth(0)))
    page.mouse.down()
    page.mouse.move(*middle(spots(page).nth(2)), steps=8)
    page.mouse.up()
    expect(page.locator("#turn")).to_have_text("Turn of player 2")
    ((sheet, first, second, left, _),) = steps_of(page)
    assert (sheet, sorted((first, second)), left) == (0, [~2, ~0], [])


def test_a_loop_with_eight_spots_inside_is_finished_before_the_solver_moves(
    table: PlayVisits,
) -> None:
    page = table(GAME % (17, "perfect"))
    for _ in range(2):
        spots(page).nth(0).click()
    for spot in range(1, 9):
        spots(page).nth(spot).press("Enter")
    expect(page.locator(".sides")).to_contain_text("8 inside, 8 outside")
    assert steps_of(page) == []
    button(page, "Done").press("Enter")
    assert is_my_turn(page)
    first, second = steps_of(page)
    assert first == [0, ~0, ~0, [~spot for spot in range(1, 9)], False]
    assert isinstance(second, str)


def lost_game() -> List[str]:
    """A game from three spots that its first player begins with a mistake, and loses."""
    wrong = next(move for move in children("0*3") if grundy_number(move))
    game = [wrong]
    while children(game[-1]):
        moves = children(game[-1])
        game.append(next((move for move in moves if not grundy_number(move)), moves[0]))
    return game


def test_a_lost_game_is_explained(table: PlayVisits) -> None:
    game = lost_game()
    page = table(GAME % (3, "friend") + "&steps=" + quote(json.dumps(game)))
    expect(page.locator("#turn")).to_have_text("Player 2 won!")
    button(page, "Where was it lost?").click()
    expect(page.locator("#lost")).to_have_text("Here player 1 could still have won (move 1).")
    expect(page.locator(".walk .count")).to_have_text("The better move")
    shoot(page, "play-lost")
    button(page, "What was played instead").click()
    expect(page.locator(".walk .count")).to_have_text("Move 1 of %d" % len(game))
    button(page, "Next move").click()
    expect(page.locator(".walk .count")).to_have_text("Move 2 of %d" % len(game))


def test_a_line_is_drawn_by_touch(table: PlayVisits) -> None:
    page = table(GAME % (5, "friend"), 400, 800, has_touch=True, is_mobile=True)
    (x, y), (u, v) = middle(spots(page).nth(0)), middle(spots(page).nth(2))
    client = page.context.new_cdp_session(page)
    ways = [(x + (u - x) * i / 6, y + (v - y) * i / 6) for i in range(7)]
    for i, (px, py) in enumerate(ways):
        kind = "touchMove" if i else "touchStart"
        point = {"x": px, "y": py}
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator("#turn")).to_have_text("Turn of player 2")
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0


def test_the_language_can_be_changed(table: PlayVisits) -> None:
    page = table("door=play")
    page.get_by_label("Language").select_option("de")
    expect(button(page, "Spielen")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "de")
