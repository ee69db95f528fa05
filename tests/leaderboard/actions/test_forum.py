"""What people write in a forum, who reads it, and what becomes of it."""

import unicodedata
from datetime import timedelta
from typing import Any

import pytest

from leaderboard.accounts.models import User
from leaderboard.actions.closing import close_account
from leaderboard.actions.discipline import disqualify
from leaderboard.actions.forum import (
    POSTS,
    THREADS,
    close,
    delete_post,
    dismiss_reports,
    edit_post,
    follow,
    hide_post,
    hide_thread,
    mark_answer,
    pin,
    reply,
    report,
    show_post,
    show_thread,
    start_thread,
    unmark_answer,
)
from leaderboard.audit.models import AuditEvent
from leaderboard.community import forum as reading
from leaderboard.community.models import Post, PostReport, Thread
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.inbox.models import Notification
from leaderboard.refusals import Refused
from tests.leaderboard.builders import competition, team, user
from tests.leaderboard.material import CLOSES, NOON, OPENS, REVEALS

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture
def contest() -> Competition:
    """Alice and Bob are a team, Dana another; Charlie joined nothing; Ada assists Olivia."""
    made = competition()
    team(made, "alice", "bob")
    team(made, "dana")
    user("charlie")
    Organizer.objects.create(competition=made, user=user("ada"), role="assistant")
    return made


def ask(contest: Competition, who: str = "alice", kind: str = "question", **wanted: Any) -> Thread:
    words = {"title": "데이터가 어디 있나요", "text": "못 찾겠어요.", "at": NOON, **wanted}
    return start_thread(competition=contest, user=user(who), kind=kind, **words)


def titles(contest: Competition, who: str) -> list[str]:
    person = user(who)
    runs_it = Organizer.objects.filter(user=person).exists()
    return [row.title for row in reading.threads_for(contest, person, runs_it=runs_it)]


def told(who: str, *kinds: str) -> list[str]:
    rows = user(who).notifications.filter(kind__in=kinds)
    return [row.message("ko") for row in rows]


def refused(code: str, verb: Any, **wanted: Any) -> Refused:
    with pytest.raises(Refused) as why:
        verb(**{"at": NOON, **wanted})
    assert why.value.code == code
    return why.value


def test_a_question_is_answered_by_an_organizer_and_marked(contest: Competition) -> None:
    asked = ask(contest)
    assert [*reading.waiting(contest)] == [asked]
    follow(thread=asked, user=user("dana"), follows=True, at=NOON)
    reply(thread=asked, user=user("bob"), text="저도요.", at=NOON + MINUTE)
    assert [*reading.waiting(contest)] == [asked]  # no organizer said anything
    answer = reply(thread=asked, user=user("ada"), text="‘데이터’ 탭에요.", at=NOON + 2 * MINUTE)
    assert answer.by_organizer
    assert not reading.waiting(contest)
    more = reply(thread=asked, user=user("alice"), text="없는데요?", at=NOON + 3 * MINUTE)
    asked.refresh_from_db()
    assert (asked.waiting_since, asked.posts, asked.last_post_at) == (more.at, 4, more.at)
    mark_answer(post=answer, user=user("alice"), at=NOON + 4 * MINUTE)
    asked.refresh_from_db()
    assert (asked.answered, asked.waiting_since) == (True, None)
    # Followers alone are told, in one line each, however much was written.
    people = ("bob", "dana", "ada", "alice", "charlie")
    assert [len(told(who, "posted")) for who in people] == [1, 1, 1, 1, 0]
    assert [len(told(who, "answered")) for who in people] == [1, 1, 1, 0, 0]
    unmark_answer(thread=asked, user=user("alice"), at=NOON + 5 * MINUTE)
    assert [*reading.waiting(contest)] == [asked]
    refused("not_the_author", mark_answer, post=answer, user=user("dana"))
    refused("no_answer", mark_answer, post=asked.all_posts.get(opens=True), user=user("alice"))
    talk = ask(contest, kind="talk")
    said = reply(thread=talk, user=user("bob"), text="네", at=NOON)
    refused("no_answer", mark_answer, post=said, user=user("alice"))


def test_only_people_of_the_contest_write_at_any_time(contest: Competition) -> None:
    asked = ask(contest)
    refused("not_in_forum", ask, contest=contest, who="charlie")
    refused("not_in_forum", reply, thread=asked, user=user("charlie"), text="안녕")
    user("sue")
    User.objects.filter(username="sue").update(is_superuser=True)
    refused("not_in_forum", reply, thread=asked, user=user("sue"), text="안녕")
    User.objects.filter(username="dana").update(is_active=False)
    refused("account_closed", reply, thread=asked, user=user("dana"), text="안녕")
    Competition.objects.update(paused_at=NOON)
    for at in (OPENS - MINUTE, NOON, CLOSES, REVEALS):
        reply(thread=asked, user=user("bob"), text="궁금해요", at=at)


def test_a_disqualified_team_can_only_ask_the_organizers(contest: Competition) -> None:
    asked, inquiry = ask(contest), ask(contest, kind="inquiry")
    ours = user("alice").memberships.get().team
    disqualify(team=ours, user=user("olivia"), reason="규칙 위반", at=NOON)
    refused("disqualified", reply, thread=asked, user=user("alice"), text="왜요?")
    refused("disqualified", ask, contest=contest)
    reply(thread=inquiry, user=user("alice"), text="왜요?", at=NOON)
    ask(contest, kind="inquiry")


def test_an_inquiry_is_between_its_author_and_the_organizers(contest: Competition) -> None:
    inquiry = ask(contest, kind="inquiry", title="비밀")
    for who, reads in (("alice", True), ("olivia", True), ("ada", True), ("bob", False)):
        assert ("비밀" in titles(contest, who)) is reads
    for verb, wanted in ((reply, {"text": "안녕"}), (follow, {"follows": True})):
        refused("unknown_thread", verb, thread=inquiry, user=user("bob"), **wanted)
    post = inquiry.all_posts.get()
    refused("unknown_thread", report, post=post, user=user("bob"), reason="광고")
    refused("unknown_thread", mark_answer, post=post, user=user("bob"))
    assert [len(told(who, "reported")) for who in ("olivia", "ada", "bob", "dana")] == [1, 1, 0, 0]
    ask(contest, kind="inquiry")
    assert len(told("olivia", "reported")) == 1  # one until it is read
    assert "비밀" not in told("olivia", "reported")[0]
    refused("inquiry_of_organizer", ask, contest=contest, who="olivia", kind="inquiry")


def test_what_is_written_is_within_bounds(contest: Competition) -> None:
    thread = ask(contest, title="  한  줄\n제목\0 ", text="\0a\r\nb  ")
    assert (thread.title, thread.all_posts.get().text) == ("한 줄 제목", "a\nb")
    for title in ("", " \n", "가" * 151):
        refused("title_length", ask, contest=contest, title=title)
    for text in ("", " \0", "가" * 20_001):
        refused("post_length", ask, contest=contest, text=text)
        refused("post_length", reply, thread=thread, user=user("alice"), text=text)
    refused("unknown_kind", ask, contest=contest, kind="rant")
    ask(contest, title="가" * 150, text="가" * 20_000)


def test_a_flood_is_stopped_and_organizers_are_not(contest: Competition) -> None:
    thread = ask(contest)
    for _ in range(THREADS.most - 1):
        ask(contest)
    assert refused("too_many_threads", ask, contest=contest).retry_after == 3600
    for _ in range(POSTS.most):
        reply(thread=thread, user=user("bob"), text="또", at=NOON)
    again = {"thread": thread, "text": "또"}
    assert refused("too_many_posts", reply, user=user("bob"), **again).status == 429
    for _ in range(POSTS.most + 1):
        reply(user=user("ada"), at=NOON, **again)
    reply(user=user("bob"), at=NOON + POSTS.within, **again)


def test_ones_own_words_change_and_are_marked_as_edited(contest: Competition) -> None:
    thread = ask(contest)
    post = thread.all_posts.get()
    wanted = {"post": post, "title": "새 제목", "text": "새 글"}
    refused("not_the_author", edit_post, user=user("bob"), **wanted)
    refused("not_the_author", edit_post, user=user("olivia"), **wanted)
    edit_post(user=user("alice"), at=NOON + MINUTE, **wanted)
    refused("nothing_changes", edit_post, user=user("alice"), **wanted)
    thread.refresh_from_db()
    post.refresh_from_db()
    assert (thread.title, post.text, post.edited_at) == ("새 제목", "새 글", NOON + MINUTE)
    assert post.folded == "새 제목 새 글"
    close(thread=thread, user=user("ada"), locked=True, at=NOON)
    refused("thread_locked", edit_post, post=post, user=user("alice"), title="또", text="또")
    refused("thread_locked", delete_post, post=post, user=user("alice"))


def test_what_is_deleted_has_no_words_and_its_place_is_the_organizers(contest: Competition) -> None:
    thread = ask(contest)
    first = thread.all_posts.get()
    answer = reply(thread=thread, user=user("bob"), text="나의 답", at=NOON + MINUTE)
    mark_answer(post=answer, user=user("alice"), at=NOON + MINUTE)
    refused("not_the_author", delete_post, post=answer, user=user("olivia"))
    delete_post(post=answer, user=user("bob"), at=NOON + 2 * MINUTE)
    answer.refresh_from_db()
    assert (answer.text, answer.folded) == ("", "")
    thread.refresh_from_db()
    assert (thread.answered, thread.posts, thread.last_post_at) == (False, 2, NOON)
    refused("unknown_post", delete_post, post=answer, user=user("bob"))
    delete_post(post=first, user=user("alice"), at=NOON + 3 * MINUTE)
    assert titles(contest, "dana") == []  # nothing is left of it
    assert titles(contest, "olivia") == [""]
    # Where somebody else wrote, only the words go.
    talk = ask(contest, kind="talk")
    reply(thread=talk, user=user("bob"), text="네", at=NOON)
    delete_post(post=talk.all_posts.get(opens=True), user=user("alice"), at=NOON)
    assert titles(contest, "dana") == [""]


def test_a_thread_is_gone_while_nothing_in_it_can_be_read(contest: Competition) -> None:
    asked, ada = ask(contest, text="첫 글"), user("ada")
    mine, other = (
        reply(thread=asked, user=user(name), text="또", at=NOON) for name in ("bob", "dana")
    )
    hide_post(post=other, user=ada, reason="광고", at=NOON)
    delete_post(post=asked.all_posts.get(opens=True), user=user("alice"), at=NOON + MINUTE)
    assert titles(contest, "dana") == [""]  # Bob's words are there
    delete_post(post=mine, user=user("bob"), at=NOON + 2 * MINUTE)
    assert (titles(contest, "dana"), titles(contest, "alice")) == ([], [])
    assert titles(contest, "olivia") == [""]
    asked.refresh_from_db()
    assert asked.deleted_at == NOON + 2 * MINUTE
    refused("thread_deleted", reply, thread=asked, user=ada, text="왜요?")
    show_post(post=other, user=ada, at=NOON)
    assert titles(contest, "dana") == [""]
    last = reply(thread=asked, user=user("dana"), text="네", at=NOON)
    hide_post(post=other, user=ada, reason="광고", at=NOON)
    hide_post(post=last, user=ada, reason="광고", at=NOON)
    assert titles(contest, "dana") == []
    # As long as the first post stands, the thread does.
    talk = ask(contest, kind="talk", title="말")
    delete_post(
        post=reply(thread=talk, user=user("bob"), text="네", at=NOON), user=user("bob"), at=NOON
    )
    assert titles(contest, "dana") == ["말"]


def test_organizers_pin_lock_and_hide_with_a_reason(contest: Competition) -> None:
    thread = ask(contest)
    post = reply(thread=thread, user=user("bob"), text="광고", at=NOON)
    ada = user("ada")
    pin(thread=thread, user=ada, pinned=True, at=NOON)
    refused("reason_length", hide_post, post=post, user=ada, reason=" ")
    hide_post(post=post, user=ada, reason="광고예요", at=NOON)
    refused("already_hidden", hide_post, post=post, user=ada, reason="광고")
    refused(
        "hide_the_thread", hide_post, post=thread.all_posts.get(opens=True), user=ada, reason="x"
    )
    refused("post_hidden", edit_post, post=post, user=user("bob"), text="새 글")
    assert told("bob", "warned") != []
    assert user("bob").notifications.get(kind="warned").data["reason"] == "광고예요"
    post.refresh_from_db()
    readers = {
        who: reading.reads_words(post, user(who), runs_it=who == "ada")
        for who in ("bob", "dana", "ada")
    }
    assert readers == {"bob": True, "dana": False, "ada": True}
    show_post(post=post, user=ada, at=NOON)
    hide_thread(thread=thread, user=ada, reason="도배", at=NOON)
    assert [titles(contest, who) != [] for who in ("alice", "dana", "ada")] == [True, False, True]
    assert told("alice", "posted") == []  # its title leaves the inboxes
    refused("unknown_thread", reply, thread=thread, user=user("dana"), text="?")
    refused(
        "post_hidden",
        edit_post,
        post=thread.all_posts.get(opens=True),
        user=user("alice"),
        title="새",
        text="새",
    )
    show_thread(thread=thread, user=ada, at=NOON)
    close(thread=thread, user=ada, locked=True, at=NOON)
    refused("thread_locked", reply, thread=thread, user=user("dana"), text="?")
    reply(thread=thread, user=user("olivia"), text="닫아요", at=NOON)
    kinds = [*AuditEvent.objects.filter(kind__startswith="forum.").values_list("kind", flat=True)]
    assert sorted(kinds) == [
        "forum.locked",
        "forum.pinned",
        "forum.post_hidden",
        "forum.post_shown",
        "forum.thread_hidden",
        "forum.thread_shown",
    ]
    assert not [row for row in AuditEvent.objects.all() if "데이터" in str([row.before, row.after])]


def test_a_report_is_open_until_an_organizer_settles_it(contest: Competition) -> None:
    thread = ask(contest)
    post = thread.all_posts.get()
    refused("not_to_report", report, post=post, user=user("alice"), reason="광고")
    refused("reason_length", report, post=post, user=user("dana"), reason="")
    for who in ("bob", "dana", "dana"):
        report(post=post, user=user(who), reason="광고", at=NOON)
    assert reading.open_reports(contest).count() == 2
    assert not reading.open_reports(competition("other"))
    assert len(told("ada", "reported")) == 1
    dismiss_reports(post=post, user=user("ada"), at=NOON)
    refused("nothing_reported", dismiss_reports, post=post, user=user("ada"))
    assert not reading.open_reports(contest)
    report(post=post, user=user("dana"), reason="또", at=NOON)
    assert not reading.open_reports(contest)  # was looked at
    report(post=post, user=user("olivia"), reason="광고", at=NOON)
    hide_thread(thread=thread, user=user("ada"), reason="광고", at=NOON)
    assert not reading.open_reports(contest)


def test_search_finds_however_hangul_is_composed(contest: Competition) -> None:
    ask(contest, title="Tokenizer 버전", text="mecab-ko는\n몇  버전인가요?")
    ask(contest, title=unicodedata.normalize("NFD", "한글 조합"), text="가")
    inquiry = ask(contest, kind="inquiry", text="한글 비밀")
    other = competition("other")
    team(other, "erin")
    ask(other, "erin", text="한글 다른 대회")

    def found(wanted: str, who: str = "dana") -> int:
        runs_it = who == "olivia"
        threads = reading.threads_for(contest, user(who), runs_it=runs_it)
        return len(reading.searched(contest, threads, wanted, runs_it=runs_it))

    for wanted in ("한글", unicodedata.normalize("NFD", "한글"), "TOKENIZER", "몇 버전", "ko는 몇"):
        assert found(wanted) == 1, wanted
    assert found("비밀") == 0
    assert (found("비밀", "alice"), found("비밀", "olivia")) == (1, 1)
    assert found("%") == found("_글") == 0
    answer = reply(thread=inquiry, user=user("olivia"), text="숨은 낱말", at=NOON)
    hide_post(post=answer, user=user("ada"), reason="실수", at=NOON)
    assert (found("숨은", "alice"), found("숨은", "olivia")) == (0, 1)


def test_what_others_may_not_read_takes_no_place_in_a_search(
    contest: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "HITS", 2)
    open_one = ask(contest, text="낱말")
    for number in range(3):
        inquiry = ask(contest, kind="inquiry", text="낱말", at=NOON + number * MINUTE)
    said = reply(thread=open_one, user=user("bob"), text="낱말", at=NOON + 9 * MINUTE)
    hide_post(post=said, user=user("ada"), reason="실례", at=NOON)
    threads = reading.threads_for(contest, user("dana"), runs_it=False)
    assert reading.searched(contest, threads, "낱말", runs_it=False) == [open_one]
    everything = reading.threads_for(contest, user("olivia"), runs_it=True)
    assert reading.searched(contest, everything, "낱말", runs_it=True) == [inquiry, open_one]


def test_who_closes_the_account_takes_the_words_along(contest: Competition) -> None:
    alone, shared = ask(contest, title="앨리스의 질문"), ask(contest, title="앨리스의 이야기")
    reply(thread=shared, user=user("dana"), text="다나의 답", at=NOON)
    other = ask(contest, "dana")
    post = reply(thread=other, user=user("alice"), text="앨리스의 답", at=NOON)
    edit_post(post=post, user=user("alice"), text="앨리스의 새 답", at=NOON)
    mark_answer(post=post, user=user("dana"), at=NOON)
    report(post=other.all_posts.get(opens=True), user=user("alice"), reason="앨리스의 말", at=NOON)
    close_account(user=user("alice"), password="alice-secret", at=NOON)
    assert not Thread.objects.filter(pk=alone.pk).exists()
    kept = [
        *Thread.objects.values_list("title", flat=True),
        *Post.objects.values_list("text", "folded"),
        *PostReport.objects.values_list("reason", flat=True),
        *Notification.objects.values_list("data", flat=True),
    ]
    assert not [words for words in kept if "앨리스" in str(words)]
    shared.refresh_from_db()
    other.refresh_from_db()
    assert (shared.posts, other.posts, other.answered) == (2, 2, False)
    assert shared.all_posts.get(opens=False).text == "다나의 답"
