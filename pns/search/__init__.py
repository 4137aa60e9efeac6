"""What all searches share: proof numbers, table, counted expansions, restarts, nodes of trees."""
