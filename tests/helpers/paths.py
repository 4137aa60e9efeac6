"""Paths of the project."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CERTIFICATES = ROOT / "pns" / "data" / "certificates"
RESULTS = ROOT / "data" / "results"
OUTCOMES = ROOT / "pns" / "data" / "known-outcomes.csv"
TEST_DATA = ROOT / "tests" / "data"
LARGER = sorted((RESULTS / "sprouts").glob("sprouts-*.cert.gz"))
SIMPLIFIED = sorted((RESULTS / "sprouts").glob("simplified-*.cert.gz"))
"""The certificates that prove who wins n spots and do not come with the package, without and with
exchanges."""
DECIDED = sorted(CERTIFICATES.glob("sprouts-*.cert.gz")) + LARGER + SIMPLIFIED
"""All that prove who wins n spots."""
