"""After an account is closed its name stands nowhere, but where this file says why it may."""

import json
import zipfile
from collections.abc import Iterator
from datetime import timedelta

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
from leaderboard.actions.invitations import (
    accept,
    decline,
    invite_by_code,
    invite_person,
)
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
    return submit(
        team=by,
        user=user(person),
        upload=Upload(f"{name}.csv", prediction_csv({"talk_1": f"요약 {n}"})),
        key=f"{by.pk}{n}",
        at=NOON,
    )


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


def _team_of_others() -> Competition:
    """Captain of a team; files, decisions about them, invitations, everything in between."""
    contest = builders.open_competition("talk", max_team_size=9)
    olivia = user("olivia")
    builders.webhook(contest, "question.asked", "post.reported", "announced", "join.requested")
    ours = team(contest, WREN, "bob", "carol", called="두괄식")
    files = [submission(ours, n=n) for n in range(3)]
    edit_note(submission=files[0], user=user(WREN), note=WREN, method_name=WREN)
    cancel(submission=files[1], user=user(WREN), at=NOON)
    builders.score_all()
    for decide in (exclude, restore):
        decide(submission=files[0], user=olivia, reason="겹침", at=NOON)
    charlies = team(contest, "charlie", called="세 줄")
    invite_by_code(team=ours, user=user(WREN), at=NOON)
    invite_person(team=ours, user=user(WREN), username=user("dana").username, at=NOON)
    invite_person(team=charlies, user=user("charlie"), username=WREN, at=NOON)
    decline(invitation=Invitation.objects.get(invitee=user(WREN)), user=user(WREN), at=NOON)
    hand_over(team=ours, user=user(WREN), username="bob", at=NOON)
    appoint_captain(team=ours, user=olivia, username=WREN, reason="연락 없음", at=LATER)
    asked = ask_to_merge(team=ours, user=user(WREN), name="세 줄", at=NOON)
    decline_merge(merge=asked, user=user("charlie"), at=NOON)
    _forum(contest)
    change_registration(
        competition=contest,
        user=olivia,
        registration="open",
        code="",
        emails=["wren@school.example"],
        at=NOON,
    )
    return contest


def _forum(contest: Competition) -> None:
    start_thread(
        competition=contest, user=user(WREN), kind="question", title=WREN, text=WREN, at=NOON
    )
    asked = start_thread(
        competition=contest, user=user(WREN), kind="question", title=WREN, text=WREN, at=NOON
    )
    reply(thread=asked, user=user("carol"), text=SAID, at=NOON)
    opening = asked.all_posts.get(opens=True)
    edit_post(post=opening, user=user(WREN), title=f"{WREN}!", text=f"{WREN}!", at=NOON)
    hide_post(
        post=reply(thread=asked, user=user(WREN), text=WREN, at=NOON),
        user=user("olivia"),
        reason="광고",
        at=NOON,
    )
    theirs = start_thread(
        competition=contest, user=user("carol"), kind="talk", title="안녕", text="안녕", at=NOON
    )
    report(post=theirs.all_posts.get(), user=user(WREN), reason=WREN, at=NOON)
    report(post=opening, user=user("carol"), reason="이상해요", at=NOON)


def _alone() -> Competition:
    """A team of one with files and two names, on both boards of two versions."""
    contest = builders.open_competition("alone")
    made = rename_team(team=team(contest, WREN), user=user(WREN), name="노래하는 새", at=NOON)
    submission(made)
    submission(team(contest, "erin"), "a", person="erin", n=1)
    builders.score_all()
    rename_with_reason(team=made, user=user("olivia"), name=f"{WREN} 팀", reason="규칙", at=NOON)
    live = live_version(contest)
    draft = redraft(
        version=live, user=user("olivia"), preset="max-sum", tokenizer="mecab-ko", at=NOON
    )
    rehearse(version=draft, user=user("olivia"), at=NOON)
    builders.score_all()
    make_live(version=draft, user=user("olivia"), at=NOON)
    return contest


def _merged() -> Competition:
    """Their team is a part of another one."""
    contest = builders.open_competition("merged")
    theirs, hanas = team(contest, WREN), team(contest, "hana", called="하나")
    submission(theirs)
    builders.score_all()
    asked = ask_to_merge(team=hanas, user=user("hana"), name=theirs.name, at=NOON)
    accept_merge(merge=asked, user=user(WREN), at=NOON)
    return contest


def _asked_in() -> Competition:
    """They asked to be let in, took up an invitation, and were removed from that team again."""
    contest = builders.open_competition("asked", registration="approval")
    ians = team_by_approval(contest, "ian")
    decide_request(
        request=request_to_join(user=user(WREN), competition=contest, at=NOON),
        user=user("olivia"),
        approve=True,
        at=NOON,
    )
    invite_person(team=ians, user=user("ian"), username=WREN, at=NOON)
    asked = Invitation.objects.get(team=ians)
    accept(invitation=asked, user=user(WREN), at=NOON)
    remove_member(team=ians, user=user("ian"), username=WREN, at=NOON)
    return contest


def team_by_approval(contest: Competition, name: str) -> Team:
    request = request_to_join(user=user(name), competition=contest, at=NOON)
    decide_request(request=request, user=user("olivia"), approve=True, at=NOON)
    return Team.objects.get(competition=contest, captain=user(name))


def _put_into_teams() -> Competition:
    """A class list and a list of teams name them."""
    contest = builders.open_competition("class")
    for text in (
        f"username,name,team\n{WREN},굴뚝새wren 씨,\nkim,김,\n",
        f"username,team\n{WREN},다른 팀\nkim,다른 팀\n",
    ):
        assign_teams(competition=contest, user=user("olivia"), text=text, at=NOON)
    return contest


def _founded() -> Competition:
    """They left the team that is called as they are, and helped to run another contest."""
    contest = builders.open_competition("founded")
    founded = team(contest, WREN, "judy")
    leave(team=founded, user=user(WREN), at=NOON)
    other = builders.open_competition("run")
    olivia = user("olivia")
    appoint(competition=other, user=olivia, username=WREN, role="editor", at=NOON)
    said = announce(competition=other, user=user(WREN), text="내일", at=NOON)
    correct_announcement(announcement=said, user=user(WREN), text="모레", at=NOON)
    dismiss(competition=other, user=olivia, username=WREN, at=NOON)
    appoint(competition=other, user=olivia, username=WREN, role="assistant", at=NOON)
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
