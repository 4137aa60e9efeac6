"""Names, roles and live regions, as the browser passes them to a screen reader."""

from __future__ import annotations

from typing import List

from helpers.browser import Visits, panel, play_a_move, spots_of, tab, text_of
from playwright.sync_api import Page, expect

from pns import children

INTERACTIVE = ("button", "textbox", "spinbutton", "combobox", "tab", "link", "checkbox", "radio")
TABS = ("Moves", "Why", "Gallery", "Search", "Database", "Certificate")


def nameless(page: Page) -> List[str]:
    """Interactive elements of the accessibility tree that have no name."""
    client = page.context.new_cdp_session(page)
    nodes = client.send("Accessibility.getFullAXTree")["nodes"]
    found = [node for node in nodes if node.get("role", {}).get("value") in INTERACTIVE]
    assert len(found) > 10
    return [str(node) for node in found if not node.get("name", {}).get("value")]


def test_every_control_has_a_name(visit: Visits) -> None:
    page = visit("source=sprouts-5&start=0*5")
    play_a_move(page)
    for name in TABS:
        tab(page, name).click()
        expect(panel(page)).not_to_be_empty()
        assert not nameless(page)
    page = visit("door=learn")
    assert not nameless(page)


def test_tabs_follow_the_arrow_keys(visit: Visits) -> None:
    page = visit("start=0*2")
    tab(page, "Moves").focus()
    for name in (*TABS[1:], TABS[0]):
        page.keyboard.press("ArrowRight")
        expect(tab(page, name)).to_be_focused()
        expect(page.get_by_role("tab", selected=True)).to_have_text(name)
        expect(panel(page)).to_have_accessible_name(name)
    page.keyboard.press("ArrowLeft")
    expect(tab(page, TABS[-1])).to_be_focused()


def test_the_status_says_what_happened(visit: Visits) -> None:
    page = visit("source=sprouts-5&start=0*2")
    status = page.locator("#hint")
    expect(status).to_have_attribute("aria-live", "polite")
    spots_of(page).first.click()
    expect(status).to_have_text("From spot 1: choose where the line ends.")
    spots_of(page).last.click()
    expect(status).to_contain_text("Line from spot 1 to 2.")
    while children(play_a_move(page)):
        pass
    expect(status).to_contain_text("The game is over")


def test_the_focus_stays_where_it_was(visit: Visits) -> None:
    page = visit("start=0*3")
    for key in ("Enter", "Enter"):
        spots_of(page).nth(1).press(key)
    expect(text_of(page)).to_have_text("0*2.AB|AB")
    expect(spots_of(page).nth(1)).to_be_focused()
    side = page.locator("#choices").get_by_role("button").last
    side.press("Enter")
    expect(text_of(page)).to_have_text("0.AB|0.AB")
    expect(side).to_be_focused()
    expect(side).to_have_attribute("aria-pressed", "true")
