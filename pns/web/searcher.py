"""The process of a search of the page: prints its progress and its result as lines of JSON.

    python -m pns.web.searcher SPECIFICATION

It is killed when its standard input is closed, and stops on SIGINT, at whatever moment that comes:
it is started with the signal blocked, and lets it in once there is a handler.
"""

from __future__ import annotations

import json
import signal
import sys
from typing import Any, Dict

from pns.facts import open_facts
from pns.facts.known import known_facts
from pns.front.options import Options
from pns.search.counted_search import StopToken
from pns.solver import solve
from pns.system import lifeline
from pns.web.states import StatePrinter


def say(**fields: Any) -> None:
    """Print a line."""
    print(json.dumps(fields), flush=True)


def main() -> int:
    """Search as the specification says; returns the exit status."""
    lifeline.follow()
    stop = StopToken()
    signal.signal(signal.SIGINT, lambda *_: stop.stop("an interrupt"))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    wanted: Dict[str, Any] = json.loads(sys.argv[1])
    options = Options(**wanted["options"])
    try:
        facts = open_facts(wanted["database"], wanted["game"])
        try:
            facts.supply(known_facts(wanted["game"]).items())
            result = solve(
                wanted["position"],
                wanted["game"],
                options,
                facts=facts,
                stop=stop,
                observer=StatePrinter(say),
                with_draws=True,
            )
        finally:
            facts.close()
    except (ValueError, RuntimeError, OSError, MemoryError) as error:
        say(error=str(error) or type(error).__name__)
        return 1
    say(result=result.as_dict())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # too late: handlers are about to go
    return 0


if __name__ == "__main__":
    sys.exit(main())
