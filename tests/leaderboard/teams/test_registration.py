"""The four ways of coming in: open, with a code, from a list of addresses, by approval."""

from typing import Any

import pytest
from django.db import IntegrityError

from leaderboard.actions.competition import change_registration
from leaderboard.actions.registration import decide_request, join, request_to_join
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.registration import by_code, read_emails
from leaderboard.inbox.lines import mark_read
from leaderboard.inbox.models import Notification
from leaderboard.refusals import Refused
from leaderboard.teams.membership import request_of, who_came_by_address
from leaderboard.teams.models import JoinRequest, Membership
from leaderboard.teams.queries import team_of, visible_to
from tests.leaderboard.builders import CLOSES, NOON, competition, team, user
from tests.leaderboard.web.pages import browser

pytestmark = pytest.mark.django_db


def registered(kind: str, *, by: str = "olivia", slug: str = "talk", **fields: Any) -> Competition:
    """A contest that people come into in this way."""
    contest = competition(slug, **{k: v for k, v in fields.items() if k == "is_private"})
    change_registration(
        competition=contest,
        user=user(by),
        registration=kind,
        code=fields.get("code", ""),
        emails=fields.get("emails", ()),
        at=NOON,
    )
    contest.refresh_from_db()
    return contest


def come(name: str, contest: Competition, **given: Any) -> None:
    join(user=user(name), competition=contest, at=NOON, **given)


def with_email(name: str, email: str) -> None:
    person = user(name)
    person.email = email
    person.save(update_fields=["email"])


# --- A code --------------------------------------------------------------------------------------


def test_the_code_lets_in_however_it_is_typed_and_no_other_does() -> None:
    contest = registered("code", code="nlp-2026")
    for typed in ("", "NLP2026"):
        with pytest.raises(Refused, match="wrong_code"):
            come("alice", contest, code=typed)
    for name, typed in (("alice", " nlp-2026 "), ("bob", "ＮＬＰ-2026")):
        come(name, contest, code=typed)
        assert team_of(user(name), contest) is not None
    # Without a code: set past the action, as the administrator's pages could.
    with pytest.raises(Refused, match="wrong_code"):
        come("alice", competition("other", registration="code"), code="")
    assert by_code("") is None


@pytest.mark.parametrize(
    ("kind", "code", "why"),
    [
        ("code", "", "code_missing"),
        ("code", "short", "code_form"),
        ("open", "with space", "code_form"),
        ("open", "-LEADING", "code_form"),
    ],
)
def test_a_code_that_cannot_be_one_is_refused(kind: str, code: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        registered(kind, code=code)


def test_no_two_contests_have_one_code() -> None:
    registered("code", code="NLP-2026")
    with pytest.raises(Refused, match="code_taken"):
        registered("code", code="nlp-2026", slug="other")


# --- A list of addresses -------------------------------------------------------------------------


def test_a_list_is_read_line_by_line() -> None:
    lines = [" A@School.kr ", "", "a@school.KR", "not an address", "b@school.kr"]
    assert read_emails(lines) == ({"a@school.kr", "b@school.kr"}, {4: "not an address"})


def test_a_listed_account_comes_in_and_an_unlisted_one_does_not() -> None:
    contest = registered("allow-list", emails=["alice@school.kr"])
    with_email("alice", "Alice@School.KR")
    with_email("bob", "bob@school.kr")
    come("alice", contest)
    with pytest.raises(Refused, match="not_on_list"):
        come("bob", contest)
    with pytest.raises(Refused, match="not_on_list"):
        come("bob", contest, email="alice@school.kr")  # an account's own address counts
    with pytest.raises(Refused, match="not_on_list"):
        come("charlie", contest)


def test_a_typed_address_opens_the_contest_it_was_typed_for_and_no_other() -> None:
    mine = registered("allow-list", emails=["victim@school.kr"])
    private = registered("allow-list", emails=["victim@school.kr"], slug="private", is_private=True)
    come("alice", mine, email="victim@school.kr")
    assert known_to(private, "alice") == set()
    with pytest.raises(Refused, match="not_on_list"):
        come("alice", private)
    assert who_came_by_address(mine) == [
        {"email": "victim@school.kr", "username": "alice", "typed": True}
    ]
    with_email("bob", "victim@school.kr")  # given by the administrator
    assert known_to(private, "bob") == {"bob"}
    with pytest.raises(Refused, match="address_used"):
        come("bob", mine)
    come("bob", private)
    assert who_came_by_address(private) == [
        {"email": "victim@school.kr", "username": "bob", "typed": False}
    ]
    with pytest.raises(IntegrityError):
        Membership.objects.create(
            team=mine.teams.get(),
            competition=mine,
            user=user("charlie"),
            typed_email="victim@school.kr",
            joined_at=NOON,
        )


def test_what_changed_of_the_list_is_logged_once() -> None:
    contest = registered("allow-list", emails=["alice@school.kr", "bob@school.kr"])
    for _ in range(2):
        change_registration(
            competition=contest,
            user=user("olivia"),
            registration="allow-list",
            emails=["bob@school.kr", "bob@school.kr", "charlie@school.kr"],
            at=NOON,
        )
    logged = AuditEvent.objects.filter(kind="registration.changed").order_by("pk")
    assert logged.count() == 2  # made, and changed the first time
    assert {(e.after["emails_new"], e.after["emails_removed"]) for e in logged if e.after} == {
        (2, 0),
        (1, 1),
    }


# --- Approval ------------------------------------------------------------------------------------


def ask(name: str, contest: Competition, **given: Any) -> JoinRequest:
    return request_to_join(user=user(name), competition=contest, at=NOON, **given)


def decide(asked: JoinRequest, *, approve: bool, by: str = "olivia", reason: str = "") -> None:
    decide_request(request=asked, user=user(by), approve=approve, reason=reason, at=NOON)


def test_nobody_comes_in_before_an_organizer_approves() -> None:
    contest = registered("approval")
    with pytest.raises(Refused, match="approval_needed"):
        come("alice", contest)
    asked = ask("alice", contest, team_name="새벽")
    assert ask("alice", contest, team_name="다른 이름") == asked
    with pytest.raises(Refused, match="approval_needed"):
        come("alice", contest)
    decide(asked, approve=True)
    made = team_of(user("alice"), contest)
    assert made.name == "새벽"
    told = Notification.objects.get(user=user("alice"))
    assert told.message("ko") == "참가 신청이 승인됐습니다."


def test_a_request_is_withdrawn_while_it_waits_and_asked_again_with_another_name() -> None:
    contest = registered("approval")
    ask("alice", contest, team_name="새벽")
    alice, where = browser("alice"), "/c/talk/join"
    assert alice.post(where, {"verb": "withdraw"}).headers["Location"] == where
    assert alice.post(where, {"verb": "withdraw"}).status_code == 302, "nothing is left to do"
    assert not contest.join_requests.exists()
    again = ask("alice", contest, team_name="해질녘")
    assert again.team_name == "해질녘"
    decide(again, approve=False)
    alice.post(where, {"verb": "withdraw"})
    assert request_of(user("alice"), contest) == again, "a decision stays"
    kinds = AuditEvent.objects.values_list("kind", flat=True)
    assert list(kinds).count("join.withdrawn") == 1


def test_a_request_to_join_reaches_the_owners_inbox_once_until_it_is_read() -> None:
    contest = registered("approval")
    for name, role in (("oscar", "owner"), ("eddie", "editor"), ("ada", "assistant")):
        Organizer.objects.create(competition=contest, user=user(name), role=role)
    for name in ("alice", "bob"):
        ask(name, contest)
    ask("alice", contest)  # again: nothing new
    told = Notification.objects.order_by("user__username")
    assert [row.user.username for row in told] == ["olivia", "oscar"], "once for two that ask"
    for row in told:
        assert row.message("ko") == "참가를 신청한 사람이 있습니다: alice"
    page = browser("olivia").get("/inbox").text
    assert 'href="/c/talk/desk/people#requests"' in page
    mark_read(user=user("olivia"), at=NOON)
    ask("charlie", contest)
    assert Notification.objects.filter(user=user("olivia")).count() == 2
    assert Notification.objects.filter(user=user("oscar")).count() == 1, "the first is unread"


def test_a_name_that_was_taken_meanwhile_gets_a_number() -> None:
    contest = registered("approval")
    asks = [ask(name, contest, team_name="새벽") for name in ("alice", "bob")]
    for asked in asks:
        decide(asked, approve=True)
    assert [row.name for row in contest.teams.order_by("name")] == ["새벽", "새벽 2"]


def test_a_declined_person_reads_why_and_may_be_approved_after_all() -> None:
    contest = registered("approval")
    asked = ask("alice", contest)
    decide(asked, approve=False, reason="반 학생만 받습니다")
    decide(asked, approve=False)  # again: nothing happens
    assert ask("alice", contest).approved is False
    with pytest.raises(Refused, match="approval_needed"):
        come("alice", contest)
    decide(asked, approve=True)
    assert team_of(user("alice"), contest) is not None
    with pytest.raises(Refused, match="approved"):
        decide(asked, approve=False)
    told = Notification.objects.filter(user=user("alice")).order_by("created_at", "pk")
    assert {row.message("ko") for row in told} == {
        "참가 신청이 받아들여지지 않았습니다. 반 학생만 받습니다",
        "참가 신청이 승인됐습니다.",
    }
    kinds = AuditEvent.objects.filter(kind__startswith="join.").values_list("kind", flat=True)
    assert sorted(kinds) == ["join.approved", "join.declined", "join.requested"]


def test_approval_comes_from_an_editor_of_that_contest_while_it_runs() -> None:
    contest = registered("approval")
    competition("other")
    asked = ask("alice", contest)
    with pytest.raises(Refused, match="not_an_editor"):
        decide(asked, approve=True, by="charlie")
    with pytest.raises(Refused, match="closed"):
        decide_request(request=asked, user=user("olivia"), approve=True, at=CLOSES)
    asked.refresh_from_db()
    assert asked.approved is None


def test_asking_is_for_contests_with_approval_and_strangers_to_them() -> None:
    contest = registered("open")
    with pytest.raises(Refused, match="no_approval_needed"):
        ask("alice", contest)
    team(contest, "bob")
    with pytest.raises(Refused, match="member"):
        ask("bob", contest)
    with pytest.raises(Refused, match="organizer"):
        ask("olivia", contest)


# --- Who may know of a private contest -----------------------------------------------------------


def known_to(contest: Competition, *names: str) -> set[str]:
    return {name for name in names if visible_to(user(name)).filter(pk=contest.pk).exists()}


def test_a_private_contest_is_known_to_listed_accounts_while_the_list_counts() -> None:
    contest = registered("allow-list", emails=["alice@school.kr"], is_private=True)
    with_email("alice", "Alice@school.kr")
    with_email("bob", "bob@school.kr")
    user("charlie")
    assert known_to(contest, "alice", "bob", "charlie") == {"alice"}
    Competition.objects.update(registration="open")
    assert known_to(contest, "alice", "bob", "charlie") == set()


def test_a_private_contest_is_known_to_who_asked_until_they_are_declined() -> None:
    contest = registered("approval", is_private=True)
    asked = ask("alice", contest)
    assert known_to(contest, "alice", "charlie") == {"alice"}
    decide(asked, approve=False)
    assert known_to(contest, "alice") == set()
