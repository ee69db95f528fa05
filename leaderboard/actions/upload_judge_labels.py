"""An organizer uploads people's labels, to see how far a judge agrees with them."""

from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.judge_editing import State, locked_config_for_editing, refuse_unless
from leaderboard.actions.refusals import Refused, not_an_editor
from leaderboard.audit.log import record
from leaderboard.competitions.roles import may_edit
from leaderboard.judging.models import AgreementReport, JudgeConfig
from leaderboard.judging.trust import labels, verdicts
from leaderboard.judging.trust.agreement_report import report
from leaderboard.submissions.intake import Upload, clean_name
from scoring.findings import Notice


@dataclass(frozen=True)
class Compared:
    """The kept report, and what is to be said of the file it was made from."""

    report: AgreementReport
    notices: tuple[Notice, ...]


def upload_judge_labels(*, config_id: UUID, user: User, upload: Upload, at: datetime) -> Compared:
    """Keep the labels with the report they give now. Raises InvalidLabels or Refused."""
    config = JudgeConfig.objects.select_related("competition").get(pk=config_id)
    if not may_edit(user, config.competition):
        raise not_an_editor()
    submissions, example_ids = verdicts.judged_places(config)
    if not submissions:
        raise Refused(
            "nothing_judged",
            ko="이 설정으로 심사한 제출이 아직 없습니다.",
            en="No submission has been judged under this config yet.",
            next_ko="심사한 뒤에 같은 항목의 라벨을 올려 주세요.",
            next_en="Upload labels of the same items once something is judged.",
        )
    read = labels.read(upload.data, submissions=submissions, example_ids=example_ids)
    numbers = report(read.labels, verdicts.judged(config)).to_dict()
    with transaction.atomic():
        locked = locked_config_for_editing(config_id, user)
        refuse_unless(locked, [State.FROZEN, State.ACTIVE, State.RETIRED])
        kept = AgreementReport.objects.create(
            config=locked,
            config_hash=locked.config_hash,
            file_name=clean_name(upload.name),
            sha256=upload.sha256,
            labels=[asdict(label) for label in read.labels],
            numbers=numbers,
            uploaded_by=user,
            uploaded_at=at,
        )
        record(
            kind="judge.labels_uploaded",
            actor=user,
            at=at,
            competition=locked.competition_id,
            subject=locked.pk,
            after={"judge": str(locked), "file": kept.file_name, "labels": len(read.labels)},
        )
    return Compared(kept, read.notices)
