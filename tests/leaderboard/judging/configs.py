"""What tests of judge columns start from: dialogues, a server by name, configs in every state.

Nothing here asks a server: items and rows are written as a worker would leave them.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pytest_django import Settings

from leaderboard.actions.references import upload_dialogues
from leaderboard.competitions.models import Competition
from leaderboard.judging.actions.configs import create_judge_config
from leaderboard.judging.actions.items import approve_artefacts, begin_judge_review
from leaderboard.judging.actions.running import activate_judge_config, freeze_judge_config
from leaderboard.judging.identity import create_config, settings_of
from leaderboard.judging.models import Artefact, BuiltDialogue, JudgeConfig, Judging, Judgment
from leaderboard.references.models import DialogueSet
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from tests.leaderboard import builders
from tests.leaderboard.builders import GOLDS, NOON, OPENS

SERVER = {"base_url": "https://judge.example.org/v1", "api_key": "k"}
TALKS = {name: f"가: {name} 이야기를 할까?\n나: 그래, 그러자." for name in GOLDS}


def connect(settings: Settings) -> None:
    """The operator names one server."""
    settings.JUDGE_ENDPOINTS = {"default": SERVER}


def contest_of(golds: Mapping[str, tuple[str, ...]], splits: Mapping[str, str]) -> Competition:
    """A contest with these golds live, and a dialogue that is the same for every row."""
    made = builders.competition()
    builders.live(made, builders.gold_csv(golds, splits))
    dialogues(made, dict.fromkeys(splits, "가: 만날까?"))
    return made


def dialogues(contest: Competition, texts: Mapping[str, str] = TALKS) -> DialogueSet:
    upload = Upload("talks.csv", builders.texts_csv(dict(texts), "dialogue"))
    olivia = builders.user("olivia")
    return upload_dialogues(competition=contest, user=olivia, upload=upload, at=OPENS)


def wanted(dialogue_set: DialogueSet, **fields: Any) -> JudgeConfig:
    """Settings of a config as its table starts it, with a model and prices."""
    start = JudgeConfig(
        label="심사",
        dialogue_set=dialogue_set,
        endpoint="default",
        model="judge-1",
        sampling={"temperature": 0, "max_tokens": 2000},
        price_input=1_000_000,
        price_output=4_000_000,
    )
    return settings_of(start, **fields)


def draft(contest: Competition, *, by: str, at: datetime) -> JudgeConfig:
    """A draft on whatever dialogues the contest has, where no server is connected."""
    held = DialogueSet.objects.filter(competition=contest).latest("uploaded_at")
    return create_config(competition=contest, user=builders.user(by), wanted=wanted(held), at=at)


def created(contest: Competition, **fields: Any) -> JudgeConfig:
    """A draft through its action. A server has to be connected."""
    held = DialogueSet.objects.filter(competition=contest).first() or dialogues(contest)
    return create_judge_config(
        competition=contest, user=builders.user("olivia"), wanted=wanted(held, **fields), at=NOON
    )


def built(contest: Competition, **fields: Any) -> JudgeConfig:
    """In review, with a question, a rubric and a content for each dialogue."""
    config = created(contest, **fields)
    begin_judge_review(config_id=config.pk, user=builders.user("olivia"), at=NOON)
    make(config)
    config.refresh_from_db()
    return config


def make(config: JudgeConfig) -> None:
    """What a worker leaves of a config in review."""
    section = config.sections.get()
    Artefact.objects.create(
        config=config, kind="rubric", item_id="r0-1", section=section, text="약속이 무엇인가?"
    )
    BuiltDialogue.objects.create(config=config, example_id="")
    for name in GOLDS:
        rows = (("question", "q1", "그러자고 하는가?", ""), ("content", "k1", "만난다", "r0-1"))
        for kind, item_id, text, rubric in rows:
            Artefact.objects.create(
                config=config,
                example_id=name,
                kind=kind,
                item_id=item_id,
                text=f"{name}: {text}",
                rubric_id=rubric,
                source_answer=True if kind == "question" else None,
            )
        BuiltDialogue.objects.create(config=config, example_id=name)


def frozen(contest: Competition, **fields: Any) -> JudgeConfig:
    config, olivia = built(contest, **fields), builders.user("olivia")
    approve_artefacts(config_id=config.pk, user=olivia, at=NOON)
    return freeze_judge_config(config_id=config.pk, user=olivia, at=NOON)


def active(contest: Competition, **fields: Any) -> JudgeConfig:
    config = frozen(contest, **fields)
    return activate_judge_config(config_id=config.pk, user=builders.user("olivia"), at=NOON)


def judging(config: JudgeConfig, submission: Submission, **fields: Any) -> Judging:
    """A finished judging of the public rows: the claim holds, the question is not answered."""
    made = Judging.objects.create(
        config=config,
        submission=submission,
        board="public",
        requested_at=NOON,
        day=NOON.date(),
        rows=2,
        rows_done=2,
        **{"state": "complete", **fields},
    )
    for name in ("talk_1", "talk_4"):
        row(made, name)
    return made


def row(made: Judging, example_id: str, **fields: Any) -> Judgment:
    """One judged row, in the shape that the workshop's results have."""
    return Judgment.objects.create(
        judging=made,
        example_id=example_id,
        **{
            "status": "scored",
            "results": {
                "alignment": _result(1.0, {"c1": True}),
                "coverage": _result(0.0, {"q1": False}),
                "completeness": _result(1.0, {"r0-1/k1": True}),
                "summarization": _result(0.0, {}),
            },
            **fields,
        },
    )


def _result(score: float, items: Mapping[str, bool]) -> dict[str, Any]:
    return {
        "status": "scored",
        "score": score,
        "numerator": sum(items.values()),
        "denominator": len(items),
        "unsure": 0,
        "items": dict(items),
        "flags": [],
    }
