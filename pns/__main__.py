"""`python -m pns` is the command `pns`; in a clone it finds the packages of .venv as scripts do."""

from pns import start
from pns.cli.main import main

if __name__ == "__main__":
    start.find_packages()
    main()
