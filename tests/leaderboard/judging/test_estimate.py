"""The dry run: calls, tokens and money before anything is asked."""

import pytest

from leaderboard.judging.estimate import ENOUGH_ANSWERS, building, dry_run, repeating
from leaderboard.judging.models import JudgeConfig, Reservation
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.judging import configs

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("connected_judge")]
PUBLIC = ["talk_1", "talk_4"]


@pytest.fixture
def config() -> JudgeConfig:
    return configs.active(builders.open_competition())


def calls(config: JudgeConfig, submissions: int) -> dict[str, int]:
    found = dry_run(config, submissions=submissions, example_ids=PUBLIC)
    return found.by_call


def test_three_calls_a_row_and_a_fourth_with_an_instruction(config: JudgeConfig) -> None:
    builders.hand_in(builders.team(config.competition, "alice"))
    assert calls(config, 1) == {"P1": 2, "P2": 2, "P3": 2}
    config.artefacts.create(
        kind="adherence", item_id="a0-1", section=config.sections.get(), text="한 문장인가?"
    )
    assert calls(config, 1) == {"P1": 2, "P2": 2, "P3": 2, "P4": 2}


def test_before_the_items_are_made_they_are_expected() -> None:
    """Else the call that asks about them was left out, and it takes most tokens."""
    contest = builders.open_competition()
    builders.hand_in(builders.team(contest, "alice"))
    draft = configs.created(contest)
    assert calls(draft, 1) == {"P1": 2, "P2": 2, "P3": 2}
    draft.sections.update(kind="free", instruction="한 문장으로 쓴다.")
    assert calls(draft, 1) == {"P1": 2, "P2": 2, "P3": 2, "P4": 2}
    before = dry_run(draft, submissions=1, example_ids=PUBLIC)
    built = configs.built(contest)  # one question and one content a dialogue, and no instruction
    after = dry_run(built, submissions=1, example_ids=PUBLIC)
    assert calls(built, 1) == {"P1": 2, "P2": 2, "P3": 2}
    assert before.output_tokens > after.output_tokens
    built.artefacts.all().delete()
    assert calls(built, 1) == {"P1": 2, "P2": 2}, "made, and nothing was found to ask"


def test_the_same_text_costs_nothing_again(config: JudgeConfig) -> None:
    first = builders.hand_in(builders.team(config.competition, "alice"))
    builders.hand_in(builders.team(config.competition, "bob"), {"talk_1": "다른 요약이다."})
    found = dry_run(config, submissions=2, example_ids=PUBLIC)
    assert (found.existing, found.rows, found.repeated, found.calls) == (2, 4, 1, 9)
    configs.judging(config, first)
    found = dry_run(config, submissions=2, example_ids=PUBLIC)
    assert (found.rows, found.repeated, found.calls) == (4, 3, 3)


def test_a_summary_that_is_not_asked_about_costs_nothing(config: JudgeConfig) -> None:
    texts = {"talk_1": "긴 " * 600, "talk_4": "두 사람이 만난다."}
    builders.hand_in(builders.team(config.competition, "alice"), texts)
    found = dry_run(config, submissions=1, example_ids=PUBLIC)
    assert (found.gated, found.calls) == (1, 3)


def test_submissions_still_to_come_are_new(config: JudgeConfig) -> None:
    assert calls(config, 5) == {"P1": 10, "P2": 10, "P3": 10}
    first = builders.hand_in(builders.team(config.competition, "alice"))
    assert calls(config, 5) == {"P1": 10, "P2": 10, "P3": 10}
    configs.judging(config, first)
    assert calls(config, 5) == {"P1": 8, "P2": 8, "P3": 8}


def test_money_is_tokens_at_the_configs_prices_once_they_were_measured(
    config: JudgeConfig,
) -> None:
    for call in ("P1", "P2", "P3"):
        Reservation.objects.bulk_create(
            Reservation(
                config=config, day=NOON.date(), call_key="a", call=call, state="answered",
                estimate=1, micros=1, input_tokens=1000, output_tokens=100, made_at=NOON,
            )
            for _ in range(ENOUGH_ANSWERS)
        )  # fmt: skip
    builders.hand_in(builders.team(config.competition, "alice"))
    found = dry_run(config, submissions=1, example_ids=PUBLIC)
    assert set(found.measured) == {"P1", "P2", "P3"}
    assert (found.input_tokens, found.output_tokens) == (6000, 600)
    # 6000 at 1 USD a million and 600 at 4: 0.0084 USD.
    assert found.micros == 8_400
    assert found.calls_left == config.calls_in_all - 3 * ENOUGH_ANSWERS
    config.calls_in_all = 3 * ENOUGH_ANSWERS + 5
    assert not dry_run(config, submissions=1, example_ids=PUBLIC).fits


def test_making_the_items_counts_what_is_missing() -> None:
    config = configs.created(builders.open_competition())
    found = building(config, example_ids=list(builders.GOLDS))
    # Without an instruction no section asks anything: two calls a dialogue.
    assert found.by_call == {"S1": 4, "S2": 4}
    config.sections.update(kind="free", instruction="한 문장으로 쓴다.")
    config.built_dialogues.create(example_id="talk_1")
    found = building(config, example_ids=list(builders.GOLDS))
    assert found.by_call == {"S0": 1, "S1": 3, "S2": 3, "S3": 3}
    assert found.micros > 0


def test_a_repeat_takes_every_call_but_that_of_the_claims_so_often(config: JudgeConfig) -> None:
    texts = {"talk_1": "두 사람이 만난다.", "talk_4": "의사를 만난다."}
    found = repeating(config, texts=texts, times=5)
    assert found.by_call == {"P2": 10, "P3": 10}
    once = repeating(config, texts=texts, times=1)
    assert found.micros == pytest.approx(5 * once.micros, abs=3)
    assert (found.rows, found.calls_left, found.fits) == (10, config.calls_in_all, True)
