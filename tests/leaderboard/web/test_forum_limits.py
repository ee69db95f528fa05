"""What costs the server a while in a forum is done only so often for one stranger or member."""

import pytest
from django.test import Client

from leaderboard.actions.forum import PREVIEWS, SEARCHES
from leaderboard.community import forum as reading
from leaderboard.competitions.models import Competition
from tests.leaderboard.builders import team
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db

FORUM = "/c/talk/forum"
FOUND = f"{FORUM}?q=답"


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the database was asked for, in a public forum of which Alice and Bob are members."""
    done: list[str] = []

    def searched(*given: object, **_: object) -> list[object]:
        done.append(str(given[2]))
        return []

    made = running()
    team(made, "alice")
    team(made, "bob")
    Competition.objects.update(forum_readers="public")
    monkeypatch.setattr(reading, "searched", searched)
    return done


def test_visitors_share_what_their_address_may(searches: list[str]) -> None:
    home, cafe = Client(REMOTE_ADDR="192.0.2.1"), Client(REMOTE_ADDR="192.0.2.2")
    for _ in range(SEARCHES.most):
        assert home.get(FOUND).status_code == 200
    refused = Client(REMOTE_ADDR="192.0.2.1").get(FOUND)
    assert refused.status_code == 429
    assert len(searches) == SEARCHES.most
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    english = home.get(FOUND, headers={"accept-language": "en"})
    assert "You searched" in english.text
    assert home.get(f"{FORUM}?q=+").status_code == 200  # nothing is looked for
    assert home.head(FOUND).status_code == 429
    assert cafe.get(FOUND).status_code == 200
    assert browser("alice").get(FOUND).status_code == 200


def test_one_person_previews_so_often_and_keeps_the_words(searches: list[str]) -> None:
    alice = browser("alice")
    typed = {"verb": "preview", "kind": "talk", "title": "제목", "text": "**내 말**"}
    for _ in range(PREVIEWS.most):
        assert alice.post(f"{FORUM}/new", typed).status_code == 200
    refused = alice.post(f"{FORUM}/new", typed)
    assert refused.status_code == 429
    assert "<strong>내 말</strong>" not in refused.text
    assert "**내 말**" in refused.text
    assert alice.post(f"{FORUM}/new", typed | {"verb": "start"}).status_code == 302
    assert browser("bob").post(f"{FORUM}/new", typed).status_code == 200
