"""Tag a release: release.py VERSION, in a clean checkout of main.

The version must be that of pns/version.py and of CITATION.cff, and CHANGELOG.md must have a
finished section for it: the first one, headed by the version and a date, with at least one entry.
Otherwise nothing is tagged. `--check` only checks.
"""

from __future__ import annotations

import bootstrap

import re
import subprocess
import sys
from pathlib import Path
from typing import List

from pns.cli.common import die
from pns.version import VERSION

CITED = re.compile(r"^version: (\S+)$", re.MULTILINE)
"""The version in CITATION.cff."""
HEADING = re.compile(r"## (\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2}|unreleased)\)")


def why_unfinished(changelog: str, version: str) -> str:
    """What a changelog lacks for the release of a version, "" if nothing.

    >>> why_unfinished("# Changelog\\n\\n## 0.2.0 (2026-01-31)\\n\\n- Faster.\\n", "0.2.0")
    ''
    >>> why_unfinished("# Changelog\\n\\n## 0.2.0 (unreleased)\\n\\n- Faster.\\n", "0.2.0")
    'the section of 0.2.0 has no date'
    """
    sections: List[List[str]] = []
    for line in changelog.splitlines():
        if line.startswith("## "):
            sections.append([line])
        elif sections:
            sections[-1].append(line)
    if not sections:
        return "no section; write ## %s (DATE)" % version
    heading = HEADING.fullmatch(sections[0][0])
    if not heading:
        return "%r is no heading; write ## %s (DATE)" % (sections[0][0], version)
    if heading.group(1) != version:
        return "the first section is that of %s, not of %s" % (heading.group(1), version)
    if heading.group(2) == "unreleased":
        return "the section of %s has no date" % version
    if not any([line.startswith("- ") for line in sections[0]]):
        return "the section of %s is empty" % version
    return ""


def git(*words: str) -> str:
    """What a git command prints; exits if it fails."""
    done = subprocess.run(["git", "-C", bootstrap.ROOT, *words], capture_output=True, text=True)
    if done.returncode:
        die("git %s: %s" % (words[0], done.stderr.strip()))
    return done.stdout.strip()


def main(words: List[str]) -> int:
    """Check, and tag; returns the exit status."""
    only_checks = "--check" in words
    versions = [word for word in words if word != "--check"]
    if len(versions) != 1 or versions[0].startswith("-"):
        print((__doc__ or "").strip())
        return 0 if "--help" in words or "-h" in words else 2
    version = versions[0]
    if version != VERSION:
        die("pns/version.py says %s, not %s" % (VERSION, version))
    cited = CITED.findall(Path(bootstrap.ROOT, "CITATION.cff").read_text("utf-8"))
    if cited != [version]:
        die("CITATION.cff says version %s, not %s" % (", ".join(cited) or "none", version))
    wrong = why_unfinished(Path(bootstrap.ROOT, "CHANGELOG.md").read_text("utf-8"), version)
    if wrong:
        die("CHANGELOG.md: %s" % wrong)
    if git("status", "--porcelain"):
        die("the checkout has changes that are not committed")
    if git("rev-parse", "--abbrev-ref", "HEAD") != "main":
        die("not on main")
    if git("tag", "--list", "v" + version):
        die("there is a tag v%s already" % version)
    if not only_checks:
        git("tag", "-a", "v" + version, "-m", "pns " + version)
        print("tagged v%s; publish it with: git push origin main v%s" % (version, version))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
