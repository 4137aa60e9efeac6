"""Paths of the project."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CERTIFICATES = ROOT / "pns" / "data" / "certificates"
OUTCOMES = ROOT / "pns" / "data" / "known-outcomes.csv"
TEST_DATA = ROOT / "tests" / "data"
