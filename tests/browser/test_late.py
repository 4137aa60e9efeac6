"""Answers that come late: after another game, position, door or question has been chosen."""

from __future__ import annotations

import pytest
from helpers.browser import (
    Held,
    Visits,
    button,
    cards,
    drag,
    middle,
    panel,
    play_a_move,
    spots_of,
    steps_of,
    tab,
    text_of,
)
from playwright.sync_api import Page, Route, expect

FRIEND = "door=play&spots=%d&against=friend&first=me&seed=1"


def unsettle(page: Page) -> None:
    """Let no drawing be at rest; those that the server has drawn for another test may be."""

    def answer(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, json={**response.json(), "restless": True})

    page.route("**/api/position", answer)


def open_door(page: Page, name: str) -> None:
    page.locator("#doors a[data-door=%s]" % name).click()


def draw(page: Page, first: int, second: int) -> None:
    """Choose a line in Play or Learn with the keyboard."""
    for number in (first, second):
        page.locator(".hit").nth(number).press("Enter")


def expect_turn(page: Page, player: int) -> None:
    expect(page.locator("#turn")).to_have_text("Turn of player %d" % player)


def expect_no_message(page: Page) -> None:
    expect(page.locator("#message")).to_be_hidden()


@pytest.mark.parametrize("question", ["reply", "position", "marks"])
def test_the_door_has_been_left(visit: Visits, question: str) -> None:
    page = visit("door=explore&start=0*3")
    held = Held(page, "api/" + question)
    button(page, "Best move").click()
    held.wait_for(1)
    open_door(page, "play")
    expect(page.locator(".preview svg")).to_be_visible()
    more = Held(page, "api/*")
    held.answer(0)
    expect_no_message(page)
    assert page.url.endswith("?door=play") and not more.routes


def test_another_game_has_been_opened(visit: Visits) -> None:
    page = visit("door=explore&start=0*3")
    held = Held(page, "api/position")
    cards(page).first.click()
    held.wait_for(1)
    page.locator("#fresh select").select_option("cram")
    held.answer(1)
    expect(page.locator("#sheets .scene .square").first).to_be_visible()
    position = str(text_of(page).text_content())
    held.answer(0)
    expect(text_of(page)).to_have_text(position)
    assert "game=cram" in page.url and steps_of(page) == []
    expect_no_message(page)


def test_a_drawing_is_at_rest_once_its_game_has_been_left(visit: Visits) -> None:
    page = visit("door=explore&start=0*5")
    unsettle(page)
    held = Held(page, "api/settle")
    play_a_move(page)
    held.wait_for(1)
    page.locator("#fresh select").select_option("cram")
    expect(page.locator("#sheets .scene .square").first).to_be_visible()
    held.answer(0)
    assert len(held.routes) == 1


def test_the_size_that_was_chosen_last_is_shown(visit: Visits) -> None:
    page = visit("door=explore&start=0*3")
    held = Held(page, "api/start")
    more = button(page, "Number of spots: one more")
    more.click()
    more.click()
    held.answer(1)
    expect(text_of(page)).to_have_text("0*5")
    begun = Held(page, "api/position")
    held.answer(0)
    assert not begun.routes


def test_the_proof_that_was_chosen_last_is_shown(visit: Visits) -> None:
    page = visit("door=explore&start=0*3&tab=gallery")
    held = Held(page, "api/about")
    for n in (16, 17):
        panel(page).get_by_role("button", name="%d spots: the first player" % n).first.click()
    held.answer(1)
    expect(text_of(page)).to_have_text("0*17")
    held.answer(0)
    expect(page.locator("#source")).to_contain_text("sprouts-17")
    expect(text_of(page)).to_have_text("0*17")


def test_nothing_is_done_before_a_position_is_shown(visit: Visits) -> None:
    page = visit("door=play")
    held = Held(page, "api/position")
    open_door(page, "explore")
    held.wait_for(1)
    for name in ("Best move", "Undo"):
        page.mouse.click(*middle(button(page, name)))
    expect(page.locator("#hint")).to_be_empty()
    held.answer(0)
    expect(text_of(page)).to_have_text("0*3")
    expect_no_message(page)
    button(page, "Best move").click()
    held.answer(1)
    expect(text_of(page)).not_to_have_text("0*3")


def test_a_line_was_drawn_on_another_position(visit: Visits) -> None:
    page = visit("door=explore&start=0*3")
    held = Held(page, "api/stroke")
    drag(page, spots_of(page).first, spots_of(page).last)
    held.wait_for(1)
    cards(page).last.click()
    expect(text_of(page)).not_to_have_text("0*3")
    moved = Held(page, "api/position")
    held.answer(0)
    assert len(steps_of(page)) == 1 and not moved.routes


def test_a_line_was_drawn_before_a_move_was_taken_back(visit: Visits) -> None:
    page = visit(FRIEND % 3)
    draw(page, 0, 1)
    expect_turn(page, 2)
    expect(page.locator("#play-board")).to_have_attribute("aria-busy", "false")  # it is at rest
    held = Held(page, "api/stroke")
    hits = page.locator("#play-board .hit")
    drag(page, hits.nth(1), hits.nth(2))
    held.wait_for(1)
    button(page, "Undo").click()
    expect_turn(page, 1)
    moved = Held(page, "api/position")
    held.answer(0)
    assert steps_of(page) == [] and not moved.routes


def test_a_stroke_cannot_be_read(visit: Visits) -> None:
    page = visit(FRIEND % 3)
    page.route("**/api/stroke", lambda route: route.fulfill(json={"error": "no"}, status=400))
    hits = page.locator("#play-board .hit")
    drag(page, hits.first, hits.last)
    expect(page.locator("#message")).to_have_text("no")
    expect(page.locator(".trail")).to_have_count(0)
    refused = [fault for fault in visit.faults if "status of 400" in fault]
    assert visit.faults == refused  # and the refusal is dealt with
    visit.faults.clear()


def test_what_was_chosen_of_a_move_that_is_no_longer_the_last(visit: Visits) -> None:
    page = visit("door=explore&start=0*4")
    draw(page, 0, 0)
    expect(text_of(page)).to_have_text("0*3.AB|AB")
    held = Held(page, "api/position")
    cards(page).first.click()
    held.wait_for(1)
    page.locator("#choices").get_by_role("button").last.click()
    held.answer(0)
    expect(page.locator("#choices")).to_be_hidden()
    assert len(steps_of(page)) == 2 and len(held.routes) == 1


def test_a_move_is_taken_back_before_it_is_answered(visit: Visits) -> None:
    page = visit(FRIEND % 3)
    draw(page, 0, 1)
    expect_turn(page, 2)
    held = Held(page, "api/position")
    draw(page, 1, 2)
    held.wait_for(1)
    button(page, "Undo").click()
    expect_turn(page, 1)
    held.answer(0)
    expect_no_message(page)
    expect_turn(page, 1)
    draw(page, 0, 2)
    held.answer(1)
    expect_turn(page, 2)
    assert len(steps_of(page)) == 1


def test_a_new_game_is_chosen_before_a_move_is_answered(visit: Visits) -> None:
    page = visit(FRIEND % 3)
    held = Held(page, "api/position")
    draw(page, 0, 1)
    held.wait_for(1)
    button(page, "New game").click()
    expect(page.locator(".opening h1")).to_be_visible()
    address = page.url
    held.answer(0)
    assert page.evaluate("location.href") == address


def test_the_tools_of_a_game_wait_until_it_is_shown(visit: Visits) -> None:
    page = visit("door=play")
    held = Held(page, "api/position")
    button(page, "Play").click()
    held.wait_for(1)
    for name in ("Undo", "Hint", "Who is winning?"):
        expect(button(page, name)).to_be_disabled()
    held.answer(0)
    expect(page.locator("#turn")).to_have_text("Your turn")
    expect(button(page, "Hint")).to_be_enabled()


def test_what_lies_inside_is_chosen_while_the_drawing_comes_to_rest(visit: Visits) -> None:
    page = visit(FRIEND % 5)
    unsettle(page)
    held = Held(page, "api/settle")
    draw(page, 0, 1)
    expect_turn(page, 2)
    held.wait_for(1)
    draw(page, 3, 3)
    expect(page.locator(".sides")).to_be_visible()
    held.answer(0)
    button(page, "Done").click()
    expect_turn(page, 1)
    assert len(steps_of(page)) == 2


def test_a_move_of_another_step_of_learn_does_not_count(visit: Visits) -> None:
    page = visit("door=learn&step=1")
    expect(spots_of(page)).to_have_count(3)
    held = Held(page, "api/position")
    draw(page, 0, 0)  # what the second step asks for
    held.wait_for(1)
    page.locator(".steps button").nth(1).click()
    held.answer(0)
    held.answer(1)
    expect(page.locator("#sheets .line")).to_have_count(0)
    expect(page.locator(".result")).to_have_text("")
    expect(page.locator(".steps .done")).to_have_count(0)


def test_facts_are_looked_up_before_the_statistics(visit: Visits) -> None:
    page = visit("door=explore&source=sprouts-5&start=0*5")
    tab(page, "Database").click()
    held = Held(page, "api/facts")
    button(page, "Find").click()
    held.wait_for(1)
    button(page, "Statistics").click()
    expect(panel(page).locator(".bar").first).to_be_visible()
    held.answer(0)
    expect(panel(page).locator(".bar").first).to_be_visible()


def test_searches_are_watched_only_while_the_door_is_open(visit: Visits) -> None:
    """A browser opens few connections to a server; one that listens keeps its own."""
    page = visit("door=explore&start=0*2")
    for _ in range(8):
        tab(page, "Search").click()
        expect(button(page, "Stop")).to_be_disabled()
        open_door(page, "learn")
        expect(spots_of(page)).not_to_have_count(0)
        open_door(page, "explore")
        expect(text_of(page)).to_have_text("0*3")
