"""`python -m scoring`: the server's numbers on your own machine."""

import sys

from scoring.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
