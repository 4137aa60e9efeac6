"""Further games, one file each."""
