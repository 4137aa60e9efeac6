"""The page of `pns explore` in a real browser: visits that must leave no fault, and clicks.

Importing this skips a test module where Playwright is missing, unless PNS_BROWSER=needed.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any, Iterator, List, NoReturn, Optional, Tuple, Union

import pytest

IS_NEEDED = os.environ.get("PNS_BROWSER") == "needed"
"""Whether a missing browser is a failure, as in CI."""
SCREENSHOTS = os.environ.get("PNS_SCREENSHOTS", "")
"""The directory where screenshots are kept; without one they are taken and dropped."""
NAMES = ("chromium", "chromium-browser", "google-chrome")
SPOT = re.compile(r"^spot \d+, \d li(fe|ves)")
"""The accessible name of a spot that can be chosen."""


def missing(what: str, at_import: bool = False) -> NoReturn:
    """Skip the test, or fail it where a browser is needed."""
    if IS_NEEDED:
        pytest.fail("PNS_BROWSER=needed, but %s" % what)
    pytest.skip(what, allow_module_level=at_import)


try:
    from playwright.sync_api import (
        Browser,
        BrowserContext,
        Locator,
        Page,
        Route,
        expect,
        sync_playwright,
    )
except ImportError:
    missing("Playwright is missing: on CPython, pip install '.[browser]'", at_import=True)

from helpers.explore import Explore  # noqa: E402
from helpers.static_page import StaticPage  # noqa: E402

STEPS = "JSON.parse(new URLSearchParams(location.search).get('steps') ?? '[]')"
"""The steps in the address, for the page to evaluate."""
PATIENCE = 20_000
"""Milliseconds that an answer may take."""
PAUSE = 10
"""Milliseconds between two looks at what the page has asked."""
LOADING = 120_000
"""Milliseconds that the solver may take to load in a browser, on a busy machine."""
MEMORY = """caches.keys().then((names) => caches.open(
    names.find((name) => name.startsWith("pns-memory"))))"""
"""The cache of a static page that has the memory of its solver."""
KEPT_MEMORY = "() => %s.then((cache) => cache.keys()).then(({ length }) => length)" % MEMORY
NEXT_FRAME = "() => new Promise((go) => requestAnimationFrame(() => setTimeout(go)))"
RECORD = """(places) => {
    const all = places.map((place) => document.querySelector(place));
    const look = () => seen.push(all.map(({ textContent }) => textContent));
    window.seen = [];
    look();
    const observer = new MutationObserver(look);
    for (const one of all) observer.observe(one, { childList: true });
}"""
SHOWN = "#text, .lesson, .opening h1, #play-board svg"
"""What is not empty once a door can be used."""
expect.set_options(timeout=PATIENCE)


def open_browser() -> Iterator[Browser]:
    """Chromium without a window."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        missing("Chromium is missing: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


class Visits:
    """Opens the page, and notes what must not happen on it."""

    def __init__(
        self, browser: Browser, server: Union[Explore, StaticPage], patience: int = PATIENCE
    ) -> None:
        """`patience` is how long a page may take to show its position, in milliseconds."""
        self._browser = browser
        self._server = server
        self._patience = patience
        self._contexts: List[BrowserContext] = []
        self.faults: List[str] = []
        """Errors and warnings of the console, exceptions, requests that go elsewhere."""

    def __call__(self, query: str = "", width: int = 1400, height: int = 900, **more: Any) -> Page:
        """The page of a query once it shows a position, as wide as said; `more` is Playwright's."""
        page = self.open(query, width, height, **more)
        expect(page.locator(SHOWN).first).not_to_be_empty(timeout=self._patience)
        return page

    def open(self, query: str = "", width: int = 1400, height: int = 900, **more: Any) -> Page:
        """The same for a page that need not show one."""
        size: Any = {"width": width, "height": height}
        context = self._browser.new_context(viewport=size, **more)
        self._contexts.append(context)
        context.on("console", self._hear)
        context.on("weberror", lambda fault: self.faults.append(str(fault.error)))
        context.on("request", lambda request: self._check(request.url))
        page = context.new_page()
        page.goto(self._server.address(query))
        return page

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            place = message.location["url"]
            self.faults.append("%s: %s (%s)" % (message.type, message.text, place))

    def _check(self, address: str) -> None:
        if not address.startswith((self._server.origin, "data:", "blob:")):
            self.faults.append("a request of %s" % address)

    def close(self) -> None:
        """Close all pages; fails if there was a fault."""
        for context in self._contexts:
            context.close()
        assert not self.faults, "\n".join(self.faults)


def wait_until_loaded(page: Page) -> None:
    """Wait until the solver of a static page is there."""
    expect(page.locator("html")).to_have_attribute("data-solver", "ready", timeout=LOADING)


class LoadedVisits(Visits):
    """Goes on from visit to visit in one static page, whose solver has been loaded once.

    It can be touched; of what a visit asks for it takes the size of the window.
    """

    page: Optional[Page] = None

    def open(self, query: str = "", width: int = 1400, height: int = 900, **more: Any) -> Page:
        if self.page is None:
            self.page = super().open(query, width, height, has_touch=True)
            wait_until_loaded(self.page)
        else:
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.evaluate(
                "query => { history.pushState(null, '', '?' + query);"
                " dispatchEvent(new PopStateEvent('popstate')); }",
                query,
            )
        return self.page


def shoot(page: Page, name: str) -> None:
    """Take a screenshot of the whole page, with its animations at their end."""
    path = Path(SCREENSHOTS) / (name + ".png") if SCREENSHOTS else None
    page.screenshot(path=path, full_page=True, animations="disabled")


def text_of(page: Page) -> Locator:
    """The text of the position on the board."""
    return page.locator("#text")


def tab(page: Page, name: str) -> Locator:
    return page.get_by_role("tab", name=name, exact=True)


def panel(page: Page) -> Locator:
    """The panel that is shown."""
    return page.get_by_role("tabpanel")


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def choose_in_menu(page: Page, name: str) -> None:
    """Press a button of the menu of Explore."""
    page.locator("#menu summary").click()
    button(page, name).click()
    page.keyboard.press("Escape")


def cards(page: Page, kind: str = "") -> Locator:
    """The moves of the panel that is shown, or those of a kind ("win", "loss", "unknown")."""
    return panel(page).locator((".group.%s " % kind if kind else "") + ".card .shown")


def spots_of(page: Page) -> Locator:
    """The spots that can be chosen."""
    return page.locator("#sheets").get_by_role("button", name=SPOT)


def steps_of(page: Page) -> List[Any]:
    """The steps in the address."""
    found: List[Any] = page.evaluate(STEPS)
    return found


def open_parts(page: Page) -> Locator:
    """What can be touched on the board of another game."""
    return page.locator(".scene [data-part].open")


def middle(place: Locator) -> Tuple[float, float]:
    """The middle of an element in the window."""
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, begin: Locator, end: Locator) -> None:
    """Draw a straight line with the mouse."""
    page.mouse.move(*middle(begin))
    page.mouse.down()
    page.mouse.move(*middle(end), steps=8)
    page.mouse.up()


def record(page: Page, *places: str) -> None:
    """Note the texts of some elements, now and whenever one changes; `recorded` has them."""
    page.evaluate(RECORD, list(places))


def recorded(page: Page) -> List[List[str]]:
    """The texts that were noted, without repetitions."""
    seen: List[List[str]] = page.evaluate("seen")
    return [texts for before, texts in zip([[], *seen], seen) if texts != before]


class Held:
    """Questions of the page that wait from now on: those of a name, in their order."""

    def __init__(self, page: Page, name: str) -> None:
        self._page = page
        self.routes: List[Route] = []
        page.route("**/" + name, lambda route: self.routes.append(route))

    def wait_for(self, count: int) -> None:
        """Wait until at least `count` have been asked."""
        for _ in range(PATIENCE // PAUSE):
            if len(self.routes) >= count:
                return
            self._page.wait_for_timeout(PAUSE)
        raise AssertionError("%d questions of %d were asked" % (len(self.routes), count))

    def answer(self, number: int) -> None:
        """Let one be answered, once it is asked, and wait until the page has the answer."""
        self.wait_for(number + 1)
        route = self.routes[number]
        with self._page.expect_request_finished(lambda request: request == route.request):
            route.continue_()
        self._page.evaluate(NEXT_FRAME)


def play_a_move(page: Page, patience: int = PATIENCE) -> str:
    """Play a move by clicks on spots, if there is one; returns the text of what follows.

    `patience` is in milliseconds.
    """
    before = str(text_of(page).text_content())
    spots = spots_of(page)
    for number in range(spots.count()):
        first = spots.nth(number)
        first.click()
        expect(first).to_have_attribute("aria-pressed", "true")
        ends = page.locator("#sheets .possible")
        if not ends.count():
            first.click()  # takes the choice back
            continue
        ends.last.click()
        expect(text_of(page)).not_to_have_text(before, timeout=patience)
        return str(text_of(page).text_content())
    return before
