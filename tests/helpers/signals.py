"""The handlers of signals, which programs set and tests restore."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import Iterator

NUMBERS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def kept_handlers() -> Iterator[None]:
    """Restore the handlers of Ctrl-C and SIGTERM after the block, whatever it does."""
    handlers = [signal.getsignal(number) for number in NUMBERS]
    try:
        yield
    finally:
        for number, handler in zip(NUMBERS, handlers):
            signal.signal(number, handler)
