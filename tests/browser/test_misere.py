"""Misère play on the page: a game is chosen and won, a proof is walked through to its end."""

from __future__ import annotations

import re

from helpers.browser import Visits, button, shoot
from playwright.sync_api import Page, expect

MISERE = "game=sprouts-misere"
OVER = "No line is left, and whoever drew the last one loses."
READY = re.compile("^%s$|^Drag from a spot" % re.escape(OVER))


def choose_winning_moves(page: Page) -> None:
    """Play to the end with the moves that the hint draws."""
    while True:
        expect(page.locator("#say")).to_have_text(READY)
        if page.locator("#say").text_content() == OVER:
            return
        button(page, "Hint").click()
        button(page, "Play it").click()
        expect(button(page, "Play it")).to_have_count(0)


def test_misere_play_is_chosen_with_the_game_and_won(visit: Visits) -> None:
    page = visit("door=play")
    page.get_by_label("Which game?").select_option("sprouts-misere")
    expect(page.locator(".tagline")).to_have_text(
        "Draw lines from spot to spot. Whoever draws the last line loses."
    )
    button(page, "How to play").click()
    expect(page.locator("dialog.rules")).to_contain_text("whoever draws the last line loses")
    button(page, "Close").click()
    button(page, "Play").click()
    choose_winning_moves(page)
    expect(page.locator("#turn")).to_have_text("You won!")
    shoot(page, "misere-won")
    button(page, "Where was it decided?").click()
    expect(page.locator("#lost")).to_have_text(re.compile("computer could"))


def test_the_rules_are_closed_by_the_way_back(visit: Visits) -> None:
    page = visit("door=learn")
    page.locator("#doors").get_by_role("link", name="Play").click()
    button(page, "How to play").click()
    expect(page.locator("dialog.rules")).to_be_visible()
    page.go_back()
    expect(page.locator(".count")).to_contain_text("Step 1")
    expect(page.locator("dialog.rules")).to_have_count(0)


def test_a_misere_proof_is_walked_through_to_its_end(visit: Visits) -> None:
    page = visit("door=explore&%s&start=0*5&tab=why" % MISERE)
    words = page.locator("#why .words")
    expect(words).to_have_text("Whoever moves now wins. Next shows how.")
    while words.text_content() != "The game is over: whoever moved last has lost.":
        before = page.locator("#why .count").text_content() or ""
        forward = page.locator("#why").get_by_role("button", name="Next", exact=True)
        if forward.is_enabled():
            forward.click()
        else:
            page.locator("#why .cards button").first.click()
        expect(page.locator("#why .count")).not_to_have_text(before)
    shoot(page, "misere-proof")


def test_nothing_is_said_of_grundy_numbers(visit: Visits) -> None:
    page = visit("door=explore&%s&start=0*3" % MISERE)
    expect(page.locator("#outcome")).to_have_text("Whoever moves now loses.")
    expect(page.locator("#legend")).to_contain_text("Whoever draws the last line loses.")
    for name in ("Moves", "Why", "Gallery", "Database"):
        page.get_by_role("tab", name=name, exact=True).click()
        expect(page.locator("#door")).not_to_contain_text("Grundy")
    button(page, "Find").click()
    facts = page.locator("#facts")
    expect(facts).to_contain_text("Each is a lost position.")
    facts.locator("button.position").first.click()
    expect(page.locator("#text")).to_have_text(re.compile(r"^0\*10"))
    expect(page.locator("#sum")).to_be_hidden()
    expect(page.locator("#message")).to_be_hidden()


def test_the_lessons_are_about_normal_play(visit: Visits) -> None:
    page = visit("door=learn&%s&step=1" % MISERE)
    with page.expect_request("**/api/position") as caught:
        page.locator(".steps button").nth(5).click()
    asked = caught.value.post_data_json
    assert asked and asked["game"] == "sprouts"
