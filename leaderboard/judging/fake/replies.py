"""The body of a chat completion."""

import json
from typing import Any

FINGERPRINT = "fake-judge-1"
# Korean text takes about a token for two characters.
_CHARACTERS_PER_TOKEN = 2


def completion(
    *,
    model: str,
    content: str | None,
    asked: int,
    finish_reason: str = "stop",
    refusal: str | None = None,
) -> dict[str, Any]:
    """An answer as the API gives it. asked: characters of the request, for the token counts."""
    prompt, written = asked // _CHARACTERS_PER_TOKEN, len(content or "") // _CHARACTERS_PER_TOKEN
    return {
        "id": "chatcmpl-fake",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "system_fingerprint": FINGERPRINT,
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "logprobs": None,
                "message": {"role": "assistant", "content": content, "refusal": refusal},
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": written,
            "total_tokens": prompt + written,
        },
    }


def error(message: str, *, code: str) -> dict[str, Any]:
    """An error as the API gives it."""
    return {"error": {"message": message, "type": code, "param": None, "code": code}}


def written(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
