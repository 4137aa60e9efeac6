"""The rows of a study, kept in a CSV file, so that a study that was stopped goes on."""

from __future__ import annotations

import csv
import io
import math
import os
from ast import literal_eval
from typing import Any, Callable, List, Optional, Sequence

from benchmarks.runs import Run
from pns.cli.common import die
from pns.system.files import open_whole

TEXTS = ("variant", "method", "algorithm", "way", "options", "position", "tree", "outcome")
"""The columns of tables whose fields are texts."""
FIGURES = ("expansions", "children_generated", "seconds", "peak_memory_bytes")


class Study:
    """Rows of a CSV file: what identifies a run, and its figures.

    Rows that the file has already are kept. Exits if it is another table; raises OSError.
    """

    def __init__(
        self, path: str, columns: Sequence[str], figures: Sequence[str] = ("solved", *FIGURES)
    ) -> None:
        self.rows: List[Run] = []
        self._path = path
        self._columns = (*columns, "position", *figures)
        if os.path.exists(path):
            self._load()
        self._save()  # to fail before the first run rather than after it

    def _load(self) -> None:
        with open(self._path, newline="", encoding="utf-8", errors="replace") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or self._columns) != self._columns:
                die("%s: not a table of this study" % self._path)
            for row in reader:
                self.rows.append({name: value_of(name, text) for name, text in row.items()})

    def find(self, **names: Any) -> Optional[Run]:
        """The row with these names, if there is one."""
        rows = [row for row in self.rows if row.items() >= names.items()]
        return rows[0] if rows else None

    def add(self, found: Run, **names: Any) -> Run:
        """Add a run, and write the file; returns its row."""
        row = {**{name: found.get(name) for name in self._columns}, **names}
        self.rows.append(row)
        self._save()
        return row

    def row(self, measure: Callable[[], Run], **names: Any) -> Run:
        """The row with these names, measured now unless there is one."""
        return self.find(**names) or self.add(measure(), **names)

    def _save(self) -> None:
        text = io.StringIO()
        writer = csv.DictWriter(text, self._columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        with open_whole(self._path) as file:
            file.write(text.getvalue().encode())

    def logarithms(self, figure: str, **names: Any) -> List[float]:
        """The logarithms of a figure of the solved runs with these names."""
        rows = [row for row in self.rows if row["solved"] and row.items() >= names.items()]
        return [math.log(row[figure]) for row in rows]


def value_of(column: str, text: str) -> Any:
    """A field of a CSV file as it was.

    >>> value_of("solved", "True"), value_of("seconds", "1.5"), value_of("position", "12")
    (True, 1.5, '12')
    """
    if column in TEXTS:
        return text
    try:
        return literal_eval(text) if text else None
    except (ValueError, SyntaxError):
        return text
