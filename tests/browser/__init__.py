"""The page of `pns explore` in a real browser."""
