"""The contest that `JUDGE=fake ./run` adds: a judge column without a key, made by a fake judge."""

import contextlib
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string

from leaderboard.accounts.models import User
from leaderboard.actions.references import upload_dialogues
from leaderboard.competitions.models import Competition
from leaderboard.demo.contests import CONTESTS, DemoContest, Mix, PlannedUpload, offset, read
from leaderboard.demo.seed import ORGANIZER, organizer, seed_contest
from leaderboard.judging import fake
from leaderboard.judging.actions.configs import create_judge_config, set_judge_sections
from leaderboard.judging.actions.items import approve_artefacts, begin_judge_review
from leaderboard.judging.actions.judgings import request_judging
from leaderboard.judging.actions.running import activate_judge_config, freeze_judge_config
from leaderboard.judging.actions.turn import judge_next
from leaderboard.judging.fake.server import FakeJudge
from leaderboard.judging.models import JudgeConfig, Judging, Section
from leaderboard.references.models import DialogueSet
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload

RUNNING, _ = CONTESTS
JUDGED_SLUG = "fake-judge"
LABEL = "가짜 심사"
SECTION = "대화 요약"
INSTRUCTION = "누가 왜 이야기하는지 쓴다. 이야기가 끝난 뒤 무엇을 하기로 했는지 쓴다."

_INTRODUCTIONS = {
    language: (Path(fake.__file__).parent / f"introduction.{language}.md").read_text("utf-8")
    for language in ("ko", "en")
}
_UPLOADS = (
    PlannedUpload(
        *("낱말 세는 사람들", 1, offset(-2, 10, 5), Mix(lead=100)),
        *("앞 발화 잇기", "형식 확인"),
    ),
    PlannedUpload(
        *("낱말 세는 사람들", 2, offset(-1, 11, 20), Mix(good=20, better=80)),
        *("두 모델 묶음", "가짜 심사도 구경"),
    ),
    PlannedUpload(
        *("베끼기 클럽", 1, offset(-2, 14, 30), Mix(literal=100)),
        *("발화 이어 쓰기", "대화를 그대로 옮김"),
    ),
    PlannedUpload(
        "짧은 메모 모임", 1, offset(-1, 9, 45), Mix(short=100), "짧은 메모", "명사만 남김"
    ),
    PlannedUpload(
        "문장 공방", 1, offset(-1, 15, 10), Mix(good=90, better=10), "문장 생성", "기본 설정"
    ),
)


JUDGED = DemoContest(
    pages={
        **RUNNING.pages,
        "slug": JUDGED_SLUG,
        "title": "가짜 심사 체험",
        "title_en": "Trying a Fake Judge",
        "introduction": _INTRODUCTIONS["ko"],
        "introduction_en": _INTRODUCTIONS["en"],
    },
    opens_day=-3,
    closes_day=20,
    reveals_day=21,
    golds=RUNNING.golds,
    systems=RUNNING.systems,
    uploads=_UPLOADS,
    dialogues=RUNNING.dialogues,
    dialogues_name=RUNNING.dialogues_name,
    captains=("alice", "jiho", "kyungmin", "luna"),
)


State = JudgeConfig.State


def seed_judged(*, at: datetime) -> int:
    """Make what is missing of the contest and its column; how many files were submitted.

    Safe to run again, also after it was killed. The last file of each team but one is judged.
    """
    if settings.JUDGE != "fake":
        return 0
    olivia = organizer(ORGANIZER)
    handed_in = seed_contest(JUDGED, olivia, at)
    competition = Competition.objects.get(slug=JUDGED_SLUG)
    config = JudgeConfig.objects.filter(competition=competition).first()
    if config is None or _is_begun(config):
        with fake_judge():
            _column(competition, olivia, config, at)
    return handed_in


def _is_begun(config: JudgeConfig) -> bool:
    """Whether it was killed before the last step."""
    asked = Judging.objects.filter(config=config).count()
    return config.state != State.RETIRED and asked < len(JUDGED.teams())


@contextlib.contextmanager
def fake_judge() -> Iterator[None]:
    """The server on its port, in this process, unless somebody listens there already."""
    try:
        server = FakeJudge(settings.FAKE_JUDGE_PORT)
    except OSError:
        yield
        return
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _column(
    competition: Competition, olivia: User, config: JudgeConfig | None, at: datetime
) -> None:
    """From nothing, or from where it was killed, to a column that is shown and partly filled."""
    config = config or create_judge_config(
        competition=competition, user=olivia, wanted=_wanted(competition, olivia, at), at=at
    )
    if config.state == State.DRAFT:
        section = Section(name=SECTION, instruction=INSTRUCTION)
        set_judge_sections(config_id=config.pk, user=olivia, sections=[section], at=at)
        config = begin_judge_review(config_id=config.pk, user=olivia, at=at)
    if config.state == State.REVIEWING:
        _work()
        approve_artefacts(config_id=config.pk, user=olivia, at=at)
        config = freeze_judge_config(config_id=config.pk, user=olivia, at=at)
    if config.state == State.FROZEN:
        activate_judge_config(config_id=config.pk, user=olivia, at=at)
    rows = Submission.objects.filter(team__competition=competition).order_by("received_at", "pk")
    latest = list({row.team_id: row for row in rows}.values())
    for submission in latest[:-1]:
        request_judging(submission_id=submission.pk, user=olivia, at=at)
    _work()
    for submission in latest[-1:]:
        request_judging(submission_id=submission.pk, user=olivia, at=at)


def _wanted(competition: Competition, olivia: User, at: datetime) -> JudgeConfig:
    dialogues = DialogueSet.objects.filter(competition=competition).first() or upload_dialogues(
        competition=competition,
        user=olivia,
        upload=Upload(JUDGED.dialogues_name, read(JUDGED.dialogues)),
        at=at,
    )
    return JudgeConfig(
        competition=competition,
        label=LABEL,
        dialogue_set=dialogues,
        language="ko",
        endpoint="fake",
        model="fake-judge",
        sampling={"temperature": 0, "max_tokens": 2000},
    )


def _work() -> None:
    connect = import_string(settings.JUDGE_CLIENT)
    while judge_next(now=timezone.now, connect=connect) is not None:
        pass
