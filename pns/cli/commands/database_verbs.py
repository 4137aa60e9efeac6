"""The verbs of `pns db` that exchange, compare, merge, check, repair, convert and reduce."""

from __future__ import annotations

import argparse
import os
import signal
import time
from contextlib import ExitStack
from typing import Collection, Dict, Iterator, List

from pns.cli.commands.database_queries import say
from pns.cli.common import STOPPED, die, warn
from pns.cli.knowledge import db_path, open_known, report_bad, warn_if_empty
from pns.cli.terminal.progress import open_line
from pns.facts import Contradiction, Fact, Facts, FactsError, open_facts
from pns.facts.formats import Contradictory, Merged, check, conflict, convert, merged, repair
from pns.facts.layers import Layer, LayeredFacts
from pns.facts.spr import check_lines, read_spr, write_facts, write_spr
from pns.game import Game, SupportsDialects, shortened
from pns.positions.simplify import find_simplified, searched
from pns.proofs.check import Checker
from pns.proofs.reduce import Reducer
from pns.proofs.rules import find_rules
from pns.proofs.sources import Entries, open_entries
from pns.search.counted_search import Stopped, StopToken
from pns.system.files import open_whole


def reduce(args: argparse.Namespace, game: Game) -> int:
    """Write a small set of entries that proves who wins a position."""
    lands = game.parse(args.position)
    played = played_game(args, game)
    stop = stop_on_signals()
    start = time.monotonic()
    with ExitStack() as stack:
        known = stack.enter_context(open_known(args))
        show_line = stack.enter_context(open_line(args.quiet))

        def show(reducer: Reducer) -> None:
            text = "%d s; " % (time.monotonic() - start)
            if reducer.cycle:
                text += "cycle %d of %d: %d entries" % (reducer.cycle, args.cycles, reducer.size)
            else:
                text += "first proof: %d entries, %d of them proved" % (
                    reducer.size,
                    reducer.looked_at,
                )
            show_line(text)

        layers = list(known.facts.layers)
        first = Facts(args.game)
        bad = 0
        if args.start:
            with open_entries(args.start, args.game, report_bad) as proof:
                first.supply(proof.items())
                bad = len(proof.bad)
            layers.insert(0, Layer(args.start, "proof", first))
        advice = LayeredFacts(args.game, layers)
        reducer = Reducer(played, lands, advice, seed=args.seed, stop=stop, observer=show)
        try:
            begin = [land for land, _ in first.items()]
            entries = reducer.reduce(args.cycles, args.max_seconds, begin).entries
        except Stopped:
            entries = reducer.best
            if not entries:
                warn("stopped before a first proof was found")
                return STOPPED
    rules = find_rules(args.game, simplify=find_simplified(played) is not None)
    checker = Checker(rules, lambda land: entries.get(land, -1))
    for land, number in entries.items():
        assert not checker.why_bad(land, number), (land, number)
    write_spr(args.out, sorted(entries.items()))
    name, outcome = game.format(lands), "win" if reducer.wins else "loss"
    wrong = wrong_numbers(reducer)
    text = ["%s is a %s: %d entries written to %s" % (name, outcome, len(entries), args.out)]
    if reducer.missing:
        text += ["The database was incomplete: %d searches for what it lacked." % reducer.missing]
    source = "The database or %s" % args.start if args.start else "The database"
    text += ["%s was wrong: %s has Grundy number %d." % (source, *fact) for fact in wrong.items()]
    say(
        args,
        "\n".join(text),
        position=name,
        outcome=outcome,
        entries=len(entries),
        path=args.out,
        searches=reducer.missing,
        wrong=wrong,
    )
    if stop.reason:
        warn("stopped in cycle %d of %d" % (reducer.cycle, args.cycles))
        return STOPPED
    return 1 if known.bad or bad else 0


def wrong_numbers(reducer: Reducer) -> Dict[str, int]:
    """The true numbers of the lands for which the advice of a reduction had wrong ones."""
    return {land.decode("ascii"): number for land, number in sorted(reducer.wrong.items())}


def played_game(args: argparse.Namespace, game: Game) -> Game:
    """The game as --simplify or --no-simplify asks for; exits if it knows no simpler positions."""
    try:
        return searched(game, args.simplify)
    except ValueError as error:
        die("argument --simplify: %s" % error)


def stop_on_signals() -> StopToken:
    """A token that Ctrl-C and SIGTERM set."""
    stop = StopToken()
    for number, name in ((signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")):
        signal.signal(number, lambda *_, name=name: stop.stop(name))
    return stop


def count_good(sources: List[Entries]) -> int:
    """The number of good entries of sources that have been read to their ends."""
    return sum([len(source) - len(source.bad) for source in sources])


def count_bad(sources: List[Entries]) -> int:
    """The number of bad entries that were found in sources."""
    return sum([len(source.bad) for source in sources])


def left_out(bad: int) -> str:
    """The end of a sentence with the number of bad entries; "" for none."""
    return "; %d bad entries left out" % bad if bad else ""


# --- files ---------------------------------------------------------------------------------


def export(args: argparse.Namespace, game: Game) -> int:
    """Write a .spr file."""
    with open_known(args, is_alone=True) as known:
        warn_if_empty(args, known)
        written = write_spr(args.path, known.facts.items())
    text = "%d facts written to %s%s" % (written, args.path, left_out(len(known.bad)))
    say(args, text, written=written, path=args.path, bad=len(known.bad))
    return 1 if known.bad else 0


def load(args: argparse.Namespace, game: Game) -> int:
    """Store the facts of a .spr file."""
    read = check_lines(args.path, game)
    with open_facts(db_path(args), args.game) as facts:
        try:
            added = facts.add_all(lambda: read_spr(args.path, None))
        except Contradiction as error:
            raise FactsError("%s: %s" % (args.path, error)) from error
    say(args, "%d facts read, %d of them new" % (read, added), read=read, new=added)
    return 0


def streams(paths: List[str], args: argparse.Namespace, stack: ExitStack) -> List[Entries]:
    """The entries of the sources at these paths."""
    return [stack.enter_context(open_entries(path, args.game, report_bad)) for path in paths]


def say_conflict(args: argparse.Namespace, found: Merged, names: List[str]) -> None:
    """Print a contradiction between sources."""
    say(
        args,
        conflict(found, names),
        land=found.land.decode("ascii"),
        numbers=[
            {"grundy_number": number, "sources": [names[i] for i in given]}
            for number, given in found.numbers.items()
        ],
    )


def diff(args: argparse.Namespace, game: Game) -> int:
    """Print the facts that only one of two sources has, and the contradictions."""
    paths = [args.path, args.other]
    counts = {"both": 0, "- ": 0, "+ ": 0, "contradiction": 0}
    with ExitStack() as stack:
        sources = streams(paths, args, stack)
        for found in merged([source.items() for source in sources]):
            land = found.land.decode("ascii")
            if len(found.numbers) > 1:
                say_conflict(args, found, paths)
                counts["contradiction"] += 1
                continue
            ((number, given),) = found.numbers.items()
            if len(given) == 2:
                counts["both"] += 1
            else:
                sign = "+ " if given[0] else "- "
                counts[sign] += 1
                say(
                    args,
                    "%s%s %d" % (sign, land, number),
                    land=land,
                    grundy_number=number,
                    only_in=paths[given[0]],
                )
    text = "%d in both, %d only in %s, %d only in %s, %d contradictions%s"
    both, first, second, wrong = counts.values()
    say(
        args,
        text % (both, first, paths[0], second, paths[1], wrong, left_out(count_bad(sources))),
        both=both,
        only_in_first=first,
        only_in_second=second,
        contradictions=wrong,
        bad=count_bad(sources),
    )
    return 0 if counts["both"] == sum(counts.values()) and not left_out(count_bad(sources)) else 1


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
                    say_conflict(args, found, names)
                else:
                    yield found.land, min(found.numbers)

        try:
            if args.out is not None:
                with open_whole(args.out) as stream:
                    written = write_facts(stream, consistent(sources))
                    if contradictions:
                        raise Contradictory
                read, bad_entries = count_good(given), count_bad(sources)
                end = left_out(count_bad(sources))
                text = "%d facts read, %d written to %s%s" % (read, written, args.out, end)
                say(args, text, read=read, written=written, path=args.out, bad=bad_entries)
                return 1 if bad_entries else 0
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
            read, bad_entries = count_good(given), count_bad(sources)
            text = "%d facts read, %d of them new%s" % (read, added, left_out(count_bad(sources)))
            say(args, text, read=read, new=added, bad=bad_entries)
            return 1 if bad_entries else 0
        except Contradictory:
            text = "%d contradictions: nothing was stored" % contradictions
            say(args, text, contradictions=contradictions)
            return 1


def check_file(args: argparse.Namespace, game: Game) -> int:
    """Print the bad lines and the contradictions of a .spr file."""
    found = check(args.path, game, lambda line: say(args, line, fault=line))
    say(
        args,
        "%d facts; %s; %d bad lines, %d repeated, %d contradictions"
        % (
            found.facts,
            "sorted" if found.is_sorted else "not sorted",
            found.bad_lines,
            found.repeated,
            found.contradictions,
        ),
        **found._asdict(),
    )
    return 1 if found.bad_lines or found.contradictions else 0


def repair_file(args: argparse.Namespace, game: Game) -> int:
    """Drop the last line of a .spr file if it is cut off, and keep a copy of the file."""
    tail, copy = repair(args.path)
    text = "%s: not cut off; nothing was done" % args.path
    if copy:
        dropped = "%s: dropped %d bytes, %s; before: %s"
        text = dropped % (args.path, len(tail), shortened(tail), copy)
    say(args, text, path=args.path, dropped_bytes=len(tail) if copy else 0, copy=copy or None)
    return 0


def convert_file(args: argparse.Namespace, game: Game) -> int:
    """Write a file of Grundy numbers in the dialect of another solver."""
    if not isinstance(game, SupportsDialects):
        die("argument --game: only files of Sprouts have dialects")
    written = convert(
        args.path, args.out, game, args.to, lambda line: say(args, line, contradiction=line)
    )
    if written < 0:
        say(args, "nothing was written", written=0)
        return 1
    say(args, "%d facts written to %s" % (written, args.out), written=written, path=args.out)
    return 0
