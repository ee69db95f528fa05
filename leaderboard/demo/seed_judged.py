"""The contest with a fake judge, made through the same actions as anybody's.

The judge's server is not running yet when a launcher prepares, so this starts it in this process,
on its own port, for as long as the seeding takes.
"""

import contextlib
import threading
from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string

from leaderboard.accounts.models import User
from leaderboard.actions.references import upload_dialogues
from leaderboard.competitions.models import Competition
from leaderboard.demo.accounts import organizer
from leaderboard.demo.judged import INSTRUCTION, JUDGED, LABEL, SECTION
from leaderboard.demo.seed import ORGANIZER, seed_contest
from leaderboard.judging.actions.configs import create_judge_config, set_judge_sections
from leaderboard.judging.actions.items import approve_artefacts, begin_judge_review
from leaderboard.judging.actions.judgings import request_judging
from leaderboard.judging.actions.running import activate_judge_config, freeze_judge_config
from leaderboard.judging.actions.turn import judge_next
from leaderboard.judging.drafting import ConfigSettings, SectionSettings
from leaderboard.judging.fake.server import FakeJudge
from leaderboard.judging.models import JudgeConfig, Section
from leaderboard.references.models import DialogueSet
from leaderboard.submissions.intake import Upload
from leaderboard.submissions.models import Submission

State = JudgeConfig.State


def seed_judged(*, at: datetime) -> int:
    """Make what is missing of the contest and its column; answers how many files it handed in.

    Safe to run again, also after it was killed half way. Once the column is shown, it stays as
    people left it. The last file of each team but one is judged; that one waits for the worker.
    """
    olivia = organizer(ORGANIZER)
    handed_in = seed_contest(JUDGED, olivia, at)
    competition = Competition.objects.get(slug=JUDGED.pages.slug)
    config = JudgeConfig.objects.filter(competition=competition).first()
    if config is None or config.state in (State.DRAFT, State.REVIEWING, State.FROZEN):
        with fake_judge():
            _column(competition, olivia, config, at)
    return handed_in


@contextlib.contextmanager
def fake_judge() -> Iterator[None]:
    """The server on its port; nothing is started if somebody listens there already."""
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
        section = SectionSettings(SECTION, Section.Kind.FREE, INSTRUCTION)
        set_judge_sections(config_id=config.pk, user=olivia, sections=[section], at=at)
        config = begin_judge_review(config_id=config.pk, user=olivia, at=at)
    if config.state == State.REVIEWING:
        _work()
        approve_artefacts(config_id=config.pk, user=olivia, at=at)
        config = freeze_judge_config(config_id=config.pk, user=olivia, at=at)
    activate_judge_config(config_id=config.pk, user=olivia, at=at)
    latest = _latest(competition)
    for submission in latest[:-1]:
        request_judging(submission_id=submission.pk, user=olivia, at=at)
    _work()
    for submission in latest[-1:]:
        request_judging(submission_id=submission.pk, user=olivia, at=at)


def _wanted(competition: Competition, olivia: User, at: datetime) -> ConfigSettings:
    dialogues = DialogueSet.objects.filter(competition=competition).first() or upload_dialogues(
        competition=competition,
        user=olivia,
        upload=Upload(JUDGED.files[0].name, JUDGED.files[0].read()),
        at=at,
    )
    return ConfigSettings.of(
        JudgeConfig(
            competition=competition,
            label=LABEL,
            dialogue_set=dialogues,
            language="ko",
            endpoint="fake",
            model="fake-judge",
            sampling={"temperature": 0, "max_tokens": 2000},
        )
    )


def _latest(competition: Competition) -> list[Submission]:
    """The last file of each team."""
    rows = Submission.objects.filter(team__competition=competition).order_by("received_at", "pk")
    return list({row.team_id: row for row in rows}.values())


def _work() -> None:
    """Do the judge worker's work until nothing waits."""
    connect = import_string(settings.JUDGE_CLIENT)
    while judge_next(now=timezone.now, connect=connect) is not None:
        pass
