"""The page by both of its transports: the server, and static files with Pyodide."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any, Iterator

import pytest
from helpers.browser import (
    KEPT_MEMORY,
    LOADING,
    MEMORY,
    STEPS,
    Held,
    Visits,
    button,
    choose_in_menu,
    missing,
    open_parts,
    panel,
    play_a_move,
    shoot,
    spots_of,
    steps_of,
    tab,
    text_of,
    wait_until_loaded,
)
from helpers.static_page import NpmError, StaticPage, axe
from playwright.sync_api import Browser, Page, expect

from pns import children
from pns.finding import find_game
from pns.system.package_data import data_path

SOURCES = re.compile("the facts that come with pns|the database")
"""Where a number may be known from: a search of another test may have stored it."""
ANSWERED = re.compile("The solver has moved|has won")
DAMAGE = (
    """() => %s.then(async (cache) =>
    cache.put((await cache.keys())[0], new Response(new Uint8Array(1000))))"""
    % MEMORY
)
FAIL = """[['no such kind', null], ['ask', { id: 1000, name: 'games', text: '{}' }]].forEach(
    (data) => dispatchEvent(new MessageEvent('message', { data })))"""
"""Makes the solver fail, and answer a question after that."""
NOTE = """() => {
    self.noted = [];
    const post = self.postMessage.bind(self);
    self.postMessage = ([kind, content]) => {
        if (kind === "state" && content.result) noted.push("said");
        post([kind, content]);
    };
    const begin = IDBDatabase.prototype.transaction;
    IDBDatabase.prototype.transaction = function (stores, mode = "readonly") {
        const begun = begin.call(this, stores, mode);
        if (mode === "readwrite") begun.addEventListener("complete", () => noted.push("stored"));
        return begun;
    };
}"""
"""Notes in the worker when facts are stored, and when the end of a search is said."""
NO_MEMORY = (
    "() => caches.keys().then((names) => !names.some((name) => name.startsWith('pns-memory')))"
)
RESTORED = "performance.getEntriesByName('restored').length"
DOORS = ("play", "explore", "learn")
pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def static(browser: Browser, files: StaticPage) -> Iterator[Visits]:
    """Opens the static page; a fault of the page fails the test."""
    visits = Visits(browser, files, LOADING)
    yield visits
    visits.close()


def wait_until_kept(page: Page) -> None:
    """Wait until a static page can be opened offline."""
    expect(page.locator("html")).to_have_attribute("data-offline", "ready", timeout=LOADING)


def verdict(page: Page) -> Any:
    return page.locator(".certificate .verdict")


def drop(page: Page, name: str, content: bytes) -> None:
    """Drop a file on the page."""
    program = """([name, bytes]) => {
        const files = new DataTransfer();
        files.items.add(new File([new Uint8Array(bytes)], name));
        for (const type of ["dragover", "drop"]) {
            document.getElementById("door").dispatchEvent(
                new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true }));
        }
    }"""
    page.evaluate(program, [name, list(content)])


def shipped(name: str) -> bytes:
    return Path(data_path("certificates/%s.cert.gz" % name)).read_bytes()


def test_a_position_is_shown_with_what_the_package_knows(either: Visits) -> None:
    page = either("door=explore&start=0*44")
    expect(page.locator("#outcome")).to_contain_text("loses", timeout=LOADING)
    expect(page.locator("#known-from")).to_contain_text(SOURCES)
    assert spots_of(page).count() == 44


def test_a_game_against_the_solver(either: Visits) -> None:
    page = either("door=explore&start=0*3")
    choose_in_menu(page, "Solver answers")
    position = "0*3"
    while children(position):
        play_a_move(page, LOADING)
        expect(page.locator("#hint")).to_contain_text(ANSWERED, timeout=LOADING)
        position = str(text_of(page).text_content())
    expect(page.locator("#outcome")).to_contain_text("has won")


def test_small_pictures_are_drawn(either: Visits) -> None:
    page = either("door=explore&start=0*3")
    tab(page, "Why").click()
    expect(panel(page).locator(".large svg")).to_be_visible(timeout=LOADING)


def test_a_certificate_is_checked(either: Visits) -> None:
    page = either("door=explore&start=0*3")
    drop(page, "sprouts-7.cert.gz", shipped("sprouts-7"))
    expect(verdict(page)).to_contain_text("✓ Proved: 0*7 (sprouts) is a loss", timeout=LOADING)
    shoot(page, "certificate")


def test_a_damaged_certificate_is_refused(either: Visits) -> None:
    page = either("door=explore&start=0*3")
    content = shipped("sprouts-7")
    drop(page, "cut.cert.gz", content[:-20])
    expect(verdict(page)).to_contain_text("✗ cut.cert.gz", timeout=LOADING)
    changed = gzip.decompress(content).replace(b"claim 0*7=loss", b"claim 0*7=win")
    assert changed != gzip.decompress(content)
    drop(page, "false.cert.gz", gzip.compress(changed))
    expect(verdict(page)).to_contain_text("✗ Not proved", timeout=LOADING)


def test_a_search_is_started_and_stopped(either: Visits) -> None:
    page = either("door=explore&start=0*45")
    tab(page, "Search").click()
    button(page, "Search this position").click()
    state = page.locator("#search-state")
    expect(state).to_contain_text("expansions", timeout=LOADING)
    button(page, "Stop").click()
    expect(state).to_contain_text("stopped by an interrupt", timeout=LOADING)
    expect(button(page, "Stop")).to_be_disabled()


@pytest.mark.parametrize(
    "position",
    [
        pytest.param("start=0*4.AB|0*3.C|0*2.aCaD|ABD", marks=pytest.mark.slow),
        "game=nim&start=3%2B4%2B5",
    ],
)
def test_facts_of_a_search_are_kept_in_the_browser(static: Visits, position: str) -> None:
    """A search on the page proves what the package does not know; the next visit knows it.

    Its facts are stored before its end is said: a visit may end with that.
    """
    page = static("door=explore&" + position)
    wait_until_loaded(page)
    page.workers[0].evaluate(NOTE)
    expect(page.locator("#outcome")).to_contain_text("not known", timeout=LOADING)
    tab(page, "Search").click()
    button(page, "Search this position").click()
    expect(page.locator("#search-state")).to_contain_text("for the player to move", timeout=LOADING)
    noted = page.workers[0].evaluate("noted")
    assert "stored" in noted and noted.index("said") == len(noted) - 1
    page.reload()
    expect(page.locator("#outcome")).to_contain_text("Whoever moves now", timeout=LOADING)
    expect(page.locator("#known-from")).to_contain_text("search on this page")


def test_algorithms_of_several_processes_are_not_offered(loaded: Visits) -> None:
    page = loaded("door=explore&start=0*3")
    tab(page, "Search").click()
    assert page.get_by_role("option", name="pdfpn", exact=True).is_disabled()
    assert not page.get_by_role("option", name="dfpn", exact=True).is_disabled()


def test_it_loads_and_then_opens_offline(static: Visits) -> None:
    """The board is there before the solver; a later visit needs no network.

    It goes on from the memory that the first one has kept, unless that is damaged, or the solver
    has failed since.
    """
    page = static("door=explore&start=0*3")
    loading = page.get_by_role("progressbar", name="Loading the solver")
    expect(loading).to_be_visible()
    assert spots_of(page).count() == 3
    wait_until_loaded(page)
    expect(loading).to_have_count(0)
    wait_until_kept(page)
    page.wait_for_function(KEPT_MEMORY)
    page.context.set_offline(True)
    for is_damaged in (False, True):
        if is_damaged:
            page.evaluate(DAMAGE)
        page.goto("%s?door=explore&start=0*6" % page.url.split("?")[0])
        expect(text_of(page)).to_have_text("0*6", timeout=LOADING)
        wait_until_loaded(page)
        play_a_move(page)
        assert page.workers[0].evaluate(RESTORED) == (0 if is_damaged else 1)
    page.wait_for_function(KEPT_MEMORY)
    page.workers[0].evaluate(FAIL)
    page.wait_for_function(NO_MEMORY)


def test_the_solver_fails_while_a_question_waits(static: Visits) -> None:
    page = static.open(service_workers="block")
    address = "%s?door=explore&start=0*6" % page.url.split("?")[0]
    page.goto("about:blank")  # what is asked there is not held
    program, starts = Held(page, "worker.js"), Held(page, "starts.json")
    page.goto(address)
    starts.wait_for(1)
    program.wait_for(1)
    program.routes[0].abort()
    expect(page.locator(".loading")).to_have_count(0)
    starts.answer(0)
    expect(page.locator("#message")).to_contain_text("the solver could not be loaded")
    assert all("worker.js" in fault for fault in static.faults)
    static.faults.clear()


@pytest.mark.parametrize("door", DOORS)
def test_accessibility(either: Visits, door: str) -> None:
    try:
        program = axe()
    except NpmError as error:
        missing(str(error))
    page = either.open("door=%s" % door)
    expect(page.locator("#doors a[aria-current]")).to_have_attribute("data-door", door)
    expect(page.locator("#door")).not_to_be_empty()
    if door == "explore":
        expect(page.locator("#outcome")).not_to_be_empty(timeout=LOADING)
    page.evaluate(program + "; null")
    found = page.evaluate("() => axe.run().then((found) => found.violations)")
    assert not ["%s: %s" % (one["id"], one["nodes"][0]["html"][:200]) for one in found]


def wait_for_steps(page: Page, count: int) -> None:
    """Wait until the address has a number of steps."""
    page.wait_for_function("count => %s.length === count" % STEPS, arg=count)


def test_cram_is_played_to_its_end_by_mouse(either: Visits) -> None:
    page = either("door=explore&game=cram&start=...|...|...")
    expect(page.locator("#sheets .scene .square")).to_have_count(9)
    positions = [str(text_of(page).text_content())]
    while open_parts(page).count():
        number = len(positions)
        open_parts(page).first.click()
        expect(page.locator("#sheets .scene .touched")).to_have_count(1)
        page.locator("#sheets .scene .next").last.click()
        wait_for_steps(page, number)
        expect(page.locator("#sheets .scene .domino")).to_have_count(number)
        expect(page.locator("#sheets .scene .last")).to_have_count(2)
        positions.append(str(text_of(page).text_content()))
    for before, after in zip(positions, positions[1:]):
        assert after in children(before, "cram")
    assert not children(positions[-1], "cram")
    assert len(positions) > 3
    shoot(page, "cram-end")
    button(page, "Undo").click()
    expect(page.locator("#sheets .scene .domino")).to_have_count(len(positions) - 2)
    expect(page.locator("#sheets .scene .last")).to_have_count(0)


def test_hex_is_played_to_its_end_by_mouse(either: Visits) -> None:
    page = either("door=explore&game=hex&start=...|...|...")
    expect(page.locator("#sheets .scene polygon.square")).to_have_count(9)
    expect(page.locator("#sheets .scene .side.X")).to_have_count(2)
    stones = 0
    while open_parts(page).count():
        turn = page.locator("#sheets .scene .turn")
        expect(turn).to_contain_text(("Blue to move", "Orange to move")[stones % 2])
        open_parts(page).first.click()
        stones += 1
        wait_for_steps(page, stones)
        expect(page.locator("#sheets .scene .stone:not(.ghost)")).to_have_count(stones)
    assert 5 <= stones <= 9
    assert find_game("hex").parse(steps_of(page)[-1]) == ()
    expect(turn).to_have_count(0)
    expect(page.locator("#outcome")).to_have_text(
        "The game is over: the %s player has won." % ("second", "first")[stones % 2]
    )
    shoot(page, "hex-end")
