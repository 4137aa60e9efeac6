"""Measures the page of `pns explore` in Chromium: the first paint, and clicks to their answers.

    python tests/tools/page_times.py [--server PYTHON] [--visits N] [--moves N] [CERTIFICATE]
    python tests/tools/page_times.py --static [--visits N]
    python tests/tools/page_times.py --answers [--server PYTHON] [--visits N]

Each visit loads the page afresh and plays a game of up to N moves, by clicks on spots and on the
list of moves in turn, then takes all of them back. It wins where the certificate says how, and
otherwise makes another move of the list in each visit. Printed are milliseconds: from the start of
the visit to the first contentful paint and to the board, and from a click to the frame that shows
its answer, with the part of it that the request took. The first visit of a new server is apart.

With --static the page is written as static files, and served by a plain web server. Each visit
opens the numbers of spots of STARTS: once with an empty cache, then again from what the first visit
has kept. Printed are the size of the files, as they are and as a server sends them that compresses;
when each phase of the solver's start has ended and the solver is there; the processor time of the
browser until then, which other load of the machine changes least; and the time of an answer.

With --answers no browser is needed. Printed are the times of the server: from its start to the
printed address, and the first question about each number of spots of STARTS, with the processor
time of both.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Dict, List
from urllib.request import Request, urlopen

import psutil

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "scripts")]

import bootstrap  # noqa: E402, F401

from helpers.browser import (  # noqa: E402
    KEPT_MEMORY,
    LOADING,
    button,
    open_browser,
    panel,
    play_a_move,
    text_of,
    wait_until_loaded,
)
from helpers.explore import Explore  # noqa: E402
from helpers.static_page import StaticPage  # noqa: E402
from playwright.sync_api import Browser, Page, expect  # noqa: E402

from pns.web.export import export  # noqa: E402

WATCH = """
window.answers = [];
let clicked = 0;
addEventListener("click", (event) => { clicked = event.timeStamp; }, true);
addEventListener("DOMContentLoaded", () => {
  const shown = () => requestAnimationFrame(() => setTimeout(() => {
    const all = performance.now() - clicked;
    const asked = performance.getEntriesByType("resource");
    const { startTime, responseEnd } = asked.filter((one) => one.name.endsWith("/position")).at(-1);
    answers.push({ all, request: responseEnd - startTime });
  }));
  const watched = { childList: true, characterData: true, subtree: true };
  new MutationObserver(shown).observe(document.getElementById("text"), watched);
});
"""
"""Notes every answer on the board; a timer after a frame's callback runs once it is painted."""
PAINT = """() => performance.getEntriesByName("first-contentful-paint")[0].startTime"""

PHASES = "performance.getEntriesByType('mark').map((mark) => [mark.name, mark.startTime])"
NOW = "() => performance.now()"
ASK = """async (start) => {
  const { ask } = await import(document.baseURI.split("?")[0] + "core/api.js");
  const begun = performance.now();
  await ask("position", { start });
  return performance.now() - begun;
}"""
STARTS = (6, 11, 17, 23, 35, 44)

Times = Dict[str, List[float]]
"""Milliseconds by what took them."""


def answer(page: Page, count: int) -> Dict[str, float]:
    """The last answer on the board, the `count`th."""
    while page.evaluate("answers.length") < count:
        page.wait_for_timeout(10)
    found: Dict[str, float] = page.evaluate("answers.at(-1)")
    return found


def visit(browser: Browser, server: Explore, moves: int, number: int) -> Times:
    """The milliseconds of the visit of a number."""
    size: Any = {"width": 1400, "height": 900}
    context = browser.new_context(viewport=size)
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(server.address())
    times: Times = {"first paint": [], "board": [answer(page, 1)["all"]]}
    times["first paint"].append(page.evaluate(PAINT))
    count = 1

    def note_answer(kind: str) -> None:
        nonlocal count
        count += 1
        found = answer(page, count)
        note(times, {"%s, %s" % (kind, part): [value] for part, value in found.items()})

    played = 0
    while played < moves and not panel(page).get_by_text("no move").count():
        before = str(text_of(page).text_content())
        if played % 2:
            play_a_move(page)
        else:
            listed = panel(page).locator("tbody tr")
            wins = "wins" in str(listed.first.text_content())
            row = listed.nth(0 if wins else (7 * number + played) % listed.count())
            row.locator(".position").click()
        expect(text_of(page)).not_to_have_text(before)
        note_answer("spots" if played % 2 else "list")
        played += 1
    for _ in range(played):
        button(page, "Undo").click()
        note_answer("undo")
    context.close()
    return times


def processor() -> Dict[int, float]:
    """Milliseconds of processor time that each process of the browser, or the server, has used."""
    spent = {}
    for one in psutil.Process().children(recursive=True):
        times = one.cpu_times()
        spent[one.pid] = 1000 * (times.user + times.system)
    return spent


def spent_since(before: Dict[int, float]) -> float:
    """Milliseconds of processor time since then, of the processes that still run."""
    return sum([now - before.get(pid, 0) for pid, now in processor().items()])


def static_visit(page: Page, server: StaticPage) -> Times:
    """The milliseconds of a visit of the static page."""
    begun = processor()
    page.goto(server.address("door=explore&start=0*5"))
    expect(text_of(page)).not_to_be_empty(timeout=LOADING)
    times: Times = {"first paint": [page.evaluate(PAINT)], "board": [page.evaluate(NOW)]}
    wait_until_loaded(page)
    times.update({name: [time] for name, time in page.workers[0].evaluate(PHASES)})
    times["solver"] = [page.evaluate(NOW)]
    times["solver, processor"] = [spent_since(begun)]
    for spots in STARTS:
        begun = processor()
        times.setdefault("answer", []).append(page.evaluate(ASK, "0*%d" % spots))
        times.setdefault("answer, processor", []).append(spent_since(begun))
    expect(page.locator("html")).to_have_attribute("data-offline", "ready", timeout=LOADING)
    page.wait_for_function(KEPT_MEMORY, timeout=LOADING)
    return times


def measure_static(visits: int) -> None:
    """Print the times of the page as static files."""
    first: Times = {}
    later: Times = {}
    with tempfile.TemporaryDirectory() as place:
        export(place + "/site", "sprouts", "0*5")
        show_sizes(Path(place, "site"))
        server = StaticPage(Path(place), "site")
        for browser in open_browser():
            for _ in range(visits):
                context = browser.new_context()
                page = context.new_page()
                page.goto("about:blank")
                note(first, static_visit(page, server))
                note(later, static_visit(page, server))
                context.close()
        server.close()
    show("%d first visits" % visits, first)
    show("%d visits after these" % visits, later)


def measure_server(visits: int, python: str) -> None:
    """Print the times of the server's first answers."""
    times: Times = {}
    for _ in range(visits):
        with tempfile.TemporaryDirectory() as home:
            begun, spent = perf_counter(), processor()
            server = Explore(Path(home), python=python)
            note(times, {"address": [1000 * (perf_counter() - begun)]})
            note(times, {"address, processor": [spent_since(spent)]})
            for spots in STARTS:
                begun, spent = perf_counter(), processor()
                data = json.dumps({"start": "0*%d" % spots}).encode()
                kind = {"Content-Type": "application/json"}
                with urlopen(Request(server.origin + "api/position", data, kind)) as found:
                    found.read()
                note(times, {"answer": [1000 * (perf_counter() - begun)]})
                note(times, {"answer, processor": [spent_since(spent)]})
            server.close()
    show("%d servers, %s" % (visits, python), times)


def note(times: Times, found: Times) -> None:
    """Add what a visit took to what others took."""
    for name, some in found.items():
        times.setdefault(name, []).extend(some)


def show_sizes(site: Path) -> None:
    """Print the sizes of the parts of a static page."""
    sizes: Dict[str, List[int]] = {}
    for path in site.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            name = path.relative_to(site).parts[0]
            size = sizes.setdefault(name if name in ("pyodide", "pns.zip") else "the page", [0, 0])
            size[0] += len(content)
            size[1] += min(len(content), len(gzip.compress(content, 9)))
    for name, size in sizes.items():
        print("%-10s %6.2f MB, with gzip -9 %6.2f MB" % (name, size[0] / 1e6, size[1] / 1e6))


def show(title: str, times: Times) -> None:
    columns = ("milliseconds", "least", "median", "largest", "count")
    print("%s\n  %-18s %7s %7s %7s %7s" % (title, *columns))
    for name, found in times.items():
        numbers = (min(found), median(found), max(found), len(found))
        print("  %-18s %7.0f %7.0f %7.0f %7d" % (name, *numbers))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("certificate", nargs="?", default="sprouts-17")
    parser.add_argument("--server", default=sys.executable, help="the interpreter of the server")
    parser.add_argument("--static", action="store_true", help="the page as static files")
    parser.add_argument("--answers", action="store_true", help="the server, without a browser")
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--moves", type=int, default=20)
    args = parser.parse_args()
    if args.static:
        measure_static(args.visits)
        return 0
    if args.answers:
        measure_server(args.visits, args.server)
        return 0
    with tempfile.TemporaryDirectory() as home:
        server = Explore(Path(home), "--db", args.certificate, python=args.server)
        for browser in open_browser():
            show("first visit", visit(browser, server, args.moves, 0))
            times: Times = {}
            for number in range(1, args.visits + 1):
                note(times, visit(browser, server, args.moves, number))
            show("%d more visits" % args.visits, times)
        server.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
