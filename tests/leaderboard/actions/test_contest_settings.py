"""Making a contest, changing its rules under everybody's eyes, and its files."""

from datetime import datetime
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ValidationError

from leaderboard.accounts.models import User
from leaderboard.actions.competition import create_competition, edit_competition
from leaderboard.actions.data_files import (
    CONTEST_BYTES,
    add_data_file,
    describe_data_file,
    remove_data_file,
)
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.models import Standing
from leaderboard.boards.standings import stored
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import Competition, DataFile, data_storage
from leaderboard.references.queries import live_version
from leaderboard.refusals import Refused
from leaderboard.submissions.models import FinalChoice
from leaderboard.submissions.queries import Upload
from tests.leaderboard.builders import (
    competition,
    creator,
    hand_in,
    open_competition,
    score_all,
    team,
    user,
)
from tests.leaderboard.material import CLOSES, GOLDS, NOON, OPENS, REVEALS

pytestmark = pytest.mark.django_db
FIELDS: dict[str, Any] = {
    "slug": "spring",
    "title": "봄 대회",
    "opens_at": OPENS,
    "closes_at": CLOSES,
    "reveals_at": REVEALS,
}


# --- Making one ----------------------------------------------------------------------------------


def create(owner: User, at: datetime = NOON, **fields: Any) -> Competition:
    return create_competition(owner=owner, at=at, **{**FIELDS, **fields})


def test_who_may_create_is_the_administrator_and_whom_they_marked(monkeypatch: Any) -> None:
    with pytest.raises(Refused, match="not_a_creator"):
        create(user("alice"))
    User.objects.filter(pk=user("sue").pk).update(is_superuser=True)
    assert create(user("sue"), slug="one").organizers.get().role == "owner"
    assert create(creator("olivia"), slug="two").registration == "open"
    monkeypatch.setattr(settings, "CONTEST_CREATORS", "anyone")
    assert create(user("alice"), slug="three")


def test_a_contest_that_could_never_open_is_not_made() -> None:
    for fields, code in (
        ({"closes_at": OPENS}, "dates_in_order"),
        ({"reveals_at": NOON}, "dates_in_order"),
        ({"opens_at": OPENS, "at": CLOSES}, "date_in_the_past"),
    ):
        with pytest.raises(Refused, match=code):
            create(creator(), **fields)
    create(creator())
    with pytest.raises(ValidationError, match="slug"):
        create(creator())
    assert Competition.objects.count() == 1


# --- Changing it ---------------------------------------------------------------------------------


def change(contest: Competition, at: datetime = NOON, **values: Any) -> None:
    edit_competition(competition=contest, user=user("olivia"), wanted=values, at=at)
    contest.refresh_from_db()


def test_pages_change_without_announcement_and_the_log_keeps_both() -> None:
    contest = open_competition(rules="하나")
    change(contest, rules="둘", title="새 제목")
    assert (contest.rules, contest.title) == ("둘", "새 제목")
    event = AuditEvent.objects.get(kind="competition.edited")
    assert event.before == {"title": "일상 대화 요약", "rules": "하나"}
    assert event.after == {"title": "새 제목", "rules": "둘"}
    assert not Announcement.objects.exists()


def test_rules_of_a_running_contest_change_as_seen_and_are_announced() -> None:
    contest = open_competition()
    wanted = {"daily_limit": 20, "total_limit": 100, "late_entries": True}
    for seen in ("", "0" * 64):
        with pytest.raises(Refused, match="look_first"):
            edit_competition(
                competition=contest, user=user("olivia"), wanted=wanted, seen=seen, at=NOON
            )
    change(contest, daily_limit=20, total_limit=100, late_entries=True)
    said = Announcement.objects.get()
    assert said.text == (
        "규칙이 바뀌었습니다: 하루 제출 12 → 20, 전체 제출 제한 없음 → 100, "
        "마감 뒤 제출 받지 않음 → 받음."
    )
    assert "submissions in total no limit → 100" in said.text_en
    # Before the opening nobody has relied on the rules yet.
    later = competition("later")
    change(later, at=OPENS.replace(hour=0), daily_limit=3)
    assert Announcement.objects.count() == 1


def test_the_finals_rule_moves_private_standings_at_once() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    # The gold itself scores best; it is handed in and not chosen.
    best = hand_in(alices)
    chosen = hand_in(alices, dict.fromkeys(GOLDS, "전혀 다른 말"))
    score_all()
    FinalChoice.objects.create(submission=chosen, chosen_by=user("alice"), at=NOON)
    change(contest, max_waiting=4)

    def private() -> Any:
        return Standing.objects.get(team=alices, board="private").submission_id

    change(contest, finals_rule="best")
    assert private() == best.pk
    change(contest, finals_rule="finals")
    assert private() == chosen.pk
    version = live_version(contest)
    assert version is not None
    assert stored(teams=[alices], version=version)[alices.pk]
    with pytest.raises(Refused, match="revealed"):
        change(contest, at=REVEALS, finals_rule="best")


def test_the_same_values_and_what_the_tables_refuse_change_nothing() -> None:
    contest = open_competition()
    for wrong in ({"title": ""}, {"max_cell": 10_001}):
        with pytest.raises(ValidationError):
            change(contest, **wrong)
    change(contest, title=contest.title)
    assert not AuditEvent.objects.filter(kind="competition.edited").exists()


# --- Its files -----------------------------------------------------------------------------------


def add(contest: Competition, name: str = "dialogues.csv", data: bytes = b"a,b\n") -> DataFile:
    return add_data_file(
        competition=contest, user=user("olivia"), upload=Upload(name, data), at=NOON
    )


def names(contest: Competition) -> list[str]:
    return [file.name for file in contest.data_files.all()]


def test_files_keep_their_order_and_their_log_and_bytes_go_with_the_row(
    django_capture_on_commit_callbacks: Any,
) -> None:
    contest = competition()
    a, b, _c = (add(contest, name) for name in ("a.csv", "b.csv", "c.csv"))
    describe_data_file(
        data_file=b, user=user("olivia"), description="대화", description_en="Talks", at=NOON
    )
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(2):
            remove_data_file(data_file=a, user=user("olivia"), at=NOON)
    assert not data_storage().exists(str(a.file.name))
    add(contest, "a.csv")
    assert names(contest) == ["b.csv", "c.csv", "a.csv"]
    kinds = AuditEvent.objects.filter(kind__startswith="data_file.").order_by("kind")
    assert sorted(kinds.values_list("kind", flat=True)) == [
        *["data_file.added"] * 4,
        "data_file.described",
        "data_file.removed",
    ]
    gone = kinds.get(kind="data_file.removed")
    assert gone.before == {"name": "a.csv", "size": 4, "sha256": a.sha256}


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("dialogues.csv", b"x", "name_taken"),
        ("../dialogues.csv", b"x", "name_taken"),
        ("sample_submission.csv", b"x", "made_by_the_server"),
        ("empty.csv", b"", "empty_file"),
        ("large.csv", b"xx", "contest_full"),
    ],
)
def test_files_that_are_not_taken(name: str, data: bytes, code: str) -> None:
    contest = competition()
    add(contest)
    full = CONTEST_BYTES - 1 if code == "contest_full" else 1
    contest.data_files.update(size=full)
    kept = set(data_storage().listdir("")[1])
    with pytest.raises(Refused, match=code):
        add(contest, name, data)
    assert set(data_storage().listdir("")[1]) == kept
