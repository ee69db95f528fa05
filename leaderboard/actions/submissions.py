"""What a team does with its submissions: submit, withdraw, describe, choose finals."""

import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID, uuid4

import structlog
from django.conf import settings
from django.core.files.storage import storages
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.accounts.rate_limits import Limit, Use, seconds_to_wait, take
from leaderboard.actions.decisions import Deciding
from leaderboard.boards.standings import place_everywhere
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.competitions.registration import terms_due
from leaderboard.competitions.schedule import (
    Clock,
    Phase,
    day,
    is_late,
    phase,
    refusal,
    refuse_ended,
    stamp,
    when_decided,
)
from leaderboard.competitions.storage import storage_full, store_away, stored
from leaderboard.evaluation.claim import ask, cancel_waiting
from leaderboard.evaluation.models import Evaluation
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import as_news
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import dev_ids, expected_ids, scored_versions
from leaderboard.refusals import Forbidden, Invalid, Refused, TooMany, Unknown
from leaderboard.submissions.ledger import Allowance, allowance, refund
from leaderboard.submissions.models import Cancellation, FinalChoice, QuotaEntry, Submission
from leaderboard.submissions.queries import (
    Upload,
    chosen,
    clean_name,
    locked_team_of,
    store_is_missing,
)
from leaderboard.teams.membership import people
from leaderboard.teams.models import Team
from scoring.findings import InvalidSubmission, Limits
from scoring.predictions import Predictions, read
from scoring.tokenizers import max_repeat

logger = structlog.get_logger(__name__)

LIVE = ScoringVersion.State.LIVE
MAX_FILE = 5_000_000
FREE_SPACE = 5 * MAX_FILE  # below this the disk counts as full: the database needs room too
# Beside the quota; nobody who works by hand ever meets it. By team: a classroom shares an address.
REFUSALS = Limit(
    "too_many_refused",
    30,
    timedelta(hours=1),
    _("{most} submissions of this team were refused within the hour."),
    _("Try again in {minutes} min. No attempt was used."),
)
# Refusals that are nobody's fault but ours; they are not held against the team. A team whose files
# wait too long has a worker that is slow, or none.
OURS = frozenset({"storage_full", "store_away", "no_live_version", "too_many_waiting"})

no_live_version = partial(
    Refused,
    "no_live_version",
    _("There are no live references yet, so nothing can be submitted."),
    _("Submissions open once the organizer makes the references live."),
)

terms_first = partial(
    Forbidden,
    "terms",
    _("You have not accepted the terms of this competition yet (version {version})."),
    _("Read and accept them on the page “Terms”."),
)


def disk_is_full() -> bool:
    """Whether uploads are refused, and this machine is not ready for any."""
    return shutil.disk_usage(settings.DATA_DIR).free < FREE_SPACE


def locked_own_team(team_id: UUID, user: User) -> Team:
    """The team with its contest, its row locked. Raises Refused for all but its members.

    Read under the lock: an organizer may have moved the person while they waited, and then their
    team of one is gone.
    """
    found = lock(Team.objects.select_related("competition").filter(pk=team_id))
    if not found or not found[0].memberships.filter(user=user).exists():
        raise Forbidden("not_a_member", _("You are not a member of this team."))
    refuse_ended(found[0].competition)
    return found[0]


def _lock_own_file(submission: Submission, user: User) -> Team:
    """The team that has it now, its row locked. Raises Refused for all but its members."""
    team = locked_team_of(submission.pk)
    if not team.memberships.filter(user=user).exists():
        raise Forbidden("not_a_member", _("You are not a member of this team."))
    refuse_ended(team.competition)
    submission.team = team
    return team


@dataclass(frozen=True)
class Incoming:
    """A file that was read and stored, in the transaction that makes its rows."""

    upload: Upload
    predictions: Predictions
    version: ScoringVersion
    stored: str

    def keep(
        self,
        *,
        team: Team,
        user: User,
        key: str,
        note: str = "",
        method_name: str = "",
        at: datetime,
    ) -> Submission:
        """The submission, the slot of its day and what scores it; read anew under a newer version.
        A baseline takes no slot and is never late. Raises InvalidSubmission, Refused."""
        predictions = self.predictions
        versions = scored_versions(team.competition)
        if not any(one == self.version and one.state == LIVE for one in versions):
            predictions, _ = read_upload(team.competition, self.upload)
        takes_part = team.kind == Team.Kind.PARTICIPANT
        submission = Submission.objects.create(
            team=team,
            origin=team,
            submitted_by=user,
            received_at=at,
            key=key,
            file=self.stored,
            file_name=clean_name(self.upload.name),
            size=len(self.upload.data),
            sha256=self.upload.sha256,
            notices=[notice.kept() for notice in predictions.notices],
            note=note[:500],
            method_name=method_name[:80],
            is_late=takes_part and is_late(team.competition, at),
        )
        if takes_part:
            QuotaEntry.objects.create(
                team=team,
                submission=submission,
                kind=QuotaEntry.Kind.CHARGE,
                day=day(team.competition, at).date,
                at=at,
                reason=QuotaEntry.Reason.SUBMITTED,
            )
        ask(submissions=[submission], versions=versions, rows=len(predictions.texts))
        # Within a request this line has its id; what is logged of scoring has the submission's.
        transaction.on_commit(partial(logger.info, "submitted", submission=str(submission.pk)))
        return submission


@contextmanager
def incoming(competition: Competition, upload: Upload) -> Iterator[Incoming]:
    """Read and store a file, in one transaction with what is done with it. Raises InvalidSubmission
    or Refused."""
    predictions, version = read_upload(competition, upload)
    if disk_is_full():
        raise storage_full()
    if store_is_missing():
        raise store_away()
    with stored(storages["submissions"], f"{uuid4()}.csv", upload.data) as name:
        yield Incoming(upload, predictions, version, name)


def submit(
    *,
    team: Team,
    user: User,
    upload: Upload,
    key: str,
    note: str = "",
    method_name: str = "",
    at: datetime,
    now: Clock | None = None,
) -> Submission:
    """Accept one file: bytes, submission, evaluations and ledger line, or nothing.

    `now` as in `when_decided`. The same key answers the same submission. Raises Refused, before the
    file is read if it can be, or InvalidSubmission with all problems of the file. Neither costs an
    attempt, but after so many `REFUSALS` the team waits, unless they were `OURS`.
    """
    if (earlier := _earlier(team, key, upload)) is not None:
        return earlier
    refuse_ended(team.competition)
    refusals = Use(REFUSALS, str(team.pk))
    if wait := seconds_to_wait(refusals, at=at):
        raise REFUSALS.refusal(wait)
    try:
        if (refused_now := refusal_now(team, user, at)) is not None:
            raise refused_now
        with incoming(team.competition, upload) as file:
            # Everything that was decided before the lock is asked again.
            team = locked_own_team(team.pk, user)
            at = when_decided(team.competition, at, now)
            # A request with this key may have been faster.
            if (earlier := _earlier(team, key, upload)) is not None:
                storages["submissions"].delete(file.stored)
                return earlier
            if (refused_now := refusal_now(team, user, at)) is not None:
                raise refused_now
            return file.keep(
                team=team, user=user, key=key, note=note, method_name=method_name, at=at
            )
    except (InvalidSubmission, Refused) as refused:
        if not isinstance(refused, Refused) or refused.code not in OURS:
            take(refusals, at=at)
        raise


def _earlier(team: Team, key: str, upload: Upload) -> Submission | None:
    """What the team has under this key. Raises Refused if that is another file."""
    found = Submission.objects.filter(team=team, key=key)
    if not found:
        return None
    same = next((one for one in found if one.sha256 == upload.sha256), None)
    if same is None:
        raise Invalid(
            "key_reused",
            _("This idempotency key was used with another file."),
            _("A program sends a new key with each file. Open the submit page again and retry."),
        )
    return same


def read_upload(competition: Competition, upload: Upload) -> tuple[Predictions, ScoringVersion]:
    """The validator's reading and the live version that it is of. Raises InvalidSubmission or
    Refused."""
    version = next((one for one in scored_versions(competition) if one.state == LIVE), None)
    if version is None:
        raise no_live_version()
    most = max_repeat(version.profile().tokenizer)
    limits = Limits(max_bytes=MAX_FILE, max_cell=competition.max_cell, max_repeat=most)
    dev = partial(dev_ids, competition)
    return read(upload.data, expected_ids(version), limits, dev_ids=dev), version


def refusal_now(
    team: Team, user: User, at: datetime, left: Allowance | None = None
) -> Refused | None:
    """Why this person may not submit at `at`, whatever the file holds; `left`: if it is known."""
    competition = team.competition
    if team.disqualified_at is not None:
        return Forbidden(
            "disqualified",
            _("A disqualified team cannot submit. Reason: {reason}"),
            _("If you disagree, write to the organizer. Your submissions stay."),
            reason=team.disqualify_reason,
        )
    if (closed := refusal(competition, at)) is not None:
        return closed
    if (due := terms_due(user, competition)) is not None:
        return terms_first(version=due.number)
    left = left or allowance(team, competition, at)
    if left.total_left == 0:
        return TooMany(
            "total_limit",
            _("All {used} submissions of this competition are used."),
            used=left.total_used,
        )
    if left.left_today == 0:
        wait = max(1, round((left.resets_at - at).total_seconds()))
        return TooMany(
            "daily_limit",
            _("All of today's submissions are used."),
            _("The next slot opens at {opens}."),
            opens=stamp(left.resets_at, competition),
            retry_after=wait,
        )
    waiting = Evaluation.objects.filter(
        submission__team=team, state__in=("queued", "running"), scoring_version__state=LIVE
    )
    if waiting.count() >= competition.max_waiting:
        return TooMany(
            "too_many_waiting",
            _("{max_waiting} submissions of this team are still waiting to be scored."),
            _("Try again when one of them is done. No attempt was used."),
            max_waiting=competition.max_waiting,
            retry_after=10,
        )
    return None


def cancel(*, submission: Submission, user: User, at: datetime, now: Clock | None = None) -> None:
    """Cancel every waiting evaluation and refund the slot; twice is once. Raises Refused.

    Not after the reveal: without this file another one may count. The others of the team are told:
    it may be their file. A worker that claims at the same instant wins or loses whole.
    """
    with transaction.atomic():
        team = _lock_own_file(submission, user)
        if Cancellation.objects.filter(submission=submission).exists():
            return
        at = when_decided(team.competition, at, now)
        if phase(team.competition, at) is Phase.REVEALED and not submission.is_late:
            raise Refused(
                "revealed",
                _("The results are revealed, so this submission can no longer be withdrawn."),
            )
        if not cancel_waiting(submission.pk):
            raise Refused(
                "not_waiting",
                _("Scoring has begun, so this can no longer be withdrawn."),
                _("Please wait for the result."),
            )
        Cancellation.objects.create(submission=submission, cancelled_by=user, at=at)
        refund(submission=submission, at=at, reason=QuotaEntry.Reason.CANCELLED)
        others = [member for member in people(team) if member.pk != user.pk]
        news = as_news("refunded", username=user.username, file=submission.file_name)
        decision = Deciding(team.competition, user, at)
        decision.tell(others, Notification.Kind.REFUNDED, submission.pk, news)


def edit_note(*, submission: Submission, user: User, note: str, method_name: str) -> None:
    """Only the team's own people may. Raises Refused."""
    with transaction.atomic():
        _lock_own_file(submission, user)
        submission.note = note[:500]
        submission.method_name = method_name[:80]
        submission.save(update_fields=["note", "method_name"])


FINALS = 2


def choose_final(
    *, submission: Submission, user: User, ticked: bool, at: datetime, now: Clock | None = None
) -> None:
    """Add this one to its team's finals or take it away. Raises as `choose_finals`."""
    with transaction.atomic():
        team, this = _lock_own_file(submission, user), {submission.pk}
        finals = chosen(team.pk) | this if ticked else chosen(team.pk) - this
        choose_finals(team=team, user=user, submission_ids=finals, at=at, now=now)


def choose_finals(
    *,
    team: Team,
    user: User,
    submission_ids: Collection[UUID],
    at: datetime,
    now: Clock | None = None,
) -> None:
    """Make exactly these the finals; without any the best public one counts. Raises Refused."""
    with transaction.atomic():
        team = locked_own_team(team.pk, user)
        at = when_decided(team.competition, at, now)
        competition = team.competition
        if phase(competition, at) is not Phase.OPEN:
            closed = stamp(competition.closes_at, competition)
            raise Forbidden(
                "closed",
                _("Finals can be chosen until {closed}."),
                _(
                    "Finals chosen by then count. Without a choice, the "
                    "best public submission counts."
                ),
                closed=closed,
            )
        if len(set(submission_ids)) > FINALS:
            raise Invalid(
                "too_many_finals",
                _("At most {finals} submissions can be chosen."),
                _("Remove one of them first."),
                finals=FINALS,
            )
        wanted = list(Submission.objects.filter(team=team, pk__in=submission_ids))
        if len(wanted) != len(set(submission_ids)):
            raise Unknown("unknown_submission", _("This is not a submission of this team."))
        if any(submission.is_late for submission in wanted):
            raise Refused(
                "late_final",
                _("A late submission is not ranked, so it cannot be chosen as a final."),
                _("Choose a submission made before the close."),
            )
        done = Evaluation.objects.filter(
            submission__in=wanted, state=Evaluation.State.DONE, scoring_version__state=LIVE
        )
        if done.count() < len(wanted):
            raise Refused("not_scored", _("Only a scored submission can be chosen."))
        FinalChoice.objects.filter(submission__team=team).exclude(submission__in=wanted).delete()
        FinalChoice.objects.bulk_create(
            [FinalChoice(submission=one, chosen_by=user, at=at) for one in wanted],
            ignore_conflicts=True,
            batch_size=500,
        )
        place_everywhere(team=team)
