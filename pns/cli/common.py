"""What the programs share: refusals, exit statuses, signals and standard streams."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
from errno import ENOMEM
from typing import Any, Callable, NoReturn

from pns.checkpoint import CheckpointError
from pns.facts import FactsError
from pns.facts.spr import SprError
from pns.game import GAMES, NotationError, TooLarge, find_game
from pns.machine import NoMemory, explain_shortage, tune_jit
from pns.options import OptionError, Options
from pns.prior import PriorError

STANDARD_OUTPUT = "standard output"
SIGNALS = (signal.SIGINT, signal.SIGTERM)
STOPPED = 130
"""The exit status of a program that a signal stopped."""
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The directory that contains pns; in a checkout also scripts/."""
IS_CHECKOUT = os.path.exists(os.path.join(ROOT, "scripts", "setup.sh"))
EXTRAS = "install pns with its extras [ui,wire]"
HOW_TO_INSTALL = "run sh scripts/setup.sh" if IS_CHECKOUT else EXTRAS
"""What to do about an optional package that is missing."""
WIDTH = 60
"""Characters of a position that are shown around an error."""
FLAGS = {"prior": "--no-prior"}
"""Options of the library whose flag has another name."""


def program() -> str:
    """The name of the program, as its messages begin: `solve.py`, or `pns solve`."""
    return os.path.basename(sys.argv[0])


def die(message: str) -> NoReturn:
    """Exit with status 2 after one line on standard error that says why."""
    print("%s: %s" % (program(), message), file=sys.stderr)
    sys.exit(2)


def warn(message: str) -> None:
    """Print a warning on standard error; the program goes on."""
    print("%s: %s" % (program(), message), file=sys.stderr, flush=True)


def explain_notation(error: NotationError) -> str:
    """The error with the text below it and a caret under the offset.

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
    if isinstance(error, NoMemory):
        die(str(error))
    die(explain_shortage())


def check_options(options: Options) -> None:
    """Exit if an option is bad; names it as the command line does."""
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
    die("%s is missing: %s" % (error.name, HOW_TO_INSTALL))


class Parser(argparse.ArgumentParser):
    """A parser whose errors are those of ``die``: one line."""

    def error(self, message: str) -> NoReturn:
        die("%s; see --help" % message)


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
    """The name of a game that is named, or that is at a place MODULE:GAME."""
    try:
        return find_game(text).name
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_game(
    parser: argparse._ActionsContainer, default: Any = "sprouts", text: str = "default: sprouts"
) -> None:
    """Add --game."""
    names = ", ".join(sorted(GAMES))
    more = "%s, an installed game, or MODULE:GAME; %s" % (names, text)
    parser.add_argument("--game", metavar="GAME", type=game_name, default=default, help=more)


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
    tune_jit()
    open_standard_streams()
    try:
        try:
            on_signals(interrupt)
            status = main()
            sys.stdout.flush()
        finally:  # signals now come too late to change anything
            on_signals(signal.SIG_IGN)
    except KeyboardInterrupt:
        status = STOPPED
    except NotationError as error:
        die(explain_notation(error))
    except (CheckpointError, FactsError, PriorError, SprError) as error:
        die(str(error))
    except TooLarge as error:
        print("%s: %s" % (program(), error), file=sys.stderr)
        status = 1
    except MemoryError as error:
        die_of_shortage(error)
    except RecursionError:
        warn("play is too long: more than %d calls are nested" % sys.getrecursionlimit())
        status = 1
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what is still buffered
        if isinstance(error, BrokenPipeError) and error.filename == STANDARD_OUTPUT:
            status = 141
        elif error.errno == ENOMEM and error.filename is None:
            die_of_shortage(error)
        else:
            where = "" if error.filename is None else "%s: " % error.filename
            die(where + (error.strerror or str(error)))
    sys.exit(status)
