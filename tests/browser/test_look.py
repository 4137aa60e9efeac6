"""How the page looks: every panel at two widths, light and dark, without scrolling sideways."""

from __future__ import annotations

import pytest
from helpers.browser import Visits, button, cards, panel, play_a_move, shoot, spots_of, tab, text_of
from playwright.sync_api import Page, expect

BEHIND = "document.scrollingElement.scrollWidth - innerWidth"
"""How much of the page lies beside the window."""


def check(page: Page, name: str) -> None:
    """Nothing lies beside the window; takes a screenshot."""
    assert page.evaluate(BEHIND) <= 0
    shoot(page, name)


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1400, "light")])
def test_no_board_lies_beside_the_window(visit: Visits, width: int, scheme: str) -> None:
    page = visit("source=sprouts-17&start=0*17", width, color_scheme=scheme)
    name = "%s-%d-%%s" % (scheme, width)
    check(page, name % "start")
    tab(page, "Why").click()
    panel(page).get_by_role("button", name="Next").click()
    expect(panel(page).locator(".large svg")).to_be_visible()
    check(page, name % "why")
    tab(page, "Moves").click()
    before = play_a_move(page)
    expect(panel(page).locator(".card svg").first).to_be_visible()
    check(page, name % "moves")
    page.locator("#menu summary").click()
    check(page, name % "menu")
    page.keyboard.press("Escape")
    cards(page).first.click()
    expect(text_of(page)).not_to_have_text(before)
    spots_of(page).first.press("Enter")
    check(page, name % "begun")


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1400, "light")])
def test_no_panel_lies_beside_the_window(visit: Visits, width: int, scheme: str) -> None:
    page = visit("source=sprouts-17&start=0*17", width, color_scheme=scheme)
    name = "%s-%d-%%s" % (scheme, width)
    tab(page, "Search").click()
    expect(panel(page)).not_to_be_empty()
    check(page, name % "search")
    tab(page, "Database").click()
    button(page, "Find").click()
    expect(panel(page).locator("tbody tr").first).to_be_visible()
    check(page, name % "database")
    button(page, "Statistics").click()
    expect(panel(page).locator(".bar").first).to_be_visible()
    check(page, name % "statistics")
    tab(page, "Gallery").click()
    expect(panel(page).locator(".card svg").first).to_be_visible()
    check(page, name % "gallery")


def test_a_long_text_lies_within_the_window(visit: Visits) -> None:
    page = visit("start=0*2.AB|AB%2B0*9%2B0.1a1a%2B0*3.1a1a%2B0*4.AB|0*3.AB", 400)
    expect(page.locator("#sheets figure")).to_have_count(5)
    expect(page.locator("#sum .card")).to_have_count(5)
    check(page, "sum-400")


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (820, "light")])
def test_no_lesson_lies_beside_the_window(visit: Visits, width: int, scheme: str) -> None:
    page = visit("door=learn&step=8", width, color_scheme=scheme)
    expect(spots_of(page)).to_have_count(5)
    check(page, "%s-%d-learn" % (scheme, width))
