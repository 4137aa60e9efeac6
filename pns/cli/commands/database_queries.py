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
from pns.cli.common import die
from pns.cli.knowledge import open_known, warn_if_empty
from pns.facts.database import locate
from pns.facts.layers import DATABASE, PACKAGE, Layer, LayeredFacts, kinds
from pns.game import Game, Land, SupportsIsolatedSpots
from pns.proofs.why import Explainer, Step
from pns.system.package_data import find_certificate

BAR = 40
"""The width of the longest bar of a histogram."""


def say(args: argparse.Namespace, text: str, **fields: Any) -> None:
    """Print a text, or with --json its data as an object on one line."""
    print(json.dumps(fields) if args.json else text)


def isolated_spots(game: Game) -> Callable[[Land], int]:
    """The function that counts the isolated spots of a land; exits for another game."""
    if not isinstance(game, SupportsIsolatedSpots):
        die("argument --game: only sprouts has isolated spots")
    return game.isolated_spots


def get(args: argparse.Namespace, game: Game) -> int:
    """Print the Grundy number of each position, and of each land of a sum, and who knows it."""
    positions = [game.parse(text) for text in args.positions]
    status = 0
    with open_known(args) as known:
        facts = known.facts
        warn_if_empty(args, known)
        for lands in positions:
            numbers = [facts.get(land) for land in lands]
            is_known = min(numbers, default=0) >= 0
            number = reduce(xor, numbers, 0) if is_known else None
            sources = kinds(facts.sources_of(lands)) if is_known else []
            parts = [
                (land.decode("ascii"), value if value >= 0 else None, facts.source_of(land))
                for land, value in dict(zip(lands, numbers)).items()
            ]
            name = game.format(lands)
            if args.json:
                whole = {"position": name, "grundy_number": number, "sources": sources}
                found = [
                    {"land": text, "grundy_number": value, "source": layer and layer.kind}
                    for text, value, layer in parts
                ]
                print(json.dumps({**whole, "lands": found}))
            else:
                for text, value, layer in parts if len(lands) > 1 else []:
                    print(numbered(args, text, value, [layer.kind] if layer else []))
                print(numbered(args, name, number, sources))
            status = status if is_known else 1
    return status


def numbered(args: argparse.Namespace, text: str, number: Optional[int], sources: List[str]) -> str:
    """A line of `get`: a text, its number, and its sources, unless --no-known leaves one only."""
    words = [text, "unknown" if number is None else str(number)]
    return " ".join([*words, *([] if args.no_known else [", ".join(sources)])]).rstrip()


def chosen(
    args: argparse.Namespace, game: Game, facts: LayeredFacts
) -> Iterator[Tuple[Land, int, Layer]]:
    """The facts that meet all conditions of the command line, with the layers that have them."""
    spots = isolated_spots(game) if args.spots is not None else None
    for land, number, layer in facts.listed():
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
        yield land, number, layer


def show(args: argparse.Namespace, game: Game) -> int:
    """Print facts as the lines of a .spr file, or how many there are."""
    with open_known(args, is_alone=True) as known:
        warn_if_empty(args, known)
        found = islice(chosen(args, game, known.facts), args.limit)
        if args.count:
            number = sum(1 for _ in found)
            say(args, "%d" % number, facts=number)
        else:
            for land, number, layer in found:
                text = land.decode("ascii")
                line = "%s %d" % (text, number)
                say(args, line, land=text, grundy_number=number, source=layer.kind)
    return 1 if known.bad else 0


def stats(args: argparse.Namespace, game: Game) -> int:
    """Print the number of facts, by Grundy number, lives and isolated spots, as histograms."""
    counts: Dict[str, Counter[int]] = {"numbers": Counter(), "lives": Counter()}
    spots = isolated_spots(game) if isinstance(game, SupportsIsolatedSpots) else None
    if spots:
        counts["spots"] = Counter()
    by_layer: Counter[str] = Counter()
    with open_known(args, is_alone=True) as known:
        warn_if_empty(args, known)
        for land, number, layer in known.facts.listed():
            by_layer[layer.name] += 1
            counts["numbers"][number] += 1
            counts["lives"][game.estimate(land)[0]] += 1
            if spots:
                counts["spots"][spots(land)] += 1
        layers = known.facts.layers
    file, kind = next(((file_of(one), one.kind) for one in layers if file_of(one)), (None, None))
    size = os.stat(file).st_blocks * 512 if file else 0
    total, bad = sum(counts["numbers"].values()), len(known.bad)
    if args.json:
        by = {name: dict(sorted(found.items())) for name, found in counts.items()}
        sources = [{"source": one.kind, "facts": by_layer[one.name]} for one in layers]
        about = {"database": file, "kind": kind, "game": args.game, "bytes_on_disk": size}
        print(json.dumps({**about, "sources": sources, "facts": total, "bad": bad, **by}))
        return 1 if bad else 0
    lines = [("game", args.game)]
    if file:
        lines = [("database", file), ("kind", str(kind)), *lines]
        lines.append(("on disk", "%s bytes" % layout.count(size)))
    lines.append(("facts", layout.count(total)))
    if len(layers) > 1 or not file:
        lines += [
            ("", "%s from %s" % (layout.count(by_layer[one.name]), one.title)) for one in layers
        ]
    if bad:
        lines.append(("bad", layout.count(bad)))
    print("\n".join(layout.labelled(lines)))
    titles = {"numbers": "number", "lives": "lives" if spots else "size", "spots": "isolated spots"}
    for name, title in titles.items():
        if counts.get(name):
            text = "\n".join(histogram(title, counts[name]))
            print("\n" + layout.shown_on(sys.stdout, text))
    return 1 if bad else 0


def file_of(layer: Layer) -> Optional[str]:
    """The file of a layer, None for the facts of the package."""
    if layer.kind == PACKAGE:
        return None
    return locate(layer.name, True)[0] if layer.kind == DATABASE else find_certificate(layer.name)


def histogram(title: str, counts: Dict[int, int]) -> List[str]:
    """A line with a bar for each value."""
    most = max(counts.values())
    rows = [
        ("%d" % value, layout.count(counts[value]), layout.bar(counts[value] / most, BAR))
        for value in sorted(counts)
    ]
    return layout.table([(title, "facts", ""), *rows], right=[0, 1])


def known_spots(
    args: argparse.Namespace, game: Game, facts: LayeredFacts
) -> Iterator[Tuple[int, Step, Optional[int], List[str]]]:
    """n, who wins n spots, their Grundy number or None, and the sources, where facts show it."""
    explainer = Explainer(game, facts.get)
    for n in range(max(1, args.spots[0]), args.spots[1] + 1):
        step = explainer.outcome(game.parse("0*%d" % n))
        if step.wins is not None:
            number = step.number if step.number >= 0 else None
            yield n, step, number, kinds(facts.sources_of(step.lands))


def table(args: argparse.Namespace, game: Game) -> int:
    """Print who wins n spots, with the Grundy number and a winning move, where they are known."""
    isolated_spots(game)
    rows: List[Tuple[str, ...]] = []
    with open_known(args) as known:
        warn_if_empty(args, known)
        for n, step, number, sources in known_spots(args, game, known.facts):
            outcome = "win" if step.wins else "loss"
            move = None if step.move is None else game.format(step.move)
            if args.json:
                found = {"spots": n, "outcome": outcome, "grundy_number": number, "move": move}
                print(json.dumps({**found, "sources": sources}))
            shown = "?" if number is None else str(number)
            rows.append(("%d" % n, outcome, shown, move or "", ", ".join(sources)))
    if not args.json:
        heading = ("spots", "outcome", "number", "winning move", "source")
        print("\n".join(layout.table([heading, *rows], right=[0, 2])))
    return 1 if known.bad else 0


def conjecture(args: argparse.Namespace, game: Game) -> int:
    """Print which n spots agree with the Sprouts conjecture, by n mod 6, and which depart."""
    isolated_spots(game)
    from pns.sprouts.conjecture import PERIOD, Departure, conjectured, departure, outcome

    by_outcome: List[List[str]] = [[] for _ in range(PERIOD)]
    by_number: List[List[str]] = [[] for _ in range(PERIOD)]
    departures: List[Tuple[int, Departure]] = []
    with open_known(args) as known:
        warn_if_empty(args, known)
        for n, step, number, sources in known_spots(args, game, known.facts):
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
                    sources=sources,
                )
    if not args.json:
        rows = [("n mod 6", "conjectured", "Grundy number known", "only outcome known")]
        for i in range(PERIOD):
            wins, value = conjectured(PERIOD + i)
            text = "%s, %d" % (outcome(wins), value)
            rows.append(("%d" % i, text, " ".join(by_number[i]), " ".join(by_outcome[i])))
        print("\n".join(layout.table(rows, right=[0])))
        count = sum(map(len, by_outcome + by_number))
        end = "%d depart:" % len(departures) if departures else "all agree."
        print("%d numbers of spots are known here; %s" % (count, end))
        for n, one in departures:
            text = "  0*%d refutes the %s: %s, where %s is conjectured"
            print(text % (n, one.refutes, one.found, one.conjectured))
    return 1 if departures or known.bad else 0
