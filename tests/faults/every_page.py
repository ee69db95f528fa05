"""A contest with everything in it, in a stack's database: python -m tests.faults.every_page

Prints, as JSON, every GET address of the URL list for some roles.
"""

import json
import sys

import django

django.setup()

from tests.leaderboard.web import stage  # noqa: E402
from tests.leaderboard.web.crawl import every_address  # noqa: E402

ROLES = ("visitor", "alice", "olivia")


def main() -> None:
    built = stage.build()
    pages = {role: [probe.address for probe in every_address(built, role)] for role in ROLES}
    json.dump(pages, sys.stdout)


if __name__ == "__main__":
    main()
