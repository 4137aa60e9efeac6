"""Grundy numbers of lands, proved, under their exact text: in memory, in LMDB, in text files."""

from pns.facts.store import (
    LARGEST_NUMBER,
    BadEntry,
    Contradiction,
    Fact,
    Facts,
    FactsError,
    LmdbFacts,
    LmdbMissing,
    Refuse,
    check_number,
    default_path,
    open_facts,
    raise_it,
)

__all__ = [
    "LARGEST_NUMBER",
    "BadEntry",
    "Contradiction",
    "Fact",
    "Facts",
    "FactsError",
    "LmdbFacts",
    "LmdbMissing",
    "Refuse",
    "check_number",
    "default_path",
    "open_facts",
    "raise_it",
]
