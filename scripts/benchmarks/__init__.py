"""What bench.py measures and draws."""
