"""Figures that stand on two pages of docs agree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

import pytest
from helpers.paths import ROOT

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("**/*.md"))]
SOURCE = re.compile(r"\(`docs/([\w/-]+\.md)`[^)]*\)")
"""The page that a sentence or a row of a table names as its source, at its end."""
FIGURE = re.compile(r"(?<![\w.,])(\d+(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)(?![\w.]*\d)( million)?")
"""A number with a fraction or with thousands: small whole numbers are too common."""
ENDS = (". ", ".\n", "\n\n", "|\n", "\n- ", "; ", ")")
"""What a sentence begins after."""
SAME = {
    "C++ seconds": "seconds of SPOTS",
    "SPOTS, seconds": "seconds of SPOTS",
    "seconds of the C++ program": "seconds of SPOTS",
    "C++ expansions": "expansions of SPOTS",
    "SPOTS, expansions": "expansions of SPOTS",
    "times as fast": "times faster",
}
"""Names of columns that mean the same, by those of other pages."""


def value(text: str) -> float:
    return float(text.replace(",", ""))


def claims(text: str) -> Iterator[Tuple[str, str, str]]:
    """(page, figure, sentence) for each figure in a sentence that ends with its source."""
    text = re.sub(r"^    .*$", "", text, flags=re.M)
    for source in SOURCE.finditer(text):
        before = text[: source.start()]
        sentence = before[max([before.rfind(end) for end in ENDS]) + 1 :]
        sentence = re.sub(r"([\d.]+) (and|to)\s([\d.]+ million)", r"\1 million \2 \3", sentence)
        for figure in FIGURE.finditer(sentence):
            yield source[1], figure[0], sentence


def stands_on(figure: str, sentence: str, page: str) -> bool:
    """Whether a page has a figure, a number that it rounds, or for "times" a ratio of a row."""
    if re.search(r"(?<![\d.,])%s(?![\d,]*\d)" % re.escape(figure), page):
        return True
    number, unit = re.fullmatch(r"(\S+)( million)?", figure).groups()  # type: ignore[union-attr]
    places = len(number.partition(".")[2])
    numbers = [value(found) for found in re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?", page)]
    scale = 1e6 if unit else 1.0
    if any([round(found / scale, places) == value(number) for found in numbers if found]):
        return places > 0
    rows = [re.findall(r"(?<=\| )[\d,.]*\d(?= \|)", row) for row in page.split("\n")]
    ratios = {round(value(a) / (value(b) or 1), places) for row in rows for a in row for b in row}
    return "times" in sentence and value(number) in ratios


def by_spots(text: str) -> List[Dict[str, List[str]]]:
    """The tables of a page whose rows are numbers of spots, as rows of cells by that number.

    The key "spots" has the names of the columns.
    """
    found: List[Dict[str, List[str]]] = []
    for table in re.findall(r"^\| spots \|.*\n(?:\|.*\n?)+", text, re.M):
        rows = [[cell.strip() for cell in row.strip("| ").split("|")] for row in table.split("\n")]
        found.append({row[0]: row for row in rows if row[0]})
    return found


def test_a_figure_with_its_source_stands_there() -> None:
    checked = 0
    for page in PAGES:
        for source, figure, sentence in claims(page.read_text("utf-8")):
            checked += 1
            assert stands_on(figure, sentence, (DOCS / source).read_text("utf-8")), (
                page.name,
                source,
                figure,
            )
    assert checked > 30


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", DOCS / "comparison.md"], ids=["README", "comparison"]
)
def test_the_times_are_those_of_the_page_on_speed(page: Path) -> None:
    """Each cell of the first table is that of the row and the column of the same meaning."""
    ours, theirs = [by_spots(path.read_text("utf-8"))[0] for path in (page, DOCS / "speed.md")]
    columns = [SAME.get(name, name) for name in theirs["spots"]]
    checked = 0
    for spots in ours:
        for name, cell in zip(ours["spots"], ours[spots]):
            if spots.isdigit() and SAME.get(name, name) in columns:
                found = theirs[spots][columns.index(SAME.get(name, name))]
                assert round(value(found), len(cell.partition(".")[2])) == value(cell), (
                    spots,
                    name,
                )
                checked += 1
    assert checked > 12


def test_the_front_page_has_the_range_of_the_page_on_speed() -> None:
    rows = by_spots((DOCS / "speed.md").read_text("utf-8"))[0]
    column = rows.pop("spots").index("times faster")
    times = [float(row[column]) for spots, row in rows.items() if spots.isdigit()]
    wanted = "%.1f to %.1f times as fast" % (min(times), max(times))
    assert wanted in (DOCS / "index.md").read_text("utf-8")


def test_a_wrong_figure_is_noticed() -> None:
    page = "| 8 | 14,768 | 2,024 |\n"
    ((source, figure, sentence),) = claims("It takes 14,768 expansions (`docs/a.md`).")
    assert (source, figure) == ("a.md", "14,768") and stands_on(figure, sentence, page)
    assert stands_on("7.3", "7.3 times", page) and not stands_on("7.3", "7.3 s", page)
    assert not stands_on("7.4", "7.4 times", page) and not stands_on("4,768", "4,768", page)
    assert stands_on("0.015 million", "", page) and not stands_on("0.016 million", "", page)
