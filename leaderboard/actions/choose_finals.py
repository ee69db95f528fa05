"""A team chooses the submissions that its private rank is made of."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.own_team import locked_own_team
from leaderboard.actions.refusals import Refused
from leaderboard.boards.standings import place_everywhere
from leaderboard.competitions.schedule import Phase, phase, stamp
from leaderboard.evaluation.models import Evaluation
from leaderboard.submissions.choice import replace
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team

FINALS = 2


def choose_finals(
    *, team: Team, user: User, submission_ids: Collection[UUID], at: datetime
) -> None:
    """Make exactly these the finals, at most two; none means: the best public one counts.

    Any member may, until the close. Raises Refused.
    """
    with transaction.atomic():
        team = locked_own_team(team.pk, user)
        _check(team, submission_ids, at)
        wanted = list(Submission.objects.filter(team=team, pk__in=submission_ids))
        if len(wanted) != len(set(submission_ids)):
            raise Refused(
                "unknown_submission",
                ko="이 팀의 제출이 아닙니다.",
                en="This is not a submission of this team.",
                status=404,
            )
        if any(submission.is_late for submission in wanted):
            raise Refused(
                "late_final",
                ko="마감 뒤에 낸 제출은 순위에 들지 않아 최종 제출로 고를 수 없습니다.",
                en="A late submission is not ranked, so it cannot be chosen as a final.",
                next_ko="마감 전에 낸 제출 가운데서 골라 주세요.",
                next_en="Choose among those handed in before the close.",
            )
        if any(not _scored(submission) for submission in wanted):
            raise Refused(
                "not_scored",
                ko="채점이 끝난 제출만 고를 수 있습니다.",
                en="Only a scored submission can be chosen.",
            )
        replace(team=team, submissions=wanted, user=user, at=at)
        place_everywhere(team=team)


def _check(team: Team, submission_ids: Collection[UUID], at: datetime) -> None:
    competition = team.competition
    if phase(competition, at) is not Phase.OPEN:
        closed = stamp(competition.closes_at, competition)
        raise Refused(
            "closed",
            ko=f"최종 제출은 {closed}까지 고를 수 있습니다.",
            en=f"Finals can be chosen until {closed}.",
            next_ko="그때까지 고른 것으로 순위를 매깁니다. "
            "고르지 않았으면 public 점수가 가장 높은 것입니다.",
            next_en="What was chosen until then counts; without a choice, the best public one.",
            status=403,
        )
    if len(set(submission_ids)) > FINALS:
        raise Refused(
            "too_many_finals",
            ko=f"최종 제출은 {FINALS}개까지 고를 수 있습니다.",
            en=f"At most {FINALS} submissions can be chosen.",
            next_ko="하나를 먼저 빼 주세요.",
            next_en="Remove one of them first.",
            status=422,
        )


def _scored(submission: Submission) -> bool:
    return submission.evaluations.filter(
        state=Evaluation.State.DONE, scoring_version__state="live"
    ).exists()
