"""The verbs of `pns db` that reduce, explain, compare, merge, check, repair and convert."""

from __future__ import annotations

import argparse
import json
import os
import signal
from contextlib import ExitStack
from typing import Any, Collection, Dict, Iterator, List, Optional

from pns.cli.common import STOPPED, die, warn
from pns.cli.progress import open_counter
from pns.dfpn import Stopped, StopToken
from pns.facts import BadEntry, Fact, default_path, open_facts
from pns.facts.formats import Contradictory, check, conflict, convert, merged, repair
from pns.facts.spr import write_facts, write_spr
from pns.files import open_whole
from pns.game import Game, Sum, shortened
from pns.proofs.check import Checker, find_rules
from pns.proofs.reduce import Reducer
from pns.proofs.sources import Entries, open_entries
from pns.proofs.why import Explainer, Step


def reduce(args: argparse.Namespace, game: Game) -> int:
    """Write a small set of entries that proves who wins a position."""
    lands = game.parse(args.position)
    stop = stop_on_signals()
    with ExitStack() as stack:
        advice = stack.enter_context(open_entries(db_path(args), args.game, report_bad))
        count = stack.enter_context(open_counter(args.quiet))

        def show(reducer: Reducer) -> None:
            if reducer.best:
                remark = "%d entries" % len(reducer.best)
                count(reducer.cycle, args.cycles, 0, remark)

        reducer = Reducer(game, lands, advice, seed=args.seed, stop=stop, observer=show)
        try:
            entries = reducer.reduce(args.cycles).entries
        except Stopped:
            entries = reducer.best
            if not entries:
                warn("stopped before a first proof was found")
                return STOPPED
    checker = Checker(find_rules(args.game), lambda land: entries.get(land, -1))
    for land, number in entries.items():
        assert not checker.why_bad(land, number), (land, number)
    write_spr(args.out, sorted(entries.items()))
    outcome = "win" if reducer.wins else "loss"
    print(
        "%s is a %s: %d entries written to %s"
        % (game.format(lands), outcome, len(entries), args.out)
    )
    if reducer.missing:
        print("The database was incomplete: %d searches for what it lacked." % reducer.missing)
    for land, number in sorted(reducer.wrong.items()):
        print("The database was wrong: %s has Grundy number %d." % (land.decode("ascii"), number))
    if stop.reason:
        warn("stopped in cycle %d of %d" % (reducer.cycle, args.cycles))
        return STOPPED
    return 1 if advice.bad else 0


def stop_on_signals() -> StopToken:
    """A token that Ctrl-C and SIGTERM set."""
    stop = StopToken()
    for number, name in ((signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")):
        signal.signal(number, lambda *_, name=name: stop.stop(name))
    return stop


def db_path(args: argparse.Namespace) -> str:
    """The path of the database that the command line names, or of the user's own."""
    return str(default_path(args.game) if args.db is None else args.db)


def report_bad(entry: BadEntry) -> None:
    """Print a bad entry of a database on standard error."""
    warn(str(entry))


def count_good(sources: List[Entries]) -> int:
    """The number of good entries of sources that have been read to their ends."""
    return sum([len(source) - len(source.bad) for source in sources])


def left_out(*sources: Entries) -> str:
    """The end of a sentence with the number of bad entries; "" for none."""
    bad = sum([len(source.bad) for source in sources])
    return "; %d bad entries left out" % bad if bad else ""


# --- why -----------------------------------------------------------------------------------


def why(args: argparse.Namespace, game: Game) -> int:
    """Print the winning move, or for a loss each move with its answer."""
    lands = game.parse(args.position)
    status = 0
    with open_entries(db_path(args), args.game, report_bad) as facts:
        proof = Explainer(game, facts.get)
        steps = proof.to_the_end(lands) if args.to_the_end else iter([proof.explain(lands)])
        for step in steps:
            if step.wins is None or step.wins and step.move is None:
                status = 1
            elif any(answer is None for _, answer in step.answers):
                status = 1
            print(as_json(step, game) if args.json else "\n".join(as_text(step, game)))
    return 1 if facts.bad else status


def as_text(step: Step, game: Game) -> Iterator[str]:
    """A step in sentences."""
    name = game.format(step.position)
    if step.wins is None:
        yield "%s: the database does not show who wins." % name
    elif step.wins and step.move is None:
        yield "%s is a win; the database does not show by which move." % name
    elif step.move is not None:
        yield "%s is a win: move to %s" % (name, game.format(step.move))
    elif not step.answers:
        yield "%s is a loss: there is no move." % name
    else:
        yield "%s is a loss:" % name
        for move, answer in step.answers:
            text = "answer %s" % game.format(answer) if answer is not None else "no answer is known"
            yield "  after %s %s" % (game.format(move), text)


def as_json(step: Step, game: Game) -> str:
    """A step as a JSON object on one line."""

    def text(lands: Optional[Sum]) -> Optional[str]:
        return None if lands is None else game.format(lands)

    outcome = None if step.wins is None else "win" if step.wins else "loss"
    found: Dict[str, Any] = {"position": text(step.position), "outcome": outcome}
    if step.wins is False:
        found["answers"] = [
            {"move": text(move), "answer": text(answer)} for move, answer in step.answers
        ]
    else:
        found["move"] = text(step.move)
    return json.dumps(found)


# --- files ---------------------------------------------------------------------------------


def streams(paths: List[str], args: argparse.Namespace, stack: ExitStack) -> List[Entries]:
    """The entries of the sources at these paths."""
    return [stack.enter_context(open_entries(path, args.game, report_bad)) for path in paths]


def diff(args: argparse.Namespace, game: Game) -> int:
    """Print the facts that only one of two sources has, and the contradictions."""
    paths = [args.path, args.other]
    counts = {"both": 0, "- ": 0, "+ ": 0, "contradiction": 0}
    with ExitStack() as stack:
        sources = streams(paths, args, stack)
        for found in merged([source.items() for source in sources]):
            if len(found.numbers) > 1:
                print(conflict(found, paths))
                counts["contradiction"] += 1
                continue
            ((number, given),) = found.numbers.items()
            if len(given) == 2:
                counts["both"] += 1
            else:
                sign = "+ " if given[0] else "- "
                counts[sign] += 1
                print("%s%s %d" % (sign, found.land.decode("ascii"), number))
    print(
        "%d in both, %d only in %s, %d only in %s, %d contradictions%s"
        % (
            counts["both"],
            counts["- "],
            paths[0],
            counts["+ "],
            paths[1],
            counts["contradiction"],
            left_out(*sources),
        )
    )
    return 0 if counts["both"] == sum(counts.values()) and not left_out(*sources) else 1


def merge(args: argparse.Namespace, game: Game) -> int:
    """Store the facts of sources, or write them to a file, unless some contradict each other."""
    contradictions = 0
    with ExitStack() as stack:
        sources = streams(args.paths, args, stack)
        given = sources[:]
        bad: Collection[bytes] = ()
        names = list(args.paths)

        def consistent(all_entries: List[Entries]) -> Iterator[Fact]:
            nonlocal contradictions
            for found in merged([entries.items() for entries in all_entries]):
                if len(found.numbers) > 1:
                    contradictions += 1
                    print(conflict(found, names))
                else:
                    yield found.land, min(found.numbers)

        try:
            if args.out is not None:
                with open_whole(args.out) as stream:
                    written = write_facts(stream, consistent(sources))
                    if contradictions:
                        raise Contradictory
                end = left_out(*sources)
                read = count_good(given)
                print("%d facts read, %d written to %s%s" % (read, written, args.out, end))
                return 1 if left_out(*sources) else 0
            path = db_path(args)
            if os.path.exists(path):
                names.append(path)
                with open_facts(path, args.game, readonly=True) as facts:
                    sources.append(Entries(facts, game, path, report_bad))
                    bad = sources[-1].bad
                    for _ in consistent(sources):
                        pass
            else:
                for _ in consistent(sources):
                    pass
            if contradictions:
                raise Contradictory
            with open_facts(path, args.game) as facts:
                added = facts.add_all(
                    lambda: (
                        fact for source in given for fact in source.items() if fact[0] not in bad
                    )
                )
            end = left_out(*sources)
            print("%d facts read, %d of them new%s" % (count_good(given), added, end))
            return 1 if left_out(*sources) else 0
        except Contradictory:
            print("%d contradictions: nothing was stored" % contradictions)
            return 1


def check_file(args: argparse.Namespace, game: Game) -> int:
    """Print the bad lines and the contradictions of a .spr file."""
    found = check(args.path, game, print)
    print(
        "%d facts; %s; %d bad lines, %d repeated, %d contradictions"
        % (
            found.facts,
            "sorted" if found.is_sorted else "not sorted",
            found.bad_lines,
            found.repeated,
            found.contradictions,
        )
    )
    return 1 if found.bad_lines or found.contradictions else 0


def repair_file(args: argparse.Namespace, game: Game) -> int:
    """Drop the last line of a .spr file if it is cut off, and keep a copy of the file."""
    tail, copy = repair(args.path)
    if copy:
        dropped = shortened(tail)
        print("%s: dropped %d bytes, %s; before: %s" % (args.path, len(tail), dropped, copy))
    else:
        print("%s: not cut off; nothing was done" % args.path)
    return 0


def convert_file(args: argparse.Namespace, game: Game) -> int:
    """Write a file of Grundy numbers in the dialect of another solver."""
    if args.game != "sprouts":
        die("argument --game: only files of Sprouts have dialects")
    count = convert(args.path, args.out, game, args.to, print)
    if count < 0:
        print("nothing was written")
        return 1
    print("%d facts written to %s" % (count, args.out))
    return 0
