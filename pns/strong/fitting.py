"""Whether the header of a strong solution fits the rules of its game."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional

from pns.front.draws import questions
from pns.game import Game, SupportsSmallLands
from pns.positions.ranking import Ranking
from pns.strong.codes import GRUNDY_NUMBER, OUTCOME
from pns.strong.kinds import LISTED, ranking_of
from pns.strong.manifest import invalid


class Unfit(ValueError):
    """A header does not fit the rules; the message names the field."""


def fitting_ranking(rules: Game, header: Dict[str, Any]) -> Optional[Ranking]:
    """The ranking of a solution by its header, None for a list; raises Unfit."""
    position, kind = header["position"], header["kind"]
    try:
        ranking = ranking_of(rules, position, kind)
        fault = next(_faults(rules, ranking, header), "")
    except ValueError as error:  # NotationError, or too many positions
        reason = " ".join(str(error).split())
        fault = invalid("position", position, "one of %s: %s" % (rules.name, reason))
    if fault:
        raise Unfit(fault)
    return ranking


def _faults(rules: Game, ranking: Optional[Ranking], header: Dict[str, Any]) -> Iterator[str]:
    position, kind, slices = header["position"], header["kind"], header["slices"]
    if kind == LISTED:
        yield from _list_faults(rules, header)
    elif ranking is None:
        yield invalid("kind", kind, "%r for %s from %s on" % (LISTED, rules.name, position))
    else:
        if ranking.text(0, 0) != position:
            yield invalid("position", position, "%r, as it is written" % ranking.text(0, 0))
        if len(slices) != len(ranking.sizes):
            yield "invalid number of slices %d; expected %d" % (len(slices), len(ranking.sizes))
        for number, (record, size) in enumerate(zip(slices, ranking.sizes)):
            if record["entries"] != size:
                yield invalid("slices[%d].entries" % number, record["entries"], str(size))


def _list_faults(rules: Game, header: Dict[str, Any]) -> Iterator[str]:
    values = GRUNDY_NUMBER if rules.decomposes else OUTCOME
    if header["values"] != values:
        yield invalid("values", header["values"], "%r for %s" % (values, rules.name))
    roots = questions(rules, header["position"])
    lands = [land for root in roots for land in root]
    if not lands:
        yield invalid("position", header["position"], "one that has moves")
    if len(roots) == 1 and rules.format(roots[0]) != header["position"]:
        expected = "%r, as it is written" % rules.format(roots[0])
        yield invalid("position", header["position"], expected)
    if "lives" in header:
        if not isinstance(rules, SupportsSmallLands):
            yield invalid("lives", header["lives"], "none for %s" % rules.name)
    elif lands:
        size, largest = (
            max([rules.estimate(land)[0] for land in lands]),
            header["slices"][0]["size"],
        )
        if size != largest:
            yield invalid("position", header["position"], "one of size %d, as slices[0]" % largest)
