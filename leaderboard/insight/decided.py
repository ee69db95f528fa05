"""What organizers decided about who counts and by what, as a table of the closing report.

For the organizers' edition: a reason may say more of a person than the board does.
"""

import json

from leaderboard.audit.log import decisions
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from scoring.insight.closing.sheets import Sheet
from scoring.table import safe

KINDS = (
    *("submission.excluded", "submission.restored", "team.disqualified", "team.reinstated"),
    *("team.granted", "team.warned", "team.merged", "team.merge_undone"),
    *("version.made_live", "baseline.added", "baseline.removed", "baseline.restored"),
    *("competition.rescheduled", "competition.reveal_held", "competition.reveal_released"),
)
HEAD = ("at", "kind", "who", "team", "before", "after", "reason")


def decided(competition: Competition) -> Sheet:
    """`decisions.csv`: exclusions, grants, versions, dates, the earliest first. Three queries."""
    events = list(decisions(competition.pk).filter(kind__in=KINDS).order_by("at", "pk"))
    subjects = [event.subject for event in events if event.subject is not None]
    teams = dict(Team.objects.filter(pk__in=subjects).values_list("pk", "name"))
    teams |= dict(Submission.objects.filter(pk__in=subjects).values_list("pk", "team__name"))
    rows = [
        (
            event.at.isoformat(),
            event.kind,
            safe(event.actor.username) if event.actor else "",
            safe(teams.get(event.subject, "")) if event.subject else "",
            *(_said(side) for side in (event.before, event.after)),
            safe(event.reason),
        )
        for event in events
    ]
    return Sheet(HEAD, tuple(rows))


def _said(side: object) -> str:
    return "" if side is None else json.dumps(side, ensure_ascii=False, sort_keys=True)
