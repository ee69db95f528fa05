"""The texts sent to a judge: one file an id and language, versioned and hashed.

Rules are the system message; the row is one JSON object between two marker lines with a tag. No
template engine ever reads submitted text.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import Template
from typing import Any, Literal, TypedDict

Language = Literal["ko", "en"]
LANGUAGES: tuple[Language, ...] = ("ko", "en")

_TAG = re.compile(r"[0-9A-Za-z_-]{8,128}\Z")


class Message(TypedDict):
    """One message of a chat completion."""

    role: Literal["system", "user"]
    content: str


@dataclass(frozen=True)
class Prompt:
    """A template with its frame. Two prompts with equal `sha256` send equal text."""

    id: str
    language: Language
    version: int
    system: str
    frame: str

    @property
    def sha256(self) -> str:
        """Of the template and its frame, byte for byte: one changed byte, another hash."""
        return digest(self.system, self.frame)


def digest(system: str, frame: str) -> str:
    """The hash that names a prompt's text; the length keeps the two parts apart."""
    body = system.encode()
    return hashlib.sha256(b"%d\n%b%b" % (len(body), body, frame.encode())).hexdigest()


@cache
def load(prompt_id: str, language: Language) -> Prompt:
    """The prompt of an id in one language; KeyError if there is none.

    >>> load("claims", "ko").version
    2
    """
    if language not in LANGUAGES:
        raise KeyError(language)
    version = manifest()[prompt_id]["version"]
    return Prompt(
        prompt_id, language, version, _text(prompt_id, language), _text("frame", language)
    )


@cache
def manifest() -> Mapping[str, Mapping[str, Any]]:
    """Version and pinned hashes by id. A test fails when a text changed and its entry did not."""
    stored: dict[str, Any] = json.loads(
        resources.files(__name__).joinpath("manifest.json").read_text("utf-8")
    )
    return stored


def _text(prompt_id: str, language: Language) -> str:
    return resources.files(__name__).joinpath(prompt_id, f"{language}.txt").read_text("utf-8")


def tag(secret: bytes, material: Mapping[str, Any]) -> str:
    """The marker of a material: unguessable for who wrote the text, the same at every call."""
    return hmac.new(secret, _json(material).encode(), hashlib.sha256).hexdigest()[:32]


def build(prompt: Prompt, material: Mapping[str, Any], tag: str) -> tuple[Message, Message]:
    """The two messages of a call: rules, and the material verbatim between its markers.

    ValueError for a tag that could be mistaken for text.
    """
    if not _TAG.match(tag):
        raise ValueError("a tag is 8 to 128 letters, digits, - and _")
    user = Template(prompt.frame).substitute(tag=tag, material=_json(material))
    return {"role": "system", "content": prompt.system}, {"role": "user", "content": user}


def _json(material: Mapping[str, Any]) -> str:
    return json.dumps(material, ensure_ascii=False, allow_nan=False)
