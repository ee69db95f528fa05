"""A contest with a judge config, and a judge that is a function."""

from collections.abc import Mapping
from typing import Any

from leaderboard.actions.upload_dialogues import upload_dialogues
from leaderboard.competitions.models import Competition
from leaderboard.judging.identity import artefact_hash, config_hash
from leaderboard.judging.models import JudgeConfig
from leaderboard.judging.replies import JudgeReply, Usage
from leaderboard.references.models import DialogueSet
from leaderboard.submissions.intake import Upload
from tests.leaderboard.builders import GOLDS, OPENS, texts_csv, user

ENDPOINT = {"base_url": "http://127.0.0.1:1/v1", "api_key": "sk-test"}
DIALOGUES = {
    name: f"#Person1#: {golds[0]} 맞지?\n#Person2#: 그래, 네 말대로 {golds[1]}"
    for name, golds in GOLDS.items()
}


def dialogues(contest: Competition, texts: Mapping[str, str] = DIALOGUES) -> DialogueSet:
    upload = Upload("talks.csv", texts_csv(texts, "dialogue"))
    return upload_dialogues(competition=contest, user=user("olivia"), upload=upload, at=OPENS)


def judge_config(contest: Competition, **fields: Any) -> JudgeConfig:
    """An active config without items; give other fields to change it."""
    wanted = {
        "number": JudgeConfig.objects.filter(competition=contest).count() + 1,
        "label": "시험 심사",
        "state": JudgeConfig.State.ACTIVE,
        "endpoint": "default",
        "model": "fake-1",
        "sampling": {"temperature": 0, "max_tokens": 1000},
        "created_by": user("olivia"),
        "created_at": OPENS,
        **fields,
    }
    if "dialogue_set" not in wanted:
        wanted["dialogue_set"] = DialogueSet.objects.filter(
            competition=contest
        ).first() or dialogues(contest)
    return freeze(JudgeConfig.objects.create(competition=contest, **wanted))


def freeze(config: JudgeConfig) -> JudgeConfig:
    """Set both hashes as freezing does."""
    config.artefact_hash = artefact_hash(config)
    config.config_hash = config_hash(config)
    config.save(update_fields=["artefact_hash", "config_hash"])
    return config


USAGE = Usage(100, 20)


def reply(answer: Mapping[str, Any], usage: Usage | None = USAGE) -> JudgeReply:
    return JudgeReply(
        raw=str(dict(answer)),
        content=str(dict(answer)),
        answer=answer,
        finish_reason="stop",
        refusal="",
        model="fake-1",
        fingerprint="fp",
        usage=usage,
        latency_ms=7,
    )
