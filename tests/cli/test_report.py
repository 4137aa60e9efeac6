"""The result of a search in words, without any search."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict

from pns import Distribution, Result, Usage
from pns.cli.reports.report import report
from pns.usage import JobCounts

USAGE = Usage(
    expansions=1200,
    children_generated=34567,
    facts_known=400,
    facts_new=300,
    table_entries=900,
    capacity=2000,
    seconds=2.0,
    peak_memory_bytes=123_456_789,
)
RESULT = Result(
    position="0*3",
    canonical="0*3",
    game="sprouts",
    algorithm="dfpn",
    solved=True,
    outcome="win",
    grundy_number=1,
    winning_move="0.1a1a",
    stopped_by=None,
    unsaved=None,
    usage=USAGE,
    version="0",
)


def block(usage: Usage, database: str = "", **changes: Any) -> Dict[str, str]:
    """The labelled lines of a report."""
    lines = report(replace(RESULT, usage=usage, **changes), database)
    return dict(line.strip().split("  ", 1) for line in lines[lines.index("") + 1 :])


def test_the_block_is_aligned() -> None:
    assert report(RESULT, "f.lmdb") == [
        "0*3 is a win: the player to move wins.",
        "Its Grundy number is 1.",
        "A winning move leads to 0.1a1a",
        "",
        "  algorithm   dfpn",
        "  expansions  1,200, 600/s",
        "  children    34,567 generated",
        "  database    f.lmdb",
        "  facts       400 known, 300 of them new",
        "  time        2.0 s",
        "  memory      123 MB at most",
        "  table       900 entries, 45.0 % of 2,000",
    ]
    assert report(RESULT, None, quiet=True) == ["0*3 is a win: the player to move wins."]
    assert report(RESULT, None, grundy=True, quiet=True)[1] == "Its Grundy number is 1."


def test_an_answer_of_the_database_is_named() -> None:
    usage = replace(USAGE, facts_new=0, expansions=1)
    sentence = "Answered from the database, without a search; --no-db --no-known searches again."
    assert sentence in report(replace(RESULT, usage=usage), "f.lmdb")
    assert list(block(usage, "f.lmdb")) == ["database", "facts", "time", "memory"]
    without = "Answered from the facts that come with pns, without a search; --no-known searches."
    assert without in report(replace(RESULT, usage=usage), None)
    assert list(block(usage)) == ["facts", "time", "memory"]
    for other in (
        report(replace(RESULT, usage=usage), None),
        report(replace(RESULT, usage=USAGE), "f.lmdb"),
        report(replace(RESULT, usage=usage, solved=False), "f.lmdb"),
    ):
        assert sentence not in other


def test_bytes_per_node_are_those_of_a_tree_of_some_size() -> None:
    tree = replace(USAGE, nodes=5000, bytes_per_node=91.6, capacity=10**6)
    assert block(tree)["tree"].strip() == "5,000 nodes of 92 bytes, 0.5 % of 1,000,000"
    assert block(replace(tree, nodes=9))["tree"].strip() == "9 nodes, under 0.1 % of 1,000,000"
    assert "bytes" not in block(USAGE)["table"]
    full = report(replace(RESULT, usage=replace(tree, tree_mode="pn2"), algorithm="pns"), None)
    assert "The tree was full, and the search went on as PN²." in full


def test_workers_and_jobs() -> None:
    jobs = JobCounts(given=12, lost=2, dropped=1)
    found = Distribution(9, 800, 300, 1200, 0.875, 2, 3, jobs, checked=4)
    shown = block(replace(USAGE, nodes=9, replaced=None, distribution=found))
    assert shown["workers"].strip() == "3, busy 87.5 % of the time"
    assert shown["their tables"] == "900 entries on average"
    assert shown["jobs"].strip() == "12 given, 2 lost, 1 dropped"
    assert shown["checks"].strip() == "4 claims of workers"
