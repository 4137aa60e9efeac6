"""When a process that has ended is started again, and how often."""

from __future__ import annotations

LONG_LIFE = 5.0
"""Seconds: a process that lives longer is not one that fails at its start."""
MOST_FAILURES = 5


class Backoff:
    """Failures in a row of processes that are started again, and the pauses between the starts.

    The process is started again at once after the first failure of a row, `pause` seconds after
    the second, and after twice the last pause, at most `longest`, from then on. A process that
    lived for `long_life` seconds ends the row. After `most` failures in a row it is not started
    again.

    >>> backoff = Backoff(pause=1.0)
    >>> [backoff.fail(0.0) for _ in range(5)]
    [0.0, 1.0, 2.0, 4.0, 8.0]
    >>> backoff.gives_up
    True
    >>> backoff.fail(60.0, lived=30.0), backoff.gives_up
    (0.0, False)
    """

    def __init__(
        self,
        pause: float = 0.0,
        longest: float = 60.0,
        long_life: float = LONG_LIFE,
        most: float = MOST_FAILURES,
    ) -> None:
        self._pause = pause
        self._longest = longest
        self._long_life = long_life
        self._most = most
        self._failures = 0
        self._not_before = 0.0

    def fail(self, now: float, lived: float = 0.0, weight: int = 1, at_least: float = 0.0) -> float:
        """Count the end of a process after a life in seconds as `weight` failures.

        Returns the pause before the next start in seconds, which is `at_least` so long.
        """
        self._failures = 0 if lived >= self._long_life else self._failures + weight
        pause = 0.0
        if self._failures > 1:
            pause = min(self._longest, self._pause * 2.0 ** min(self._failures - 2, 60))
        pause = max(pause, at_least)
        self._not_before = now + pause
        return pause

    def may_start(self, now: float) -> bool:
        """Whether a process may be started now."""
        return now >= self._not_before and not self.gives_up

    @property
    def gives_up(self) -> bool:
        """Whether there were too many failures in a row."""
        return self._failures >= self._most
