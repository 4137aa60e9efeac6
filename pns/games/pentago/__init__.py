"""Pentago: rules, counts of positions, and the parts of its strong solution."""
