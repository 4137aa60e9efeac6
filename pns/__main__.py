"""`python -m pns` is the command `pns`; in a clone it finds the packages of .venv as scripts do."""

from pns.cli.main import main
from pns.system import start

if __name__ == "__main__":
    start.find_packages()
    main()
