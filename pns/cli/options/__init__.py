"""The command lines of the subcommands. They import no search, so that they are parsed at once."""
