"""Which submissions are judged: by request, again, or as the config's policy chooses."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import Placement
from leaderboard.boards.visibility import BoardState, state
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import may_edit
from leaderboard.competitions.schedule import day
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.queries import evaluation_under_live
from leaderboard.judging import intake, switching
from leaderboard.judging.actions.configs import State, deciding_on_config, why_outdated
from leaderboard.judging.actions.refusals import JudgeRefused
from leaderboard.judging.columns import active_config
from leaderboard.judging.models import JudgeConfig, Judging
from leaderboard.references.queries import live_version
from leaderboard.submissions.models import FinalChoice, Submission
from leaderboard.submissions.queries import counted
from leaderboard.teams.membership import locked

Board = Placement.Board
Policy = JudgeConfig.Policy


def request_judging(*, submission_id: UUID, user: User, at: datetime) -> Judging:
    """Ask for a submission to be judged; the judging of the public board. Raises Refused.

    A member may, a few times a day, where the config judges on demand, but not for a late file; an
    editor always. Asking again changes nothing.
    """
    with transaction.atomic():
        submission = _of(submission_id)
        team = locked(submission.team_id)
        competition = team.competition
        edits = may_edit(user, competition)
        if not edits and not team.memberships.filter(user=user).exists():
            raise Refused("not_a_member")
        config = _config(competition, any_policy=edits)
        _refuse_unscored(submission)
        if submission.is_late and not edits:
            raise _stands_nowhere()
        today = day(competition, at).date
        new = not intake.judged_already(config, [submission.pk], Board.PUBLIC)
        if new and not edits:
            _refuse_past_the_limit(config, intake.asked_on(config, team.pk, today))
        judging, *_ = [
            intake.ask(
                config=config, submission=submission, board=board, user=user, day=today, at=at
            )[0]
            for board in boards(competition, at)
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


def boards(competition: Competition, at: datetime) -> tuple[str, ...]:
    """The boards that may be judged: the private one when everybody sees it."""
    is_final = state(competition, at) is BoardState.FINAL
    return (Board.PUBLIC, Board.PRIVATE) if is_final else (Board.PUBLIC,)


def choose_by_policy(*, at: datetime) -> int:
    """Ask for what the active configs' policies want; answers how many. Safe to run twice."""
    active = JudgeConfig.objects.filter(
        state=JudgeConfig.State.ACTIVE, competition__shows_other_columns=True
    )
    return sum(_choose(config, at) for config in active.select_related("competition"))


def _choose(config: JudgeConfig, at: datetime) -> int:
    competition, asked = config.competition, 0
    today = day(competition, at).date
    for board in boards(competition, at):
        wanted = list(_wanted(config))
        known = intake.judged_already(config, wanted, board)
        for submission in Submission.objects.filter(pk__in=set(wanted) - known):
            with transaction.atomic():
                locked(submission.team_id)
                used = intake.asked_on(config, submission.team_id, today)
                is_public = board == Board.PUBLIC
                if is_public and used >= config.submissions_per_team_day:
                    continue  # tomorrow
                asked += intake.ask(
                    config=config, submission=submission, board=board, user=None, day=today, at=at
                )[1]
    return asked


def _wanted(config: JudgeConfig) -> Iterator[UUID]:
    """What the policy wants judged, and whatever was judged on the public board already."""
    yield from Judging.objects.filter(config=config, board=Board.PUBLIC).values_list(
        "submission", flat=True
    )
    if config.policy == Policy.BEST:
        yield from _best(config.competition)
    elif config.policy == Policy.FINALS:
        yield from FinalChoice.objects.filter(
            **counted("submission__"),
            submission__team__competition=config.competition_id,
            submission__cancellation=None,
        ).values_list("submission", flat=True)


def _best(competition: Competition) -> Iterable[UUID]:
    """Each team's best submission by public ROUGE, as the board has it."""
    version = live_version(competition)
    if version is None:
        return ()
    found = standings_of(version, Board.PUBLIC, None).values_list("submission_id", flat=True)
    return list(found)


def _of(submission_id: UUID) -> Submission:
    try:
        return Submission.objects.get(pk=submission_id)
    except Submission.DoesNotExist:
        raise JudgeRefused("unknown_submission") from None


def _config(competition: Competition, *, any_policy: bool) -> JudgeConfig:
    config = active_config(competition)
    if config is None:
        raise JudgeRefused("no_judge")
    if not any_policy and config.policy != Policy.ON_DEMAND:
        raise JudgeRefused("judge_chooses")
    return config


def _refuse_unscored(submission: Submission) -> None:
    evaluation = evaluation_under_live(submission)
    if evaluation is None or evaluation.state != Evaluation.State.DONE:
        raise JudgeRefused("not_scored")
    if hasattr(submission, "exclusion"):
        raise JudgeRefused("excluded")


def _stands_nowhere() -> Refused:
    """The contest's budget is for what its boards show, and late files come as long as it lets."""
    return JudgeRefused("late")


def _refuse_past_the_limit(config: JudgeConfig, used: int) -> None:
    if used >= config.submissions_per_team_day:
        raise JudgeRefused("judge_limit", submissions_per_team_day=config.submissions_per_team_day)


def rejudge(
    *, judging_id: UUID, user: User, everything: bool = False, reason: str = "", at: datetime
) -> int:
    """Forget the rows without a readable answer, or all, and let them be judged; how many.

    Answers that were stored are counted again and not asked again: another opinion needs another
    config. Raises Refused.
    """
    config_id = Judging.objects.values_list("config", flat=True).get(pk=judging_id)
    with deciding_on_config(config_id, user, at, [State.FROZEN, State.ACTIVE]) as decision:
        config = decision.config
        refusal = why_outdated(config)
        if refusal is not None:
            raise refusal
        judging = lock_one(Judging.objects.filter(pk=judging_id))
        statuses = None if everything else switching.UNANSWERED
        forgotten = switching.judge_again(judging=judging, statuses=statuses)
        decision.record(
            "judge.rejudged",
            judging.submission_id,
            after={"judge": str(config), "rows": forgotten},
            reason=reason.strip()[:300],
        )
    return forgotten
