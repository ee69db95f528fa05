"""How long an analyzer may take for one text, and for a file, kept from outside the call.

A call into Java ends for no exception and no signal's handler, but lets other threads go on. So a
thread counts how long the same text has been under way. What is done then is not decided here.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Event, Thread

from scoring.tokenizers import Tokenizer


class TimeLimit(Thread):
    """Calls `over` with the text that has been at an analyzer for `seconds`; then ends.

    It counts its own looks: a process that was stopped for a while has not been slow.
    """

    def __init__(self, seconds: float, over: Callable[[str], object]) -> None:
        super().__init__(name="time limit", daemon=True)
        self._pause = min(0.5, seconds / 10)
        self._looks = round(seconds / self._pause)
        self._over = over
        self._ends = Event()
        self._under_way: list[str] | None = None  # a list of one text: another one for each call
        self._left: int | None = None  # looks, for all texts together

    def timed(self, tokenizer: Tokenizer) -> Tokenizer:
        """The same tokenizer, counted for each text. It is started first, which may take longer."""
        tokenizer("길")
        cut = tokenizer.cut

        def timed(text: str) -> Sequence[str]:
            self._under_way = [text]
            try:
                return cut(text)
            finally:
                self._under_way = None

        return replace(tokenizer, cut=timed)

    @contextmanager
    def of_all(self, seconds: float) -> Iterator[None]:
        """While it lasts, all texts together may be at the analyzer for so many seconds."""
        self._left = round(seconds / self._pause)
        try:
            yield
        finally:
            self._left = None

    def run(self) -> None:
        seen, looks = None, 0
        while not self._ends.wait(self._pause):
            text = self._under_way
            looks = looks + 1 if text is seen else 1
            seen = text
            if text is None:
                continue
            if (left := self._left) is not None:
                self._left = left - 1
            if looks > self._looks or left == 0:
                self._over(text[0])
                return

    def stop(self) -> None:
        """Look no more."""
        self._ends.set()
