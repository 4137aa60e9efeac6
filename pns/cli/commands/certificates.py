"""`pns check`: certificates by the checker of a single file, and test files of MCGS."""

from __future__ import annotations

import argparse
import json
from typing import Counter, Dict, List

from pns.checker import command as checker
from pns.cli.common import warn
from pns.system.package_data import find_certificate

TEST_FILE = ".test"
MOST_LETTERS, MOST_NAMES = 60, 5
"""Of an unknown command what is kept, and how many are printed."""


def check(args: argparse.Namespace) -> int:
    """Check files; returns the exit status."""
    tests = [name for name in args.files if name.endswith(TEST_FILE)]
    args.files = [find_certificate(name) for name in args.files if name not in tests]
    return max([checker.main(args), *[check_tests(path, args.json) for path in tests]])


def check_tests(path: str, as_json: bool) -> int:
    """Solve what a test file asks, and print where it says something else; an exit status."""
    from pns.tools.mcgs import SKIPPED, Answers, SuiteError, questions

    answers = Answers()
    solved = skipped = 0
    unknown: Counter[str] = Counter()
    differ: List[Dict[str, object]] = []
    try:
        for question in questions(path):
            if not question.player:
                unknown[question.command[:MOST_LETTERS]] += 1
                continue
            found = answers.answer(question, path)
            if found == SKIPPED:
                skipped += 1
                continue
            solved += 1
            expected = question.expected
            if found == expected:
                continue
            line = "%s, line %d: %s" % (path, question.line, question.text())
            line += " %s: %s" % (question.player, found)
            if expected:
                found_here = {"line": question.line, "games": question.text()}
                differ.append({**found_here, "found": found, "expected": expected})
                line += ", not " + expected
            if not as_json:
                print(line)
    except SuiteError as error:
        warn(str(error))
        return 2
    if as_json:
        counts = {"solved": solved, "skipped": skipped, "unknown_commands": dict(unknown)}
        print(json.dumps({"path": path, **counts, "differ": differ}))
    else:
        line = "%s: %d solved, %d differ, %d skipped" % (path, solved, len(differ), skipped)
        print("%s%s." % (line, unknown_text(unknown)))
    return 1 if differ else 0


def unknown_text(unknown: Counter[str]) -> str:
    """How many commands are not known, and the most frequent ones; "" for none."""
    if not unknown:
        return ""
    names = [ascii(name) for name, _ in unknown.most_common(MOST_NAMES)]
    more = ", ..." if len(unknown) > MOST_NAMES else ""
    return ", %d unknown commands skipped (%s%s)" % (sum(unknown.values()), ", ".join(names), more)
