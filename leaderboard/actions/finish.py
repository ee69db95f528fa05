"""The end of a scoring: scores, standings and the inbox, in one transaction."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.boards.standings import place
from leaderboard.competitions.schedule import came_with_a_file
from leaderboard.evaluation.claim import Claim
from leaderboard.evaluation.results import save
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell
from leaderboard.references.models import ScoringVersion
from leaderboard.teams.membership import locked
from leaderboard.teams.models import Team
from leaderboard.teams.queries import people
from scoring.pipeline import Report


def finish(*, claim: Claim, report: Report, at: datetime) -> None:
    """Save what the workshop found and place the team. Raises LeaseLost and then writes nothing."""
    with transaction.atomic():
        team = locked(claim.team_id)
        save(claim=claim, report=report, at=at)
        version = ScoringVersion.objects.select_related("competition").get(
            pk=claim.scoring_version_id
        )
        place(team=team, version=version, since=claim.received_at)
        if version.state == ScoringVersion.State.LIVE:  # a rehearsal has no side effects
            tell_scored(
                team=team,
                submission=claim.submission_id,
                received_at=claim.received_at,
                total=report.splits["public"].total,
                at=at,
            )


def tell_scored(
    *, team: Team, submission: UUID, received_at: datetime, total: float, at: datetime
) -> None:
    """Leave the public total of a submission in its team's inbox, once."""
    if came_with_a_file(team.competition, received_at):
        return
    tell(
        users=people(team),
        kind=Notification.Kind.SCORED,
        subject=submission,
        competition=team.competition_id,
        competition_slug=team.competition.slug,
        data={"public": f"{total:.4f}"},
        at=at,
    )
