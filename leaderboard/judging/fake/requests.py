"""What a request asks for. Whatever is not one of our own calls is unknown."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from scoring.judges import prompts
from scoring.judges.pipelines import PIPELINES
from scoring.judges.schemas import SCHEMAS

_MATERIAL = re.compile(
    r"^=== material (?P<tag>[0-9A-Za-z_-]+) ===\n(?P<json>.*)\n=== end of material (?P=tag) ===$",
    re.DOTALL | re.MULTILINE,
)


class Unknown(Exception):
    """A request that this server has no answer for. It says why and answers 501."""


@dataclass(frozen=True)
class AskedOfFake:
    """One call. `key` is the same for the same question, whatever the sampling."""

    schema: str
    material: Mapping[str, Any]
    model: str
    key: str


def read(body: bytes) -> AskedOfFake:
    """The call a request body stands for; raises `Unknown`."""
    try:
        asked = json.loads(body)
        model, (system, user) = asked["model"], asked["messages"]
        rules, text = system["content"], user["content"]
    except (ValueError, KeyError, TypeError) as error:
        raise Unknown("not a chat completion of one system and one user message") from error
    if not (isinstance(model, str) and isinstance(rules, str) and isinstance(text, str)):
        raise Unknown("model and messages are texts")
    schema = _schema(asked.get("response_format"), rules)
    material = _material(text)
    if frozenset(material) not in _inputs()[schema]:
        raise Unknown(f"{schema} is not asked with {', '.join(sorted(material))}")
    # The tag is the same for the same material; it is left out so that the key needs no secret.
    written = json.dumps([schema, material], ensure_ascii=False, sort_keys=True)
    return AskedOfFake(schema, material, model, hashlib.sha256(written.encode()).hexdigest())


def _schema(response_format: Any, rules: str) -> str:
    """By the rules, which are the only sign in `json_object` and `prompt` mode."""
    by_rules = _by_rules().get(rules)
    if by_rules is None:
        raise Unknown("these rules are not one of the prompts")
    if isinstance(response_format, dict) and response_format.get("type") == "json_schema":
        form = response_format.get("json_schema")
        if not isinstance(form, dict) or form.get("name") != by_rules:
            raise Unknown(f"the rules ask for {by_rules}, the answer form does not")
        if form.get("schema") != SCHEMAS[by_rules].body:
            raise Unknown(f"{by_rules} has another form")
    return by_rules


def _material(text: str) -> dict[str, Any]:
    found = _MATERIAL.search(text)
    if found is None:
        raise Unknown("no material between markers")
    try:
        material = json.loads(found["json"])
    except ValueError as error:
        raise Unknown("the material is not one JSON value") from error
    if not isinstance(material, dict):
        raise Unknown("the material is not a JSON object")
    return material


@cache
def _by_rules() -> Mapping[str, str]:
    """Schema by the text of the system message, in every language."""
    return {
        prompts.load(call.prompt, language).system: call.schema
        for pipeline in PIPELINES.values()
        for call in pipeline.calls
        for language in prompts.LANGUAGES
    }


@cache
def _inputs() -> Mapping[str, frozenset[frozenset[str]]]:
    """The sets of keys a schema is asked with."""
    calls = [call for pipeline in PIPELINES.values() for call in pipeline.calls]
    return {
        call.schema: frozenset(frozenset(one.inputs) for one in calls if one.schema == call.schema)
        for call in calls
    }
