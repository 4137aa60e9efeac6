"""What a fact costs a master in each step, in microseconds of processor time.

    pypy3 tests/tools/fact_costs.py 20

Searches of up to that number of spots by DFPN give the facts, in their order. A report brings 30.
What is measured is done with lands of random play beforehand, so that the code is compiled and the
caches of the game are as full as in a long search. The check is that of the first half of the
facts, and those of the second half arrive, since a check leaves something in caches.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from random import Random
from typing import Callable, Dict, List, Sequence

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "scripts")]

import bootstrap  # noqa: E402, F401

from pns.choices import DFPN_BATCH, EPSILON, RESTART  # noqa: E402
from pns.dfpn import Search  # noqa: E402
from pns.distributed.messages import (  # noqa: E402
    REPLY,
    decode,
    encode,
    pack_reply,
    pack_report,
    unpack_report,
)
from pns.facts import Fact, Facts  # noqa: E402
from pns.facts.log import Group  # noqa: E402
from pns.finding import find_game  # noqa: E402
from pns.jobs.protocol import GO_ON, JobReport, Reply  # noqa: E402
from pns.master import Master  # noqa: E402
from pns.positions.couple import Couples  # noqa: E402
from pns.positions.exchange import Publisher  # noqa: E402
from pns.positions.simplify import Simplified  # noqa: E402
from pns.search.table import Table  # noqa: E402
from pns.system.jit import tune_jit  # noqa: E402

IN_REPORT = 30
PLAYED = 60_000
"""Lands of random play."""
GAME = Simplified(find_game("sprouts"))


def searched(spots: int) -> List[Fact]:
    """The facts that searches of 1, 2 and more spots prove, in their order."""
    found: List[Fact] = []
    exchange = Publisher(lambda land, number: found.append((land, number)))
    couples = Couples(GAME, Facts(GAME.name), exchange=exchange)
    couples.batch = DFPN_BATCH
    search = Search(couples, Table(1 << 20), EPSILON, restart=RESTART)
    for n in range(1, spots + 1):
        search.outcome((b"0*%d" % n if n > 1 else b"0",))
    return found


def played(position: str, without: Sequence[Fact]) -> List[Fact]:
    """Lands of random play, with any number, and without those of some facts."""
    rng, known = Random(1), dict(without)
    found: Dict[bytes, int] = {}
    while len(found) < PLAYED:
        play = GAME.parse(position)
        while play:
            children = list(GAME.children(rng.choice(play)))
            for child in rng.sample(children, min(20, len(children))):
                found.update({land: 0 for land in child if land not in known})
            play = rng.choice([*children, ()])
    return list(found.items())


def reports(facts: Sequence[Fact]) -> List[List[Fact]]:
    """Facts, divided into reports."""
    whole = len(facts) - len(facts) % IN_REPORT
    return [list(facts[i : i + IN_REPORT]) for i in range(0, whole, IN_REPORT)]


def packed(facts: Sequence[Fact]) -> bytes:
    """A message with a report."""
    report = JobReport(7, b"0*6", 1, 3, 5, 100, 900, 0.25, 12, list(facts))
    return encode("update", 3, pack_report(report))


def show(what: str, figure: float) -> None:
    print("%-44s %6.2f" % (what, figure), flush=True)


def main() -> None:
    """Measure, and print a line for each step."""
    tune_jit()
    position = "0*" + sys.argv[1]
    facts = searched(int(sys.argv[1]))
    new, others = reports(facts), reports(played(position, facts))
    messages, before = [packed(some) for some in new], [packed(some) for some in others]
    master = Master(GAME, GAME.parse(position), Facts(GAME.name), 1 << 16)
    master.join("worker", GAME.name, 0.0, simplify=True)

    def timed(what: str, step: Callable[[bytes], object], chosen: List[bytes]) -> None:
        """Do a step with messages, others first, and print its time for each fact."""
        for message in before:
            step(message)
        began = time.process_time()
        for message in chosen:
            step(message)
        show(what, 1e6 * (time.process_time() - began) / (len(chosen) * IN_REPORT))

    def arrive(message: bytes) -> None:
        master.add_facts("worker", unpack_report(decode(message).body).facts, 0.0)

    def send() -> int:
        """Send all facts to a group that has none; the bytes."""
        group, size, some = Group("other"), 0, master.knowledge.log.next_facts(Group("x"), 0.0)
        while some:
            some = master.knowledge.log.next_facts(group, 0.0)
            size += len(encode(REPLY, 1, pack_reply(Reply(GO_ON, None, some, ""))))
        return size

    show("facts", len(facts))
    show("bytes of a text", sum([len(land) for land, _ in facts]) / len(facts))
    show("bytes of a fact in a report", sum(map(len, messages)) / len(facts))
    timed("unpack", lambda message: unpack_report(decode(message).body), messages)
    facts_of = {id(message): some for message, some in zip(before + messages, others + new)}
    why, half = master.vetting.why_impossible, len(messages) // 2
    check = lambda message: [why(*fact, False) for fact in facts_of[id(message)]]  # noqa: E731
    timed("check", check, messages[:half])
    timed("arrive: unpack, check, use and log", arrive, messages[half:])
    timed("arrive again", arrive, messages[half:])
    for _ in range(3):
        send()
    began = time.process_time()
    size = send()
    show("send to a worker or a leader", 1e6 * (time.process_time() - began) / (len(master.facts)))
    show("bytes of a fact in a reply", size / len(master.facts))


if __name__ == "__main__":
    main()
