"""A contest with everything in it, in a stack's database: python -m tests.faults.every_page [some]

Prints, as JSON, every GET address of the URL list for some roles, except that of a wrong code: a
guess is counted, and so it writes. `some`: about things that exist alone, each page once.
"""

import json
import sys

import django

django.setup()

from tests.leaderboard.web import stage  # noqa: E402
from tests.leaderboard.web.crawl import GUESS, every_address, every_page  # noqa: E402

ROLES = ("visitor", "alice", "olivia")


def main() -> None:
    built = stage.build()
    probes = {
        role: every_page(built) if sys.argv[1:] == ["some"] else every_address(built, role)
        for role in ROLES
    }
    every = {
        role: [probe.address for probe in asked if not probe.headers]
        for role, asked in probes.items()
    }
    pages = {role: [page for page in some if page != GUESS] for role, some in every.items()}
    json.dump(pages, sys.stdout)


if __name__ == "__main__":
    main()
