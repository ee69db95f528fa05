"""A contest with everything in it, in a stack's database: python -m tests.faults.every_page

Prints, as JSON, the address of every page for some roles.
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
    json.dump({role: pages(built, role) for role in ROLES}, sys.stdout)
