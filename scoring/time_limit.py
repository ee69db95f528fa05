"""How long an analyzer may take for one text, kept from outside the call.

A call into Java ends for no exception and no signal's handler, but lets other threads go on. So a
thread counts how long the same text has been under way. What is done then is not decided here.
"""

from collections.abc import Callable, Sequence
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

    def run(self) -> None:
        seen, looks = None, 0
        while not self._ends.wait(self._pause):
            text = self._under_way
            looks = looks + 1 if text is seen else 1
            seen = text
            if text is not None and looks > self._looks:
                self._over(text[0])
                return

    def stop(self) -> None:
        """Look no more."""
        self._ends.set()
