"""What a terminal shows: panel, progress, dialogue, pager."""
