"""Games on the board: by mouse, keyboard and touch, taken back, played again, and shared."""

from __future__ import annotations

import re
from typing import List

from helpers.browser import (
    STEPS,
    Visits,
    button,
    cards,
    choose_in_menu,
    drag,
    panel,
    play_a_move,
    record,
    recorded,
    shoot,
    spots_of,
    steps_of,
    text_of,
)
from playwright.sync_api import Page, expect

from pns import children, grundy_number

ANSWERED = re.compile("The solver has moved|has won")


def played_to_the_end(page: Page) -> List[str]:
    """The positions of a game that is played by clicks; each one is a child of the one before."""
    positions = [str(text_of(page).text_content())]
    while children(positions[-1]):
        after = play_a_move(page)
        assert after in children(positions[-1])
        positions.append(after)
    return positions


def test_a_game_is_played_to_its_end_by_clicks(visit: Visits) -> None:
    page = visit("start=0*2")
    positions = played_to_the_end(page)
    assert 5 <= len(positions) <= 6  # 2n to 3n - 1 moves
    expect(panel(page)).to_contain_text("no move")
    shoot(page, "game-end")
    assert play_a_move(page) == positions[-1]

    page.reload()
    expect(text_of(page)).to_have_text(positions[-1])
    expect(button(page, "Redo")).to_be_disabled()
    for position in reversed(positions[:-1]):
        button(page, "Undo").click()
        expect(text_of(page)).to_have_text(position)
    expect(button(page, "Undo")).to_be_disabled()
    for position in positions[1:]:
        button(page, "Redo").click()
        expect(text_of(page)).to_have_text(position)
    expect(button(page, "Redo")).to_be_disabled()


def test_the_solver_answers_each_move(visit: Visits) -> None:
    page = visit("start=0*2")
    choose_in_menu(page, "Solver answers")
    record(page, "#text")
    while children(str(text_of(page).text_content())):
        play_a_move(page)
        expect(page.locator("#hint")).to_contain_text(ANSWERED)
    expect(page.locator("#hint")).to_contain_text("the solver has won")
    positions = [text for (text,) in recorded(page)]
    for before, after in zip(positions, positions[1:]):
        assert after in children(before)
    assert not any(map(grundy_number, positions[::2]))  # whoever begins loses
    shoot(page, "solver-won")
    button(page, "Undo").click()
    expect(text_of(page)).to_have_text(positions[-3])


def test_a_loop_is_finished_before_the_solver_answers(visit: Visits) -> None:
    page = visit("door=explore&start=0*17")
    choose_in_menu(page, "Solver answers")
    hits = page.locator("#sheets .hit")
    hits.first.click()
    hits.first.click()
    for spot in range(1, 9):
        hits.nth(spot).press("Enter")
    expect(page.locator(".sides")).to_contain_text("8 inside, 8 outside")
    expect(text_of(page)).to_have_text("0*17")
    assert steps_of(page) == []
    button(page, "Done").click()
    page.wait_for_function("() => %s.length === 2" % STEPS)
    mine, answer = steps_of(page)
    assert mine == [0, ~0, ~0, [~spot for spot in range(1, 9)], False]
    assert text_of(page).text_content() == answer
    assert answer in children("0*8.AB|0*8.AB")


def test_a_line_is_drawn_by_hand(visit: Visits) -> None:
    page = visit("door=explore&start=0*5")
    hits = page.locator("#sheets .hit")
    drag(page, hits.nth(0), hits.nth(2))
    page.wait_for_function("() => %s.length === 1" % STEPS)
    ((sheet, first, second, left, _, along),) = steps_of(page)
    assert len(along) == 2  # straight on: the middle
    assert (sheet, sorted((first, second)), left) == (0, [~2, ~0], [])


def test_a_new_move_forgets_what_was_undone(visit: Visits) -> None:
    page = visit("start=0*3")
    first = play_a_move(page)
    play_a_move(page)
    button(page, "Undo").click()
    expect(text_of(page)).to_have_text(first)
    cards(page).last.click()
    expect(text_of(page)).not_to_have_text(first)
    expect(button(page, "Redo")).to_be_disabled()


def test_a_loop_has_sides_to_choose(visit: Visits) -> None:
    page = visit("start=0*4")
    spot = spots_of(page).first
    spot.click()
    spot.click()
    expect(text_of(page)).to_have_text("0*3.AB|AB")
    choices = page.locator("#choices")
    for count, wanted in enumerate(("0*2.AB|0.AB", "0*2.AB|0.AB", "0*3.AB|AB"), 1):
        choices.get_by_role("button", pressed=False).last.click()
        expect(choices.get_by_role("button", pressed=True)).to_have_count(count)
        expect(text_of(page)).to_have_text(wanted)
    shoot(page, "game-loop")
    button(page, "Undo").click()
    expect(text_of(page)).to_have_text("0*4")
    expect(choices).to_be_hidden()


def test_a_move_is_played_with_the_keyboard(visit: Visits) -> None:
    page = visit("start=0*2")
    page.locator("#menu summary").press("Tab")
    expect(spots_of(page).first).to_be_focused()
    page.keyboard.press("Enter")
    expect(spots_of(page).first).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Tab")
    expect(spots_of(page).last).to_be_focused()
    page.keyboard.press("Space")
    expect(text_of(page)).to_have_text("1a1a")
    page.keyboard.press("Control+z")
    expect(text_of(page)).to_have_text("0*2")
    page.keyboard.press("Control+Shift+z")
    expect(text_of(page)).to_have_text("1a1a")


def test_a_move_is_played_by_touch(visit: Visits) -> None:
    page = visit("start=0*3", 400, 800, has_touch=True, is_mobile=True)
    spots_of(page).first.tap()
    expect(page.locator("#hint")).to_contain_text("From spot 1")
    spots_of(page).last.tap()
    expect(text_of(page)).to_have_text("0.1a1a")
    shoot(page, "game-touch")


def test_the_address_has_the_position_and_no_token(visit: Visits) -> None:
    page = visit("start=0*2")
    after = play_a_move(page)
    assert re.search(r"[?&]start=0\*2&steps=", page.url) and "token" not in page.url
    again = page.context.new_page()
    again.goto(page.url)
    expect(text_of(again)).to_have_text(after)


def test_a_position_is_typed(visit: Visits) -> None:
    page = visit("start=0*2")
    page.get_by_label("Position").fill("0*4+0*5")
    button(page, "Show").click()
    expect(text_of(page)).to_have_text("0*5+0*4")
    expect(page.locator("#sheets figure")).to_have_count(2)
