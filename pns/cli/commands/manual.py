"""Man pages of `pns` and its commands, made from the parsers themselves."""

from __future__ import annotations

import argparse
import os
from typing import Any, Iterator, List

from pns.cli.parser import Parser
from pns.cli.reference import Command, commands, is_hidden, option_of
from pns.system.files import open_whole
from pns.version import VERSION

EXAMPLES = (
    ("~/.local/share/man/man1", "for this user: then `man pns-solve`"),
    ("/usr/local/share/man/man1", "for all users"),
    ("man", "write the pages into a directory; `man -l man/pns.1`"),
)
STATUS = "exit status: 0; 2 when a file cannot be written"
ABOUT = "decides who wins a combinatorial game, and proves it; above all Sprouts"


def manual_parser(prog: str) -> Parser:
    """The parser of `pns manual`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [-h] DIRECTORY",
        description="Write man pages: pns.1, pns-solve.1 and so on.",
        examples=EXAMPLES,
        status=STATUS,
    )
    group = parser.add_argument_group("where")
    group.add_argument("directory", metavar="DIRECTORY", help="made unless it is there")
    return parser


def main(args: argparse.Namespace) -> int:
    """Write the pages; returns the exit status."""
    os.makedirs(args.directory, exist_ok=True)
    found = commands()
    for command in found:
        with open_whole(os.path.join(args.directory, page_name(command) + ".1")) as stream:
            lines = page(command, [page_name(other) for other in found if other != command])
            stream.write("".join([line + "\n" for line in lines]).encode())
    print("%d pages in %s" % (len(found), args.directory))
    return 0


def page_name(command: Command) -> str:
    """The name of a page, like pns-solve."""
    return "-".join(["pns", *command.words])


def page(command: Command, others: List[str]) -> Iterator[str]:
    """The lines of a page, in the language of man(7)."""
    name = page_name(command)
    yield '.TH %s 1 "" "pns %s" "pns"' % (name.upper(), VERSION)
    yield ".SH NAME\n%s \\- %s" % (escaped(name), escaped(command.help or ABOUT))
    parser: Any = command.parser
    yield ".SH SYNOPSIS\n.nf"
    usage = (
        parser.format_usage().partition(": ")[2] if command.words else "pns COMMAND [OPTION ...]"
    )
    for line in usage.splitlines():
        yield "\\fB%s\\fR" % escaped(line.strip())
    yield ".fi"
    if command.words:
        yield ".SH DESCRIPTION"
        for line in (parser.description or command.help).strip().splitlines():
            yield escaped(line) or ".PP"
    if command.verbs:
        yield ".SH COMMANDS"
        for verb, text in command.verbs.items():
            yield ".TP\n\\fB%s\\fR\n%s" % (escaped(verb), escaped(text))
    yield ".SH OPTIONS"
    for group in parser._action_groups:
        yield from options(parser, group)
    for title, text in sections(parser):
        yield ".SH %s\n.nf" % title
        yield from [escaped(line) for line in text.splitlines()]
        yield ".fi"
    yield ".SH SEE ALSO\n" + ", ".join(["\\fB%s\\fR(1)" % escaped(other) for other in others])


def options(parser: argparse.ArgumentParser, group: Any) -> Iterator[str]:
    """The options of a group."""
    actions = [action for action in group._group_actions if not is_hidden(action)]
    if actions and group.title:
        yield ".SS %s" % escaped(group.title)
    for action in actions:
        option = option_of(action, parser)
        value = "\\fI%s\\fR" % escaped(option.value) if option.value else ""
        flags = [("\\fB%s\\fR %s" % (escaped(flag), value)).strip() for flag in option.flags]
        yield ".TP\n%s\n%s" % (", ".join(flags) or value, escaped(option.help) or "\\&")


def sections(parser: argparse.ArgumentParser) -> Iterator["tuple[str, str]"]:
    """(title, text) of what follows the options in the help."""
    text = (parser.epilog or "").strip()
    examples, _, status = text.partition("exit status: ")
    if examples.strip():
        yield "EXAMPLES", examples.replace("examples:\n", "").strip("\n")
    if status:
        yield "EXIT STATUS", status


def escaped(text: str) -> str:
    """A line of text for roff.

    >>> print(escaped(".spr, or --db"))
    \\&.spr, or \\-\\-db
    """
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text
