"""The duplicates report as editors read it."""

import re
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.actions.discipline import disqualify, exclude
from leaderboard.actions.references import upload_dialogues
from leaderboard.actions.submissions import cancel
from leaderboard.actions.teams import add_baseline
from leaderboard.audit.models import AuditEvent
from leaderboard.insight import near_duplicates as report
from leaderboard.insight.near_duplicates import Likeness, duplicates, ignore
from leaderboard.insight.rank_range import make_next_bands
from leaderboard.insight.sections import to_do
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import Team
from scoring.insight.near_duplicates import Pair
from tests.leaderboard import builders
from tests.leaderboard.builders import GOLDS
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db
PAGE = "/c/talk/desk/duplicates"
MINUTE = timedelta(minutes=1)


def answers(name: str, **others: str) -> dict[str, str]:
    """Answers to all four rows that only `name` gives, but for the others."""
    return {row: f"{name} 요약 {row}" for row in GOLDS} | others


def spaced(texts: dict[str, str]) -> dict[str, str]:
    return {row: text.upper().replace(" ", "  ") + "!" for row, text in texts.items()}


def hand_in(team: Team, texts: dict[str, str], at: datetime) -> Submission:
    return builders.hand_in(team, texts, at=at)


def test_equal_and_nearly_equal_files_of_different_teams_are_shown() -> None:
    contest = running()
    now = timezone.now()
    alices = builders.team(contest, "alice", called="<b>원본</b>")
    bobs, carols = builders.team(contest, "bob"), builders.team(contest, "carol")
    first = hand_in(alices, answers("a"), now)
    hand_in(alices, answers("a"), now + MINUTE)  # the same file again is compared once
    again = hand_in(bobs, spaced(answers("a")), now + 2 * MINUTE)
    hand_in(bobs, answers("b"), now + 3 * MINUTE)
    half = answers("c", talk_1="a 요약 talk_1", talk_2="a 요약 talk_2")
    third = hand_in(carols, half, now - MINUTE)
    found = duplicates(contest)
    assert (found.files, found.teams, found.baselines, found.left_out) == (4, 3, 0, 0)
    read = [(one.first, one.second, one.pair.equal, one.pair.compared) for one in found.likenesses]
    assert read == [(first, again, 4, 4), (third, first, 2, 4), (third, again, 2, 4)]
    assert found.likenesses[0].pair.whole
    assert not found.likenesses[0].same_bytes
    page = browser("olivia").get(PAGE).text
    assert page.index("100 %") < page.index("50 %")
    assert f'desk/submissions/{again.pk}#exclude"' in page
    assert f'desk/teams/{bobs.pk}#disqualify"' in page
    assert f"/c/talk/desk/submissions/{first.pk}" in page
    assert "&lt;b&gt;원본&lt;/b&gt;" in page


def test_a_baselines_answers_are_set_aside_and_it_is_in_no_pair() -> None:
    contest = running()
    now = timezone.now()
    base = builders.team(contest, "dana", called="KoBART")
    hand_in(base, answers("기준"), now)
    Team.objects.filter(pk=base.pk).update(kind=Team.Kind.BASELINE)
    own = {"talk_4": "같은 제 답"}
    hand_in(builders.team(contest, "alice"), answers("기준", **own), now)
    hand_in(builders.team(contest, "bob"), answers("기준", **own, talk_5="밥"), now)
    found = duplicates(contest)
    assert (found.files, found.baselines) == (2, 1)
    [likeness] = found.likenesses
    assert (likeness.pair.equal, likeness.pair.compared, likeness.pair.set_aside) == (1, 2, 2)


def test_the_first_turns_of_a_dialogue_are_set_aside() -> None:
    contest = running()
    talks = {row: f"가: 안녕 {row}.\n나: 그래 {row}.\n가: 내일 보자." for row in GOLDS}
    leads = {row: f"안녕 {row}. 그래 {row}. 내일 보자." for row in GOLDS}
    for number, name in enumerate(("alice", "bob")):
        hand_in(builders.team(contest, name), leads, timezone.now() + number * MINUTE)
    assert len(duplicates(contest).likenesses) == 1
    upload = Upload("talks.csv", builders.texts_csv(talks, column="dialogue"))
    olivia = builders.user("olivia")
    upload_dialogues(competition=contest, user=olivia, upload=upload, at=timezone.now())
    assert duplicates(contest).likenesses == ()


def test_every_team_has_its_turn_when_there_are_too_many_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contest = running()
    now = timezone.now()
    alices, bobs = builders.team(contest, "alice"), builders.team(contest, "bob")
    hand_in(bobs, answers("b"), now)
    for number in range(4):
        hand_in(alices, answers(f"a{number}"), now + (number + 1) * MINUTE)
    monkeypatch.setattr(report, "MOST", 3)
    found = duplicates(contest)
    assert (found.files, found.teams, found.left_out) == (3, 2, 2)


def test_a_pair_is_read_side_by_side() -> None:
    contest = running()
    now = timezone.now()
    alices, bobs = builders.team(contest, "alice"), builders.team(contest, "bob")
    ours = answers("a", talk_4="민수와 지우는 내일 아침 일찍 새로 연 도서관 앞에서 만나기로 했다.")
    first = hand_in(alices, ours, now)
    theirs = {**ours, "talk_5": "전혀 다른 말", "talk_4": ours["talk_4"].replace("했다", "한다")}
    second = hand_in(bobs, theirs, now + MINUTE)
    add_baseline(
        competition=contest,
        user=builders.user("olivia"),
        name="기준선",
        upload=Upload("b.csv", builders.prediction_csv(answers("b", talk_1=ours["talk_1"]))),
        at=now,
    )
    olivia = browser("olivia")
    pair = f"{PAGE}/pair?a={second.pk}&b={first.pk}"
    assert f"pair?a={first.pk}&amp;b={second.pk}" in olivia.get(PAGE).text
    text = olivia.get(pair).text
    assert "4행 가운데 3행" in text
    assert text.index(f"/desk/submissions/{first.pk}") < text.index(
        f"/desk/submissions/{second.pk}"
    )
    assert re.findall(r'class="id">(talk_\d)<', text) == ["talk_1", "talk_2", "talk_4"]
    assert text.count("베이스라인도 같음") == 1
    assert text.count("거의 같음") == 1
    assert "<ins>한다.</ins>" in text or "<ins>만나기로 한다.</ins>" in text
    with CaptureQueriesContext(connection) as queries:
        olivia.get(pair)
    assert len(queries) <= 14, [query["sql"] for query in queries]


def test_a_pair_is_of_two_teams_of_this_contest() -> None:
    contest = running()
    now = timezone.now()
    alices = builders.team(contest, "alice")
    first = hand_in(alices, answers("a"), now)
    second = hand_in(alices, answers("b"), now + MINUTE)
    elsewhere = running("elsewhere")
    others = hand_in(builders.team(elsewhere, "bob"), answers("a"), now)
    olivia = browser("olivia")
    for a, b in ((first.pk, second.pk), (first.pk, first.pk), (first.pk, others.pk), ("x", "")):
        assert olivia.get(f"{PAGE}/pair", {"a": a, "b": b}).status_code == 404
    assert browser("alice").get(f"{PAGE}/pair?a={first.pk}&b={second.pk}").status_code == 404


def test_an_ignored_pair_of_files_is_put_aside_and_no_other_pair() -> None:
    contest = running()
    now = timezone.now()
    alices, bobs = builders.team(contest, "alice"), builders.team(contest, "bob")
    same = {"talk_1": "같은 말 하나", "talk_2": "같은 말 둘", "talk_4": "같은 말 셋"}
    first = hand_in(alices, answers("a", **same), now)
    second = hand_in(bobs, answers("b", **same), now + MINUTE)
    olivia = browser("olivia")
    sent = {"verb": "ignore", "a": str(first.pk), "b": str(second.pk)}
    for wrong in ({"b": str(first.pk)}, {"a": ""}):
        assert olivia.post(PAGE, sent | wrong).status_code == 404
    assert olivia.get(PAGE).text.count('value="ignore"') == 1
    assert olivia.post(PAGE, sent).status_code == 302
    page = olivia.get(PAGE).text
    assert 'value="ignore"' not in page
    assert "<details" in page
    event = AuditEvent.objects.get(kind=report.IGNORED)
    assert (event.subject, event.actor_id) == (first.pk, builders.user("olivia").pk)
    weaker = hand_in(bobs, answers("c", **same | {"talk_1": "다른 말"}), now + 2 * MINUTE)
    [found] = duplicates(contest).likenesses
    assert (found.files, found.pair.equal) == ((first, weaker), 2)


def test_shares_are_rounded_and_few_rows_come_after_many() -> None:
    few, many, nearly = (
        Pair(0, 1, equal, compared, 0, False, 0.0)
        for equal, compared in ((5, 5), (180, 200), (399, 400))
    )
    assert sorted((few, many, nearly), key=report.doubt) == [nearly, many, few]
    shown = [Likeness(Submission(), Submission(), pair).percent for pair in (few, many, nearly)]
    assert shown == [100, 90, 99]
    assert Likeness(Submission(), Submission(), Pair(0, 1, 2, 3, 0, False, 0.0)).percent == 67


@pytest.mark.parametrize("how", ["ignored", "excluded", "disqualified", "cancelled"])
def test_what_was_decided_is_no_longer_to_do(how: str) -> None:
    contest = running()
    now = timezone.now()
    olivia = builders.user("olivia")
    alices, bobs = builders.team(contest, "alice"), builders.team(contest, "bob")
    first = hand_in(alices, answers("a"), now)
    if how != "cancelled":
        builders.score_all(now)
    second = hand_in(bobs, answers("a"), now + MINUTE)
    done = {"user": olivia, "at": now + 2 * MINUTE}
    if how == "cancelled":
        cancel(submission=second, user=builders.user("bob"), at=now + 2 * MINUTE)
    builders.score_all(now)
    while make_next_bands(now):
        pass
    steps = [step.label for step in to_do(builders.viewer_of(contest, olivia, now))]
    assert len(steps) == (0 if how == "cancelled" else 2)
    if how == "ignored":
        ignore(competition=contest, first=first, second=second, **done)
    elif how == "excluded":
        exclude(submission=second, reason="같은 파일", **done)
    elif how == "disqualified":
        disqualify(team=bobs, reason="같은 파일", **done)
    while make_next_bands(now + timedelta(hours=2)):
        pass
    assert list(to_do(builders.viewer_of(contest, olivia, now))) == []
