"""The subcommands of `pns`: a module for each."""
