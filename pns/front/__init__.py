"""What a caller gives and gets: options, a request, its result, and the budget of memory."""
