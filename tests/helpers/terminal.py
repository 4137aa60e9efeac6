"""A terminal that understands the control sequences of `pns.cli.terminal.screen`, and no others."""

from __future__ import annotations

import io
import re
from typing import List

TOKEN = re.compile(r"\x1b\[(\??\d*;?\d*)([A-Za-z])|([\r\n])|([^\x1b\r\n])")


class Terminal(io.StringIO):
    """A stream that is a terminal; `lines` shows what a person sees, without trailing space."""

    encoding = "utf-8"

    def __init__(self) -> None:
        super().__init__()
        self._lines: List[List[str]] = [[]]
        self._row = self._column = 0
        self.shows_cursor = True
        self.styles: List[str] = []

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError("no file")

    @property
    def lines(self) -> List[str]:
        texts = ["".join(line).rstrip() for line in self._lines]
        while texts and not texts[-1]:
            texts.pop()
        return texts

    def write(self, text: str) -> int:
        position = 0
        while position < len(text):
            match = TOKEN.match(text, position)
            assert match, text[position : position + 20]
            position = match.end()
            number, command, control, letter = match.groups()
            if command:
                self._obey(number, command)
            elif control == "\r":
                self._column = 0
            elif control == "\n":  # the driver of the terminal adds CR
                self._row, self._column = self._row + 1, 0
                if self._row == len(self._lines):
                    self._lines.append([])
            else:
                line = self._lines[self._row]
                line += [" "] * (self._column + 1 - len(line))
                line[self._column] = letter
                self._column += 1
        return len(text)

    def _obey(self, number: str, command: str) -> None:
        line = self._lines[self._row]
        if command == "A":
            self._row -= int(number)
            assert self._row >= 0
        elif command in "KJ":
            assert not number
            del line[self._column :]
            if command == "J":
                del self._lines[self._row + 1 :]
        elif command == "m":
            self.styles.append(number)
        else:
            assert (number, command) in (("?25", "h"), ("?25", "l")), (number, command)
            self.shows_cursor = command == "h"
