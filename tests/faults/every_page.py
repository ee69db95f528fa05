"""A contest with everything in it, in a stack's database: python -m tests.faults.every_page

Prints, as JSON, every GET address of the URL list for some roles, except that of a wrong code: a
guess is counted, and so it writes.
"""

import json
import sys

import django

django.setup()

from tests.leaderboard.web import stage  # noqa: E402
from tests.leaderboard.web.crawl import GUESS, every_address  # noqa: E402

ROLES = ("visitor", "alice", "olivia")


def main() -> None:
    built = stage.build()
    every = {role: [probe.address for probe in every_address(built, role)] for role in ROLES}
    pages = {role: [page for page in some if page != GUESS] for role, some in every.items()}
    json.dump(pages, sys.stdout)


if __name__ == "__main__":
    main()
