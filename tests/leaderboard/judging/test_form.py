"""The form of a judge column: little to choose, the rest explained, and its cost before a draft."""

import re

import pytest

from leaderboard.competitions.models import Competition
from leaderboard.judging.models import JudgeConfig, Reservation
from leaderboard.judging.pages.forms import JudgeForm, initial_of
from tests.leaderboard import builders
from tests.leaderboard.judging import configs
from tests.leaderboard.judging.pages import JUDGE_DESK, judge_page
from tests.leaderboard.judging.test_desk import form
from tests.leaderboard.web.pages import browser, hand_in, running

pytestmark = pytest.mark.django_db


@pytest.fixture
def contest(connected_judge: None) -> Competition:
    made = running()
    configs.dialogues(made)
    return made


def new_form(page: str) -> str:
    return page.split('id="new"')[1]


def test_every_folded_field_has_a_default_that_serves_and_says_what_it_is_for(
    contest: Competition,
) -> None:
    filled = JudgeForm(initial=initial_of(None))
    for _, fields in filled.folded():
        for field in fields:
            assert field.field.help_text, field.name
            has_choices = getattr(field.field, "choices", None) is not None
            assert field.value() or not field.field.required or has_choices, field.name
    page = browser("olivia").get(JUDGE_DESK).text
    values = dict(re.findall(r'name="([a-z_]+)" value="([^"]*)"', new_form(page)))
    sent = {
        **form(contest),
        **{name: value for name, value in values.items() if name != "csrfmiddlewaretoken"},
        "model": "judge-1",
    }
    assert browser("olivia").post(JUDGE_DESK, sent).status_code == 302
    assert JudgeConfig.objects.get().label == "심사"


def test_no_limit_is_prefilled_with_a_zero(contest: Competition) -> None:
    page = new_form(browser("olivia").get(JUDGE_DESK).text)
    zeros = re.findall(r'name="([a-z_]+)" value="0(?:\.0)?"', page)
    assert zeros == ["temperature"]  # that one is sent, and limits nothing
    config = configs.created(contest, price_input=0, price_output=0)
    page = browser("olivia").get(judge_page(config)).text
    assert re.findall(r'name="([a-z_]+)" value="0(?:\.0)?"', page) == ["temperature"]


def test_a_typed_zero_is_never_taken_for_no_limit(contest: Competition) -> None:
    for name in ["micros_in_all", "micros_per_team_day", "micros_per_submission", "sample_rows"]:
        answer = browser("olivia").post(JUDGE_DESK, form(contest, **{name: "0"}))
        assert answer.status_code == 422
        assert f'id="id_{name}_error"' in answer.text
        assert not JudgeConfig.objects.exists()


def test_a_limit_of_money_without_a_price_is_refused_since_it_would_never_hold(
    contest: Competition,
) -> None:
    olivia = browser("olivia")
    free = form(contest, price_input="", price_output="", micros_in_all="5")
    answer = olivia.post(JUDGE_DESK, free)
    assert answer.status_code == 422
    assert "비용 한도를 두려면 가격이 필요합니다" in answer.text
    assert olivia.post(JUDGE_DESK, {**free, "price_output": "2"}).status_code == 302
    assert JudgeConfig.objects.get().micros_in_all == 5_000_000


def test_a_dry_run_before_the_draft_asks_and_keeps_nothing(contest: Competition) -> None:
    hand_in(builders.team(contest, "alice"))
    olivia = browser("olivia")
    typed = form(contest, price_output="4", verb="estimate", n="3", model="judge-77")
    page = olivia.post(JUDGE_DESK, typed).text
    assert not JudgeConfig.objects.exists()
    assert not Reservation.objects.exists()
    assert 'value="judge-77"' in page
    before = re.findall(r'<td class="num">([^<]*)</td>', page)
    olivia.post(JUDGE_DESK, {**typed, "verb": "create"})
    # The draft's own dry run says the same of the same submissions.
    page = olivia.get(judge_page(JudgeConfig.objects.get()), {"n": "3"}).text
    table = page.split('id="dry"')[1].split("</section>")[0]
    assert before == re.findall(r'<td class="num">([^<]*)</td>', table)
    assert len(before) == 14
    assert before[-1] != "0"
