"""The texts of the page: every language has all of them, with the same values to fill in."""

from __future__ import annotations

import re
from typing import Dict

from pns.system.package_data import data_files

FILES = {path: data.decode() for path, data in data_files("web").items() if path.endswith(".js")}
ENTRY = re.compile(r'"([\w.]+(?: [\w-]+)?)":\s*((?:"(?:[^"\\]|\\.)*"[\s+]*)+)')


def texts(*pieces: str) -> Dict[str, str]:
    return {key: text for piece in pieces for key, text in ENTRY.findall(piece)}


def catalogues() -> Dict[str, Dict[str, str]]:
    """The texts of each language."""
    learn, games = [
        FILES["texts/%s.js" % name].split("export const de") for name in ("learn", "games")
    ]
    return {
        "en": texts(FILES["texts/en.js"], FILES["texts/explore.js"], learn[0], games[0]),
        "de": texts(FILES["texts/de.js"], FILES["texts/explore-de.js"], learn[1], games[1]),
    }


def test_every_language_has_all_texts() -> None:
    found = catalogues()
    assert len(found["en"]) > 250
    rules = {key for key in found["de"] if re.match(r"game\.[\w-]+\.rules$", key)}
    assert set(found["de"]) - rules == set(found["en"])  # English rules are those of the games


def test_the_values_in_a_text_are_those_of_its_translation() -> None:
    found = catalogues()
    for key, text in found["en"].items():
        values = [sorted(set(re.findall(r"\{\w+\}", one))) for one in (text, found["de"][key])]
        assert values[0] == values[1], key


def test_every_text_that_the_page_names_exists() -> None:
    named = {
        key
        for path, code in FILES.items()
        if not path.startswith(("texts/", "core/texts"))
        for key in re.findall(r'\bt\("([\w.]+\w)"[,)]', code)
    }
    assert len(named) > 100
    assert named <= set(catalogues()["en"])
