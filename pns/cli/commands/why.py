"""Explain who wins a position, by what is known, without a search."""

from __future__ import annotations

import argparse
import json
import sys
from itertools import chain
from typing import Any, Dict, Iterator, List, Optional, Tuple

from pns.cli.common import die, program
from pns.cli.knowledge import open_known, warn_if_empty
from pns.cli.layout import count, table
from pns.cli.options.why import DOT, JSON, TEXT, why_parser
from pns.cli.terminal.pager import page
from pns.cli.terminal.progress import open_counter
from pns.facts.layers import LayeredFacts, kinds, titles
from pns.finding import find_game
from pns.front.draws import question_of
from pns.game import Game, Land, Sum
from pns.proofs.check import UNKNOWN, without_pairs
from pns.proofs.why import ExplainedMove, Explainer, Step

MOST_MOVES = 20
"""Moves of a won position that are listed without --all."""
LEGEND = "P = n: P has Grundy number n.  P -> Q: the answer to the move P is Q.  [k]: see land k."
LEGEND_OF_SIMPLER = "P ~ Q: P is worth the same as Q."


def explain(args: argparse.Namespace, game: Game) -> int:
    """Print what is asked for; returns the exit status."""
    lands = game.parse(args.position)
    if args.json:
        args.format = JSON
    proves = args.to_the_end or args.depth is not None or args.format == DOT
    with open_known(args) as known:
        warn_if_empty(args, known)
        facts = known.facts
        explainer = Explainer(game, facts.get)
        if proves:
            steps = explainer.to_the_end(lands, args.depth)
            lines, status = prove(args, game, steps, Origin(facts, args.no_known))
        else:
            step = explainer.explain(lands)
            status = 0 if is_shown(step) else 1
            show = one_as_json if args.format == JSON else show_step
            lines = show(step, game, explainer, args.all, Origin(facts, args.no_known))
        question = question_of(game, lands)
        if question and args.format == TEXT:
            lines = chain([question], lines)
        page(lines, args.format == TEXT and not args.no_pager)
        return 1 if known.bad else status


class Origin:
    """Says from which layers it is known who wins."""

    def __init__(self, facts: LayeredFacts, is_one: bool) -> None:
        """`is_one` says that there is one source at most, which is not worth a line."""
        self.facts = facts
        self._is_one = is_one

    def line(self, step: Step) -> Iterator[str]:
        """A line of text; none where nothing is known."""
        layers = self.facts.sources_of(step.lands)
        if layers and not self._is_one and step.wins is not None:
            yield "Known from %s." % titles(layers)

    def field(self, step: Step) -> Dict[str, Any]:
        """The same for JSON."""
        layers = self.facts.sources_of(step.lands) if step.wins is not None else []
        return {"sources": kinds(layers)}


def is_shown(step: Step) -> bool:
    """Whether the entries decide a position and show by which moves."""
    if step.wins is False:
        return all([move.answer is not None for move in step.moves])
    return step.wins is True and step.move is not None


# --- a single position -----------------------------------------------------------------------


def show_step(
    step: Step, game: Game, explainer: Explainer, every: bool, origin: Origin
) -> Iterator[str]:
    """A position, who wins, and its moves with their Grundy numbers, as text."""
    name = game.format(step.position)
    if step.wins is None:
        yield "%s: it is not known who wins." % name
    elif step.wins and step.move is None:
        yield "%s is a win; it is not known by which move." % name
    elif step.move is not None:
        yield "%s is a win: move to %s" % (name, game.format(step.move))
    elif not step.moves:
        yield "%s is a loss: there is no move." % name
    else:
        yield "%s is a loss; the answers to its moves:" % name
    number = "Its Grundy number is %s." % sum_of_numbers(step, game, explainer)
    if step.wins and step.number != UNKNOWN:
        yield number
    if step.wins is False:
        rows = [(game.format(move.position), as_number(move.number)) for move in step.moves]
        answers = [answer_of(move, game, explainer, every) for move in step.moves]
        if rows:
            heading = ("move", "number", "answer")
            yield from table([heading, *[(*row, text) for row, text in zip(rows, answers)]], [1])
        if len(step.position) > 1:
            yield number
    else:
        yield from show_numbers(step, game, every)
    yield from origin.line(step)


def sum_of_numbers(step: Step, game: Game, explainer: Explainer) -> str:
    """The Grundy number of a position; of a sum, with those of its lands."""
    lands = without_pairs(step.position)
    if len(step.position) == 1:
        return "%d" % step.number
    if not lands:
        return "0, as equal lands cancel"
    terms = ["%s has %d" % (game.format((land,)), explainer.number((land,))) for land in lands]
    return "%d: %s" % (step.number, ", ".join(terms))


def show_numbers(step: Step, game: Game, every: bool) -> Iterator[str]:
    """The moves of a position with their Grundy numbers, winning moves first."""
    moves = sorted([move for move in step.moves if move.number >= 0], key=lambda move: move.number)
    unknown = [move for move in step.moves if move.number == UNKNOWN]
    listed = [*moves, *unknown] if every else moves[:MOST_MOVES]
    if step.wins is None and not moves:
        return
    if listed:
        rows = [
            (game.format(move.position), as_number(move.number), "wins" * (move.number == 0))
            for move in listed
        ]
        yield from table([("move", "number", ""), *rows], [1])
    left = len(step.moves) - len(listed)
    if left:
        yield "  and %d more: --all lists them" % left


def as_number(number: int) -> str:
    """A Grundy number for a table."""
    return "?" if number == UNKNOWN else "%d" % number


def answer_of(move: ExplainedMove, game: Game, explainer: Explainer, every: bool) -> str:
    """The answer to a move from a lost position, or all known answers."""
    if move.simpler is not None:
        return "as %s: %s" % tuple(map(game.format, move.simpler))
    if move.answer is None:
        return "no answer is known"
    answers = explainer.replies(move.position, 0) if every else [move.answer]
    return "  ".join(map(game.format, answers))


def one_as_json(
    step: Step, game: Game, explainer: Explainer, every: bool, origin: Origin
) -> Iterator[str]:
    """A position as a JSON object; if `every`, with all answers to its moves."""
    moves = [move_of(move, game) for move in step.moves]
    if every and step.wins is False:
        for shown, move in zip(moves, step.moves):
            shown["answers"] = list(map(game.format, explainer.replies(move.position, 0)))
    name = "answers" if step.wins is False else "moves"
    yield json.dumps({**outcome_of(step, game), **origin.field(step), name: moves})


def outcome_of(step: Step, game: Game) -> Dict[str, Any]:
    """A position, its outcome and number, and its winning move if it is won."""
    found: Dict[str, Any] = {
        "position": game.format(step.position),
        "outcome": None if step.wins is None else "win" if step.wins else "loss",
        "grundy_number": None if step.number == UNKNOWN else step.number,
    }
    if step.wins is not False:
        found["move"] = text_of(step.move, game)
    return found


def move_of(move: ExplainedMove, game: Game) -> Dict[str, Any]:
    """A move, its Grundy number, and the answer to it."""
    return {
        "move": game.format(move.position),
        "grundy_number": None if move.number == UNKNOWN else move.number,
        "answer": text_of(move.answer, game),
        "simpler": None if move.simpler is None else list(map(game.format, move.simpler)),
    }


def text_of(lands: Optional[Sum], game: Game) -> Optional[str]:
    """The text of a position, if there is one."""
    return None if lands is None else game.format(lands)


# --- the proof -------------------------------------------------------------------------------


class Numbered:
    """Numbers lands in the order in which a proof refers to them, counting from 1."""

    def __init__(self) -> None:
        self.numbers: Dict[Land, int] = {}

    def refer(self, lands: Sum) -> str:
        """References to lands: "" for none."""
        numbers = [self.numbers.setdefault(land, len(self.numbers) + 1) for land in lands]
        return "".join([" [%d]" % number for number in dict.fromkeys(numbers)])


def prove(
    args: argparse.Namespace, game: Game, steps: Iterator[Step], origin: Origin
) -> Tuple[Iterator[str], int]:
    """(the lines of a proof, the exit status); exits if there are more than --most."""
    most = args.most or sys.maxsize
    root = next(steps)
    kept: List[Step] = []
    known = len(origin.facts)
    size = 1
    missing = root.wins is None
    below: Dict[Land, None] = dict.fromkeys(root.rests_on())
    with open_counter(quiet=False) as show:
        for step in steps:
            kept.append(step)
            size += 1 + len(step.moves)
            missing = missing or not is_proved(step)
            below.update(dict.fromkeys(step.rests_on()))
            show(len(kept), known, 0, "%d lines" % size)
            if size > most:
                break
    if size > most:
        die(
            "the proof has more than %s lines: %s lands, then at least %s more, of %s that are"
            " known; --most 0 prints all, --depth N its first steps"
            % tuple(map(count, (most, len(kept), len(below) - len(kept), known)))
        )
    write = {TEXT: show_proof, DOT: draw_proof, JSON: proof_as_json}[args.format]
    return write(root, kept, game, origin), 1 if missing else 0


def is_proved(step: Step) -> bool:
    """Whether every move of a land has a reason."""
    return all([step.has_reason(move) for move in step.moves])


def show_proof(root: Step, steps: List[Step], game: Game, origin: Origin) -> Iterator[str]:
    """A proof as text: each land once, with what its number rests on."""
    numbered = Numbered()
    name = game.format(root.position)
    refer = numbered.refer(tuple(root.rests_on())) if root.wins is not None else ""
    if root.wins is None:
        yield "%s: it is not known who wins." % name
        return
    if root.move is not None:
        yield "%s is a win: move to %s%s" % (name, game.format(root.move), refer)
    else:
        outcome = "win" if root.wins else "loss"
        yield "%s is a %s: its Grundy number is %d%s" % (name, outcome, root.number, refer)
    yield from origin.line(root)
    if not steps:
        return
    yield "Below are %s lands on which it rests." % count(len(steps))
    yield LEGEND
    if any([move.simpler for step in steps for move in step.moves]):
        yield LEGEND_OF_SIMPLER
    shown = {land for step in steps for land in step.position}

    def references(lands: Sum) -> str:
        return numbered.refer(tuple([land for land in lands if land in shown]))

    for step in steps:
        yield ""
        yield "[%d] %s = %d" % (
            numbered.numbers[step.position[0]],
            game.format(step.position),
            step.number,
        )
        for move in step.moves:
            name = game.format(move.position)
            if not step.has_reason(move):
                yield "      %s: no answer is known" % name
                continue
            if move.simpler is not None:
                simpler, answer = map(game.format, move.simpler)
                name += " ~ %s -> %s = %d" % (simpler, answer, step.number)
            elif move.answer is not None:
                name += " -> %s = %d" % (game.format(move.answer), step.number)
            else:
                name += " = %d" % move.number
            yield "      %s%s" % (name, references(move.lands))


def draw_proof(root: Step, steps: List[Step], game: Game, origin: Origin) -> Iterator[str]:
    """A proof as a graph for Graphviz: dashed arrows lead to what an answer rests on."""

    def node(lands: Sum) -> str:
        return json.dumps(game.format(lands))

    yield "digraph why {"
    yield "  node [shape=box, fontname=monospace];"
    outcome = "unknown" if root.wins is None else "win" if root.wins else "loss"
    yield "  root [label=%s, style=bold];" % json.dumps(
        "%s: %s" % (game.format(root.position), outcome)
    )
    for land in dict.fromkeys(root.rests_on()):
        yield "  root -> %s;" % node((land,))
    for step in steps:
        name = node(step.position)
        label = json.dumps("%s = %d" % (game.format(step.position), step.number))
        yield "  %s [label=%s];" % (name, label)
        styles: Dict[Land, str] = {}
        for move in step.moves:
            for land in move.lands if step.has_reason(move) else ():
                is_answered = move.answer is not None or move.simpler is not None
                style = styles.get(land, "dashed") if is_answered else "solid"
                styles[land] = style
        for land, style in styles.items():
            yield "  %s -> %s [style=%s];" % (name, node((land,)), style)
    yield "}"


def proof_as_json(root: Step, steps: List[Step], game: Game, origin: Origin) -> Iterator[str]:
    """A proof as JSON objects, one on a line: first the position, then each land."""
    lands = [game.format((land,)) for land in dict.fromkeys(root.rests_on())]
    if root.wins is None:
        lands = []
    yield json.dumps({**outcome_of(root, game), **origin.field(root), "rests_on": lands})
    for step in steps:
        below = [game.format((land,)) for land in dict.fromkeys(step.rests_on())]
        moves = [move_of(move, game) for move in step.moves]
        yield json.dumps({**outcome_of(step, game), "moves": moves, "rests_on": below})


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None:
        args = why_parser(program()).parse_args()
    return explain(args, find_game(args.game))
