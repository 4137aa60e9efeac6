"""A few lines at the end of a terminal that are drawn again and again, and leave nothing behind.

The cursor waits at the beginning of the first line, not after the last. A terminal that is
resized may break lines in two, or not; the cursor stays at its text either way, so that the
next drawing clears all that was below it. Nothing else is known about the terminal than a few
control sequences that all have had since the VT100.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, redirect_stderr
from typing import Any, Iterator, List, Optional, TextIO, Tuple, cast

from pns.cli.layout import shown_on

Span = Tuple[str, str]
"""A style, one of STYLES, and a text."""
STYLES = {
    "": "",
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
}
"""The parameters of the sequence that begins a style."""

HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
CLEAR_LINE, CLEAR_BELOW = "\x1b[K", "\x1b[J"
DEFAULT_SIZE = (80, 24)
DUMB = ("", "dumb", "unknown")
"""Values of TERM for terminals without control sequences."""


class Screen:
    """The lines on a terminal; `draw` them, `clear` them before other text and at the end."""

    def __init__(self, stream: TextIO, colour: bool) -> None:
        self._stream = stream
        self._colour = colour
        self._is_drawn = False

    def size(self) -> Tuple[int, int]:
        """(columns, lines) of the terminal now; from COLUMNS and LINES where it does not say."""
        columns, lines = 0, 0
        try:
            columns, lines = os.get_terminal_size(self._stream.fileno())
        except (OSError, ValueError):
            pass
        named = [os.environ.get(name, "") for name in ("COLUMNS", "LINES")]
        given = [int(text) if text.isdigit() else 0 for text in named]
        return (
            columns or given[0] or DEFAULT_SIZE[0],
            lines or given[1] or DEFAULT_SIZE[1],
        )

    def draw(self, lines: List[List[Span]]) -> None:
        """Draw lines in place of those before; what does not fit is cut off."""
        columns, rows = self.size()
        texts = [self._render(line, columns - 1) for line in lines[: max(1, rows - 1)]]
        up = "\x1b[%dA" % (len(texts) - 1) if len(texts) > 1 else ""
        body = (CLEAR_LINE + "\n").join(texts) + CLEAR_BELOW
        self._write("%s\r%s\r%s" % (HIDE_CURSOR, body, up))
        self._is_drawn = True

    def _render(self, line: List[Span], width: int) -> str:
        """A line with its styles, at most `width` characters long."""
        text = ""
        for style, part in line:
            part = shown_on(self._stream, part)[:width]
            width -= len(part)
            code = STYLES[style] if self._colour else ""
            text += "\x1b[%sm%s\x1b[0m" % (code, part) if code and part else part
        return text

    def clear(self) -> None:
        """Remove the lines; what is written next stands in their place."""
        if self._is_drawn:
            self._write("\r" + CLEAR_BELOW + SHOW_CURSOR)
            self._is_drawn = False

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class Above:
    """A stream whose text appears above the lines of a screen."""

    def __init__(self, screen: Screen, stream: TextIO) -> None:
        self._screen = screen
        self._stream = stream

    def write(self, text: str) -> int:
        self._screen.clear()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def open_screen() -> Iterator[Optional[Screen]]:
    """A screen on standard error, None where that is not a terminal, or one that cannot do it.

    Colours are used unless NO_COLOR is set (no-color.org).
    """
    stream = sys.stderr
    if not stream.isatty() or os.environ.get("TERM", "") in DUMB:
        yield None
        return
    screen = Screen(stream, not os.environ.get("NO_COLOR"))
    try:
        with redirect_stderr(cast(TextIO, Above(screen, stream))):
            yield screen
    finally:
        screen.clear()
