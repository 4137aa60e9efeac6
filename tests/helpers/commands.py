"""Commands that the documentation shows, and whether their programs would accept them."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Any, Callable, Iterator, List, Optional, Tuple

import pytest

from pns.cli.main import COMMANDS, find

SHOWN = re.compile(r"^    (?:\$ )?((?:pns|pypy3|python3|sh|python|bash) .*)$", re.MULTILINE)
PROGRAM = re.compile(
    r"(?:pypy3|python3) (?:scripts/)?(\w+)\.py\b|pypy3 -m pns ([\w-]+)|pns ([\w-]+)"
)

WITHOUT_OPTIONS = ("make_pictures", "release", "test")
"""Scripts that parse nothing themselves."""


def shown(page: Path) -> List[str]:
    """The commands that a page shows, in order, those over several lines in one."""
    return SHOWN.findall(re.sub(r"\\\n +", "", page.read_text("utf-8")))


def program(command: str) -> Optional[Tuple[Callable[[], Any], List[str]]]:
    """(the main function of a command, its name and arguments); None if it is none of ours."""
    match = PROGRAM.match(command)
    if not match or match.group(1) in WITHOUT_OPTIONS:
        return None
    words = shlex.split(command[match.end() :])
    words = list(takewhile(lambda word: word not in (">", "|", "&", "&&"), words))
    script, *subcommands = match.groups()
    if script:
        name = "pns.checker.command" if script == "check_certificate" else script
        return import_module(name).main, [script + ".py", *words]
    name = next(filter(None, subcommands))
    if name not in COMMANDS:
        return None
    if words and "%s %s" % (name, words[0]) in COMMANDS:
        name = "%s %s" % (name, words.pop(0))
    make_parser, function, _ = COMMANDS[name]
    run, prog = find(function), "pns " + name
    return lambda: run(find(make_parser)(prog).parse_args()), [prog, *words]


class Accepted(Exception):
    """The words of a command line were parsed."""


def is_accepted(command: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the program of a command parses its words; it goes no further."""
    found = program(command)
    assert found, command
    main, sys.argv[:] = found
    parse = argparse.ArgumentParser.parse_args

    def parse_only(self: Any, *args: Any, **more: Any) -> None:
        parse(self, *args, **more)
        raise Accepted

    with monkeypatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", parse_only)
        try:
            main()
        except Accepted:
            return True
        except SystemExit:
            return False
    return False


def transcript(page: Path) -> Iterator[Tuple[str, List[str]]]:
    """The commands after a `$` with the lines that are shown below each."""
    for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", page.read_text("utf-8"), re.MULTILINE):
        lines = [line[4:] for line in block.splitlines()]
        starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
        for start, end in zip(starts, [*starts[1:], len(lines)]):
            yield lines[start][2:], "\n".join(lines[start + 1 : end]).strip("\n").split("\n")


def matches(output: str, lines: List[str]) -> bool:
    """Whether an output is that of the lines; … stands for anything."""
    pattern = "\n".join([re.escape(line) for line in lines]).replace("…", ".*")
    return re.fullmatch(pattern, output.rstrip("\n"), re.DOTALL) is not None
