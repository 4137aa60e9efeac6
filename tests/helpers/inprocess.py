"""Commands called within the test's own process, which starts no interpreter."""

from __future__ import annotations

import math
import sys
from typing import Callable, List, NamedTuple

import pytest

from helpers.signals import kept_handlers
from pns.cli.terminal import progress
from pns.facts import FactsError


class Answer(NamedTuple):
    """The exit status, and the lines of standard output and of standard error."""

    status: int
    output: List[str]
    errors: List[str]


class Caller:
    """Calls the main function of a command with words, and reads what it prints.

    The command shows no lines of progress, which would depend on how long it takes.
    """

    def __init__(
        self, capsys: "pytest.CaptureFixture[str]", patch: pytest.MonkeyPatch, name: str
    ) -> None:
        self._capsys = capsys
        self._patch = patch
        self._name = name

    def __call__(self, main: Callable[[], int], *words: object) -> Answer:
        self._patch.setattr(sys, "argv", [self._name, *map(str, words)])
        self._patch.setattr(progress, "LINE_SECONDS", math.inf)
        try:
            with kept_handlers():
                status = main()
        except SystemExit as error:
            status = int(str(error.code))
        except FactsError as error:  # as pns.cli.common.run reports it
            print(error, file=sys.stderr)
            status = 2
        output, errors = self._capsys.readouterr()
        return Answer(status, output.splitlines(), errors.splitlines())
