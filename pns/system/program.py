"""How a program runs: its messages, exit statuses, signals and standard streams."""

from __future__ import annotations

import io
import os
import signal
import sys
from errno import ENOMEM

TYPE_CHECKING = False  # importing typing takes longer than all else here
if TYPE_CHECKING:
    from typing import Any, Callable, NoReturn

    from pns.game import NotationError

STANDARD_OUTPUT = "standard output"
SIGNALS = (signal.SIGINT, signal.SIGTERM)
STOPPED = 130
"""The exit status of a program that a signal stopped."""
WIDTH = 60
"""Characters of a position that are shown around an error."""
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


def warn(message: str) -> None:
    """Print a warning on standard error; the program goes on."""
    print("%s: %s" % (program(), message), file=sys.stderr, flush=True)


def explain_notation(error: NotationError) -> str:
    """The error with the text below it and a caret under the offset.

    >>> from pns.game import NotationError
    >>> print(explain_notation(NotationError("0*x", 2, "invalid count 'x'", "write 0*7")))
    offset 2: invalid count 'x'; write 0*7
      0*x
        ^
    """
    start = max(0, error.offset - WIDTH // 2)
    shown = error.text[start : start + WIDTH]
    shown = "".join([letter if " " <= letter <= "~" else "?" for letter in shown])
    return "%s\n  %s\n  %s^" % (error, shown, " " * (error.offset - start))


def die_of_shortage(error: BaseException, translate: Callable[[str], str]) -> NoReturn:
    """Exit for want of memory, with the message of `NoMemory`, or with what is in use."""
    from pns.system.machine import NoMemory, explain_shortage

    if isinstance(error, NoMemory):
        die(translate(str(error)))
    die(explain_shortage())


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


def run(
    main: Callable[[], int], searches: bool = False, translate: Callable[[str], str] = str
) -> NoReturn:
    """Run a program and exit with the status that ``main`` returns.

    Otherwise the status is 1 when play outgrows what a game can represent, 2 after bad input
    or when memory runs out, 130 when Ctrl-C or SIGTERM stops it, and 141 when the reader of
    its output has closed it, as `head` does. ``searches`` is that of `pns.system.jit.tune_jit`,
    ``translate`` that of `explain`.
    """
    run_loaded(lambda: main, searches, translate)


def run_loaded(
    load: Callable[[], Callable[[], int]],
    searches: bool = False,
    translate: Callable[[str], str] = str,
) -> NoReturn:
    """Run the program that ``load`` returns, as `run` does.

    ``load`` may parse the command line and import the program. Until it is done, signals do
    what they did before.
    """
    open_standard_streams()
    status: Any = 0
    try:
        try:
            main = load()
            from pns.system.jit import tune_jit

            tune_jit(searches)
            on_signals(interrupt)
            status = main()
            sys.stdout.flush()
        except SystemExit as ended:  # after a help or a refusal
            status = ended.code
            sys.stdout.flush()  # at exit Python would print a traceback
        finally:  # signals now come too late to change anything
            on_signals(signal.SIG_IGN)
    except KeyboardInterrupt:
        status = STOPPED
    except Exception as error:
        status = explain(error, translate)
    sys.exit(status)


def explain(error: Any, translate: Callable[[str], str] = str) -> int:
    """Print why a program failed; returns the exit status, or exits with it.

    `translate` puts messages of the library into the words of the program's command line.
    Raises the error again if no input explains it.
    """
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if isinstance(error, OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what is still buffered
        if isinstance(error, BrokenPipeError) and error.filename == STANDARD_OUTPUT:
            return 141
        if error.errno == ENOMEM and error.filename is None:
            die_of_shortage(error, translate)
        where = "" if error.filename is None else "%s: " % error.filename
        die(where + (error.strerror or str(error)))
    if isinstance(error, MemoryError):
        die_of_shortage(error, translate)
    if isinstance(error, RecursionError):
        warn("play is too long: it takes more than %d nested calls" % sys.getrecursionlimit())
        return 1
    if "TooLarge" in kinds:
        warn(str(error))
        return 1
    if "NotationError" in kinds:
        die(explain_notation(error))
    if kinds & REFUSALS:
        die(translate(str(error)))
    raise error
