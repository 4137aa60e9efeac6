"""Master, workers and their processes on a virtual clock."""
