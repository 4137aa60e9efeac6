"""The parser of command lines, whose errors are one line, and options that programs share."""

from __future__ import annotations

import argparse
import os
import sys

from pns.choices import DEFAULT_GAME, GAMES, MISERE_SUFFIX, MOST_NUMBER, normal_name
from pns.cli.common import die, program

TYPE_CHECKING = False  # importing typing takes longer than all else here
if TYPE_CHECKING:
    from typing import Any, Callable, NoReturn, Sequence, Tuple

MOST_PORT = 65535


class Help(argparse.RawDescriptionHelpFormatter):
    """The form of a help, as wide as the terminal; shutil, which takes long, is not imported."""

    def __init__(self, prog: str) -> None:
        columns = os.environ.get("COLUMNS", "")
        if columns.isascii() and columns.isdigit() and int(columns):
            width = int(columns)
        else:
            try:
                width = os.get_terminal_size(1).columns
            except OSError:
                width = 80
        super().__init__(prog, width=width - 2)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are those of ``die``: one line, with the nearest right word.

    It takes no beginning of an option for the option, which another option could end. The
    epilogue of its help has examples, a line and a remark for each, and what `status` says
    about exit statuses. `check` may refuse what was parsed.
    """

    def __init__(
        self,
        *,
        examples: Sequence[Tuple[str, str]] = (),
        status: str = "",
        check: Callable[[argparse.Namespace], None] = lambda args: None,
        **more: Any,
    ) -> None:
        self._example = examples[0][0] if examples else ""
        """The arguments of the first example, which a command line without its own is shown."""
        if examples:
            more["epilog"] = show_examples(more.get("prog") or program(), examples) + status
        super().__init__(**{"formatter_class": Help, "allow_abbrev": False, **more})
        self._optionals.title = "options"  # it depends on the version of Python
        self._check = check

    def parse_args(  # type: ignore[override]
        self, args: Any = None, namespace: Any = None
    ) -> argparse.Namespace:
        """As of the base class, with --misere in the name of the game, and then checked."""
        found: argparse.Namespace = super().parse_args(args, namespace)
        if getattr(found, "misere", False) and hasattr(found, "game"):
            from pns.finding import find_game, misere_name

            found.game = misere_name(found.game or DEFAULT_GAME)
            try:
                find_game(found.game)
            except ValueError as error:
                self.error("argument --misere: %s" % error)
        self._check(found)
        return found

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As of the base class, but an unknown option is refused before anything else."""
        words = sys.argv[1:] if args is None else list(args)
        for word in words:
            if word == "--" or self._subparsers and not word.startswith("-"):
                break  # the verb has options of its own
            name = word.partition("=")[0] if word.startswith("--") else word[:2]
            is_option = word.startswith("--") or name[:1] == "-" and name[1:].isalpha()
            if is_option and name not in self._option_string_actions:
                from pns.cli.foreign import about

                known = [option for option in self.options() if option.startswith("--")]
                die("unknown option %s%s" % (shown(name), about(name, known)))
        return super().parse_known_args(words, namespace)

    def options(self) -> list[str]:
        """All options that the help shows."""
        return [
            option
            for action in self._actions
            if action.help != argparse.SUPPRESS
            for option in action.option_strings
        ]

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            names = [str(name) for name in action.choices]
            raise argparse.ArgumentError(action, none_of(str(value), names))

    def error(self, message: str) -> NoReturn:
        if self._example and "are required: " in message and "required: -" not in message:
            message += ", as in %s %s" % (self.prog, self._example)
        die("%s; see --help" % message)


def show_examples(prog: str, examples: Sequence[Tuple[str, str]]) -> str:
    """Examples as the end of a help: the command, and what it does."""
    lines = ["  %s\n      %s\n" % ((prog + " " + words).rstrip(), text) for words, text in examples]
    return "examples:\n%s\n" % "".join(lines)


def close(word: str, names: Sequence[str]) -> list[str]:
    """The name that a mistyped word may have meant, in a list, or an empty one."""
    from difflib import get_close_matches

    return get_close_matches(word[:60], names, n=1)


def none_of(word: str, names: Sequence[str]) -> str:
    """The error for a word that is none of some names: a suggestion, then all names.

    >>> none_of("nin", ["kayles", "nim"])
    "invalid choice 'nin'; did you mean nim? Expected one of kayles, nim"
    """
    meant = ["did you mean %s? E" % name for name in close(word, names)] or ["e"]
    return "invalid choice %s; %sxpected one of %s" % (shown(word), meant[0], ", ".join(names))


def shown(word: str) -> str:
    """A word of the command line for a message: quoted, escaped, cut."""
    return ascii(word[:60])


def amount(text: str) -> int:
    """A count from 0 on; k, M and G stand for thousands, millions and thousand millions.

    >>> amount("20"), amount("3k"), amount("2G")
    (20, 3000, 2000000000)
    """
    unit = {"k": 10**3, "M": 10**6, "G": 10**9}.get(text[-1:], 0)
    digits = text[:-1] if unit else text
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        wrong = "invalid count %s; expected a whole number such as 20 or 3M"
        raise argparse.ArgumentTypeError(wrong % ascii(text[:20]))
    return int(digits) * (unit or 1)


def positive(text: str) -> int:
    """A count from 1 on."""
    count = amount(text)
    if not count:
        wrong = "invalid count %s; expected a whole number of at least 1"
        raise argparse.ArgumentTypeError(wrong % ascii(text[:20]))
    return count


def real(text: str, most: float = MOST_NUMBER) -> float:
    """A number from 0 to `most`; NaN and infinity are none.

    >>> real("0.5"), real("3e2")
    (0.5, 300.0)
    """
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= most:
        wrong = "invalid number %s; expected a number from 0 to %g"
        raise argparse.ArgumentTypeError(wrong % (ascii(text[:20]), most))
    return value


def above_zero(text: str) -> float:
    """A number above 0."""
    value = real(text)
    if not value:
        wrong = "invalid number %s; expected a number above 0"
        raise argparse.ArgumentTypeError(wrong % ascii(text[:20]))
    return value


def share(text: str) -> float:
    """A number from 0 to 1, or all or none."""
    words = {"all": 1.0, "none": 0.0}
    try:
        return words[text] if text in words else real(text, 1.0)
    except argparse.ArgumentTypeError:
        wrong = "invalid share %s; expected all, none or a number from 0 to 1"
        raise argparse.ArgumentTypeError(wrong % ascii(text[:20])) from None


def file_name(text: str) -> str:
    """The name of a file."""
    if not text:
        raise argparse.ArgumentTypeError("invalid file name ''; expected the name of a file")
    return text


def game_name(text: str) -> str:
    """The name of a game that is named, or that is at a place MODULE:GAME.

    No game of the package is imported.
    """
    if text in GAMES:
        return text
    from pns.finding import find_game, game_names

    if ":" not in text and normal_name(text) not in game_names():
        raise argparse.ArgumentTypeError(none_of(text, game_names()) + ", or MODULE:GAME")
    try:
        return find_game(text).name
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


class Suggestions(list):  # type: ignore[type-arg]
    """Choices for helps and completions, where other words are right too."""

    def __contains__(self, word: object) -> bool:
        return True


def add_game(
    parser: argparse._ActionsContainer,
    default: Any = DEFAULT_GAME,
    text: str = "default: " + DEFAULT_GAME,
) -> None:
    """Add --game, a game's name or its place, and --misere, which becomes part of the name."""
    parser.add_argument(
        "--game",
        metavar="GAME",
        type=game_name,
        choices=Suggestions(GAMES),
        default=default,
        help="%s, an installed game, or MODULE:GAME; %s" % (", ".join(GAMES), text),
    )
    parser.add_argument(
        "--misere",
        action="store_true",
        default=argparse.SUPPRESS,
        help="who makes the last move loses: the game is then called GAME%s" % MISERE_SUFFIX,
    )


def add_output(parser: argparse._ActionsContainer, metavar: str, text: str, **more: Any) -> None:
    """Add -o and --out, the file that a command writes."""
    parser.add_argument("-o", "--out", metavar=metavar, help=text, **more)


def add_metrics(parser: argparse._ActionsContainer, what: str) -> None:
    """Add --metrics: a port at which some figures are served."""
    parser.add_argument(
        "--metrics",
        metavar="PORT",
        type=int,
        help="serve %s to Prometheus at a port of the loopback address, 0 for a free one" % what,
    )


def check_metrics(args: argparse.Namespace) -> None:
    """Exit for a port outside the range of port numbers."""
    if args.metrics is not None and not 0 <= args.metrics <= MOST_PORT:
        wrong = "invalid port %d; expected a number from 0 to %d"
        die("argument --metrics: " + wrong % (args.metrics, MOST_PORT))


def check_output(option: str, path: str, endings: Tuple[str, ...] = ()) -> None:
    """Exit unless the file that an option names can be made, or replaced, in its directory.

    `endings` are those of the formats that are written; without any, all names are right.
    """
    from pns.system.files import require_regular

    if endings and not path.endswith(endings):
        wrong = "invalid file name %s; expected one that ends in %s"
        die("argument %s: %s" % (option, wrong % (shown(path), " or ".join(endings))))
    directory = os.path.dirname(os.path.realpath(path))
    if not path or path.endswith(os.sep) or not os.path.isdir(directory):
        die("argument %s: %s: no such directory" % (option, path or "''"))
    if not os.access(directory, os.W_OK):
        die("argument %s: %s: its directory is not writable" % (option, path))
    if os.path.exists(path):
        try:
            require_regular(path)
        except OSError as error:
            die("argument %s: %s: %s" % (option, path, error.strerror))
