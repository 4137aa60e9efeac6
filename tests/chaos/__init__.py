"""Kinds of chaos that `tests/stress.py` runs; docs/robustness.md says which promises they check."""
