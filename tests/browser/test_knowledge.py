"""What the page knows: moves, proofs that are walked, the gallery, sums, and searches."""

from __future__ import annotations

import re

from helpers.browser import (
    Visits,
    button,
    cards,
    choose_in_menu,
    panel,
    record,
    recorded,
    shoot,
    spots_of,
    tab,
    text_of,
)
from playwright.sync_api import Page, expect

from pns import children, grundy_number


def walked(page: Page) -> str:
    """The text of the position that the walk through a proof has come to."""
    return str(panel(page).locator("> .notation").text_content())


def test_a_picture_of_the_gallery_opens_a_proof_that_is_walked(either: Visits) -> None:
    page = either("start=0*5")
    tab(page, "Gallery").click()
    result = panel(page).get_by_role("button", name="17 spots: the first player wins").first
    result.scroll_into_view_if_needed()
    first_move = result.locator(".line.new").first
    expect(first_move).to_be_visible(timeout=120_000)  # after the pictures above it
    shoot(page, "gallery")
    result.click()
    expect(text_of(page)).to_have_text("0*17")
    expect(page.locator("#outcome")).to_have_text(re.compile("^Whoever moves now wins"))
    expect(spots_of(page)).to_have_count(17)
    expect(page.locator("#source")).to_contain_text("0*17 is a win")
    expect(tab(page, "Why")).to_have_attribute("aria-selected", "true")

    position = "0*17"
    for step in (1, 3, 5):
        expect(panel(page)).to_contain_text("Drawing %d" % step)
        assert walked(page) == position
        button(page, "Next").click()
        expect(panel(page)).to_contain_text("Drawing %d" % (step + 1))
        lost = walked(page)
        assert lost in children(position)
        expect(panel(page).locator(".large .line.new").first).to_be_visible()
        cards(page).first.click()
        expect(panel(page)).to_contain_text("Drawing %d" % (step + 2))
        position = walked(page)
        assert position in children(lost)
    shoot(page, "proof")
    button(page, "Previous").click()
    expect(panel(page)).to_contain_text("Drawing 6")
    assert walked(page) == lost
    button(page, "Show on the board").click()
    expect(text_of(page)).to_have_text(lost)
    expect(page.locator("#outcome")).to_have_text(re.compile("^Whoever moves now loses"))
    assert "source=sprouts-17" in page.url

    tab(page, "Gallery").click()
    panel(page).get_by_role("button", name="NoGo, 25: the first player wins").click()
    expect(page.locator("#source")).to_contain_text("nogo-25")
    button(page, "Next").click()
    expect(panel(page)).to_contain_text("Drawing 2")
    assert walked(page) == "." * 12 + "O" + "." * 12


def test_a_walk_ends_where_no_line_can_be_drawn(visit: Visits) -> None:
    page = visit("source=sprouts-2&start=0*2&tab=why")
    expect(panel(page)).to_contain_text("Drawing 1")
    for step in range(1, 9):
        count = panel(page).locator(".count")
        expect(count).to_have_text("Drawing %d" % step)
        if panel(page).get_by_text("The game is over").count():
            break
        following = cards(page)
        (following.first if following.count() else button(page, "Next")).click()
        expect(count).to_have_text("Drawing %d" % (step + 1))
    assert children(walked(page)) == [] and step in (5, 6)


def test_moves_that_win_come_first_and_are_played(visit: Visits) -> None:
    page = visit("source=sprouts-5&start=0*5")
    expect(cards(page)).to_have_count(len(children("0*5")))
    expect(panel(page).locator(".group").first).to_contain_text("Moves that win")
    won, others = cards(page, "win"), cards(page, "unknown")
    to = str(won.get_attribute("data-to"))
    assert grundy_number(to) == 0
    expect(others).to_have_count(len(children("0*5")) - 1)
    expect(won.locator(".line.new").first).to_be_visible()
    won.click()
    expect(text_of(page)).to_have_text(to)
    expect(page.locator("#outcome")).to_have_text(re.compile("^Whoever moves now loses"))
    expect(page.locator("#sheets .line.new")).not_to_have_count(0)


def test_pointing_at_a_move_shows_it_on_the_board_and_back(visit: Visits) -> None:
    page = visit("source=sprouts-5&start=0*5")
    expect(page.locator("#sheets .hit.win")).not_to_have_count(0)  # the lines are known
    cards(page, "win").hover()
    expect(page.locator("#sheets .hit.pointed")).not_to_have_count(0)
    page.locator("#turn").hover()
    expect(page.locator("#sheets .hit.pointed")).to_have_count(0)
    spots_of(page).first.hover()
    expect(panel(page).locator(".card.pointed")).not_to_have_count(0)
    page.locator("#turn").hover()
    expect(panel(page).locator(".card.pointed")).to_have_count(0)


def test_notation_is_shown_on_request_and_remembered(visit: Visits) -> None:
    page = visit("start=0*3")
    expect(text_of(page)).to_be_hidden()
    choose_in_menu(page, "Notation")
    expect(text_of(page)).to_be_visible()
    page.reload()
    expect(text_of(page)).to_have_text("0*3")
    expect(text_of(page)).to_be_visible()
    choose_in_menu(page, "Notation")
    expect(text_of(page)).to_be_hidden()


def test_the_numbers_of_a_sum_add_up(visit: Visits) -> None:
    page = visit("start=0*3%2B0*4%2B0*2")
    parts = page.locator("#sum .card")
    expect(parts).to_have_count(3)
    expect(page.locator("#sum tbody tr")).to_have_count(4)
    expect(page.locator("#sum tbody tr").last).to_contain_text("*0")
    expect(page.locator("#sum")).to_contain_text("whoever moves loses")
    parts.last.get_by_role("button").click()
    expect(page.locator("#sum")).to_be_hidden()
    assert "+" not in str(text_of(page).text_content())


def test_any_number_of_spots_up_to_44_has_its_verdict(visit: Visits) -> None:
    page = visit("start=0*2")
    for n, words in ((17, "wins"), (41, "wins"), (44, "loses")):
        page.get_by_label("Position").fill("0*%d" % n)
        button(page, "Show").click()
        expect(text_of(page)).to_have_text("0*%d" % n)
        expect(page.locator("#outcome")).to_contain_text("Whoever moves now " + words)


def test_the_end_says_who_has_won(visit: Visits) -> None:
    page = visit("start=0")
    outcome = page.locator("#outcome")
    for _ in range(2):
        text = str(text_of(page).text_content())
        cards(page).first.click()
        expect(text_of(page)).not_to_have_text(text)
    expect(outcome).to_have_text("The game is over: the second player has won.")
    shoot(page, "explore-end")


def test_a_proof_is_played_out(visit: Visits) -> None:
    page = visit("source=sprouts-4&start=0*4")
    status = page.locator("#hint")
    record(page, "#hint", "#text")
    choose_in_menu(page, "Play out")
    page.wait_for_function("() => seen.some(([hint]) => hint.startsWith('Move 3'))")
    moves = [texts for texts in recorded(page) if texts[0].startswith("Move ")]
    (one, first), (two, second) = moves[:2]
    assert one.startswith("Move 1: to a lost position")
    assert two.startswith("Move 2: every move loses")
    assert grundy_number(first) == 0 and first in children("0*4")
    assert second in children(first)
    shoot(page, "played-out")
    expect(page.locator("#sheets .hit.win, #sheets .hit.loss")).not_to_have_count(0)
    button(page, "Undo").click()  # what is done by hand ends it
    expect(status).to_contain_text("Choose the spot")
    kept = str(text_of(page).text_content())
    page.wait_for_timeout(2000)
    expect(text_of(page)).to_have_text(kept)


def test_a_search_is_started_watched_and_stopped(visit: Visits) -> None:
    page = visit("start=0*45")
    expect(page.locator("#outcome")).to_contain_text("not known")
    tab(page, "Search").click()
    expect(button(page, "Stop")).to_be_disabled()
    page.get_by_label("Algorithm").select_option("dfpn")
    button(page, "Search this position").click()
    expansions = panel(page).locator("dt", has_text="expansions").locator("+ dd")
    first = str(expansions.text_content())
    expect(expansions).not_to_have_text(first)
    expect(panel(page).locator(".line-of-play svg").first).to_be_visible()
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
    expect(page.locator("#outcome")).to_contain_text("loses")


def test_a_finished_search_marks_the_moves(visit: Visits) -> None:
    page = visit("start=0*4")
    tab(page, "Search").click()
    page.get_by_label("Algorithm").select_option("dfpn")
    button(page, "Search this position").click()
    expect(page.locator("#outcome")).to_contain_text("wins")
    tab(page, "Moves").click()
    assert grundy_number(str(cards(page, "win").first.get_attribute("data-to"))) == 0
    button(page, "Number of spots: one more").click()
    expect(text_of(page)).to_have_text("0*5")


def test_what_nobody_knows_is_found_out(visit: Visits) -> None:
    page = visit("start=0*3")
    expect(button(page, "Find out")).to_have_count(0)
    page.locator("#fresh select").select_option("cram")
    expect(page.locator("#outcome")).to_have_text("It is not known who wins.")
    button(page, "Rows: one fewer").click()
    button(page, "Columns: one fewer").click()
    expect(text_of(page)).to_have_text("....|....|....")
    button(page, "Find out").click()
    expect(page.locator("#outcome")).to_contain_text("Whoever moves now")
    expect(button(page, "Find out")).to_have_count(0)
