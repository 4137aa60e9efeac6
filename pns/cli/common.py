"""What the programs share: refusals, exit statuses, signals and standard streams."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
from errno import ENOMEM

from pns.choices import GAMES

TYPE_CHECKING = False  # importing typing takes longer than all else here
if TYPE_CHECKING:
    from typing import Any, Callable, NoReturn, Sequence, Tuple

    from pns.game import Game, NotationError
    from pns.options import OptionError, Options

STANDARD_OUTPUT = "standard output"
SIGNALS = (signal.SIGINT, signal.SIGTERM)
MOST_PORT = 65535
STOPPED = 130
"""The exit status of a program that a signal stopped."""
THEN, A_SIGNAL = " jobs done, then: ", "a signal"
"""What a worker prints at its end before the reason, and the reason after SIGTERM or Ctrl-C."""
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The directory that contains pns; in a checkout also scripts/."""
IS_CHECKOUT = os.path.exists(os.path.join(ROOT, "scripts", "setup.sh"))
WIDTH = 60
"""Characters of a position that are shown around an error."""
FLAGS = {"prior": "--no-prior"}
"""Options of the library whose flag has another name."""
REFUSALS = {
    "CheckpointError",
    "FactsError",
    "PriorError",
    "RecordError",
    "SolutionError",
    "SprError",
}
"""Exceptions whose message is the refusal. Names, since importing the classes takes long."""


def program() -> str:
    """The name of the program, as its messages begin: `solve.py`, or `pns solve`."""
    return os.path.basename(sys.argv[0])


def die(message: str) -> NoReturn:
    """Exit with status 2 after one line on standard error that says why."""
    print("%s: %s" % (program(), message), file=sys.stderr)
    sys.exit(2)


def first_position(game: Game) -> str:
    """What is played or shown unless a position is given; exits where a game has no examples."""
    from pns.game import first_example

    return first_example(game) or die("name a position: %s has no examples" % game.name)


def warn(message: str) -> None:
    """Print a warning on standard error; the program goes on."""
    print("%s: %s" % (program(), message), file=sys.stderr, flush=True)


def how_to_install(extra: str) -> str:
    """What to do about a missing package of an extra."""
    how = "install pns with its extra [%s]" % extra
    return "run sh scripts/setup.sh, or %s" % how if IS_CHECKOUT else how


def explain_notation(error: NotationError) -> str:
    """The error with the text below it and a caret under the offset.

    >>> from pns.game import NotationError
    >>> print(explain_notation(NotationError("0*x", 2, "'x' is no count", "write 0*7")))
    offset 2: 'x' is no count; write 0*7
      0*x
        ^
    """
    start = max(0, error.offset - WIDTH // 2)
    shown = error.text[start : start + WIDTH]
    shown = "".join([letter if " " <= letter <= "~" else "?" for letter in shown])
    return "%s\n  %s\n  %s^" % (error, shown, " " * (error.offset - start))


def die_of_shortage(error: BaseException) -> NoReturn:
    """Exit for want of memory, with the message of `NoMemory`, or with what is in use."""
    from pns.machine import NoMemory, explain_shortage

    if isinstance(error, NoMemory):
        die(str(error))
    die(explain_shortage())


def check_options(options: Options) -> None:
    """Exit if an option is bad; names it as the command line does."""
    from pns.options import OptionError

    try:
        options.check()
    except OptionError as error:
        die_of_option(error)


def die_of_option(error: OptionError) -> NoReturn:
    """Exit for a bad option; names it as the command line does."""
    flag = FLAGS.get(error.option, "--" + error.option.replace("_", "-"))
    die("argument %s: %s" % (flag, error.wrong))


def die_of_missing(error: ImportError) -> NoReturn:
    """Exit for want of a package that messages need."""
    die("%s is missing: %s" % (error.name, how_to_install("wire")))


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
        if examples:
            more["epilog"] = show_examples(more.get("prog") or program(), examples) + status
        super().__init__(**{"formatter_class": Help, "allow_abbrev": False, **more})
        self._optionals.title = "options"  # it depends on the version of Python
        self._check = check

    def parse_args(  # type: ignore[override]
        self, args: Any = None, namespace: Any = None
    ) -> argparse.Namespace:
        """As of the base class, and then checked."""
        found: argparse.Namespace = super().parse_args(args, namespace)
        self._check(found)
        return found

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As of the base class, but an unknown option is refused before anything else."""
        words = sys.argv[1:] if args is None else list(args)
        for word in words:
            if word == "--" or self._subparsers and not word.startswith("-"):
                break  # the verb has options of its own
            name = word.partition("=")[0]
            if word.startswith("--") and name not in self._option_string_actions:
                die("unknown option %s%s" % (shown(name), self.nearest_option(name)))
        return super().parse_known_args(words, namespace)

    def nearest_option(self, name: str) -> str:
        """The end of a sentence with the option that was meant."""
        return nearest(name, [name for name in self._option_string_actions if name > "--"])

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            names = [str(name) for name in action.choices]
            raise argparse.ArgumentError(action, none_of(str(value), names))

    def error(self, message: str) -> NoReturn:
        die("%s; see --help" % message)


def show_examples(prog: str, examples: Sequence[Tuple[str, str]]) -> str:
    """Examples as the end of a help: the command, and what it does."""
    lines = ["  %s\n      %s\n" % ((prog + " " + words).rstrip(), text) for words, text in examples]
    return "examples:\n%s\n" % "".join(lines)


def close(word: str, names: Sequence[str]) -> list[str]:
    """The name that a mistyped word may have meant, in a list, or an empty one."""
    from difflib import get_close_matches

    return get_close_matches(word[:60], names, n=1)


def nearest(word: str, names: Sequence[str]) -> str:
    """The end of a refusal: the name that was meant, if one is near, and where to look.

    >>> nearest("--grundi", ["--game", "--grundy"])
    '; did you mean --grundy? See --help'
    """
    found = close(word, names)
    return "; did you mean %s? See --help" % found[0] if found else "; see --help"


def none_of(word: str, names: Sequence[str]) -> str:
    """That a word is none of some names, which are listed.

    >>> none_of("nin", ["kayles", "nim"])
    "no 'nin'; did you mean nim? There are kayles, nim"
    """
    meant = ["did you mean %s? T" % name for name in close(word, names)] or ["t"]
    return "no %s; %shere are %s" % (shown(word), meant[0], ", ".join(names))


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
        raise argparse.ArgumentTypeError("%s is no count; write 20 or 3M" % ascii(text[:20]))
    return int(digits) * (unit or 1)


def game_name(text: str) -> str:
    """The name of a game that is named, or that is at a place MODULE:GAME.

    No game of the package is imported.
    """
    if text in GAMES:
        return text
    from pns.game import find_game, game_names

    if ":" not in text and text not in game_names():
        raise argparse.ArgumentTypeError(none_of(text, game_names()) + ", or write MODULE:GAME")
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
    default: Any = "sprouts",
    text: str = "default: sprouts",
) -> None:
    """Add --game: a game's name, or its place."""
    parser.add_argument(
        "--game",
        metavar="GAME",
        type=game_name,
        choices=Suggestions(GAMES),
        default=default,
        help="%s, an installed game, or MODULE:GAME; %s" % (", ".join(GAMES), text),
    )


def add_metrics(parser: argparse._ActionsContainer, what: str) -> None:
    """Add --metrics: a port at which some figures are served."""
    parser.add_argument(
        "--metrics",
        metavar="PORT",
        type=int,
        help="serve %s to Prometheus at a port of the loopback address, 0 for a free one" % what,
    )


def check_metrics(args: argparse.Namespace) -> None:
    """Exit for a port that there cannot be."""
    if args.metrics is not None and not 0 <= args.metrics <= MOST_PORT:
        die("argument --metrics: 0 to %d" % MOST_PORT)


def check_output(option: str, path: str) -> None:
    """Exit unless the file that an option names can be made, or replaced, in its directory."""
    from pns.files import require_regular

    if not os.path.isdir(os.path.dirname(os.path.realpath(path))):
        die("argument %s: %s: no such directory" % (option, path))
    if os.path.exists(path):
        try:
            require_regular(path)
        except OSError as error:
            die("argument %s: %s: %s" % (option, path, error.strerror))


def interrupt(*_: Any) -> NoReturn:
    """A signal handler: stop as Ctrl-C does."""
    raise KeyboardInterrupt


class Output(io.FileIO):
    """Standard output; its errors name it as their file."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, STANDARD_OUTPUT) from error


class Errors(io.FileIO):
    """Standard error; what cannot be written there, as on a full disk, is dropped."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def text_stream(raw: io.FileIO) -> io.TextIOWrapper:
    """A text stream, line-buffered on a terminal and on standard error."""
    stream = io.BufferedWriter(raw)
    at_once = raw.isatty() or raw.fileno() == 2
    return io.TextIOWrapper(stream, errors="backslashreplace", line_buffering=at_once)


def on_signals(action: Any) -> None:
    """Set the handler of Ctrl-C and SIGTERM, except of a signal that is ignored."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, action)


def open_standard_streams() -> None:
    """Exit if standard output is closed; open other closed streams.

    Otherwise a database could get the descriptor of a standard stream.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
    is_closed = not sys.stdout
    sys.stderr = text_stream(Errors(2, "w", closefd=False))
    if is_closed:
        die("standard output is closed")
    sys.stdout = text_stream(Output(1, "w", closefd=False))


def run(main: Callable[[], int]) -> NoReturn:
    """Run a program and exit with the status that ``main`` returns.

    Otherwise the status is 1 when play outgrows what a game can represent, 2 after bad input
    or when memory runs out, 130 when Ctrl-C or SIGTERM stops it, and 141 when the reader of
    its output has closed it, as `head` does.
    """
    run_loaded(lambda: main)


def run_loaded(load: Callable[[], Callable[[], int]]) -> NoReturn:
    """Run the program that ``load`` returns, as `run` does.

    ``load`` may parse the command line and import the program. Until it is done, signals do
    what they did before.
    """
    open_standard_streams()
    try:
        try:
            main = load()
            from pns.machine import tune_jit

            tune_jit()
            on_signals(interrupt)
            status = main()
            sys.stdout.flush()
        finally:  # signals now come too late to change anything
            on_signals(signal.SIG_IGN)
    except KeyboardInterrupt:
        status = STOPPED
    except Exception as error:
        status = explain(error)
    sys.exit(status)


def explain(error: Any) -> int:
    """Print why a program failed; returns the exit status, or exits with it.

    Raises the error again if no input explains it.
    """
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if isinstance(error, OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what is still buffered
        if isinstance(error, BrokenPipeError) and error.filename == STANDARD_OUTPUT:
            return 141
        if error.errno == ENOMEM and error.filename is None:
            die_of_shortage(error)
        where = "" if error.filename is None else "%s: " % error.filename
        die(where + (error.strerror or str(error)))
    if isinstance(error, MemoryError):
        die_of_shortage(error)
    if isinstance(error, RecursionError):
        warn("play is too long: more than %d calls are nested" % sys.getrecursionlimit())
        return 1
    if "TooLarge" in kinds:
        warn(str(error))
        return 1
    if "NotationError" in kinds:
        die(explain_notation(error))
    if kinds & REFUSALS:
        die(str(error))
    raise error
