"""The names that options choose among, their defaults, and which algorithm has which option.

This imports nothing, so that a command line is parsed before the searches are imported.
"""

from __future__ import annotations

GAMES = {
    "sprouts": "pns.sprouts",
    "clobber": "pns.games.clobber",
    "cram": "pns.games.cram",
    "domineering": "pns.games.domineering",
    "hex": "pns.games.hex",
    "kayles": "pns.games.kayles",
    "mnk": "pns.games.mnk",
    "nim": "pns.games.nim",
    "node-kayles": "pns.games.node_kayles",
    "nogo": "pns.games.nogo",
    "octal": "pns.games.octal",
    "pentago": "pns.games.pentago.rules",
    "queens": "pns.games.queens",
    "ultimate": "pns.games.ultimate",
}
"""The module of each game, by the game's name; its ``GAME`` is the game."""
MISERE, MISERE_SUFFIX = "pns.misere.simplify", "-misere"
"""The module of games in misère play, and how their names end."""

TREES = ("pns", "pn2")
PROPER_TREE = "pns-tree"
PARALLEL = PDFPN, SPDFPN = ("pdfpn", "spdfpn")
DISTRIBUTED, PPN2 = "pns-pdfpn", "ppn2"
WITH_MASTER = (DISTRIBUTED, PPN2)
DFPN, PNS = SEARCHES = ("dfpn", "pns")
"""The searches of workers: that of pns-pdfpn, and that of ppn2."""
ALGORITHMS = (DFPN, *PARALLEL, *TREES, PROPER_TREE, *WITH_MASTER)

PAPER = "paper"
PRESETS = (PAPER,)
"""Sets of options (`pns.front.options.PRESET_OPTIONS`)."""
WHEN_FULL = ("pn2", "dfpn")
"""How pns goes on when its tree is full."""
STATE_LEVELS = (0, 1, 2)
"""What workers keep between jobs: nothing, facts, or facts and table."""
LEAST, FIRST = "least", "first"
SUM_ORDERS = (LEAST, FIRST)
GENERATED, SMALLEST, PUBLISHED = "generated", "smallest", "published"
ORDERS = (GENERATED, SMALLEST, PUBLISHED)
"""The orders in which children may be tried: as the game generates them, or those of
`pns.positions.wrapped`."""
BRANCHING, ONE = "branching", "one"
START_NUMBERS = (BRANCHING, ONE)
"""The kinds of initial numbers: by branching and expectation, or (1, 1) for every leaf."""
SEPARATING, EVERYWHERE = "separating", "everywhere"
COUNTING = (SEPARATING, EVERYWHERE)
"""Where processes count: where all children have to be searched, or everywhere as published."""
THRESHOLDS, ITERATIONS = "thresholds", "iterations"
JOB_ENDS = (THRESHOLDS, ITERATIONS)
"""What ends a job: the thresholds of its leaf or its expansions, or its expansions only."""
AT_ONCE, WITH_JOBS, NEVER = "at-once", "with-jobs", "never"
SHARING = (AT_ONCE, WITH_JOBS, NEVER)
"""When workers receive the facts of others: with every reply and by shared memory, with their
next job, or not at all."""

DIALECTS = ("glop", "glop1", "spots")
"""The solvers whose files `pns db convert` writes."""

DEFAULT_CAPACITY = 2_000_000
"""Entries of a transposition table."""
LEAST_CAPACITY = 100
"""Nodes of a tree, at least."""
EPSILON = 0.25
"""ε of the 1+ε rule for searches by DFPN."""
TREE_BATCH, DFPN_BATCH = 12, 8
"""Children that a tree generates at a time, and a search by DFPN."""
DEFAULT_GAME = "sprouts"
"""The game of a command or a call that names none."""
DRAWN_GAMES = ("sprouts",)
"""The games whose moves are lines that a player draws, by `pns.sprouts.drawing`."""
TUNED_GAMES = ("sprouts", "sprouts-misere")
"""The games for which EPSILON and DFPN_BATCH pay; for others both are 0."""
RESTARTED_GAMES = ("sprouts",)
RESTART, RESTART_GROWTH = 20_000, 1.5
"""Expansions of the first start of a search for a game of RESTARTED_GAMES, and how many times
longer each start is than the one before."""
WORK_LIMIT = 500
"""The expansions of a job of spdfpn; a couple with this much work is too large to be one.

Jobs get longer while they prove nothing.

MaxWorkPerJob of the paper, which takes 20 to 500.
"""
JOB_EXPANSIONS, REPORT_EXPANSIONS = 10_000, 1000
"""Expansions of a job, and between two reports on it; measured in docs/lab/parallel-search.md."""
CHECKED_SHARE, CHECK_TIME = 0.02, 0.02
"""The share of the workers' claims that is checked by default, and the share of the master's time
that these checks may take then."""
CHECKPOINT_SECONDS = 60.0
"""Seconds between two checkpoints."""
MOST_PROCESSES = 256
LED_WORKERS = 16
"""Workers of one machine from which on they have a leader: docs/lab/thousand.md."""
MOST_NUMBER = 1e15
"""Upper bound on numbers that need not be whole, such as seconds and ratios."""

ALL_BUT_PROPER_TREE = tuple([name for name in ALGORITHMS if name != PROPER_TREE])
ALGORITHMS_WITH = {
    "processes": (*PARALLEL, DISTRIBUTED),
    "when_full": (PNS,),
    "epsilon": ALL_BUT_PROPER_TREE,
    "prior": ALL_BUT_PROPER_TREE,
    "no_prior": ALL_BUT_PROPER_TREE,
    "start_numbers": ALL_BUT_PROPER_TREE,
    "checkpoint": ALL_BUT_PROPER_TREE,
    "every": ALL_BUT_PROPER_TREE,
    "resume": ALL_BUT_PROPER_TREE,
    "sum_order": (DFPN, *TREES),
    "restart": (DFPN, *PARALLEL, PNS, DISTRIBUTED),
    "batch": (DFPN, PDFPN, *TREES, *WITH_MASTER),
    "counting": (PDFPN, DISTRIBUTED),
    "process_weight": (PDFPN, DISTRIBUTED),
    "work_limit": (SPDFPN,),
    "job_end": WITH_MASTER,
    "workers": WITH_MASTER,
    "iterations": WITH_MASTER,
    "updates": WITH_MASTER,
    "grouping": WITH_MASTER,
    "sharing": WITH_MASTER,
    "state_level": WITH_MASTER,
    "listen": WITH_MASTER,
    "keys": WITH_MASTER,
    "check_facts": WITH_MASTER,
    "table": tuple([name for name in ALGORITHMS if name not in WITH_MASTER]),
    "statistics": WITH_MASTER,
    "metrics": WITH_MASTER,
    "timeline": WITH_MASTER,
}
"""The algorithms that have an option, for options that not all of them have."""


def normal_name(game: str) -> str:
    """The name of a game in normal play, of which a name may be that of its misère play.

    >>> normal_name("nim-misere"), normal_name("nim")
    ('nim', 'nim')
    """
    return game.removesuffix(MISERE_SUFFIX)


def is_drawn(game: str) -> bool:
    """Whether the moves of a game are lines that a player draws, in normal or in misère play.

    >>> is_drawn("sprouts"), is_drawn("sprouts-misere"), is_drawn("nim-misere")
    (True, True, False)
    """
    return normal_name(game) in DRAWN_GAMES


def misfit(option: str, algorithm: str) -> str:
    """Why an algorithm cannot be given an option, "" if it can.

    >>> misfit("sum_order", "pdfpn")
    'only dfpn, pns and pn2 have it, not pdfpn'
    >>> misfit("job_end", "pn2")
    'only pns-pdfpn and ppn2 have it, not pn2'
    """
    only = ALGORITHMS_WITH.get(option, ALGORITHMS)
    if algorithm in only or algorithm not in ALGORITHMS:
        return ""
    verb = "has" if len(only) == 1 else "have"
    return "only %s %s it, not %s" % (listed(only), verb, algorithm)


def listed(names: "tuple[str, ...]") -> str:
    """Names in a sentence.

    >>> listed(("a", "b", "c"))
    'a, b and c'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def algorithm_of(search: str) -> str:
    """The algorithm of a master whose workers search by `dfpn` or `pns`."""
    return PPN2 if search == PNS else DISTRIBUTED
