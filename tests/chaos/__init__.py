"""The kinds of `tests/stress.py`; docs/robustness.md lists the promises that they check."""
