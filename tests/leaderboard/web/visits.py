"""The one crawl: somebody asks each request once, and every observer looks at every answer."""

import difflib
from collections.abc import Iterable, Iterator, Sequence

from tests.leaderboard.web.asks import Ask
from tests.leaderboard.web.crawl import Page, Probe, exchange, links, masked
from tests.leaderboard.web.observers import Observer, outcome
from tests.leaderboard.web.stage import Stage, clients

AT_MOST = 3000  # requests, after which a crawl that follows links has found no end


class Crawl:
    """The visits of one person: what was asked, all answers, and what observers found wrong."""

    def __init__(self, stage: Stage, role: str, observers: Sequence[Observer]) -> None:
        self.stage = stage
        self.role = role
        self.browser = clients()[role]
        self.browser.defaults.pop("HTTP_AUTHORIZATION", None)  # what programs ask has its own
        if role != "visitor":
            self.browser.defaults["HTTP_ACCEPT_ENCODING"] = "gzip"
        self.observers = observers
        self.answers: list[tuple[Ask, list[Page]]] = []
        self.wrong: list[str] = []

    @property
    def pages(self) -> list[Page]:
        return [page for _, pages in self.answers for page in pages]

    def visit(self, asks: Iterable[Ask], *, follow: bool = False) -> None:
        """Ask each of these, then (`follow`) every link found on the way, each once."""
        waiting = list(asks)
        seen = {ask.probe.asked for ask in waiting}
        while waiting:
            ask = waiting.pop(0)
            pages = self.ask(ask)
            self.answers.append((ask, pages))
            self._look(ask, pages)
            # What a form made is undone by now, so where it leads to is nowhere.
            if follow and ask.probe.method == "GET":
                found = {probe.asked: probe for probe in self._onward(pages[0])}
                waiting += [Ask("link", found[asked]) for asked in found if asked not in seen]
                seen |= found.keys()
            assert len(seen) <= AT_MOST, f"{self.role} finds no end: {sorted(seen)[-3:]}"

    def _onward(self, page: Page) -> Iterator[Probe]:
        for link in links(page):
            if self.role == "sue" or not link.startswith("/admin/"):
                yield Probe(link)

    def ask(self, ask: Ask) -> list[Page]:
        """The answer to one request, and after a form the page that it leads to."""
        return exchange(self.role, self.browser, ask.probe)

    def _look(self, ask: Ask, pages: list[Page]) -> None:
        for number, page in enumerate(pages):
            # The table knows the answer to the request, not the page that a form leads to.
            looking = [one for one in self.observers if number == 0 or one is not outcome]
            found = (what for one in looking for what in one(ask, page))
            self.wrong += [f"{ask} by {self.role}: {what}" for what in found]

    def answered_otherwise(self, *, whole: bool = False) -> tuple[int, list[str]]:
        """Ask again, after something changed, whatever looked a secret up (or everything): how much
        that was, and what is answered otherwise now, each with the first line that differs.

        No other answer can depend on secrets. What else is shown of scores, in a column of another
        table, `leaks` finds. The administrator's pages hold the log, which says what was changed.
        """
        asked, found = 0, []
        for ask, before in self.answers:
            is_read = whole or any(page.reads_secrets for page in before)
            if is_read and "/admin/" not in ask.probe.address:
                asked += 1
                lines = difference(before, self.ask(ask))
                found += [f"{ask} by {self.role}: {line}" for line in lines]
        return asked, found


def difference(
    before: Sequence[Page], after: Sequence[Page], *, alike: tuple[str, str] = ("", "")
) -> list[str]:
    """The first line of each of these answers that differs, one of two words read as the other."""
    found = []
    for one, other in zip(before, after, strict=True):
        old, new = masked(one).replace(*alike), masked(other)
        if old != new:
            lines = difflib.ndiff(old.splitlines(), new.splitlines())
            found.append(next((line for line in lines if line[:1] in "+-"), "")[:200])
    return found
