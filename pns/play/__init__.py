"""A game between a person and the solver: its history, its record, its pictures."""
