"""A browser and a server for the tests of the page; they end before tests elsewhere go on.

Playwright keeps an event loop in the thread of the tests, beside which no other one can run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

import pytest
from helpers.explore import Explore

if TYPE_CHECKING:
    from helpers.browser import LoadedVisits, Visits
    from helpers.static_page import StaticPage
    from playwright.sync_api import Browser


@pytest.fixture(autouse=True)
def nothing_runs_on() -> None:
    """The processes of the browser, and the threads of its event loop, run on from test to test."""


@pytest.fixture(scope="package")
def browser() -> "Iterator[Browser]":
    from helpers.browser import open_browser

    yield from open_browser()


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explore]:
    """`pns explore` with a database that does not exist yet."""
    server = Explore(tmp_path_factory.mktemp("home"), "0*3")
    yield server
    status, errors = server.close()
    assert (status, errors) == (130, "")


@pytest.fixture
def visit(browser: "Browser", server: Explore) -> "Iterator[Visits]":
    """Opens the page; a fault of the page fails the test."""
    from helpers.browser import Visits

    visits = Visits(browser, server)
    yield visits
    visits.close()


@pytest.fixture(scope="package")
def files(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[StaticPage]":
    """The page as static files, in a folder of a web server."""
    from helpers.browser import missing
    from helpers.static_page import NpmError, StaticPage

    from pns.web.export import export

    place = tmp_path_factory.mktemp("site")
    try:
        export(str(place / "a folder"), "sprouts", "0*3")
    except NpmError as error:
        missing(str(error))
    page = StaticPage(place, "a%20folder")
    yield page
    page.close()


@pytest.fixture(scope="package")
def loaded(browser: "Browser", files: "StaticPage") -> "Iterator[LoadedVisits]":
    """The static page, opened once for many tests; a fault of the page fails the last of them."""
    from helpers.browser import LOADING, LoadedVisits

    visits = LoadedVisits(browser, files, LOADING)
    yield visits
    visits.close()


@pytest.fixture(params=["server", "files"])
def either(request: pytest.FixtureRequest) -> "Visits":
    """Opens the page of either transport."""
    found: "Visits" = request.getfixturevalue("visit" if request.param == "server" else "loaded")
    return found
