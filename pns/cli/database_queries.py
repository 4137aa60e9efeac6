"""The verbs of `pns db` that answer questions from facts, without a search."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from functools import reduce
from itertools import islice
from operator import xor
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from pns.cli import layout
from pns.cli.common import die, warn
from pns.facts import BadEntry, Fact, default_path
from pns.facts.database import locate
from pns.game import Game, Land
from pns.proofs.sources import Entries, open_entries, open_source
from pns.proofs.why import Explainer, Step

BAR = 40
"""The width of the longest bar of a histogram."""


def db_path(args: argparse.Namespace) -> str:
    """The path of the database that the command line names, or of the user's own."""
    return str(default_path(args.game) if args.db is None else args.db)


def report_bad(entry: BadEntry) -> None:
    """Print a bad entry of a database on standard error."""
    warn(str(entry))


def say(args: argparse.Namespace, text: str, **fields: Any) -> None:
    """Print a text, or with --json its data as an object on one line."""
    print(json.dumps(fields) if args.json else text)


def isolated_spots(game: Game) -> Callable[[Land], int]:
    """The function that counts the isolated spots of a land; exits for another game."""
    if game.name != "sprouts":
        die("argument --game: only sprouts has isolated spots")
    from pns.sprouts.notation import isolated_spots

    return isolated_spots


def get(args: argparse.Namespace, game: Game) -> int:
    """Print the Grundy number of each position, and of each land of a sum."""
    positions = [game.parse(text) for text in args.positions]
    status = 0
    with open_entries(db_path(args), args.game, report_bad) as facts:
        for lands in positions:
            numbers = [facts.get(land) for land in lands]
            is_known = min(numbers, default=0) >= 0
            number = reduce(xor, numbers, 0) if is_known else None
            parts = [
                {"land": land.decode("ascii"), "grundy_number": value if value >= 0 else None}
                for land, value in dict(zip(lands, numbers)).items()
            ]
            if args.json:
                print(
                    json.dumps(
                        {"position": game.format(lands), "grundy_number": number, "lands": parts}
                    )
                )
            else:
                for part in parts if len(lands) > 1 else []:
                    print(part["land"], known_or_not(part["grundy_number"]))
                print(game.format(lands), known_or_not(number))
            status = status if is_known else 1
    return status


def known_or_not(number: Any) -> Any:
    """A Grundy number, or `unknown`."""
    return "unknown" if number is None else number


def chosen(args: argparse.Namespace, game: Game, facts: Entries) -> Iterator[Fact]:
    """The facts that meet all conditions of the command line."""
    spots = isolated_spots(game) if args.spots is not None else None
    for land, number in facts.items():
        if args.number is not None and not args.number[0] <= number <= args.number[1]:
            continue
        text = land.decode("ascii")
        if args.contains is not None and args.contains not in text:
            continue
        if args.match is not None and not args.match.search(text):
            continue
        if spots is not None and not args.spots[0] <= spots(land) <= args.spots[1]:
            continue
        if args.lives is not None:
            lives = game.estimate(land)[0]
            if not args.lives[0] <= lives <= args.lives[1]:
                continue
        yield land, number


def show(args: argparse.Namespace, game: Game) -> int:
    """Print facts as the lines of a .spr file, or how many there are."""
    with open_entries(db_path(args), args.game, report_bad) as facts:
        found = islice(chosen(args, game, facts), args.limit)
        if args.count:
            number = sum(1 for _ in found)
            say(args, "%d" % number, facts=number)
        else:
            for land, number in found:
                text = land.decode("ascii")
                say(args, "%s %d" % (text, number), land=text, grundy_number=number)
    return 1 if facts.bad else 0


def stats(args: argparse.Namespace, game: Game) -> int:
    """Print the number of facts, by Grundy number, lives and isolated spots, as histograms."""
    path = db_path(args)
    source = open_source(path, args.game)
    file = locate(path, True)[0] if source.kind == "database" else path
    counts: Dict[str, Counter[int]] = {"numbers": Counter(), "lives": Counter()}
    spots = isolated_spots(game) if game.name == "sprouts" else None
    if spots:
        counts["spots"] = Counter()
    with open_entries(path, args.game, report_bad) as facts:
        for land, number in facts.items():
            counts["numbers"][number] += 1
            counts["lives"][game.estimate(land)[0]] += 1
            if spots:
                counts["spots"][spots(land)] += 1
    total, size = sum(counts["numbers"].values()), os.stat(file).st_blocks * 512
    if args.json:
        by = {name: dict(sorted(found.items())) for name, found in counts.items()}
        found = {"database": file, "kind": source.kind, "game": args.game, "bytes_on_disk": size}
        print(json.dumps({**found, "facts": total, "bad": len(facts.bad), **by}))
        return 1 if facts.bad else 0
    lines = [
        ("database", file),
        ("kind", source.kind),
        ("game", args.game),
        ("on disk", "%s bytes" % layout.count(size)),
        ("facts", layout.count(total)),
    ]
    if facts.bad:
        lines.append(("bad", layout.count(len(facts.bad))))
    print("\n".join(layout.labelled(lines)))
    titles = {"numbers": "number", "lives": "lives" if spots else "size", "spots": "isolated spots"}
    for name, title in titles.items():
        if counts.get(name):
            text = "\n".join(histogram(title, counts[name]))
            print("\n" + layout.shown_on(sys.stdout, text))
    return 1 if facts.bad else 0


def histogram(title: str, counts: Dict[int, int]) -> List[str]:
    """A line with a bar for each value."""
    most = max(counts.values())
    rows = [
        ("%d" % value, layout.count(counts[value]), layout.bar(counts[value] / most, BAR))
        for value in sorted(counts)
    ]
    return layout.table([(title, "facts", ""), *rows], right=[0, 1])


def known_spots(
    args: argparse.Namespace, game: Game, facts: Entries
) -> Iterator[Tuple[int, Step, Optional[int]]]:
    """n, who wins n spots, and their Grundy number or None, where facts show who wins."""
    explainer = Explainer(game, facts.get)
    for n in range(max(1, args.spots[0]), args.spots[1] + 1):
        step = explainer.outcome(game.parse("0*%d" % n))
        if step.wins is not None:
            yield n, step, step.number if step.number >= 0 else None


def table(args: argparse.Namespace, game: Game) -> int:
    """Print who wins n spots, with the Grundy number and a winning move, where they are known."""
    isolated_spots(game)
    rows: List[Tuple[str, ...]] = []
    with open_entries(db_path(args), args.game, report_bad) as facts:
        for n, step, number in known_spots(args, game, facts):
            outcome = "win" if step.wins else "loss"
            move = None if step.move is None else game.format(step.move)
            if args.json:
                say(args, "", spots=n, outcome=outcome, grundy_number=number, move=move)
            rows.append(("%d" % n, outcome, "?" if number is None else str(number), move or ""))
    if not args.json:
        heading = ("spots", "outcome", "number", "winning move")
        print("\n".join(layout.table([heading, *rows], right=[0, 2])))
    return 1 if facts.bad else 0


def conjecture(args: argparse.Namespace, game: Game) -> int:
    """Print which n spots agree with the Sprouts conjecture, by n mod 6, and which depart."""
    isolated_spots(game)
    from pns.sprouts.conjecture import PERIOD, Departure, conjectured, departure, outcome

    by_outcome: List[List[str]] = [[] for _ in range(PERIOD)]
    by_number: List[List[str]] = [[] for _ in range(PERIOD)]
    departures: List[Tuple[int, Departure]] = []
    with open_entries(db_path(args), args.game, report_bad) as facts:
        for n, step, number in known_spots(args, game, facts):
            wins, expected = bool(step.wins), conjectured(n)
            found = departure(n, wins, number)
            if found:
                departures.append((n, found))
            place, mark = by_outcome if number is None else by_number, "!" if found else ""
            place[n % PERIOD].append("%d%s" % (n, mark))
            if args.json:
                say(
                    args,
                    "",
                    spots=n,
                    outcome=outcome(wins),
                    grundy_number=number,
                    conjectured_outcome=outcome(expected.wins),
                    conjectured_number=expected.number,
                    refutes=found and found.refutes,
                )
    if not args.json:
        rows = [("n mod 6", "conjectured", "Grundy number known", "only outcome known")]
        for i in range(PERIOD):
            wins, value = conjectured(PERIOD + i)
            text = "%s, %d" % (outcome(wins), value)
            rows.append(("%d" % i, text, " ".join(by_number[i]), " ".join(by_outcome[i])))
        print("\n".join(layout.table(rows, right=[0])))
        known = sum(map(len, by_outcome + by_number))
        end = "%d depart:" % len(departures) if departures else "all agree."
        print("%d numbers of spots are known here; %s" % (known, end))
        for n, one in departures:
            text = "  0*%d refutes the %s: %s, where %s is conjectured"
            print(text % (n, one.refutes, one.found, one.conjectured))
    return 1 if departures or facts.bad else 0
