"""Who is told of a thread: those who may read it now, under the title that it has now."""

from datetime import timedelta

import pytest

from leaderboard.actions.forum import (
    delete_post,
    edit_post,
    hide_post,
    hide_thread,
    mark_answer,
    reply,
    report,
    start_thread,
)
from leaderboard.actions.people import appoint, dismiss
from leaderboard.community.models import Subscription, Thread, Webhook
from leaderboard.community.webhooks import body
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification
from leaderboard.outbox.models import Message
from leaderboard.teams.models import Membership
from tests.leaderboard.builders import competition, team, user, webhook
from tests.leaderboard.material import NOON

pytestmark = pytest.mark.django_db

LATER = NOON + timedelta(hours=1)


@pytest.fixture
def contest() -> Competition:
    """Alice and Bob are a team, Dana another; Ada assists Olivia."""
    made = competition()
    team(made, "alice", "bob")
    team(made, "dana")
    user("ada")
    appoint(competition=made, user=user("olivia"), username="ada", role="assistant", at=NOON)
    return made


def followed(contest: Competition, kind: str, *others: str) -> Thread:
    """Alice's thread, in which the others have written."""
    words = {"kind": kind, "title": "비밀 제목", "text": "글"}
    thread = start_thread(competition=contest, user=user("alice"), **words, at=NOON)
    for name in others:
        reply(thread=thread, user=user(name), text="네", at=NOON)
    return thread


def told(name: str) -> list[str]:
    """What this person was told of threads since."""
    rows = user(name).notifications.filter(created_at=LATER, kind__in=("posted", "answered"))
    return [row.message("ko") for row in rows]


def test_a_dismissed_assistant_hears_nothing_more_of_inquiries(contest: Competition) -> None:
    inquiry = followed(contest, "inquiry", "ada", "olivia")
    question = followed(contest, "question", "ada")
    dismiss(competition=contest, user=user("olivia"), username="ada", at=NOON)
    followers = Subscription.objects.filter(user=user("ada"))
    assert [one.thread for one in followers] == [question]
    reply(thread=inquiry, user=user("alice"), text="또", at=LATER)
    assert [len(told(name)) for name in ("ada", "olivia", "dana")] == [0, 1, 0]


@pytest.mark.parametrize("kind", ["question", "inquiry"])
def test_who_may_read_it_no_more_is_told_nothing(contest: Competition, kind: str) -> None:
    thread = followed(contest, kind, "olivia", *(["dana"] if kind == "question" else []))
    for name in ("ada", "dana"):  # as a follower of long ago
        Subscription.objects.get_or_create(thread=thread, user=user(name))
    contest.organizers.filter(user=user("ada")).delete()
    Membership.objects.filter(user=user("dana")).delete()
    reply(thread=thread, user=user("olivia"), text="또", at=LATER)
    assert [len(told(name)) for name in ("ada", "dana", "alice")] == [0, 0, 1]
    Competition.objects.update(forum_readers=Competition.ForumReaders.PUBLIC)
    thread = Thread.objects.get()
    answer = reply(thread=thread, user=user("olivia"), text="또", at=LATER)
    mark_answer(post=answer, user=user("olivia"), at=LATER)
    everybodys = 2 * (kind == "question")
    assert [len(told(name)) for name in ("ada", "dana", "alice")] == [everybodys, everybodys, 2]


def test_of_a_hidden_thread_its_author_and_organizers_alone_are_told(contest: Competition) -> None:
    thread = followed(contest, "talk", "bob", "dana", "ada")
    hide_thread(thread=thread, user=user("olivia"), reason="욕설", at=NOON)
    reply(thread=thread, user=user("alice"), text="왜요?", at=LATER)
    reply(thread=thread, user=user("olivia"), text="욕설이라서요.", at=LATER)
    assert [len(told(name)) for name in ("bob", "dana", "ada", "alice")] == [0, 0, 1, 1]


def said_of_it() -> str:
    """What all inboxes and the webhook's messages say."""
    notices = [row.message("ko") for row in Notification.objects.order_by("pk")]
    hook = Webhook.objects.select_related("competition").get()
    return "\n".join([*notices, *(body(hook, row).decode() for row in Message.objects.all())])


@pytest.fixture
def asked(contest: Competition) -> Thread:
    """A question that Alice, Bob, Dana and a webhook were told of under its title."""
    webhook(contest, "question.asked")
    thread = followed(contest, "question", "bob", "dana")
    reply(thread=thread, user=user("alice"), text="또", at=LATER)
    assert said_of_it().count("비밀 제목") == 4
    return thread


def test_a_title_that_is_taken_back_is_told_no_more(asked: Thread) -> None:
    first = asked.all_posts.get(opens=True)
    report(post=first, user=user("dana"), reason="광고", at=NOON)
    delete_post(post=first, user=user("alice"), at=LATER)
    assert "비밀 제목" not in said_of_it()
    assert told("bob") == []
    assert user("olivia").notifications.filter(kind="reported").exists()


def test_of_a_thread_that_is_emptied_nothing_is_told_any_more(asked: Thread) -> None:
    """It leads nowhere: whoever reads it is none of those who were told."""
    told_of = Notification.objects.filter(subject=asked.pk)
    own = reply(thread=asked, user=user("bob"), text="나도", at=LATER)
    delete_post(post=asked.all_posts.get(opens=True), user=user("alice"), at=LATER)
    for post in asked.all_posts.filter(deleted_at=None).exclude(pk=own.pk):
        delete_post(post=post, user=post.author, at=LATER)
    other = reply(thread=asked, user=user("dana"), text="나도", at=LATER)
    assert told_of.exists()
    delete_post(post=own, user=user("bob"), at=LATER)
    assert told_of.exists()
    hide_post(post=other, user=user("olivia"), reason="광고", at=LATER)
    assert not told_of.exists()


def test_a_hidden_title_waits_in_no_message(asked: Thread) -> None:
    hide_thread(thread=asked, user=user("olivia"), reason="욕설", at=LATER)
    assert "비밀 제목" not in said_of_it()


def test_another_title_takes_the_place_of_the_one_that_was_told(asked: Thread) -> None:
    Membership.objects.filter(user=user("dana")).delete()
    first = asked.all_posts.get(opens=True)
    edit_post(post=first, user=user("alice"), title="새 제목", text="글", at=LATER)
    assert "비밀 제목" not in said_of_it()
    assert said_of_it().count("새 제목") == 3
    assert [len(told(name)) for name in ("bob", "dana")] == [1, 0]
