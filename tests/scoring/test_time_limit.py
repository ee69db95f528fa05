"""A text that takes an analyzer too long is told of while the call still goes on."""

from collections.abc import Sequence
from threading import Event

from scoring.tokenizers import TimeLimit, Tokenizer

PATIENCE = 20  # seconds that the machine of the test may need


def test_the_text_that_takes_too_long_is_told_once_and_no_other() -> None:
    told, goes_on = Event(), Event()
    texts: list[str] = []

    def over(text: str) -> None:
        texts.append(text)
        told.set()
        goes_on.set()

    def cut(text: str) -> Sequence[str]:
        if text == "never":  # comes back only because the test ends
            assert goes_on.wait(PATIENCE)
        return text.split()

    limit = TimeLimit(0.2, over)
    timed = limit.timed(Tokenizer("odd", "odd/1", cut))
    assert timed.signature == "odd/1"
    limit.start()
    assert timed("soon enough") == ("soon", "enough")
    assert not told.wait(0.5)
    assert timed("never") == ("never",)
    assert told.is_set()
    limit.join(PATIENCE)
    assert texts == ["never"]


def test_the_same_text_again_and_again_is_another_call_each_time() -> None:
    told = Event()
    limit = TimeLimit(0.2, lambda text: told.set())
    ticks = Event()

    def cut(text: str) -> Sequence[str]:
        ticks.wait(0.01)
        return (text,)

    timed = limit.timed(Tokenizer("odd", "odd/1", cut))
    limit.start()
    for _ in range(50):  # half a second in all
        timed("again")
    limit.stop()
    assert not told.is_set()


def test_all_texts_of_a_file_together_have_a_limit_of_their_own() -> None:
    told, ticks = Event(), Event()
    limit = TimeLimit(0.2, lambda text: told.set())

    def cut(text: str) -> Sequence[str]:
        ticks.wait(0.05)
        return (text,)

    timed = limit.timed(Tokenizer("odd", "odd/1", cut))
    limit.start()
    with limit.of_all(0.4):
        for _ in range(PATIENCE * 20):  # each of them soon enough
            if told.is_set():
                break
            timed("again")
    assert told.is_set()
    limit.join(PATIENCE)
