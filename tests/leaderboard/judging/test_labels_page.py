"""People's labels: items to label as a file, and how well the judge agrees."""

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries, Settings

from tests.leaderboard import builders
from tests.leaderboard.judging import configs
from tests.leaderboard.judging.pages import judge_page, with_judge
from tests.leaderboard.web.pages import browser, csv_file, hand_in

pytestmark = pytest.mark.django_db


def test_labels_are_compared_or_refused_with_lines(settings: Settings) -> None:
    contest, config = with_judge(settings)
    olivia, where = browser("olivia"), judge_page(config, "/agreement")
    assert "아직 사람의 라벨이 없습니다" in olivia.get(where).text
    assert olivia.post(where, {}).status_code == 422
    configs.judging(config, hand_in(builders.team(contest, "alice")))
    head = "example_id,kind,item_id,rater,label\n"
    wrong = head + "talk_1,claim,c1,김,maybe\ntalk_9,claim,c1,=1+1<b>,yes\n"
    answer = olivia.post(where, {"file": csv_file(wrong.encode(), "labels.csv")})
    assert answer.status_code == 422
    assert "claim 행의 label은" in answer.text
    assert "알 수 없는 id talk_9" in answer.text
    right = (
        head
        + "talk_1,claim,c1,박,\n"
        + "".join(
            f"{name},{kind},{item},{rater},{label}\n"
            for name in ("talk_1", "talk_4")
            for kind, item, label in (("claim", "c1", "yes"), ("question", "q1", "no"))
            for rater in ("김", "이")
        )
    )
    assert olivia.post(where, {"file": csv_file(right.encode(), "<i>.csv")}).status_code == 302
    page = olivia.get(where).text
    assert "label이 빈 줄 1개는 건너뛰었습니다" in page
    # Yes to every claim and no to every question, and of contents nobody said anything.
    assert page.count("구간을 알 수 없음") == 2
    assert page.count("비교할 라벨이 없음") == 1
    assert "기준 이상." not in page
    assert "&lt;i&gt;.csv" in page
    assert "사람의 라벨을 올림" in olivia.get("/c/talk/desk/audit").text


def test_items_to_label_come_as_a_file(
    settings: Settings, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    contest, config = with_judge(settings)
    olivia, where = browser("olivia"), judge_page(config, "/agreement")
    assert "심사한 행이 생기면" in olivia.get(where).text
    assert olivia.get(judge_page(config, "/labels.csv"))["Location"] == where
    assert "라벨할 항목이 없습니다" in olivia.get(where).text
    for number, name in enumerate(("alice", "bob", "charlie", "dana")):
        given = hand_in(builders.team(contest, name), after=timedelta(minutes=number))
        configs.judging(config, given)
    page = olivia.get(where).text
    assert page.count('name="submission"') == 4
    assert page.count("checked>") == 3
    with django_assert_max_num_queries(25):
        file = olivia.get(judge_page(config, "/labels.csv"))
    assert (file.status_code, "no-store" in file["Cache-Control"]) == (200, True)
    assert file["Content-Disposition"] == 'attachment; filename="talk-j1-labels.csv"'
    # The newest three, two public dialogues, a question, a content and the row; no claim is kept.
    assert file.text.count("\r\n") == 1 + 3 * 2 * 3
    assert "talk_4: 그러자고 하는가?" in file.text
    given = {"submission": [str(given.pk)], "dialogues": "1", "rater": "=김"}
    file = olivia.get(judge_page(config, "/labels.csv"), given)
    assert file.text.count(f",{given['submission'][0]},") == file.text.count(",'=김,,") == 3
    for wrong in ({"dialogues": "0"}, {"dialogues": "x"}, {"submission": "x"}, {"rater": "a\tb"}):
        assert olivia.get(judge_page(config, "/labels.csv"), wrong)["Location"] == where
    assert browser("alice").get(judge_page(config, "/labels.csv")).status_code == 404
