"""Make the pictures of the documentation that `pns` itself makes: drawings and screenshots.

usage: .venv-cpython/bin/python scripts/take_pictures.py [DIRECTORY]

Drawings are those of `pns draw`. Screenshots are taken by Playwright (pip install playwright) with
the Chromium of the system: the page of `pns explore`, and a report of `pns solve`, both made by
pypy3 in the environment .venv of scripts/setup.sh. The annotated diagrams of the rules are made
by make_pictures.py.
"""

from __future__ import annotations

import bootstrap

import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Dict, Sequence, Tuple

from pns.cli.commands.draw import main as draw
from pns.cli.options.draw import draw_parser

DRAWINGS: Dict[str, Sequence[str]] = {
    "seventeen.svg": ("0*17", "--move", "0*8.AB|0*8.AB"),
    "cards.svg": ("0.ABCDE|0.ACEBD",),
    "lands.svg": ("0*4.12+0*4.A|2A",),
    "graphs.svg": (
        "0-1,1-2,2-3,4-5,5-6,6-7,0-4,1-5,2-6,3-7+0-1,1-2,2-3,3-4,4-0,1-5,5-6,5-7",
        "--game",
        "node-kayles",
    ),
}
"""What `pns draw` is given for each file."""
EXPLORED = ("0*5.A|0*4.1aAa", "--db", "sprouts-11", "--no-browser", "--port", "0")
REPORTED = ("0*11", "--no-db", "--no-known", "--quiet")
DOORS = {
    "play.png": ("door=play&spots=5&against=perfect&first=computer&seed=1", "#tool-hint:enabled"),
    "explorer.png": ("door=explore", ".group.win li:last-child svg"),
}
"""For each screenshot of the page: the words of its address, and what it shows last."""
SCREENSHOTS = (*DOORS, "report.png")
SIZE = (1120, 760)
"""Width and height of a window, in pixels."""
PYTHON = os.path.join(bootstrap.ROOT, ".venv", "bin", "python")


def make_drawings(directory: str) -> None:
    """Write all drawings into a directory."""
    for name, words in DRAWINGS.items():
        path = os.path.join(directory, name)
        draw(draw_parser("take_pictures.py").parse_args([*words, "-o", path]))


def take_screenshots(directory: str) -> None:
    """Write all screenshots into a directory; raises ImportError without Playwright."""
    from playwright.sync_api import sync_playwright

    browser_path = shutil.which("chromium")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as place:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        report = os.path.join(place, "report.html")
        subprocess.run(pns("solve", *REPORTED, "--report", report), check=True, cwd=bootstrap.ROOT)
        take(browser, "file://" + report, os.path.join(directory, "report.png"), "svg")
        server, address = serve()
        try:
            for name, (words, shown) in DOORS.items():
                page = address.replace("#", "?%s#" % words)
                take(browser, page, os.path.join(directory, name), shown)
        finally:
            server.terminate()
            server.wait()
        browser.close()


def pns(*words: str) -> Sequence[str]:
    """The command line of `pns`."""
    return (PYTHON, "-m", "pns", *words)


def serve() -> Tuple[subprocess.Popen[str], str]:
    """Start `pns explore`; returns it and the address of its page."""
    command = pns("explore", *EXPLORED)
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=bootstrap.ROOT)
    assert server.stderr is not None
    for line in server.stderr:
        if "http://" in line:
            return server, "http://" + line.partition("http://")[2].split()[0]
    raise RuntimeError("pns explore ended with status %d" % server.wait())


def take(browser: Any, address: str, path: str, shown: str) -> None:
    """Write a screenshot of a page, when it shows what a selector finds and has come to rest."""
    width, height = SIZE
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
    page.goto(address)
    page.wait_for_selector(shown, timeout=120_000)
    page.wait_for_timeout(4000)
    page.screenshot(path=path)
    page.close()


def main(directory: str) -> None:
    """Make all pictures."""
    make_drawings(directory)
    take_screenshots(directory)


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else os.path.join(bootstrap.ROOT, "docs", "pictures"))
