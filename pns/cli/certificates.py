"""The checker of certificates as a command, which finds those that come with the package."""

from __future__ import annotations

import argparse

from pns.cli import check as checker
from pns.files import find_certificate


def check(args: argparse.Namespace) -> int:
    """Check certificates; returns the exit status."""
    args.files = [find_certificate(name) for name in args.files]
    return checker.main(args)
