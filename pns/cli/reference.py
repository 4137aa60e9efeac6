"""Every command line of `pns`, read from its parser: what completions and man pages are made of."""

from __future__ import annotations

import argparse
from typing import Dict, Iterator, List, NamedTuple, Tuple

from pns.cli.main import COMMANDS, find

FILES = {"FILE", "PATH", "OUT", "DIR", "DIRECTORY", "SVG", "OTHER", "A", "B"}
"""The beginnings of metavars that stand for files."""
TEXT_OF_VERBS = {"worker keygen": "make keys", "audit certify": "write a certificate"}
"""What verbs do that have no line of their own in the help of `pns`."""


class Option(NamedTuple):
    """An option, or with no flags a positional argument."""

    flags: Tuple[str, ...]
    value: str
    """The metavar of its value, "" for none."""
    choices: Tuple[str, ...]
    help: str
    """One line."""

    @property
    def is_file(self) -> bool:
        """Whether its value names a file."""
        return self.value.partition(".")[0] in FILES


class Command(NamedTuple):
    """A command, with the words that call it after `pns`."""

    words: Tuple[str, ...]
    help: str
    parser: argparse.ArgumentParser
    options: List[Option]
    verbs: Dict[str, str]
    """Words that make another command of it, and what that does."""

    @property
    def name(self) -> str:
        """Its words, "" for `pns` itself."""
        return " ".join(self.words)

    @property
    def takes_files(self) -> bool:
        """Whether a positional argument names a file."""
        return any([option.is_file for option in self.options if not option.flags])


def commands() -> List[Command]:
    """`pns` itself, then every command and verb."""
    found: List[Command] = []
    for name, (make_parser, _, text) in COMMANDS.items():
        parser = find(make_parser)("pns " + name)
        found += _with_verbs(tuple(name.split()), text or TEXT_OF_VERBS[name], parser)
    top = argparse.ArgumentParser("pns", description=__doc__, add_help=False)
    top.add_argument("-h", "--help", action="help", help="show the commands")
    top.add_argument("--version", action="version", help="show the version")
    verbs = {command.words[0]: command.help for command in found if len(command.words) == 1}
    for command in found:
        if len(command.words) == 2 and command.name in COMMANDS:
            (parent,) = [other for other in found if other.words == command.words[:1]]
            parent.verbs[command.words[1]] = command.help
    return [Command((), "", top, list(_options(top)), verbs), *found]


def _with_verbs(
    words: Tuple[str, ...], text: str, parser: argparse.ArgumentParser
) -> Iterator[Command]:
    """A command, and those that its verbs make of it."""
    verbs: Dict[str, str] = {}
    below: List[Command] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action._choices_actions:
                verb = choice.dest
                verbs[verb] = choice.help or ""
                below += _with_verbs((*words, verb), verbs[verb], action.choices[verb])
    yield Command(words, text, parser, list(_options(parser)), verbs)
    yield from below


def _options(parser: argparse.ArgumentParser) -> Iterator[Option]:
    for action in parser._actions:
        if not is_hidden(action):
            yield option_of(action, parser)


def is_hidden(action: argparse.Action) -> bool:
    """Whether an action has no line of its own: a set of verbs, or the former name of an option."""
    return isinstance(action, argparse._SubParsersAction) or action.help == argparse.SUPPRESS


def option_of(action: argparse.Action, parser: argparse.ArgumentParser) -> Option:
    """An option of a parser, as its help shows it."""
    choices = tuple([str(choice) for choice in action.choices or ()])
    value = ""
    if action.nargs != 0:
        value = str(action.metavar or "{%s}" % ",".join(choices))
    text = parser._get_formatter()._expand_help(action) if action.help else ""
    return Option(tuple(action.option_strings), value, choices, " ".join(text.split()))
