"""Which models answered under a config: counted from the rows, and told once when they change."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest

from leaderboard.judging import signs
from leaderboard.judging.actions.judgings import rejudge
from leaderboard.judging.models import Answerer, JudgeConfig, Judging
from tests.leaderboard.builders import NOON, hand_in, open_competition, team, user
from tests.leaderboard.judging.stage import ScriptedJudge, built, request, work

pytestmark = pytest.mark.usefixtures("connected_judge")
LATER = NOON + timedelta(hours=1)
WORSE = {"talk_1": "민수는 지우를 만난다."}  # one of two public rows, the other is the same
# Three calls a row without an instruction; the same row of another file costs no call.
A_ROW, BOTH_ROWS = 3, 6


@pytest.fixture
def config(db: None) -> JudgeConfig:
    return built(open_competition(), instruction="")


def judged(
    config: JudgeConfig,
    who: str,
    texts: dict[str, str] | None = None,
    *,
    at: datetime = NOON,
    model: str = "fake-1",
    fingerprint: str = "fp",
) -> Judging:
    """A submission, judged by a server that calls itself so."""
    judging = request(config, hand_in(team(config.competition, who), texts))
    judge = ScriptedJudge()
    judge.model, judge.fingerprint = model, fingerprint
    work(judge, at=at)
    return judging


def pairs(config: JudgeConfig) -> list[tuple[str, str, int, datetime, datetime]]:
    return [
        (one.model, one.fingerprint, one.answers, one.first_at, one.last_at)
        for one in signs.answerers_of_config(config)
    ]


def told(caplog: pytest.LogCaptureFixture) -> int:
    return caplog.text.count("judge_answers_changed")


def test_one_model_is_one_pair_and_nothing_to_tell(
    config: JudgeConfig, caplog: pytest.LogCaptureFixture
) -> None:
    judged(config, "alice")
    judged(config, "charlie", WORSE, at=LATER)
    # Charlie's one row that is Alice's rests on her answers; making the items is not counted.
    assert pairs(config) == [("fake-1", "fp", 2 * BOTH_ROWS, NOON, LATER)]
    assert told(caplog) == 0


def test_another_fingerprint_is_told_once_and_judging_goes_on(
    config: JudgeConfig, caplog: pytest.LogCaptureFixture
) -> None:
    judged(config, "alice")
    second = judged(config, "charlie", WORSE, at=LATER, fingerprint="fp2")
    assert pairs(config) == [
        ("fake-1", "fp", BOTH_ROWS + A_ROW, NOON, NOON),
        ("fake-1", "fp2", A_ROW, LATER, LATER),
    ]
    assert signs.has_changed(signs.answerers_of_config(config))
    assert told(caplog) == 1
    second.refresh_from_db()
    assert (second.state, second.rows_done) == ("complete", 2)
    # Neither the same answers in another file, nor those of a new text, nor a second counting.
    judged(config, "dana", WORSE, at=LATER, fingerprint="fp2")
    judged(config, "erin", {"talk_1": "지우가 온다."}, at=LATER, fingerprint="fp2")
    rejudge(judging_id=second.pk, user=user("olivia"), everything=True, at=NOON)
    work(ScriptedJudge(), at=LATER)
    assert told(caplog) == 1
    assert Answerer.objects.get(judging=second, fingerprint="fp2").answers == A_ROW


def test_answers_of_another_config_count_where_they_are_used(config: JudgeConfig) -> None:
    judged(config, "alice", fingerprint="old")
    JudgeConfig.objects.update(state=JudgeConfig.State.RETIRED)
    # The same questions, made anew: only what is asked of summaries is shared here.
    second = built(config.competition, instruction="", dialogue_set=config.dialogue_set)
    judge = ScriptedJudge()
    judge.fingerprint = "new"
    request(second, Judging.objects.get().submission)
    work(judge, at=LATER)
    assert judge.calls == 0
    assert pairs(second) == [("fake-1", "old", BOTH_ROWS, NOON, NOON)]
    judged(second, "charlie", WORSE, at=LATER, fingerprint="new")
    assert signs.has_changed(signs.answerers_of_config(second))
    assert not signs.has_changed(signs.answerers_of_config(config))


def said(*names: tuple[str, str]) -> Iterator[SimpleNamespace]:
    return (SimpleNamespace(model=model, fingerprint=mark) for model, mark in names)


@pytest.mark.parametrize(
    ("names", "changed"),
    [
        ([("m", "a"), ("m", "")], False),
        ([("m", "a"), ("", "a")], False),
        ([("m", "a"), ("m", "b")], True),
        ([("m", "a"), ("m", ""), ("m", "b")], True),
        ([("m", "a"), ("n", "a")], True),
    ],
)
def test_what_a_server_does_not_say_is_no_change(
    names: list[tuple[str, str]], changed: bool
) -> None:
    assert signs.has_changed(said(*names)) is changed
