"""The result of a search, as `pns solve` prints it to a person."""

from __future__ import annotations

from typing import List, Optional

from pns import Distribution, Result, Usage
from pns.cli.layout import LabelledText, count, duration, labelled, percent, size
from pns.finding import find_game
from pns.front.draws import answer_of
from pns.system.machine import process_limits

TELLING_NODES = 1000
"""The least number of nodes for which bytes per node say something about the tree."""


def is_known_before(result: Result) -> bool:
    """Whether facts that were known before the search decided the position."""
    usage = result.usage
    return bool(result.solved and usage.facts_known and not usage.facts_new)


def report(
    result: Result,
    database: Optional[str] = None,
    grundy: bool = False,
    quiet: bool = False,
    sources: str = "",
) -> List[str]:
    """The answer in sentences, then a block of figures; if `quiet` the answer alone.

    `database` is the file that facts were read from; with `grundy` a quiet answer includes
    the Grundy number. `sources` names what decided the position without a search.
    """
    lines = []
    if result.outcome is not None:
        lines.append(answer_of(find_game(result.game), result.name, result.outcome))
    if result.grundy_number is not None and (grundy or not quiet):
        lines.append("Its Grundy number is %d." % result.grundy_number)
    if quiet:
        return lines
    if result.winning_move is not None:
        lines.append("A winning move leads to %s" % result.winning_move)
    elif result.drawing_move is not None:
        lines.append("A move that keeps the draw leads to %s" % result.drawing_move)
    elif result.claim == "win":
        lines.append("The facts decide it without naming a move.")
    if result.from_table:
        lines.append("The strong solution has this position; without --table it is searched.")
    elif result.usage.answered_by_table == 0:
        lines.append("The strong solution has none of the positions that the search met.")
    elif is_known_before(result):
        sources = sources or ("the database" if database else "the facts that come with pns")
        again = "--no-db --no-known searches again" if database else "--no-known searches"
        lines.append("Answered from %s, without a search; %s." % (sources, again))
    if result.usage.replaced:
        lines.append("Killed and replaced on the way: %d processes." % result.usage.replaced)
    if result.usage.tree_mode not in (None, result.algorithm):
        went_on = {"pn2": "as PN²", "dfpn": "with DFPN at its leaves"}
        how = went_on[str(result.usage.tree_mode)]
        lines.append("The tree was full, and the search went on %s." % how)
    return [*lines, *([""] if lines else []), *labelled(figures(result, database))]


def figures(result: Result, database: Optional[str]) -> List[LabelledText]:
    """What the search used, labelled; after an answer without a search only what it says."""
    usage = result.usage
    searched = not result.from_table and not is_known_before(result)
    lines: List[LabelledText] = []
    if searched:
        rate = ", %s/s" % count(int(usage.expansions / max(usage.seconds, 1e-3)))
        lines += [
            ("algorithm", result.algorithm),
            ("expansions", count(usage.expansions) + rate * (usage.expansions > 0)),
            ("children", "%s generated" % count(usage.children_generated)),
        ]
    if usage.answered_by_table is not None:
        lines.append(("answers", "%s by the strong solution" % count(usage.answered_by_table)))
    if database:
        lines.append(("database", database))
    shows_new = searched and (database or usage.facts_new < usage.facts_known)
    new = ", %s of them new" % count(usage.facts_new) if shows_new else ""
    lines += [
        ("facts", "%s known%s" % (count(usage.facts_known), new)),
        ("time", duration(usage.seconds)),
        ("memory", "%s at most" % size(usage.peak_memory_bytes)),
    ]
    if searched:
        lines.append(store(usage))
        if usage.distribution:
            lines += distribution(usage.distribution, usage)
    return lines


def store(usage: Usage) -> LabelledText:
    """The table, or the tree, and how full it is."""
    if usage.nodes is None:
        name, used, text = "table", usage.table_entries, "%s entries" % count(usage.table_entries)
    else:
        name, used, text = "tree", usage.nodes, "%s nodes" % count(usage.nodes)
        if usage.nodes >= TELLING_NODES and usage.bytes_per_node:
            text += " of %.0f bytes" % usage.bytes_per_node
    if usage.capacity:
        text += ", %s of %s" % (percent(used / usage.capacity), count(usage.capacity))
    return name, text


def distribution(found: Distribution, usage: Usage) -> List[LabelledText]:
    """The workers and their jobs."""
    jobs = found.jobs
    ends = [
        "%s %s" % (count(number), name)
        for number, name in ((jobs.lost, "lost"), (jobs.late, "late"), (jobs.dropped, "dropped"))
        if number
    ]
    lines = [
        ("workers", "%d, busy %s of the time" % (found.joined, percent(found.utilisation))),
        ("their tables", "%s entries on average" % count(usage.table_entries)),
        ("jobs", ", ".join(["%s given" % count(jobs.given), *ends])),
    ]
    if found.checked:
        lines.append(("checks", "%s claims of workers" % count(found.checked)))
    return lines


def how_to_resume(
    result: Result, database: Optional[str], checkpoint: Optional[str], are_lost: bool
) -> List[str]:
    """Why a search is unsolved, what is kept, and how to resume it."""
    if result.unsaved:
        checkpoint = None
    reason = _reason(result.stopped_by)
    limits = process_limits()
    if result.stopped_by == "memory" and limits:
        reason = "the limit of memory (%s, or --max-memory)" % limits[0].name
    unsolved = "%s is not solved" % result.name
    what = "Its Grundy number is not known" if result.outcome else unsolved
    kept = "stored in %s; the same command goes on from there" % database
    lost = "lost with this run, as they were in no database"
    if checkpoint:
        lost = "all of them in the checkpoint"
    saved = ["Search saved: go on with --resume %s" % checkpoint] if checkpoint else []
    lines = ["%s: stopped by %s." % (what, reason)]
    if result.possible == ("draw", "loss"):
        lines.append("The player to move does not win: it is a draw or a loss.")
    if checkpoint or not are_lost:
        is_kept = database and not are_lost
        lines.append("Facts known: %d, %s." % (result.usage.facts_known, kept if is_kept else lost))
    return [*lines, *saved]


def _reason(stopped_by: Optional[str]) -> str:
    if stopped_by == "capacity":
        return "the capacity of its tree (--capacity)"
    budgets = ("expansions", "seconds", "memory")
    return "the budget of %s" % stopped_by if stopped_by in budgets else str(stopped_by)
