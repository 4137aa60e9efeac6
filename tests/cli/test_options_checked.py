"""Options are checked before anything is answered, although the answer is known."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest
from helpers.tools import call

import pns
from pns import OptionError, Options
from pns.cli.reference import Command, commands

MASTER = "--algorithm pns-pdfpn --workers 1 "
MISSING = "no/such/file"
FLOATS = ("nan", "inf", "-inf", "-1", "1e400", "x", "")
COUNTS = ("nan", "-1", "0.5", "1e3", "x", "")
SOLVE = {
    "--epsilon": FLOATS,
    "--max-seconds": FLOATS,
    "--max-expansions": COUNTS,
    "--max-memory": COUNTS,
    "--capacity": (*COUNTS, "0", "900000G"),
    "--seed": COUNTS,
    "--batch": COUNTS,
    "--restart": COUNTS,
    "--checkpoint run.cp --every": (*FLOATS, "0"),
    "--checkpoint": ("", MISSING, "directory", "file/below", "text"),
    "--resume": ("", MISSING, "directory", "text"),
    "--db": ("", MISSING, "directory", "text", "file/below", "/dev/null"),
    "--table": ("", MISSING, "text"),
    "--report": ("", "a.pdf", "a", MISSING + ".html", "directory.html", "/dev/null"),
    "--algorithm pdfpn --processes": (*COUNTS, "0", "257"),
    "--algorithm pdfpn --process-weight": (*COUNTS, "1048577"),
    "--algorithm spdfpn --work-limit": (*COUNTS, "0"),
    "--algorithm pns --max-memory": ("1k",),
    MASTER + "--workers": (*COUNTS, "0", "257"),
    MASTER + "--iterations": (*COUNTS, "0"),
    MASTER + "--updates": (*COUNTS, "0"),
    MASTER + "--grouping": (*COUNTS, "0"),
    MASTER + "--state-level": ("3", "x", ""),
    MASTER + "--check-facts": (*FLOATS, "2"),
    MASTER + "--listen": ("", "nope", "127.0.0.1:99999", "127.0.0.1:", ":5", "0.0.0.0:0"),
    MASTER + "--keys": ("", MISSING, "directory", "text"),
    MASTER + "--statistics": ("", "a", "a.txt", MISSING + ".csv", "text.csv", "directory.json"),
    MASTER + "--metrics": ("nan", "-1", "65536", ""),
    MASTER + "--timeline": ("", "a.png", "a", MISSING + ".svg", "directory.svg"),
}
"""Bad values of the options of `pns solve`."""
OTHERS = {
    "simulate 0*3 --cores 1": {
        "--max-seconds": (*FLOATS, "0"),
        "--max-overhead": (*FLOATS, "0", "1e308"),
        "--max-slowdown": (*FLOATS, "0", "1e308"),
        "--costs": ("child=nan", "child=inf", "child=-1", "child", "x=1"),
        "--cores": (*COUNTS, "0", "1,"),
        "--processes": (*COUNTS, "0"),
        "--iterations": (*COUNTS, "0"),
        "--grouping": (*COUNTS, "0"),
        "--updates": (*COUNTS, "0"),
        "--capacity": (*COUNTS, "0", "900000G"),
        "--seeds": ("x", "-1", ""),
        "--epsilon": FLOATS,
        "--batch": COUNTS,
        "--save": ("", "a", "a.png", MISSING + ".json", "directory.json"),
        "--draw": ("", "a", "a.png", MISSING + ".svg", "directory.svg"),
        "--timeline": ("", "a", "a.png", MISSING + ".svg", "directory.svg"),
        "--load": ("", MISSING, "directory", "text"),
    },
    "worker --connect 127.0.0.1:9": {
        "--connect": ("", "nope", "127.0.0.1:99999", ":5"),
        "--keys": ("", MISSING, "directory", "text"),
        "--workers": (*COUNTS, "0", "257"),
        "--processes": (*COUNTS, "0", "257"),
        "--capacity": (*COUNTS, "0", "900000G"),
        "--memory": COUNTS,
        "--db": ("", MISSING, "directory", "text"),
        "--epsilon": FLOATS,
        "--seed": COUNTS,
        "--batch": COUNTS,
        "--process-weight": COUNTS,
        "--metrics": ("nan", "-1", "65536", ""),
        "--shared": ("", "1,2", "a,b,c"),
        "--name": ("", "x" * 200, "a\nb"),
    },
    "cluster --address 127.0.0.1:9": {
        "--connect": ("", "nope", "127.0.0.1:99999", ":5"),
    },
    "draw 0*3": {
        "--move": ("", "0*9", "0*2.1a1a", "x"),
        "-o": ("", "a", "a.pdf", MISSING + ".svg", "directory.svg"),
    },
    "play 0*3": {
        "--seconds": FLOATS,
        "--record": ("", MISSING, "directory"),
        "--db": ("", MISSING, "text"),
    },
    "explore 0*3 --no-browser": {
        "--port": ("nan", "-1", "65536", "x", ""),
        "--db": ("", MISSING, "text"),
        "--table": ("", MISSING, "text"),
    },
    "db list --db good.spr": {
        "--lives": ("9-4", "x", "", "-", "4-", "-1", "1" * 30),
        "--number": ("9-4", "x", ""),
        "--spots": ("9-4", "x", ""),
        "--match": ("(", "["),
        "--limit": COUNTS,
        "--db": ("", MISSING, "text"),
    },
    "db table --db good.spr": {"--spots": ("9-4", "x", "")},
    "db conjecture --db good.spr": {"--spots": ("9-4", "x", "")},
    "db reduce 0*2 --db good.spr --quiet --out out.spr": {
        "--out": ("", MISSING, "directory"),
        "--cycles": COUNTS,
        "--max-seconds": FLOATS,
        "--seed": COUNTS,
        "--start": ("", MISSING, "text"),
    },
    "db extend 0*2 --db good.lmdb --quiet": {
        "--processes": (*COUNTS, "0"),
        "--capacity": (*COUNTS, "0", "900000G"),
        "--seed": COUNTS,
        "--db": ("", MISSING, "text"),
    },
    "db merge good.spr": {"--out": ("", MISSING, "directory")},
    "db export --db good.spr": {"": ("", MISSING, "directory")},
    "db convert good.spr": {"": ("", MISSING, "directory")},
    "why 0*2 --db good.spr": {
        "--depth": (*COUNTS, "0"),
        "--most": COUNTS,
        "--format": ("", "x"),
        "--db": ("", MISSING, "text"),
    },
    "audit good.spr --processes 1 --quiet": {
        "--sample": (*COUNTS, "0"),
        "--seed": COUNTS,
        "--processes": (*COUNTS, "0", "1001"),
        "--claim": ("", "x", "0*2=draw"),
    },
    "certify 0*2=loss good.spr": {"": ("", MISSING, "directory")},
    "check good.cert.gz": {"--sample": (*COUNTS, "0"), "--seed": ("x", "nan", "0.5")},
    "check-game nim": {"--times": (*COUNTS, "0"), "--seed": COUNTS},
    "octal 0.77": {"--most": COUNTS},
    "estimate 0*2": {
        "--samples": (*COUNTS, "0"),
        "--seed": COUNTS,
        "--mean-number": (*FLOATS, "251"),
    },
    "strong lands nim 2": {"": ("", "file/below"), "lands": ("",), "--memory": COUNTS},
    "strong check ttt": {
        "--samples": (*COUNTS, "0"),
        "--search": (*COUNTS, "0"),
        "--seed": COUNTS,
        "--against": ("", MISSING, "directory"),
        "--processes": (*COUNTS, "0", "257"),
    },
    "strong samples ttt": {"--count": (*COUNTS, "0"), "--seed": COUNTS},
}
