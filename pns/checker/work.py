"""The work that may be done: what takes more is refused, so that no file keeps a machine busy."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

MOST_WORK = 30_000_000  # for an entry, for the claim, and for all exchanges, in units of Work


class TooMuchWork(ValueError):
    """A computation takes more work than is allowed."""


class Work:
    """The work still allowed, in spots passed in the positions that are worked on."""

    left = 1 << 62


def spend(spots: int) -> None:
    """Count work before it is done; raises TooMuchWork."""
    Work.left -= spots
    if Work.left < 0:
        raise TooMuchWork("this takes more work than is allowed")


@contextmanager
def limited(most: int) -> Iterator[None]:
    """Allow this much work within, and what was allowed before to those who come after."""
    before = Work.left
    Work.left = most
    try:
        yield
    finally:
        Work.left = before
