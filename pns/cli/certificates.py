"""`pns check`: certificates by the checker of a single file, and test files of MCGS."""

from __future__ import annotations

import argparse
import json
from typing import Dict, List

from pns.cli import check as checker
from pns.cli.common import warn
from pns.files import find_certificate

TEST_FILE = ".test"


def check(args: argparse.Namespace) -> int:
    """Check files; returns the exit status."""
    tests = [name for name in args.files if name.endswith(TEST_FILE)]
    args.files = [find_certificate(name) for name in args.files if name not in tests]
    return max([checker.main(args), *[check_tests(path, args.json) for path in tests]])


def check_tests(path: str, as_json: bool) -> int:
    """Solve what a test file asks, and print where it says something else; an exit status."""
    from pns.games.mcgs import SKIPPED, Answers, SuiteError, questions

    answers = Answers()
    solved = skipped = 0
    differ: List[Dict[str, object]] = []
    try:
        for question in questions(path):
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
        print(json.dumps({"path": path, "solved": solved, "skipped": skipped, "differ": differ}))
    else:
        print("%s: %d solved, %d differ, %d skipped." % (path, solved, len(differ), skipped))
    return 1 if differ else 0
