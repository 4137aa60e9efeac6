"""What is published of n spots, and the spots of a certificate that says the same."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Dict

from helpers.paths import OUTCOMES


def published() -> Dict[int, str]:
    """Outcomes ("win" or "loss") by the number of spots, empty where nobody knows."""
    with OUTCOMES.open(encoding="utf-8") as file:
        return {int(row["spots"]): row["outcome"] for row in csv.DictReader(file)}


def spots_of(path: Path) -> int:
    """The number of spots in the name of a certificate."""
    return int(path.name.split(".")[0].split("-")[-1])
