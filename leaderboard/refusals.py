"""A refusal is for the person who asked: what happened, why, and what to do next."""

from django.utils.functional import Promise

from leaderboard.texts import Said, Sentences


class Refused(Said, Exception):
    """The action was not done and nothing was spent. Never holds a reference or a traceback.

    `status` is what an entry point answers over HTTP, `retry_after` is in seconds; `values` fill
    the places of the texts.
    """

    status = 409

    def __init__(
        self,
        code: str,
        what: Promise | str,
        next_step: Promise | str = "",
        /,
        *,
        status: int | None = None,
        retry_after: int | None = None,
        **values: object,
    ) -> None:
        Said.__init__(self, code, **values)
        Exception.__init__(self, code)
        self.sentences = {code: Sentences(what, next_step)}
        self.status, self.retry_after = status or self.status, retry_after


class Forbidden(Refused):
    """Not for this person, or not now."""

    status = 403


class Unknown(Refused):
    """There is no such thing, for this person at least."""

    status = 404


class Invalid(Refused):
    """What was sent cannot be taken, whoever sends it."""

    status = 422


class TooMany(Refused):
    """As often as it may be done."""

    status = 429
