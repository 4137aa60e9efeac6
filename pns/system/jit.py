"""Parameters of PyPy's compiler."""

from __future__ import annotations

import sys

from pns.system.platform import memory_limits

JIT_PARAMETERS = (
    "trace_limit=700,threshold=400,function_threshold=500,trace_eagerness=50,"
    "enable_opts=intbounds:rewrite:virtualize:string:pure:earlyforce:heap"
)
"""PyPy's compiler for this kind of program, measured in docs/lab/search-guidance.md.

Most time is spent in short calls on bytes, so that long traces and unrolled loops cost
more to compile than they save.
"""

JIT_OF_SEARCHES = "trace_eagerness=20,decay=0"
"""Code is compiled sooner, and its counts do not decay, as they would at every minor collection.

For other programs that is not safe: PyPy 7.3.11 can crash where the trace of a function that
defines classes reaches its limit, as it did in pytest. No search has such functions.
"""

SMALL_LIMIT = 600_000_000
"""A limit of memory below which only searches are compiled.

PyPy 7.3.11 can abort where its heap ends within compiled code. A search watches its memory and
stops before (`pns.front.memory.MemoryWatch`); other programs get a MemoryError, which they report.
"""


def tune_jit(searches: bool = False) -> None:
    """Set the parameters of PyPy's compiler in this process and its forks.

    A program that `searches`, and does little else, is warm sooner. Others run without the
    compiler under a limit below SMALL_LIMIT.
    """
    if sys.implementation.name == "pypy":
        import pypyjit

        if not searches and min(memory_limits().values(), default=SMALL_LIMIT) < SMALL_LIMIT:
            pypyjit.set_param("off")
            return
        pypyjit.set_param(JIT_PARAMETERS)
        if searches:
            pypyjit.set_param(JIT_OF_SEARCHES)


def reset_jit() -> None:
    """Give PyPy's compiler its own parameters again: long loops over ints gain by its unrolling."""
    if sys.implementation.name == "pypy":
        import pypyjit

        pypyjit.set_param("default")
