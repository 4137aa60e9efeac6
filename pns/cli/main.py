"""The command `pns`: finds the subcommand, and imports its module and no other."""

from __future__ import annotations

import os
import sys

from pns import start
from pns.version import VERSION

COMMANDS = {
    "solve": ("pns.cli.solve", "main", "decide who wins a position, and store what proves it"),
    "worker": ("pns.cli.worker", "main", "work for a master, here or on another machine"),
    "simulate": ("pns.cli.simulate", "main", "search with many workers on a virtual clock"),
    "cluster": ("pns.cli.cluster", "main", "keep workers on every node of a Ray cluster"),
    "db": ("pns.cli.database", "main", "look into databases of Grundy numbers, and change them"),
    "why": ("pns.cli.database", "explain", "print the winning move, or the answers to all moves"),
    "audit": ("pns.cli.audit", "main", "check a database or a certificate, without any search"),
    "certify": ("pns.cli.audit", "certify", "check a database, and write a certificate"),
    "check-game": ("pns.cli.check_game", "main", "check that a game keeps its contract"),
    "octal": ("pns.cli.octal", "main", "Grundy numbers and the period of an octal game"),
    "check": ("pns.cli.check", "main", "check certificates by a program of a single file"),
}
"""The subcommands: module, function, and what it does."""

HELP = """\
usage: pns COMMAND [ARGUMENT ...]

Decides who wins a combinatorial game, and proves it; above all Sprouts.

commands:
%s

options:
  -h, --help  show this help and exit
  --version   show the version and exit

`pns COMMAND --help` says more about a command.

  pns solve '0*11'
  pns why '0*11'
  pns solve --game nim '3+5+6'
""" % "\n".join(["  %-10s %s" % (name, text) for name, (_, _, text) in COMMANDS.items()])

WRITE_FAILED, READER_GONE = 2, 141


def main() -> None:
    """Run the command line; exits with the status of the subcommand."""
    start.expect_signals()
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    if word in COMMANDS:
        run_command(word)
    sys.argv[0] = "pns"
    if word in ("-h", "--help"):
        sys.exit(show(HELP))
    if word == "--version":
        sys.exit(show("pns %s\n" % VERSION))
    print("pns: %s" % why_none(word), file=sys.stderr)
    sys.exit(2)


def run_command(name: str) -> None:
    """Run a subcommand, which sees `pns NAME` as its program's name; does not return."""
    sys.argv[:2] = ["pns " + name]
    start.need_descriptors(start.LEAST_DESCRIPTORS)
    start.start_with_settings()
    from importlib import import_module

    module, function, _ = COMMANDS[name]
    run = import_module("pns.cli.common").run
    run(getattr(import_module(module), function))


def why_none(word: str) -> str:
    """Why a first word is no subcommand.

    >>> why_none("slove")
    "'slove' is no command; did you mean solve? See pns --help"
    """
    if not word:
        return "a command is missing; see pns --help"
    if word.startswith("-"):
        return "unknown option %s; see pns --help" % ascii(word[:60])
    from difflib import get_close_matches

    names = get_close_matches(word[:60], COMMANDS, n=1)
    hint = "did you mean %s? See" % names[0] if names else "see"
    return "%s is no command; %s pns --help" % (ascii(word[:60]), hint)


def show(text: str) -> int:
    """Print a text; returns the exit status."""
    try:
        os.write(1, text.encode())
    except BrokenPipeError:
        return READER_GONE
    except OSError as error:
        print("pns: standard output: %s" % error.strerror, file=sys.stderr)
        return WRITE_FAILED
    return 0
