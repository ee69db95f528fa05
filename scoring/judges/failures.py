"""What ends a scoring without a number, said in both languages and in one line."""

from scoring.messages import Spoken


class Refusal(Spoken):
    """Records that cannot be scored. `message_ko` and `message_en` are single lines."""

    def __init__(self, message_ko: str, message_en: str) -> None:
        self.message_ko = message_ko
        self.message_en = message_en
        Exception.__init__(self, message_en)

    def message(self, language: str) -> str:
        """The line in one language; Korean unless `en`."""
        return self.message_en if language == "en" else self.message_ko


class InvalidRecords(Refusal, ValueError):
    """Records that are not in the form of their system; `place` is where, e.g. alignment[2]."""

    def __init__(self, place: str, message_ko: str, message_en: str) -> None:
        self.place = place
        before = f"{place}: " if place else ""
        super().__init__(before + message_ko, before + message_en)


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
