"""After an account is closed its name stands nowhere, but where this file says why it may."""

import json
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import models

from leaderboard.accounts.models import User
from leaderboard.actions.announcements import announce, correct_announcement
from leaderboard.actions.assigning import assign_teams
from leaderboard.actions.closing import close_account
from leaderboard.actions.competition import change_registration
from leaderboard.actions.discipline import appoint_captain, exclude, rename_with_reason, restore
from leaderboard.actions.forum import edit_post, hide_post, reply, report, start_thread
from leaderboard.actions.invitations import accept, decline, invite_by_code, invite_person
from leaderboard.actions.mails import ask_for_mail, written
from leaderboard.actions.membership import hand_over, leave, remove_member
from leaderboard.actions.merging import accept_merge, ask_to_merge, decline_merge
from leaderboard.actions.people import appoint, dismiss
from leaderboard.actions.registration import decide_request, request_to_join
from leaderboard.actions.submissions import cancel, edit_note, submit
from leaderboard.actions.teams import rename_team
from leaderboard.actions.versions import make_live, redraft, rehearse
from leaderboard.boards import exports
from leaderboard.boards.queries import whole
from leaderboard.competitions.models import Competition
from leaderboard.contest_file.everything import everything
from leaderboard.contest_file.export import package
from leaderboard.contest_file.packing import dump
from leaderboard.inbox.mails import collect
from leaderboard.inbox.models import MailAddress, Notification
from leaderboard.outbox.models import Message
from leaderboard.references.queries import live_version
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from leaderboard.teams.invitations import about
from leaderboard.teams.models import Invitation, Team
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON, REVEALS, prediction_csv, team, user, viewer_of

pytestmark = pytest.mark.django_db

SAID = "굴뚝새wren 님, 저도요"
WREN = "굴뚝새wren"  # letters that JSON escapes, and some that it does not
LATER = NOON + timedelta(hours=1)

ALLOWED = {
    "competitions.AllowedEmail.email": "the organizers' own list of whom they let in",
    "community.Post.text": "what others wrote is theirs",
    "community.Post.folded": "as its text",
}
"""Where the name may stand afterwards, and why."""


def texts(*wanted: type[models.Model]) -> Iterator[tuple[str, str]]:
    """Every text and JSON of every table, with the column that it stands in."""
    for model in wanted or apps.get_models():
        fields = [
            field
            for field in model._meta.concrete_fields
            if isinstance(field, models.CharField | models.TextField | models.JSONField)
        ]
        for row in model._default_manager.all():
            for field in fields:
                value = getattr(row, field.attname)
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                yield f"{model._meta.label}.{field.name}", text


def naming() -> set[str]:
    return {column for column, text in texts() if WREN in text or "wren" in text.lower()}


def submission(by: Team, name: str = WREN, *, person: str = WREN, n: int = 0) -> Submission:
    upload = Upload(f"{name}.csv", prediction_csv({"talk_1": f"요약 {n}"}))
    return submit(team=by, user=user(person), upload=upload, key=f"{by.pk}{n}", at=NOON)


def write_everywhere() -> list[Competition]:
    """Wren takes part in contests in every way there is, and helped to run one."""
    settled = [_team_of_others(), _alone(), _merged(), _asked_in(), _put_into_teams(), _founded()]
    account = user(WREN)
    User.objects.filter(pk=account.pk).update(email="wren@school.example", first_name=WREN)
    ask_for_mail(user=user(WREN), address="wren@school.example", at=NOON)
    LogEntry.objects.create(
        user=user("root"),
        content_type=ContentType.objects.get_for_model(User),
        object_id=str(account.pk),
        object_repr=str(account),
        action_flag=CHANGE,
        change_message="",
    )
    return settled


def do(verb: Callable[..., Any], who: str, at: datetime = NOON, **given: Any) -> Any:
    return verb(user=user(who), at=at, **given)


def _team_of_others() -> Competition:
    """Captain of a team; files, decisions about them, invitations, everything in between."""
    contest = builders.open_competition("talk", max_team_size=9)
    builders.webhook(contest, "question.asked", "post.reported", "announced", "join.requested")
    ours = team(contest, WREN, "bob", "carol", called="두괄식")
    files = [submission(ours, n=n) for n in range(3)]
    edit_note(submission=files[0], user=user(WREN), note=WREN, method_name=WREN)
    do(cancel, WREN, submission=files[1])
    builders.score_all()
    for decide in (exclude, restore):
        do(decide, "olivia", submission=files[0], reason="겹침")
    charlies = team(contest, "charlie", called="세 줄")
    do(invite_by_code, WREN, team=ours)
    do(invite_person, WREN, team=ours, username=user("dana").username)
    do(invite_person, "charlie", team=charlies, username=WREN)
    do(decline, WREN, invitation=Invitation.objects.get(invitee=user(WREN)))
    do(hand_over, WREN, team=ours, username="bob")
    do(appoint_captain, "olivia", LATER, team=ours, username=WREN, reason="연락 없음")
    do(decline_merge, "charlie", merge=do(ask_to_merge, WREN, team=ours, name="세 줄"))
    _forum(contest)
    allowed = {"registration": "open", "code": "", "emails": ["wren@school.example"]}
    do(change_registration, "olivia", competition=contest, **allowed)
    return contest


def _forum(contest: Competition) -> None:
    words = {"competition": contest, "kind": "question", "title": WREN, "text": WREN}
    do(start_thread, WREN, **words)
    asked = do(start_thread, WREN, **words)
    do(reply, "carol", thread=asked, text=SAID)
    opening = asked.all_posts.get(opens=True)
    do(edit_post, WREN, post=opening, title=f"{WREN}!", text=f"{WREN}!")
    do(hide_post, "olivia", post=do(reply, WREN, thread=asked, text=WREN), reason="광고")
    theirs = do(start_thread, "carol", **words | {"kind": "talk", "title": "안녕", "text": "안녕"})
    do(report, WREN, post=theirs.all_posts.get(), reason=WREN)
    do(report, "carol", post=opening, reason="이상해요")


def _alone() -> Competition:
    """A team of one with files and two names, on both boards of two versions."""
    contest = builders.open_competition("alone")
    made = do(rename_team, WREN, team=team(contest, WREN), name="노래하는 새")
    submission(made)
    submission(team(contest, "erin"), "a", person="erin", n=1)
    builders.score_all()
    do(rename_with_reason, "olivia", team=made, name=f"{WREN} 팀", reason="규칙")
    profile = {"preset": "max-sum", "tokenizer": "mecab-ko"}
    draft = do(redraft, "olivia", version=live_version(contest), **profile)
    do(rehearse, "olivia", version=draft)
    builders.score_all()
    do(make_live, "olivia", version=draft)
    return contest


def _merged() -> Competition:
    """Their team is a part of another one."""
    contest = builders.open_competition("merged")
    theirs, hanas = team(contest, WREN), team(contest, "hana", called="하나")
    submission(theirs)
    builders.score_all()
    do(accept_merge, WREN, merge=do(ask_to_merge, "hana", team=hanas, name=theirs.name))
    return contest


def _asked_in() -> Competition:
    """They asked to be let in, took up an invitation, and were removed from that team again."""
    contest = builders.open_competition("asked", registration="approval")
    for name in ("ian", WREN):
        asked = do(request_to_join, name, competition=contest)
        do(decide_request, "olivia", request=asked, approve=True)
    ians = Team.objects.get(competition=contest, captain=user("ian"))
    do(invite_person, "ian", team=ians, username=WREN)
    do(accept, WREN, invitation=Invitation.objects.get(team=ians))
    do(remove_member, "ian", team=ians, username=WREN)
    return contest


def _put_into_teams() -> Competition:
    """A class list and a list of teams name them."""
    contest = builders.open_competition("class")
    for text in (
        f"username,name,team\n{WREN},굴뚝새wren 씨,\nkim,김,\n",
        f"username,team\n{WREN},다른 팀\nkim,다른 팀\n",
    ):
        do(assign_teams, "olivia", competition=contest, text=text)
    return contest


def _founded() -> Competition:
    """They left the team that is called as they are, and helped to run another contest."""
    contest = builders.open_competition("founded")
    do(leave, WREN, team=team(contest, WREN, "judy"))
    other = builders.open_competition("run")
    do(appoint, "olivia", competition=other, username=WREN, role="editor")
    said = do(announce, WREN, competition=other, text="내일")
    do(correct_announcement, WREN, announcement=said, text="모레")
    do(dismiss, "olivia", competition=other, username=WREN)
    do(appoint, "olivia", competition=other, username=WREN, role="assistant")
    return contest


@pytest.fixture
def contests(settings: object) -> list[Competition]:
    settings.MAIL_ON = True
    return write_everywhere()


def leave_for_good() -> None:
    close_account(user=user(WREN), password=f"{WREN}-secret", at=LATER)


def test_no_table_keeps_the_name(contests: list[Competition]) -> None:
    before = naming()
    assert len(before) > 20, sorted(before)
    waiting = _mail_that_waits()
    asked = list(about(user(WREN)))
    assert len(asked) > 3
    leave_for_good()
    assert not Invitation.objects.filter(pk__in=[one.pk for one in asked]).exists()
    assert naming() == ALLOWED.keys()  # nowhere else, and none of these is allowed for nothing
    mail = written(waiting, MailAddress.objects.get(user=waiting.user))
    assert "wren" not in f"{mail.subject}{mail.body}"
    assert "탈퇴-" in str(mail.body)
    for contest in contests:
        for name, data in _exported(contest):
            for theirs in (SAID, "wren@school.example"):
                data = data.replace(theirs.encode(), b"")
            assert "wren" not in data.decode(errors="replace"), (contest.slug, name)
    team_of_judy = Team.objects.get(competition__slug="founded", captain=user("judy"))
    assert team_of_judy.name == "judy"


def _mail_that_waits() -> Message:
    """A mail to Carol, made while Wren was still called so."""
    builders.mail_address("carol")
    Notification.objects.filter(user=user("carol")).update(to_mail=True)
    assert collect(at=NOON) == 1
    mail = Message.objects.get(user=user("carol"))
    said = written(mail, MailAddress.objects.get(user=mail.user))
    assert "wren" in str(said.body)
    return mail


def _exported(contest: Competition) -> Iterator[tuple[str, bytes]]:
    """Every file that a contest can be taken out as."""
    looked = viewer_of(contest, user("olivia"), REVEALS + timedelta(days=1))
    for board in ("public", "private"):
        rows = whole(looked, board)
        assert rows is not None or contest.slug == "run"
        if rows is not None:
            yield board, exports.board_csv(rows)
    with zipfile.ZipFile(everything(looked)) as archive:
        yield from ((name, archive.read(name)) for name in archive.namelist())
    yield "contest.yaml", dump(package(contest, full=True).document)
