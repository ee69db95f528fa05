"""What tests start from. Alice and Bob are a team, Charlie is a stranger, Olivia organizes."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from leaderboard.accounts.models import User
from leaderboard.actions.competition import create_competition
from leaderboard.actions.data_files import add_data_file
from leaderboard.actions.references import (
    release_dev_set,
    release_dialogues,
    upload_dev_set,
    upload_dialogues,
    upload_references,
)
from leaderboard.actions.registration import accept_terms, join
from leaderboard.actions.scoring import evaluate_next
from leaderboard.actions.submissions import submit
from leaderboard.actions.versions import make_live
from leaderboard.actions.webhooks import set_webhook
from leaderboard.boards.listing import has_board
from leaderboard.boards.visibility import Viewer
from leaderboard.community.models import Webhook
from leaderboard.competitions.models import Competition, DataFile
from leaderboard.competitions.registration import newest_terms
from leaderboard.competitions.roles import Anyone, role_of
from leaderboard.competitions.schedule import day
from leaderboard.inbox.models import MailAddress
from leaderboard.references.models import ReferenceSet, Release, ScoringVersion
from leaderboard.references.queries import live_version
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from leaderboard.teams.membership import enter
from leaderboard.teams.models import Team
from leaderboard.teams.queries import participants, team_of
from leaderboard.worker.sweep import STEPS, sweep
from tests.leaderboard.kept_rows import built_once
from tests.leaderboard.material import (  # noqa: F401
    CLOSES,
    GOLDS,
    NOON,
    OPENS,
    REVEALS,
    SPLITS,
    gold_csv,
    prediction_csv,
    texts_csv,
)


def user(name: str) -> User:
    found, made = User.objects.get_or_create(username=name)
    if made:
        found.set_password(f"{name}-secret")
        found.save()
    return found


def viewer_of(contest: Competition, user: Anyone, at: datetime) -> Viewer:
    """Somebody who looks at a contest, whether they may know of it or not."""
    return Viewer(
        competition=contest,
        user=user,
        at=at,
        role=role_of(user, contest),
        team=team_of(user, contest),
        version=live_version(contest),
        teams=participants(contest).count(),
        has_dev_set=Release.objects.filter(competition=contest).exists(),
    )


def creator(name: str = "olivia") -> User:
    """Somebody whom the administrator lets make contests."""
    found = user(name)
    if not found.may_create_contests:
        found.may_create_contests = True
        found.save()
    return found


def competition(slug: str = "talk", **fields: Any) -> Competition:
    defaults: dict[str, Any] = {
        "title": "일상 대화 요약",
        "title_en": "Dialogue Summarization",
        "opens_at": OPENS,
        "closes_at": CLOSES,
        "reveals_at": REVEALS,
        "zone": "Asia/Seoul",
        "max_waiting": 100,
    }
    wanted = {**defaults, **fields}
    return create_competition(owner=creator(), at=wanted["opens_at"], slug=slug, **wanted)


def live(contest: Competition, data: bytes | None = None, **profile: str) -> ScoringVersion:
    version = uploaded(contest, data, at=OPENS, **profile)
    return make_live(version=version, user=user("olivia"), at=OPENS)


def uploaded(
    contest: Competition, data: bytes | None = None, *, at: datetime = NOON, **profile: Any
) -> ScoringVersion:
    """A version of these golds, a draft still."""
    return upload_references(
        competition=contest,
        user=user("olivia"),
        files=[Upload("golds.csv", data or gold_csv())],
        at=at,
        **{"preset": "max-sum", "tokenizer": "mecab-ko", **profile},
    )


@built_once
def open_competition(slug: str = "talk", **fields: Any) -> Competition:
    """A competition with live golds."""
    contest = competition(slug, **fields)
    live(contest)
    return contest


def webhook(contest: Competition, *events: str, at: datetime = NOON, **fields: str) -> Webhook:
    """Where a contest's news go, set by Olivia: all of them, if none is named."""
    wanted = {"url": "https://hooks.example.org/T0", "format": "slack", "language": "ko", **fields}
    every = events or tuple(event.value for event in Webhook.Event)
    return set_webhook(competition=contest, user=user("olivia"), events=every, at=at, **wanted)


def mail_address(name: str, at: datetime = NOON, **fields: object) -> MailAddress:
    """The confirmed address of somebody."""
    times = dict.fromkeys(("asked_at", "expires_at", "confirmed_at", "next_at"), at)
    given = {"address": f"{name}@school.example", "token_sha256": name, **times, **fields}
    return MailAddress.objects.create(user=user(name), **given)


def mail_out(at: datetime) -> int:
    """The sweeper's round as far as mail goes; answers how many arrived."""
    steps = [(name, step) for name, step in STEPS if name in ("mails", "outbox")]
    return sweep(at, steps)["outbox"]


def dev_set(contest: Competition, golds: Mapping[str, tuple[str, ...]]) -> ReferenceSet:
    """A released dev set with its dialogues."""
    olivia = user("olivia")
    released = upload_dev_set(
        competition=contest,
        user=olivia,
        files=[Upload("dev.csv", gold_csv(golds, None))],
        at=OPENS,
    )
    release_dev_set(reference_set=released, user=olivia, at=OPENS)
    talks = texts_csv({name: f"가: {name}?\n나: 그래." for name in golds}, "dialogue")
    dialogues = upload_dialogues(
        competition=contest, user=olivia, upload=Upload("talks.csv", talks), at=OPENS
    )
    release_dialogues(dialogue_set=dialogues, user=olivia, at=OPENS)
    return released


def data_file(contest: Competition) -> DataFile:
    """The dialogues, for participants to download."""
    return add_data_file(
        competition=contest,
        user=user("olivia"),
        upload=Upload("dialogues.csv", b"fname,dialogue\ntalk_1,hello\n"),
        description="대화",
        at=OPENS,
    )


def team(contest: Competition, *names: str, called: str | None = None) -> Team:
    """A team of these people, who accept the terms if there are any; the first is captain."""
    terms = newest_terms(contest)
    number = terms.number if terms else None
    made = join(user=user(names[0]), competition=contest, team_name=called, terms=number, at=OPENS)
    for name in names[1:]:
        enter(team=made, user=user(name), at=OPENS)
        if number is not None:
            accept_terms(user=user(name), competition=contest, number=number, at=OPENS)
    return made


def hand_in(
    by: Team,
    texts: Mapping[str, str] | None = None,
    *,
    at: datetime = NOON,
    key: str | None = None,
    data: bytes | None = None,
) -> Submission:
    return submit(
        team=by,
        user=by.captain,
        upload=Upload("predictions.csv", data or prediction_csv(texts)),
        key=key or str(uuid4()),
        at=at,
    )


def copied(row: Any, **changed: Any) -> Any:
    """The same as another row, but for what is changed; not yet written."""
    names = {field.attname: field for field in row._meta.concrete_fields}
    kept = {name: getattr(row, name) for name, one in names.items() if not one.primary_key}
    made = type(row)(**kept)
    for name, value in changed.items():
        setattr(made, name, value)
    return made


def midnights(contest: Competition) -> Iterator[datetime]:
    """Those of which there are boards."""
    midnight = day(contest, contest.opens_at).ends_at
    while has_board(contest, midnight):
        yield midnight
        midnight = day(contest, midnight).ends_at


def score_all(at: datetime = NOON) -> int:
    """Do a worker's work in this process until nothing waits."""
    number = 0
    while evaluate_next(now=lambda: at + timedelta(seconds=2)) is not None:
        number += 1
    return number
