"""The demo contests, made through the same actions and the same scorer as anybody's."""

import codecs
import json
import os
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.announcements import announce
from leaderboard.actions.competition import create_competition
from leaderboard.actions.data_files import add_data_file
from leaderboard.actions.forum import mark_answer, reply, start_thread
from leaderboard.actions.invitations import accept, invite_person
from leaderboard.actions.references import (
    check_references_at_once,
    release_dev_set,
    release_dialogues,
    upload_dev_set,
    upload_dialogues,
    upload_references,
)
from leaderboard.actions.registration import join
from leaderboard.actions.schedule import announce_reveals
from leaderboard.actions.scoring import evaluate_next
from leaderboard.actions.submissions import choose_finals, submit
from leaderboard.actions.teams import add_baseline
from leaderboard.actions.versions import make_live, rehearse
from leaderboard.competitions.models import Competition
from leaderboard.competitions.storage import private
from leaderboard.demo.contests import (
    CONSTANT,
    CONSTANT_TEXT,
    CONTESTS,
    DemoContest,
    DemoCorrection,
    PlannedUpload,
    as_csv,
    load_csv,
    read,
)
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.queries import Upload, of_team
from leaderboard.teams.invitations import of_person
from leaderboard.teams.models import Team

ZONE = ZoneInfo("Asia/Seoul")
ORGANIZER = "olivia"
INVITED = (("bob",), ("sora", "yena"))  # into the first teams; Alice leads the very first
LOOKING_TIME = timedelta(minutes=10)  # until the organizer takes the next step
SCORING_TIME = timedelta(seconds=2)  # what a worker would take; the demo's past has no worker


def seed(*, at: datetime) -> int:
    """Make what is missing of the demo; answers how many submissions it handed in."""
    return sum(part(at=at) for part in PARTS)


def seed_contests(*, at: datetime) -> int:
    """Make the two contests unless they are there; answers how many submissions it handed in."""
    olivia = organizer(ORGANIZER)
    handed_in = sum(seed_contest(contest, olivia, at) for contest in CONTESTS)
    if not accounts_file().exists():
        first = CONTESTS[0].teams()[0]
        _hand_out(
            {
                ORGANIZER: ("organizer", None),
                "alice": ("participant", first),
                "bob": ("participant", first),
                "charlie": ("participant", None),
            }
        )
    return handed_in


PARTS: list[Callable[..., int]] = [seed_contests]
"""What makes the demo, each called with `at` and safe to run again; answers how many submissions
it handed in. An app above this one appends its own in its `ready()`."""


@transaction.atomic
def seed_contest(contest: DemoContest, olivia: User, at: datetime) -> int:
    """Make one contest, all or nothing; answers how many submissions it handed in.

    One that is there stays as people left it.
    """
    if Competition.objects.filter(slug=contest.pages["slug"]).exists():
        return 0
    midnight = datetime.combine(at.astimezone(ZONE).date(), time.min, tzinfo=ZONE)
    opens = midnight + timedelta(days=contest.opens_day, hours=10)
    competition = create_competition(
        **contest.pages,
        owner=olivia,
        at=min(at, opens),
        opens_at=opens,
        closes_at=midnight + timedelta(days=contest.closes_day, hours=19),
        reveals_at=midnight + timedelta(days=contest.reveals_day, hours=10),
        zone=str(ZONE),
        late_entries=contest.late_entries,
    )
    _material(contest, competition, olivia)
    teams = _teams(contest, competition)
    planned = contest.submissions()
    change = contest.correction
    for number, one in enumerate(planned):
        if change is not None and one.after >= change.after:
            _correct(contest, change, competition, olivia, midnight + change.after)
            change = None
        _hand_in(f"demo-{number}", contest, one, teams[one.team], midnight + one.after)
    for name, team in teams.items():
        _choose_finals([one for one in planned if one.team == name], team)
    if contest.dev_golds:
        later = opens + timedelta(days=1, hours=1)
        announce(competition=competition, user=olivia, text=DEV_SET, text_en=DEV_SET_EN, at=later)
    _talk(competition, olivia, person(contest.captains[0]))
    if competition.reveals_at <= at:
        # Dated by the reveal, not by the day on which somebody installed the demo.
        announce_reveals(at=competition.reveals_at)
    return len(planned)


def _material(contest: DemoContest, competition: Competition, olivia: User) -> None:
    """References, dialogues and dev set, files to download, and baselines."""
    at = competition.opens_at
    own: dict[str, Any] = {"competition": competition, "user": olivia, "at": at}
    dialogues = Upload(
        contest.dialogues_name, codecs.BOM_UTF8 + read(contest.dialogues)
    )  # for Excel
    number = len(load_csv(contest.dialogues))
    said = f"요약할 대화 {number}개입니다. 정답은 들어 있지 않습니다."
    said_en = f"The {number} dialogues to summarize, without references."
    add_data_file(**own, upload=dialogues, description=said, description_en=said_en)
    first_golds = read(contest.golds)
    if slip := contest.correction:
        # A demo in which no reference was ever wrong has no change of scoring to show.
        first_golds = first_golds.replace(slip.right.encode(), slip.wrong.encode())
    version = _version(contest, competition, olivia, first_golds, at)
    make_live(version=version, user=olivia, at=at)
    if contest.dev_golds:
        golds = upload_dev_set(**own, files=[Upload(contest.dev_golds, read(contest.dev_golds))])
        release_dev_set(reference_set=golds, user=olivia, at=at)
        upload = Upload(contest.dev_dialogues, read(contest.dev_dialogues))
        release_dialogues(dialogue_set=upload_dialogues(**own, upload=upload), user=olivia, at=at)
    # After the dev set, which takes the only dialogues that are there for its own.
    upload_dialogues(**own, upload=dialogues)
    for name in contest.baselines:  # what programs without a model would submit
        rows = load_csv(contest.systems)
        texts = {row["fname"]: CONSTANT_TEXT if name == CONSTANT else row["lead"] for row in rows}
        add_baseline(**own, name=name, upload=Upload("baseline.csv", as_csv(texts)))
        evaluate_next(now=lambda: at + SCORING_TIME)


def _version(
    contest: DemoContest, competition: Competition, olivia: User, golds: bytes, at: datetime
) -> ScoringVersion:
    version = upload_references(
        competition=competition,
        user=olivia,
        files=[Upload(contest.golds, golds)],
        preset=competition.preset,
        tokenizer=competition.tokenizer,
        at=at,
    )
    check_references_at_once(version=version)
    return version


def _correct(
    contest: DemoContest,
    change: DemoCorrection,
    competition: Competition,
    olivia: User,
    at: datetime,
) -> None:
    """The references without their slip, rehearsed and made live."""
    version = _version(contest, competition, olivia, read(contest.golds), at)
    at += LOOKING_TIME
    rehearse(version=version, user=olivia, at=at)
    while evaluate_next(now=lambda: at + SCORING_TIME) is not None:
        pass
    version.refresh_from_db()
    make_live(version=version, user=olivia, reason=change.reason, at=at + LOOKING_TIME)


def _teams(contest: DemoContest, competition: Competition) -> dict[str, Team]:
    """Each planned team with its captain; into two of them the captain invited others."""
    at = competition.opens_at
    teams = {
        name: join(user=person(captain), competition=competition, team_name=name, at=at)
        for name, captain in zip(contest.teams(), contest.captains, strict=True)
    }
    for (team, captain), members in zip(
        zip(teams.values(), contest.captains, strict=True), INVITED, strict=False
    ):
        for newcomer in map(person, members):
            invite_person(team=team, user=person(captain), username=newcomer.username, at=at)
            [asked] = of_person(newcomer, competition, at)
            accept(invitation=asked, user=newcomer, at=at)
    return teams


def _choose_finals(planned: Sequence[PlannedUpload], team: Team) -> None:
    """What the plan says, right after the team's last file."""
    names = [one.file_name for one in planned if one.final]
    if not names:
        return
    own = list(of_team(team))
    assert team.captain is not None
    choose_finals(
        team=team,
        user=team.captain,
        submission_ids=[one.pk for one in own if one.file_name in names],
        at=own[0].received_at + SCORING_TIME,
    )


def _hand_in(
    key: str, contest: DemoContest, planned: PlannedUpload, team: Team, at: datetime
) -> None:
    assert team.captain is not None
    submit(
        team=team,
        user=team.captain,
        upload=Upload(planned.file_name, as_csv(contest.texts(planned))),
        key=key,
        note=planned.note,
        method_name=planned.method_name,
        at=at,
    )
    evaluate_next(now=lambda: at + SCORING_TIME)


DEV_SET = (
    "개발용 대화 10개를 정답과 함께 데이터 탭에 올렸습니다. "
    "개발 실험실에서는 횟수를 쓰지 않고 몇 번이든 채점해 볼 수 있습니다."
)
DEV_SET_EN = (
    "The 10 development dialogues are on the data tab, with their references. "
    "In the dev lab you can score them as often as you like without using an attempt."
)
QUESTION = "여러 문장으로 된 요약도 한 문장처럼 채점되나요?"
ASKED = """\
`dialogues.csv`의 요약이 **두세 문장**일 때도 있는데,

- 문장마다 따로 채점하나요?
- 아니면 이어 붙여서 한 번에 채점하나요?
"""
ANSWER = """\
한 대화의 요약은 **한 번에** 채점합니다. 줄바꿈과 여러 칸은 한 칸으로 보니 점수에 영향이 없습니다.
형태소로 자른 결과는 **개발 실험실** 탭에서 미리 볼 수 있어요.
"""


def _talk(competition: Competition, organizer: User, asks: User) -> None:
    """In the forum a question with its answer."""
    at = competition.opens_at + timedelta(hours=26)
    asked: dict[str, Any] = {"competition": competition, "kind": "question", "title": QUESTION}
    thread = start_thread(**asked, user=asks, text=ASKED, at=at)
    at += timedelta(hours=2)
    answer = reply(thread=thread, user=organizer, text=ANSWER, at=at)
    mark_answer(post=answer, user=asks, at=at + timedelta(minutes=20))


def accounts_file() -> Path:
    """Where the passwords lie, readable by the owner of the data folder only."""
    return Path(settings.DATA_DIR) / "demo-accounts.json"


def person(username: str) -> User:
    """The account of that name; a new one cannot sign in until it gets a password."""
    user, made = User.objects.get_or_create(username=username)
    if made:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def organizer(username: str) -> User:
    """The account of that name, allowed to make contests."""
    user = person(username)
    if not user.may_create_contests:
        user.may_create_contests = True
        user.save(update_fields=["may_create_contests"])
    return user


def _hand_out(people: dict[str, tuple[str, str | None]]) -> None:
    """Give each `username: (role, team)` a random password; the file is written whole or not."""
    accounts = []
    for username, (role, team) in people.items():
        password = secrets.token_urlsafe(9)
        user = person(username)
        user.set_password(password)
        user.save(update_fields=["password"])
        accounts.append({"username": username, "password": password, "role": role, "team": team})
    aside = accounts_file().with_suffix(".part")
    with open(aside, "w", encoding="utf-8", opener=private) as out:
        content = {"url": settings.BASE_URL, "accounts": accounts}
        json.dump(content, out, ensure_ascii=False, indent=2)
    os.replace(aside, accounts_file())
