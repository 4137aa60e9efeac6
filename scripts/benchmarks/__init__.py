"""The measurements, tables and pictures of bench.py."""
