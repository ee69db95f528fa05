"""A person takes out what is theirs and closes the account: nothing of theirs is forgotten."""

import json
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib.admin.models import ADDITION, LogEntry
from django.db.models import ForeignKey

from leaderboard.accounts.models import PasswordLink, User
from leaderboard.actions.closing import close_account
from leaderboard.boards.results import submission_scores
from leaderboard.contest_file.everything import OWN, own_data
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import for_user, of_team
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON, REVEALS, viewer_of
from tests.leaderboard.web.stage import CANARY, build, canary_scores

pytestmark = pytest.mark.django_db

DECIDED = "what somebody decided stands in `decisions`"
# Of every column that names a person: in which table of the file it is, or why in none.
EXPORTED = {
    "inbox.Notification.user": "notices",
    **{
        f"{table.of(None).model._meta.label}.{table.own}": name
        for name, table in OWN.items()
        if "__" not in table.own
    },
}
NOT_EXPORTED = {
    "accounts.User_groups.user": "rights of an administrator; nobody here has groups",
    "accounts.User_user_permissions.user": "rights of an administrator, as groups",
    "accounts.PasswordLink.made_by": "about somebody else's account",
    "admin.LogEntry.user": "what an administrator did to accounts of others",
    "teams.Team.captain": "`captain` in `teams`",
    "teams.JoinRequest.decided_by": DECIDED,
    "teams.Merge.asked_by": DECIDED,
    "teams.Merge.answered_by": DECIDED,
    "teams.Merge.undone_by": DECIDED,
    "references.ReferenceSet.uploaded_by": DECIDED,
    "references.ScoringVersion.created_by": DECIDED,
    "references.Release.released_by": DECIDED,
    "references.DialogueSet.uploaded_by": DECIDED,
    "submissions.Exclusion.excluded_by": DECIDED,
    "community.Thread.author": "the post that opens it is in `posts`, with its title",
}
SCORES = "scores and files stay with the team; the account that they name has no name any more"
NAMELESS = "a decision stays, by an account that has no name any more"
# What still points at a closed account, and why.
STAYS = {
    "audit.AuditEvent.actor": NAMELESS,
    "competitions.TermsAcceptance.user": "that somebody agreed stands behind what they handed in",
    "teams.Invitation.created_by": NAMELESS,
    "teams.JoinRequest.decided_by": NAMELESS,
    "teams.Merge.asked_by": NAMELESS,
    "teams.Merge.answered_by": NAMELESS,
    "teams.Merge.undone_by": NAMELESS,
    "references.ReferenceSet.uploaded_by": NAMELESS,
    "references.ScoringVersion.created_by": NAMELESS,
    "references.Release.released_by": NAMELESS,
    "references.DialogueSet.uploaded_by": NAMELESS,
    "submissions.Submission.submitted_by": SCORES,
    "submissions.Cancellation.cancelled_by": SCORES,
    "submissions.FinalChoice.chosen_by": SCORES,
    "submissions.Exclusion.excluded_by": NAMELESS,
    "community.Announcement.author": NAMELESS,
    "community.Thread.author": "a thread in which others wrote stays, without title and words",
    "community.Post.author": "where it stood stays, without words",
    "accounts.PasswordLink.made_by": NAMELESS,
    "admin.LogEntry.user": NAMELESS,
}
# Apps above this one say it of their own columns: see their tests.
ABOVE = ("judging",)


def columns_of_people() -> Iterator[tuple[str, Any, str]]:
    """Every column of every table that names a person."""
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.concrete_fields:
            names = isinstance(field, ForeignKey) and field.related_model is User
            if names and model._meta.app_label not in ABOVE:
                yield f"{model._meta.label}.{field.name}", model, field.name


def test_every_column_that_names_a_person_is_exported_or_has_a_reason() -> None:
    found = {label for label, _, _ in columns_of_people()}
    own = {label for label in EXPORTED if label in found}
    assert found - own - NOT_EXPORTED.keys() == set()
    assert own & NOT_EXPORTED.keys() == set()
    assert NOT_EXPORTED.keys() - found == set()
    assert EXPORTED.keys() - found == {"accounts.User.pk"}


def unpacked(user: User, at: Any = NOON) -> zipfile.ZipFile:
    return zipfile.ZipFile(own_data(user, at))


def test_it_holds_what_is_theirs_and_nothing_else() -> None:
    stage = build()
    alice = builders.user("alice")
    archive = unpacked(alice)
    data = json.loads(archive.read("data.json"))
    assert data["profile"][0]["username"] == "alice"
    assert [(row["contest"], row["team"]) for row in data["teams"]] == [("talk", "햇살")]
    files = for_user(alice)
    assert {row["id"] for row in data["submissions"]} == {str(one.pk) for one in files}
    for one in files:
        assert archive.read(f"files/{one.pk}.csv") == one.file.open("rb").read()
    seen = viewer_of(stage.contest, alice, NOON)
    scores = submission_scores(of_team(stage.alices), seen)
    assert {(row["submission"], row["total"]) for row in data["scores"]} == {
        (str(pk), one.total) for pk, found in scores.items() for one in found
    }
    assert {row["board"] for row in data["scores"]} == {"public"}
    assert data["posts"]
    assert data["notices"]
    whole = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert CANARY not in whole
    hidden = [f"{value:.4f}" for scores in canary_scores() for value in scores.values()]
    assert [one for one in hidden if one in whole] == []
    later = json.loads(unpacked(alice, REVEALS).read("data.json"))
    assert {row["board"] for row in later["scores"]} == {"public", "private"}


def test_what_they_sent_for_a_team_they_left_is_theirs_without_its_notes() -> None:
    contest = builders.open_competition()
    by = builders.team(contest, "alice", "bob")
    made = builders.hand_in(by)
    Submission.objects.filter(pk=made.pk).update(note="밥의 메모")
    by.memberships.filter(user=builders.user("alice")).delete()
    archive = unpacked(builders.user("alice"))
    data = json.loads(archive.read("data.json"))
    assert [row["id"] for row in data["sent_elsewhere"]] == [str(made.pk)]
    assert data["submissions"] == data["scores"] == []
    assert archive.read(f"files/{made.pk}.csv") == made.file.open("rb").read()
    assert "밥의 메모" not in archive.read("data.json").decode()


def test_a_closed_account_is_named_only_where_a_reason_is() -> None:
    build()
    for name in ("alice", "erin", "charlie"):
        person = builders.user(name)
        builders.mail_address(name)
        EmailAddress.objects.create(user=person, email=f"{name}@school.example")
        UserSession.objects.create(user=person, session_key=name, ip="192.0.2.1", user_agent="x")
        LogEntry.objects.create(user=person, action_flag=ADDITION, object_repr="x")
        for by in ({"user": person}, {"user": builders.user("bob"), "made_by": person}):
            times = dict.fromkeys(("made_at", "expires_at"), NOON)
            PasswordLink.objects.create(token_sha256=f"{name}{len(by)}", **by, **times)
        before = pointing_at(person)
        assert len(before) > 5
        close_account(user=person, password=f"{name}-secret", at=NOON)
        assert pointing_at(person) - STAYS.keys() == set()


def pointing_at(person: User) -> set[str]:
    return {
        label
        for label, model, name in columns_of_people()
        if model._base_manager.filter(**{name: person}).exists()
    }
