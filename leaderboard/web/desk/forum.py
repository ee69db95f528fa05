"""The desk's forum: who waits for an answer, what was reported, the inquiries."""

from typing import Any

from django.utils.translation import pgettext_lazy

from leaderboard.community import reading
from leaderboard.competitions.models import Competition
from leaderboard.web import find
from leaderboard.web.contest.forum import THREADS_SHOWN, ThreadLine, bylines, last_page
from leaderboard.web.find import WebRequest
from leaderboard.web.navigation import CONTEST, EVERY_ROLE, Entry
from leaderboard.web.page import DeskPage, page

FIRST = 30  # of those who wait and of what is reported: the others come when these are done


@page(
    "desk/forum",
    "desk_forum",
    Entry(CONTEST, pgettext_lazy("contest", "Forum"), 45, who=EVERY_ROLE),
)
class DeskForum(DeskPage):
    """`/c/<slug>/desk/forum`: for every organizer. What is decided, is decided at the thread."""

    template = "desk/forum.html"

    @staticmethod
    def known(request: WebRequest, slug: str) -> Competition:
        return find.competition_to_speak_in(request, slug)

    def context(self) -> dict[str, Any]:
        waiting = list(reading.waiting(self.competition)[:FIRST])
        reports = list(reading.open_reports(self.competition)[:FIRST])
        inquiries = find.page_of(self.request, reading.inquiries(self.competition), THREADS_SHOWN)
        threads = [*waiting, *inquiries]
        people = [thread.author for thread in threads]
        people += [person for row in reports for person in (row.user, row.post.author)]
        by = bylines(self.viewer, people)

        def lines(rows: Any) -> list[ThreadLine]:
            return [ThreadLine(row, by[row.author_id], False, last_page(row)) for row in rows]

        return {
            "waiting": lines(waiting),
            "reports": [(row, by[row.post.author_id], by[row.user_id]) for row in reports],
            "inquiries": lines(inquiries),
            "pages": inquiries,
            "first": FIRST,
        }
