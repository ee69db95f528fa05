"""What a server says around an answer. Only the judge's worker imports this: it needs pydantic."""

from pydantic import BaseModel, Field


class WireMessage(BaseModel):
    """What a server says; servers add fields of their own."""

    content: str | None = None
    refusal: str | None = None


class Choice(BaseModel):
    """One answer; we ask for one."""

    message: WireMessage
    finish_reason: str | None = None


class WireTokens(BaseModel):
    """How a server counts. Some servers leave it out."""

    prompt_tokens: int = Field(ge=0, le=100_000_000)
    completion_tokens: int = Field(ge=0, le=100_000_000)


class Completion(BaseModel):
    """The body of chat/completions."""

    choices: list[Choice] = Field(min_length=1)
    model: str = ""
    system_fingerprint: str | None = None
    usage: WireTokens | None = None
