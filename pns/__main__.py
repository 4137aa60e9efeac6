"""`python -m pns` is the command `pns`."""

from pns.cli.main import main

if __name__ == "__main__":
    main()
