"""When checkpoints are written: from time to time, and in steps, while the search goes on."""

from __future__ import annotations

import math
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Callable, Generator, Optional

from pns.saving.checkpoint import CheckpointError
from pns.system.files import Reporter
from pns.system.machine import explain_shortage

if TYPE_CHECKING:
    pass

SLICE_SECONDS = 0.02
"""Upper bound on what `Checkpointer.tick` takes, but for one step and the end of the file."""

Steps = Generator[None, None, None]
"""What writes a file step by step; closed before its end, it leaves the file as it was."""


class Checkpointer:
    """Saves a search to the file `path` every `every` seconds, and when `save` is called.

    `write` writes the file wholly, or raises OSError and leaves the previous one. It may return
    steps that do this, so that the search goes on between them. The error is reported to `warn`,
    at most once a minute, and the next checkpoint is tried as usual.
    `unsaved` says why the last one could not be written, "" if it was. The first one is written
    at once, and raises OSError. Raises CheckpointError if the file exists, unless it is the one
    that is `resumed`.
    """

    def __init__(
        self,
        path: str,
        write: Callable[[], Optional[Steps]],
        every: float,
        warn: Callable[[str], None],
        resumed: Optional[str] = None,
    ) -> None:
        if os.path.exists(path) and not (resumed and os.path.samefile(path, resumed)):
            raise CheckpointError(path, "exists already; resume it, or remove it")
        self.path = path
        self.unsaved = ""
        self._write = write
        self._every = every
        self._steps: Optional[Steps] = None
        self._reporter = Reporter(warn)
        for _ in write() or ():
            pass
        self._saved = time.monotonic()

    def tick(self) -> None:
        """Save, or take some steps, if a checkpoint is due; call it several times a second."""
        now = time.monotonic()
        if self._steps or now - self._saved >= self._every:
            self._advance(now + SLICE_SECONDS)

    def save(self) -> None:
        """Save the search now, from the first step."""
        self.abandon()
        self._advance(math.inf)

    def abandon(self) -> None:
        """End a checkpoint of which some steps are done; the one before is kept."""
        steps, self._steps = self._steps, None
        if steps:
            with suppress(OSError):  # what was buffered finds no room either
                steps.close()

    def _advance(self, until: float) -> None:
        """Take steps until that time at the least, or the end; begin if there are none."""
        trouble = ""
        try:
            if not self._steps:
                self._steps = self._write()
            for _ in self._steps or ():
                if time.monotonic() >= until:
                    return
        except OSError as error:
            trouble = "%s: %s" % (self.path, error.strerror)
        except MemoryError:
            trouble = "%s: %s" % (self.path, explain_shortage())
        self._steps = None
        self.unsaved = trouble
        if trouble:
            self._reporter.report("checkpoint not written: %s; the previous one is kept" % trouble)
        self._saved = time.monotonic()
