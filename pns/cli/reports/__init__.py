"""What is written about a search: reports, plots, timelines, tables of statistics."""
