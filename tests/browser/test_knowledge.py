"""What the page knows: a proof that is browsed, and a search that is watched and stopped."""

from __future__ import annotations

import re

from helpers.browser import Visits, button, panel, shoot, spots_of, tab, text_of
from playwright.sync_api import expect

from pns import children, grundy_number


def test_a_proof_is_browsed(visit: Visits) -> None:
    page = visit()
    tab(page, "Gallery").click()
    shoot(page, "gallery")
    panel(page).get_by_role("button", name=re.compile(r"^17 spots")).click()
    expect(text_of(page)).to_have_text("0*17")
    expect(page.locator("#outcome")).to_contain_text("win")
    expect(spots_of(page)).to_have_count(17)
    expect(page.locator("#source")).to_contain_text("0*17 is a win")

    expect(tab(page, "Why")).to_have_attribute("aria-selected", "true")
    node = panel(page)
    for _ in range(3):
        node = node.locator("details").first
        node.locator("summary").first.click()
        inside = node.locator("> div")
        expect(inside.get_by_text("loss for the player to move").first).to_be_visible()
        picture = inside.locator("> img")
        expect(picture).to_be_visible()
        expect(picture).not_to_have_js_property("naturalWidth", 0)
    shoot(page, "proof")
    lost = str(node.locator("> summary code").last.text_content())
    node.get_by_role("button", name="Show on the board").first.click()
    expect(text_of(page)).to_have_text(lost)
    expect(page.locator("#outcome")).to_contain_text("loss")
    expect(panel(page).locator("code").first).to_have_text(lost)
    assert "source=sprouts-17" in page.url


def test_moves_of_the_list_are_marked_and_played(visit: Visits) -> None:
    page = visit("source=sprouts-5&start=0*5")
    rows = panel(page).locator("tbody tr")
    expect(rows).to_have_count(len(children("0*5")))
    expect(rows.first).to_contain_text("wins")
    expect(rows.last).to_contain_text("?")
    move = rows.first.get_by_role("button")
    to = str(move.text_content())
    assert grundy_number(to) == 0
    move.click()
    expect(text_of(page)).to_have_text(to)
    expect(page.locator("#outcome")).to_contain_text("loss")
    expect(page.locator("#sheets .line.new")).not_to_have_count(0)


def test_a_proof_is_played_out(visit: Visits) -> None:
    page = visit("source=sprouts-4&start=0*4")
    button(page, "Play out").click()
    status = page.get_by_role("status")
    expect(status).to_contain_text("Move 1: to a lost position")
    first = str(text_of(page).text_content())
    assert grundy_number(first) == 0 and first in children("0*4")
    expect(status).to_contain_text("Move 2: every move loses")
    assert str(text_of(page).text_content()) in children(first)
    expect(status).to_contain_text("Move 3")
    shoot(page, "played-out")
    expect(page.locator("#sheets .hit.win, #sheets .hit.loss")).not_to_have_count(0)
    button(page, "Undo").click()  # what is done by hand ends it
    expect(status).to_contain_text("Choose the spot")
    kept = str(text_of(page).text_content())
    page.wait_for_timeout(2000)
    expect(text_of(page)).to_have_text(kept)


def test_a_search_is_started_watched_and_stopped(visit: Visits) -> None:
    page = visit("start=0*45")
    expect(page.locator("#outcome")).to_contain_text("unknown")
    tab(page, "Search").click()
    expect(button(page, "Stop")).to_be_disabled()
    page.get_by_label("Algorithm").select_option("dfpn")
    button(page, "Search this position").click()
    expansions = panel(page).locator("dt", has_text="expansions").locator("+ dd")
    first = str(expansions.text_content())
    expect(expansions).not_to_have_text(first)
    expect(panel(page).locator(".line-of-play img").first).to_be_visible()
    shoot(page, "search-running")
    button(page, "Stop").click()
    expect(panel(page)).to_contain_text("unknown: stopped by an interrupt")
    expect(button(page, "Stop")).to_be_disabled()
    expect(button(page, "Search this position")).to_be_enabled()

    tab(page, "Database").click()
    page.get_by_label("Grundy number").fill("0")
    button(page, "Find").click()
    lost = panel(page).locator("tbody").get_by_role("button").first
    text = str(lost.text_content())
    lost.click()
    expect(text_of(page)).to_have_text(text)
    expect(page.locator("#outcome")).to_contain_text("loss")


def test_a_finished_search_marks_the_moves(visit: Visits) -> None:
    page = visit("start=0*4")
    tab(page, "Search").click()
    page.get_by_label("Algorithm").select_option("dfpn")
    button(page, "Search this position").click()
    expect(page.locator("#outcome")).to_contain_text("win")
    tab(page, "Moves").click()
    first = panel(page).locator("tbody tr").first
    expect(first).to_contain_text("wins")
    assert grundy_number(str(first.get_by_role("button").text_content())) == 0
