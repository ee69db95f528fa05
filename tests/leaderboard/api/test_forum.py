"""The forum by program, and the inbox that tells of it."""

from typing import Any

import pytest
from django.utils import timezone

from leaderboard.actions.forum import hide_post
from leaderboard.community.models import Post
from tests.leaderboard import builders
from tests.leaderboard.api.calling import BASE, contest_url, json_of, program
from tests.leaderboard.web.pages import running

pytestmark = pytest.mark.django_db
FORUM = contest_url("/forum")


def sent(client: Any, where: str, **words: str) -> dict[str, Any]:
    found: dict[str, Any] = json_of(client.post(where, words, content_type="application/json"), 201)
    return found


def test_hidden_words_are_their_authors_and_the_organizers() -> None:
    builders.team(running(), "alice")
    alice, olivia = program("alice"), program("olivia", "organize")
    asked = sent(alice, FORUM, title="질문", text="언제 닫나요?")
    assert (asked["author"], asked["kind"], asked["posts"]) == ("alice", "question", 1)
    assert (asked["is_answered"], asked["is_locked"]) == (False, False)
    where = f"{FORUM}/{asked['id']}"
    said = sent(olivia, where, text="모릅니다")
    post = Post.objects.get(pk=said["id"])
    hide_post(post=post, user=builders.user("olivia"), reason="실례", at=timezone.now())
    found = json_of(olivia.get(where))
    assert found["items"][1] == said
    assert json_of(alice.get(where))["items"] == [found["items"][0], said | {"text": None}]
    [line] = json_of(alice.get(f"{FORUM}?q=닫나요"))["items"]
    assert line == found["thread"]
    assert line == asked | {"posts": 2}


def test_the_inbox_tells_of_a_reply_until_it_is_read() -> None:
    builders.team(running(), "alice")
    alice = program("alice")
    asked = sent(alice, FORUM, title="질문", text="언제 닫나요?")
    sent(program("olivia", "organize"), f"{FORUM}/{asked['id']}", text="내일이요")
    [notice] = json_of(alice.get(f"{BASE}/inbox?unread=true"))["items"]
    assert (notice["kind"], notice["competition"]) == ("posted", "talk")
    assert (notice["url"], notice["read_at"]) == (f"/c/talk/forum/{asked['id']}", None)
    assert "질문" in notice["text"]
    assert json_of(alice.post(f"{BASE}/inbox/read")) == {"marked": 1}
    assert json_of(alice.get(f"{BASE}/inbox?unread=true"))["count"] == 0
    assert json_of(alice.get(f"{BASE}/inbox"))["items"][0]["read_at"]
