"""The kinds of `tests/tools/stress.py`; docs/robustness.md lists the promises that they check."""
