"""Which submissions are judged: by request, again, or as the config's policy chooses."""

from collections.abc import Collection, Iterator
from datetime import datetime
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext_lazy as _

from leaderboard import logs
from leaderboard.accounts.models import User
from leaderboard.audit.log import record
from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import Placement
from leaderboard.boards.visibility import BoardState, state
from leaderboard.competitions.locking import lock, lock_one
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import editors, may_edit
from leaderboard.competitions.schedule import day, refuse_ended
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.queries import evaluation_under_live
from leaderboard.judging.actions.configs import State, deciding_on_config, refuse, why_outdated
from leaderboard.judging.board import active_config
from leaderboard.judging.models import JudgeConfig, Judging
from leaderboard.judging.plan import planned_ids
from leaderboard.references.queries import live_version
from leaderboard.refusals import Forbidden, Refused, TooMany, Unknown
from leaderboard.submissions.models import FinalChoice, Submission
from leaderboard.submissions.queries import counted, locked_team_of

logger = structlog.get_logger(__name__)

Board = Placement.Board
Policy = JudgeConfig.Policy
# Rows that a judge never answered for, or not in a way that could be read.
UNANSWERED = ("content_failed", "infra_error", "source_blocked", "skipped_budget")


def request_judging(*, submission_id: UUID, user: User, at: datetime) -> Judging:
    """Ask for a submission to be judged; asking again changes nothing. Raises Refused.

    Members may where the config judges on demand, a few times a day; editors always.
    """
    with transaction.atomic():
        submission = Submission.objects.filter(pk=submission_id).first()
        if submission is None:
            raise Unknown("unknown_submission", _("There is no such submission."))
        team = locked_team_of(submission.pk)
        competition = team.competition
        edits = may_edit(user, competition)
        if not edits and not team.memberships.filter(user=user).exists():
            raise Forbidden("not_a_member", _("You are not a member of this team."))
        refuse_ended(competition)
        config = active_config(competition)
        if config is None:
            raise Refused("no_judge", _("This competition does not use a judge column now."))
        refuse(_why_not_judged(config, submission, edits))
        new = not _judged_already(config, [submission.pk], Board.PUBLIC)
        if new and not edits and _is_used_up(config, team.pk, at):
            limit = config.submissions_per_team_day
            raise TooMany(
                "judge_limit",
                _("You have used all {submissions_per_team_day} judging requests for today."),
                _("Request it again tomorrow."),
                submissions_per_team_day=limit,
            )
        judging, *_others = [
            _ask(config, submission, board, user, at)[0] for board in boards(competition, at)
        ]
        if new and edits:
            record(
                kind="judge.requested",
                actor=user,
                at=at,
                competition=competition.pk,
                subject=submission.pk,
                after={"judge": str(config)},
            )
    return judging


def _why_not_judged(config: JudgeConfig, submission: Submission, edits: bool) -> Refused | None:
    if not edits and config.policy != Policy.ON_DEMAND:
        return Refused(
            "judge_chooses",
            _("In this competition, submissions to judge are chosen automatically."),
        )
    evaluation = evaluation_under_live(submission)
    if evaluation is None or evaluation.state != Evaluation.State.DONE:
        return Refused("not_scored", _("Only a scored submission can be judged."))
    if hasattr(submission, "exclusion"):
        return Refused("excluded", _("An excluded submission is not judged."))
    # The contest's budget is for what its boards show, and late files come as long as it lets.
    return (
        Refused("late", _("A submission made after the deadline is not judged."))
        if submission.is_late and not edits
        else None
    )


def _judged_already(config: JudgeConfig, submissions: Collection[UUID], board: str) -> set[UUID]:
    rows = Judging.objects.filter(config=config, submission__in=submissions, board=board)
    return set(rows.values_list("submission", flat=True))


def _is_used_up(config: JudgeConfig, team_id: UUID, at: datetime) -> bool:
    """Whether the team's submissions of this day were judged, not counting organizers' requests."""
    today = day(config.competition, at).date
    rows = Judging.objects.filter(
        config=config, submission__team=team_id, board=Board.PUBLIC, day=today
    )
    used = rows.exclude(requested_by__in=editors(config.competition_id)).count()
    return used >= config.submissions_per_team_day


def _ask(
    config: JudgeConfig, submission: Submission, board: str, user: User | None, at: datetime
) -> tuple[Judging, bool]:
    """The judging, and whether it is new. `user` None: the config's policy chose it."""
    return Judging.objects.get_or_create(
        config=config,
        submission=submission,
        board=board,
        defaults={
            "requested_by": user,
            "requested_at": at,
            "day": day(config.competition, at).date,
            "rows": len(planned_ids(config, board)),
        },
    )


def boards(competition: Competition, at: datetime) -> tuple[str, ...]:
    is_final = state(competition, at) is BoardState.FINAL
    return (Board.PUBLIC, Board.PRIVATE) if is_final else (Board.PUBLIC,)


def choose_by_policy(*, at: datetime) -> int:
    """Ask for what the active configs' policies want; how many. Safe to run twice.

    Nothing new of an archived contest. An error in one config does not stop the others.
    """
    active = JudgeConfig.objects.filter(
        state=State.ACTIVE,
        competition__shows_other_columns=True,
        competition__state=Competition.State.ACTIVE,
    )
    asked = 0
    for config in active.select_related("competition"):
        try:
            asked += _choose(config, at)
        except Exception as error:
            logger.error("judge_not_asked", config=str(config.pk), **logs.origin(error))
    return asked


def _choose(config: JudgeConfig, at: datetime) -> int:
    asked = 0
    for board in boards(config.competition, at):
        wanted = list(_wanted(config))
        known = _judged_already(config, wanted, board)
        for submission in Submission.objects.filter(pk__in=set(wanted) - known):
            with transaction.atomic():
                submission.team_id = locked_team_of(submission.pk).pk
                if board == Board.PUBLIC and _is_used_up(config, submission.team_id, at):
                    continue  # tomorrow
                asked += _ask(config, submission, board, None, at)[1]
    return asked


def _wanted(config: JudgeConfig) -> Iterator[UUID]:
    """What the policy wants judged, and whatever was judged on the public board already."""
    yield from Judging.objects.filter(config=config, board=Board.PUBLIC).values_list(
        "submission", flat=True
    )
    live = live_version(config.competition)
    if config.policy == Policy.BEST and live is not None:
        # Each team's best submission by public ROUGE, as the board has it.
        yield from standings_of(live, Board.PUBLIC, None).values_list("submission_id", flat=True)
    elif config.policy == Policy.FINALS:
        yield from FinalChoice.objects.filter(
            **counted("submission__"),
            submission__team__competition=config.competition_id,
            submission__cancellation=None,
        ).values_list("submission", flat=True)


def rejudge(
    *, judging_id: UUID, user: User, everything: bool = False, reason: str = "", at: datetime
) -> int:
    """Forget the rows without a readable answer, or all, and let a worker judge them; how many.

    Stored answers are kept and not asked for again. A worker that is at it loses its lease.
    """
    config_id = Judging.objects.values_list("config", flat=True).get(pk=judging_id)
    with deciding_on_config(config_id, user, at, [State.FROZEN, State.ACTIVE]) as decision:
        refuse(why_outdated(decision.config))
        judging = lock_one(Judging.objects.filter(pk=judging_id))
        rows = judging.judgments.all()
        forgotten, _rows = (rows if everything else rows.filter(status__in=UNANSWERED)).delete()
        Judging.objects.filter(pk=judging.pk).update(
            state=Judging.State.WAITING,
            owner=None,
            lease_until=None,
            not_before=None,
            paused="",
            finished_at=None,
            attempt=F("attempt") + 1,
            round=F("round") + 1,
            rows_done=rows.count(),
        )
        decision.log("judge.rejudged", judging.submission_id, reason=reason, rows=forgotten)
    return forgotten


def look_again(competition: Competition) -> int:
    """Let complete judgings be gone through once more, for rows that new references brought."""
    if not competition.shows_other_columns:
        return 0
    rows = Judging.objects.filter(
        config__competition=competition, config__state=State.ACTIVE, state=Judging.State.COMPLETE
    )
    lock(rows)
    return rows.update(state=Judging.State.WAITING, finished_at=None, not_before=None)
