"""Grundy numbers of lands, proved, under their exact text: in memory, in LMDB, in text files."""

from pns.facts.database import FactsError, LmdbMissing
from pns.facts.lmdb_facts import LmdbFacts, default_path, open_facts
from pns.facts.store import (
    LARGEST_NUMBER,
    BadEntry,
    BadEntryHandler,
    Contradiction,
    Fact,
    Facts,
    check_number,
    raise_bad_entry,
)

__all__ = [
    "LARGEST_NUMBER",
    "BadEntry",
    "BadEntryHandler",
    "Contradiction",
    "Fact",
    "Facts",
    "FactsError",
    "LmdbFacts",
    "LmdbMissing",
    "check_number",
    "default_path",
    "open_facts",
    "raise_bad_entry",
]
