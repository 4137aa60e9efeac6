"""Metrics for Prometheus: of a master, and of the workers of a machine."""
