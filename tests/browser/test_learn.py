"""The door Learn: something is done on the board in each step, and what is done is kept."""

from __future__ import annotations

from typing import Optional

from helpers.browser import Visits, button, shoot, spots_of
from playwright.sync_api import Locator, Page, expect

STEPS = 8
LINES = "lines => document.querySelectorAll('#sheets .line').length"
"""Of a move there are two lines, on either side of its new spot."""


def result(page: Page) -> Locator:
    return page.locator(".result")


def draw(page: Page, first: int, second: int) -> None:
    """Draw a line by pressing two spots."""
    for number in (first, second):
        spots_of(page).nth(number).press("Enter")


def draw_anywhere(page: Page) -> None:
    """Draw some line, if there is one."""
    spots = spots_of(page)
    before = page.locator("#sheets .line").count()
    for number in range(spots.count()):
        spots.nth(number).press("Enter")
        ends = page.locator("#sheets .possible")
        if ends.count():
            ends.last.press("Enter")
            break
        spots.nth(number).press("Enter")
    page.wait_for_function(LINES + " > lines", arg=before)


def finish(page: Page, number: int, done: Optional[int] = None) -> None:
    """Wait until a step is done, with `done` of all, and go to the next one."""
    expect(result(page)).to_contain_text("✓")
    expect(page.locator(".steps .done")).to_have_count(number if done is None else done)
    if number < STEPS:
        button(page, "Next step").click()
        expect(page.locator(".count")).to_have_text("Step %d of %d" % (number + 1, STEPS))
        expect(result(page)).to_have_text("")


def test_all_steps_are_done(visit: Visits) -> None:
    page = visit("door=learn")
    expect(spots_of(page)).to_have_count(3)
    draw(page, 0, 0)  # a loop, which is not asked for
    expect(result(page)).to_contain_text("✗")
    button(page, "Try again").click()
    expect(spots_of(page)).to_have_count(3)
    draw(page, 0, 1)
    finish(page, 1)
    expect(spots_of(page)).to_have_count(3)
    draw(page, 0, 0)
    finish(page, 2)
    draw_anywhere(page)
    finish(page, 3)
    expect(spots_of(page)).to_have_count(1)
    draw(page, 0, 0)
    expect(spots_of(page)).to_have_count(2)
    draw(page, 0, 1)
    finish(page, 4)
    expect(spots_of(page)).to_have_count(2)
    page.reload()
    expect(page.locator(".count")).to_have_text("Step 5 of 8")  # where it was
    expect(page.locator(".steps .done")).to_have_count(4)


def test_the_solver_wins_from_two_spots(visit: Visits) -> None:
    page = visit("door=learn&step=5")
    expect(spots_of(page)).to_have_count(2)
    while not result(page).text_content():
        lines = page.locator("#sheets .line").count()
        draw_anywhere(page)
        page.wait_for_function(  # until the answer is drawn, or the game is over
            LINES + " > lines + 2 || document.querySelector('.result').textContent", arg=lines
        )
    expect(result(page)).to_contain_text("The solver won")


def test_the_solver_speaks_of_normal_play_after_misere_play(visit: Visits) -> None:
    page = visit("door=explore&game=sprouts-misere&start=0*3")
    expect(page.locator("#legend")).to_contain_text("Whoever draws the last line loses.")
    page.locator("#doors").get_by_role("link", name="Learn").click()
    page.locator(".steps button").nth(4).click()
    expect(spots_of(page)).to_have_count(2)
    while not result(page).text_content():
        lines = page.locator("#sheets .line").count()
        draw_anywhere(page)
        page.wait_for_function(
            LINES + " > lines + 2 || document.querySelector('.result').textContent", arg=lines
        )
    expect(page.locator("#hint")).to_contain_text("You have no move: the solver has won.")


def test_a_winning_move_is_found_and_numbers_cancel(visit: Visits) -> None:
    page = visit("door=learn&step=6")
    expect(spots_of(page)).to_have_count(3)
    draw(page, 0, 0)
    expect(result(page)).to_contain_text("✗")
    button(page, "Try again").click()
    expect(spots_of(page)).to_have_count(3)
    draw(page, 0, 1)
    finish(page, 6, 1)
    copied = page.locator("#sheets figure").filter(has=page.locator(".line"))
    expect(copied).to_have_count(1)
    plain = page.locator("#sheets figure").filter(has_not=page.locator(".line"))
    for spot in plain.locator(".hit").all():
        spot.press("Enter")
    finish(page, 7, 2)
    expect(spots_of(page)).to_have_count(5)
    shoot(page, "learn-numbers")
    three = page.locator("#sheets figure").filter(has=page.locator(".hit").nth(2)).first
    for number in (0, 1):
        three.locator(".hit").nth(number).press("Enter")
    finish(page, 8, 3)
