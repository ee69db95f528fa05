"""A contest with everything in it, in a stack's database: python -m tests.faults.every_page [some]

Prints, as JSON, every address of a page for some roles. `some`: about things that exist alone, each
page once.
"""

import json
import sys

import django

django.setup()

from tests.leaderboard.web import stage  # noqa: E402
from tests.leaderboard.web.asks import pages  # noqa: E402

ROLES = ("visitor", "alice", "olivia")

if __name__ == "__main__":
    built = stage.build()
    whole = sys.argv[1:] != ["some"]
    json.dump({role: pages(built, role, whole=whole) for role in ROLES}, sys.stdout)
