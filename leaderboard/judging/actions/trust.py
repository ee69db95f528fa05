"""How far a judge can be trusted: organizers upload people's labels, or have it asked again."""

from dataclasses import asdict
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db.models import F, QuerySet
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import not_an_editor
from leaderboard.competitions.roles import may_edit
from leaderboard.judging import labelling, repeating
from leaderboard.judging.actions.configs import State, deciding_on_config, refuse, why_outdated
from leaderboard.judging.actions.judgings import boards
from leaderboard.judging.actions.running import why_not_active
from leaderboard.judging.agreement_report import report
from leaderboard.judging.asking.claim import REPEATABLE
from leaderboard.judging.models import AgreementReport, JudgeConfig, Judging, Repeat
from leaderboard.refusals import Refused
from leaderboard.submissions.queries import Upload, clean_name
from scoring.findings import Notice
from scoring.judges import labels

WAITING = Repeat.State.WAITING

nothing_to_repeat = partial(
    Refused,
    "nothing_to_repeat",
    _("There is no judged submission to measure again."),
    _("Choose a submission whose judging is complete."),
)


def begin_judge_repeat(*, config_id: UUID, judging_id: UUID, user: User, at: datetime) -> Repeat:
    """Let a worker ask again about some rows of this judging. Raises Refused."""
    with deciding_on_config(config_id, user, at, REPEATABLE) as decision:
        config = decision.config
        refuse(why_not_repeated(config))
        judging = repeatable(config, at).filter(pk=judging_id).first()
        found = repeating.rows_to_repeat(judging) if judging else []
        if judging is None or not found:
            raise nothing_to_repeat()
        judging.config = config
        rows = {example_id: key for example_id, key, _row in found}
        repeat = Repeat.objects.create(
            config=config,
            config_hash=config.config_hash,
            judging=judging,
            rows=list(rows.items()),
            samples=repeating.SAMPLES,
            said=repeating.first_pass(judging, rows),
            begun_by=user,
            begun_at=at,
        )
        decision.log(
            "judge.repeat_begun", judging.submission_id, rows=len(rows), samples=repeat.samples
        )
    return repeat


def repeatable(config: JudgeConfig, at: datetime) -> QuerySet[Judging]:
    rows = Judging.objects.filter(
        config=config,
        state=Judging.State.COMPLETE,
        board__in=boards(config.competition, at),
        submission__exclusion=None,
        submission__cancellation=None,
    )
    return rows.select_related("submission__team").order_by("-requested_at", "pk")


def why_not_repeated(config: JudgeConfig) -> Refused | None:
    """Why this config's judge cannot be asked again now, whatever there is to ask."""
    if not config.is_shared:
        return Refused(
            "no_items",
            _("Pipelines of published systems have no verdict per item to compare."),
            _("Measure it under a config with the pipeline “shared”."),
        )
    refusal = why_not_active(config) or why_outdated(config)
    if refusal is None and Repeat.objects.filter(config=config, state=WAITING).exists():
        return Refused(
            "already_repeating",
            _("A repeat of this config is already running."),
            _("Wait for it to finish, or stop it."),
        )
    return refusal


def stop_judge_repeat(*, config_id: UUID, user: User, at: datetime) -> None:
    """Ask nothing more; a worker that is at it loses its lease. Raises Refused."""
    with deciding_on_config(config_id, user, at) as decision:
        stopped = Repeat.objects.filter(config=decision.config, state=WAITING).update(
            state=Repeat.State.STOPPED,
            owner=None,
            lease_until=None,
            paused="",
            finished_at=at,
            attempt=F("attempt") + 1,
        )
        if not stopped:
            raise Refused(
                "not_repeating",
                _("No repeat is running."),
                _("Open the page again to see its state."),
            )
        decision.log("judge.repeat_stopped")


def upload_judge_labels(
    *, config_id: UUID, user: User, upload: Upload, at: datetime
) -> tuple[AgreementReport, tuple[Notice, ...]]:
    """Keep the labels with the report they give now. Raises InvalidLabels or Refused."""
    config = JudgeConfig.objects.select_related("competition").get(pk=config_id)
    if not may_edit(user, config.competition):
        raise not_an_editor()
    submissions, example_ids = labelling.judged_places(config)
    if not submissions:
        raise Refused(
            "nothing_judged",
            _("No submission has been judged under this config yet."),
            _("Upload labels of the same items once a submission is judged."),
        )
    given, notices = labels.read(upload.data, submissions=submissions, example_ids=example_ids)
    numbers = report(given, labelling.judged(config))
    states = (State.FROZEN, State.ACTIVE, State.RETIRED)
    with deciding_on_config(config_id, user, at, states) as decision:
        kept = AgreementReport.objects.create(
            config=decision.config,
            config_hash=decision.config.config_hash,
            file_name=clean_name(upload.name),
            sha256=upload.sha256,
            labels=[asdict(label) for label in given],
            numbers=numbers,
            uploaded_by=user,
            uploaded_at=at,
        )
        decision.log("judge.labels_uploaded", file=kept.file_name, labels=len(given))
    return kept, notices
