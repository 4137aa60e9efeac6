"""The door Play: games against the solver by mouse, touch and keys, loops, and lost games."""

from __future__ import annotations

import json
import re
from functools import partial
from itertools import combinations
from typing import Callable, List
from urllib.parse import quote

from helpers.browser import STEPS, Held, Visits, button, drag, middle, shoot, steps_of
from playwright.sync_api import Locator, Page, expect

from pns import children, grundy_number

GAME = "door=play&spots=%d&against=%s&first=me&seed=1"
OVER = "No line is left: dots that remain cannot be joined without crossing a line."
READY = re.compile("^%s$|^Drag from a spot" % re.escape(OVER))


def spots(page: Page) -> Locator:
    """The spots from which a line can be drawn."""
    return page.locator("#play-board .hit")


def is_my_turn(page: Page) -> bool:
    """Waits for the turn of the person (True) or the end of the game."""
    expect(page.locator("#say")).to_have_text(READY)
    return page.locator("#say").text_content() != OVER


def choose_winning_moves(page: Page) -> None:
    """Play to the end with the moves that the hint draws."""
    while is_my_turn(page):
        button(page, "Hint").click()
        button(page, "Play it").click()
        expect(button(page, "Play it")).to_have_count(0)


def touch(page: Page, begin: Locator, end: Locator) -> None:
    """Draw a straight line with a finger."""
    (x, y), (u, v) = middle(begin), middle(end)
    client = page.context.new_cdp_session(page)
    for i in range(7):
        point = {"x": x + (u - x) * i / 6, "y": y + (v - y) * i / 6}
        kind = "touchMove" if i else "touchStart"
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def draw_to_the_end(page: Page, line: Callable[[Locator, Locator], None]) -> None:
    """Play to the end with straight lines, which `line` draws from a spot to another."""
    while is_my_turn(page):
        count = len(steps_of(page))
        pairs = combinations(range(spots(page).count()), 2)
        assert any(
            is_move(page, count, partial(line, *map(spots(page).nth, pair))) for pair in pairs
        )


def wait_for_rest(page: Page) -> bool:
    """Waits until the drawing is at rest, and nobody thinks."""
    expect(page.locator("#play-board")).to_have_attribute("aria-busy", "false")
    return True


def is_move(page: Page, count: int, draw: Callable[[], None]) -> bool:
    """Draws a line, and says whether it is a move after `count` others; the page says why not."""
    wait_for_rest(page)
    page.evaluate("document.getElementById('say').textContent = ''")
    draw()
    said = "document.getElementById('say').textContent"
    page.wait_for_function("count => %s.length > count || %s" % (STEPS, said), arg=count)
    return len(steps_of(page)) > count


def test_a_game_from_five_spots_is_won(visit: Visits) -> None:
    page = visit("door=play")
    expect(page.locator(".number")).to_have_text("5")
    button(page, "Play").click()
    choose_winning_moves(page)
    expect(page.locator("#turn")).to_have_text("You won!")
    shoot(page, "play-won")


def test_a_line_is_drawn_by_mouse(visit: Visits) -> None:
    page = visit(GAME % (5, "friend"))
    page.locator("#play-board svg").click(position={"x": 5, "y": 5})
    expect(page.locator("#say")).to_have_text("Begin the line at a spot with a dot in it.")
    (x, y), (u, v) = [middle(spots(page).nth(spot)) for spot in (0, 2)]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, min(y, v) - 150, steps=8)
    page.mouse.move(u, v, steps=8)
    page.mouse.up()
    expect(page.locator("#turn")).to_have_text("Turn of player 2")
    ((sheet, first, second, left, _, along),) = steps_of(page)
    assert len(along) >= 2  # where the hand turned
    assert (sheet, sorted((first, second)), left) == (0, [~2, ~0], [])


def test_a_loop_with_eight_spots_inside_is_finished_before_the_solver_moves(visit: Visits) -> None:
    page = visit(GAME % (17, "perfect"))
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


def test_a_lost_game_is_explained(either: Visits) -> None:
    game = lost_game()
    page = either(GAME % (3, "friend") + "&steps=" + quote(json.dumps(game)))
    expect(page.locator("#turn")).to_have_text("Player 2 won!")
    button(page, "Where was it decided?").click()
    expect(page.locator("#lost")).to_have_text("Here player 1 could still have won (move 1).")
    expect(page.locator(".walk .count")).to_have_text("The better move")
    wait_for_rest(page)
    expect(page.locator("#play-board .spot")).to_have_count(4)  # after one move
    shoot(page, "play-lost")
    button(page, "What was played instead").click()
    expect(page.locator(".walk .count")).to_have_text("Move 1 of %d" % len(game))
    button(page, "Next move").click()
    expect(page.locator(".walk .count")).to_have_text("Move 2 of %d" % len(game))


def test_a_review_is_left_before_its_move_is_drawn(visit: Visits) -> None:
    game = lost_game()
    page = visit(GAME % (3, "friend") + "&steps=" + quote(json.dumps(game)))
    button(page, "Where was it decided?").click()
    button(page, "What was played instead").click()
    held = Held(page, "api/position")
    button(page, "The better move").click()
    held.wait_for(1)
    button(page, "Undo").click()
    drawn = page.locator("#play-board .spot")
    expect(drawn).to_have_count(3 + len(game) - 1)
    held.answer(0)
    expect(drawn).to_have_count(3 + len(game) - 1)
    spots(page).first.press("Enter")
    expect(page.locator("#play-board .chosen")).to_have_count(1)


def test_a_line_is_drawn_by_touch(visit: Visits) -> None:
    page = visit(GAME % (5, "friend"), 400, 800, has_touch=True, is_mobile=True)
    touch(page, spots(page).nth(0), spots(page).nth(2))
    expect(page.locator("#turn")).to_have_text("Turn of player 2")
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0


def test_the_language_can_be_changed(visit: Visits) -> None:
    page = visit("door=play")
    page.get_by_label("Language").select_option("de")
    expect(button(page, "Spielen")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "de")


def test_a_whole_game_is_lost_by_mouse(either: Visits) -> None:
    page = either(GAME % (5, "perfect"))
    draw_to_the_end(page, lambda begin, end: drag(page, begin, end))
    assert len(steps_of(page)) % 2 == 0  # the first line was a mistake
    expect(page.locator("#turn")).to_have_text("The computer won.")


def test_a_whole_game_is_lost_by_touch(either: Visits) -> None:
    game = GAME.replace("first=me", "first=computer") % (5, "perfect")
    page = either(game, 400, 800, has_touch=True, is_mobile=True)
    draw_to_the_end(page, lambda begin, end: touch(page, begin, end))
    assert len(steps_of(page)) % 2 == 1
    expect(page.locator("#turn")).to_have_text("The computer won.")
    shoot(page, "play-touch")


def test_a_whole_game_is_won_by_keyboard(either: Visits) -> None:
    page = either(GAME % (5, "perfect"))
    for spot in (0, 0, 1, 2):  # a loop with two spots inside
        spots(page).nth(spot).press("Enter")
    button(page, "Done").press("Enter")
    page.wait_for_function("() => %s.length" % STEPS)
    while is_my_turn(page):
        button(page, "Hint").press("Enter")
        button(page, "Play it").press("Enter")
        expect(button(page, "Play it")).to_have_count(0)
    assert len(steps_of(page)) % 2 == 1
    expect(page.locator("#turn")).to_have_text("You won!")


def test_cram_is_chosen_and_won(either: Visits) -> None:
    page = either("door=play")
    page.get_by_label("Which game?").select_option("cram")
    expect(page.get_by_role("heading", name="Cram")).to_be_visible()
    button(page, "Columns: one fewer").click()
    button(page, "Rows: one fewer").click()
    button(page, "Rows: one fewer").click()
    page.get_by_label("The computer", exact=True).check()
    button(page, "Play").click()
    expect(page.locator(".scene .square")).to_have_count(8)
    expect(page.locator("#say")).to_contain_text("Who has no room for another one loses.")
    expect(page.locator("#say")).to_contain_text("Press two free squares side by side")
    page.get_by_role("button", name="How to play").click()
    expect(page.get_by_role("dialog")).to_contain_text("domino")
    button(page, "Close").click()
    placed = page.locator(".scene .placed")
    while wait_for_rest(page) and not page.locator(".table.over").count():
        count = len(steps_of(page))
        button(page, "Hint").click()
        expect(placed).to_have_count(2)
        parts = [str(part.get_attribute("data-part")) for part in placed.all()]
        button(page, "Back").click()
        for part in parts:
            page.locator('.scene [data-part="%s"]' % part).click()
        page.wait_for_function("count => %s.length > count" % STEPS, arg=count)
    expect(page.locator("#turn")).to_have_text("You won!")
    assert len(steps_of(page)) % 2 == 0
    assert not children(re.sub("[^.|]", "#", steps_of(page)[-1]), "cram")  # dominoes stand there
    assert "game=cram" in page.url
    shoot(page, "play-cram")


def test_another_game_is_chosen_before_the_start_of_the_first_is_known(visit: Visits) -> None:
    page = visit("door=play&game=sprouts")
    held = Held(page, "api/start")
    button(page, "Number of spots: one more").click()
    page.get_by_label("Which game?").select_option("cram")
    expect(page.get_by_role("heading", name="Cram")).to_be_visible()
    held.wait_for(2)
    held.answer(0)
    held.answer(1)
    expect(page.locator(".preview svg .square").first).to_be_visible()  # and no refusal is noted


def test_the_theme_is_changed(visit: Visits) -> None:
    page = visit("door=play", color_scheme="light")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    button(page, "Colours: as the system").click()
    button(page, "Colours: light").click()
    expect(button(page, "Colours: dark")).to_be_visible()
    assert page.evaluate(paper) != light
    page.reload()
    expect(button(page, "Colours: dark")).to_be_visible()
    assert page.evaluate(paper) != light
