"""What the boards of an installation say at an instant, as the organizers read them: JSON.

python -m tests.kept.boards 2026-11-26T17:00:00+00:00
"""

import json
import sys
from datetime import datetime

import django

django.setup()

from leaderboard.boards.exports import board_csv  # noqa: E402
from leaderboard.boards.queries import whole  # noqa: E402
from leaderboard.boards.visibility import viewer_of_address  # noqa: E402
from leaderboard.competitions.models import Organizer  # noqa: E402


def boards(at: datetime) -> dict[str, str]:
    """Each board of each contest as CSV, by their names."""
    found = {}
    for owner in Organizer.objects.filter(role="owner").order_by("competition__slug"):
        slug = owner.competition.slug
        viewer = viewer_of_address(slug, owner.user, at)
        for board in ("public", "private"):
            page = viewer and whole(viewer, board)
            if page is not None:
                found[f"{slug} {board}"] = board_csv(page).decode("utf-8-sig")
    return found


if __name__ == "__main__":
    at = datetime.fromisoformat(sys.argv[1])
    print(json.dumps({"at": sys.argv[1], "boards": boards(at)}, ensure_ascii=False))
