"""Boards of other games: played by mouse, keyboard and touch; links that only look."""

from __future__ import annotations

import re
from typing import Iterator

import pytest
from helpers.browser import Visits, button, open_parts, panel, shoot, steps_of, text_of
from helpers.explore import Explore
from playwright.sync_api import Browser, expect

from pns import children


@pytest.fixture
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Explore]:
    """`pns explore` for the game that a test names."""
    server = Explore(tmp_path_factory.mktemp("home"), "--game", request.param)
    yield server
    status, errors = server.close()
    assert (status, errors) == (130, "")


def of_game(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("server", [name], indirect=True)


@of_game("cram")
def test_a_domino_is_dragged_and_a_choice_is_taken_back(visit: Visits) -> None:
    page = visit("door=explore&start=..|..")
    first, second = [page.locator('#sheets .scene [data-part="%d"]' % i) for i in (0, 2)]
    first.click()
    expect(first).to_have_attribute("aria-pressed", "true")
    first.click()
    expect(first).to_have_attribute("aria-pressed", "false")
    first.hover()
    page.mouse.down()
    second.hover()
    page.mouse.up()
    expect(page.locator("#sheets .scene .domino.upright")).to_have_count(1)


@of_game("nim")
def test_nim_is_played_to_its_end_with_the_keyboard(visit: Visits) -> None:
    page = visit("door=explore&start=2%2B1")
    page.locator('#sheets .scene [tabindex="0"]').focus()
    expect(page.locator(":focus")).to_have_accessible_name(re.compile("^heap 1: leave 0 of 2"))
    page.keyboard.press("ArrowUp")
    expect(page.locator(":focus")).to_have_accessible_name(re.compile("^heap 1: leave 1 of 2"))
    page.keyboard.press("Enter")
    expect(text_of(page)).to_have_text("1+1")
    expect(page.locator("#sum .notation")).to_have_text(["1", "1"])  # the game has no drawings
    expect(panel(page).locator(".notation").first).to_have_text("1")
    expect(panel(page).locator(".notation").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    expect(text_of(page)).to_have_text("1")
    expect(page.locator(":focus")).to_have_accessible_name(re.compile("^heap 2: leave 0 of 1"))
    page.keyboard.press("Enter")
    expect(text_of(page)).to_have_text("!")
    assert steps_of(page) == ["1+1", "0+1", "0+0"]


@of_game("kayles")
def test_kayles_is_played_by_touch(visit: Visits) -> None:
    page = visit("door=explore&start=5", 400, 800, has_touch=True, is_mobile=True)
    for part in ("0.2", "0.2"):
        page.locator('#sheets .scene [data-part="%s"]' % part).tap()
    expect(text_of(page)).to_have_text("2+2")
    for part in ("0.4", "0.3"):
        page.locator('#sheets .scene [data-part="%s"]' % part).tap()
    expect(text_of(page)).to_have_text("2")
    shoot(page, "kayles-touch")


@of_game("node-kayles")
def test_a_link_looks_in_another_browser_and_changes_nothing(
    visit: Visits, browser: Browser
) -> None:
    page = visit("door=explore")
    open_parts(page).first.click()
    expect(page.locator("#sheets .scene .vertex.taken")).to_have_count(3)
    position = str(text_of(page).text_content())
    elsewhere = browser.new_context()
    other = elsewhere.new_page()
    other.goto(page.url)
    expect(text_of(other)).to_have_text(position)
    expect(other.locator("#sheets .scene .vertex.taken")).to_have_count(3)
    assert other.evaluate("localStorage.getItem('pns-token')") is None
    refused = other.evaluate(
        """async () => {
          const asked = { method: "POST", headers: { "content-type": "application/json" },
            body: JSON.stringify({ position: "0-1" }) };
          const answer = await fetch("api/search", asked);
          return [answer.status, (await answer.json()).error];
        }"""
    )
    assert refused == [403, "this link only looks: open the address that pns explore printed"]
    elsewhere.close()


@of_game("nim")
def test_the_address_says_which_game(visit: Visits) -> None:
    """One server has all games; whatever is asked is asked of that of the address."""
    page = visit("door=explore&game=cram&start=..|..")
    open_parts(page).first.click()
    page.locator("#sheets .scene .next").first.click()
    expect(page.locator("#sheets .scene .domino")).to_have_count(1)
    assert "game=cram" in page.url and len(steps_of(page)) == 1
    page.reload()
    expect(page.locator("#sheets .scene .domino")).to_have_count(1)
    expect(text_of(page)).to_have_text("..")
    button(page, "Best move").click()
    expect(text_of(page)).to_have_text("!")


@of_game("pentago")
def test_a_game_without_a_board_has_its_moves_as_buttons(visit: Visits) -> None:
    page = visit("door=explore")
    moves = page.locator(".move-list").get_by_role("button")
    expect(moves.first).to_be_visible()
    before = str(text_of(page).text_content())
    to = str(moves.last.get_attribute("data-to"))
    moves.last.click()
    expect(text_of(page)).to_have_text(to)
    assert to in children(before, "pentago")


@of_game("cram")
def test_the_game_of_the_server_is_chosen_for_play(visit: Visits) -> None:
    page = visit.open("door=play")
    expect(page.get_by_label("Which game?")).to_have_value("cram")
    page.get_by_label("A friend, at this screen").check()
    button(page, "Play").click()
    expect(page.locator("#turn")).to_have_text("Turn of player 1")
    open_parts(page).first.click()
    page.locator(".scene .next").first.click()
    expect(page.locator("#turn")).to_have_text("Turn of player 2")
    expect(page.locator(".scene .domino")).to_have_count(1)


@of_game("hex")
def test_play_says_whose_colours_are_whose(visit: Visits) -> None:
    chosen = "door=play&game=hex&rows=2&columns=2&against=perfect&seed=1&first="
    page = visit.open(chosen + "me")
    expect(page.locator("#say")).to_contain_text("You are blue, the computer is orange.")
    page = visit.open(chosen + "computer")
    expect(page.locator("#say")).to_contain_text("You are orange, the computer is blue.")


@of_game("mnk")
def test_a_draw_is_said_at_the_end(visit: Visits) -> None:
    page = visit.open("door=play&game=mnk&rows=1&columns=2&against=friend&first=me&seed=1")
    open_parts(page).first.click()  # nobody can complete a row any more
    expect(page.locator("#turn")).to_have_text("It is a draw.")
    expect(button(page, "Where was it decided?")).to_have_count(0)
