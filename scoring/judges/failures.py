"""What ends a scoring without a number, said in one line."""

from scoring.judges.parsing import Malformed
from scoring.messages import Language, Spoken, _

_SENTENCES = {
    "no_object": _("must be a JSON object."),
    "no_list": _("must be a list."),
    "missing": _("{key} is missing."),
    "no_string": _("must be a string."),
    "no_boolean": _("must be true or false."),
    "no_written": _("must be True or False."),
    "no_number": _("must be a number."),
    "no_integer": _("must be a whole number."),
    "too_small": _("must be at least {lowest}."),
    "no_choice": _("must be one of {words}."),
    "no_id": _("must be an id."),
    "same_id_twice": _("holds the same id twice."),
}


class Refusal(Spoken):
    """Records that cannot be scored."""


class InvalidRecords(Refusal, ValueError):
    """Records that are not in the form of their system; `place` is where, e.g. alignment[2]."""

    def __init__(self, english: str, place: str = "", **values: object) -> None:
        self.place = place
        super().__init__(english, **values)

    @classmethod
    def of(cls, malformed: Malformed) -> "InvalidRecords":
        """What the reader found."""
        return cls(_SENTENCES[malformed.code], malformed.place, **malformed.values)

    def message(self, language: Language) -> str:
        """The sentence, after the place."""
        return (f"{self.place}: " if self.place else "") + super().message(language)


class MissingAnswer(Refusal, TypeError):
    """Mastra's legacy code: fewer answers than questions end in a TypeError (issue 6333)."""


class UnequalAnswers(Refusal, ValueError):
    """DeepEval: the two lists of answers differ in length."""


class TooManyAnswers(Refusal, IndexError):
    """DeepEval: more answers than questions."""


class UnknownLabel(Refusal, ValueError):
    """DeepEval 3.7: a verdict other than yes, no or idk fails the whole metric."""


class NoThreshold(Refusal, TypeError):
    """DeepEval 3.7: comparing the score with a threshold of None fails."""
