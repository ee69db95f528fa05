"""Publishing what was answered to one person in private: to all, and nothing of who asked."""

import re
from collections.abc import Iterator
from datetime import datetime

from leaderboard.accounts.models import User
from leaderboard.actions.announcements import announce, refuse_all_but_organizers
from leaderboard.actions.decisions import deciding
from leaderboard.actions.refusals import Refused
from leaderboard.community.forum import fold
from leaderboard.community.models import Announcement, PostVersion, Thread
from leaderboard.competitions.locking import lock
from leaderboard.teams.queries import known_as

QUOTED = 20  # characters in a row that are no accident
_MARKS = re.compile(r"[>*_`~#|\[\]()\\-]")


def publish_answer(
    *,
    inquiry: Thread,
    user: User,
    text: str,
    text_en: str = "",
    pinned: bool = False,
    seen: str | None = None,
    at: datetime,
) -> Announcement:
    """Announce to all what an organizer answered, in words of its own. Raises Refused.

    Neither the announcement nor anything that is sent of it points back: a link, a name of who
    asked or of their team, and a quotation are refused, and the log of the inquiry does not name
    the announcement.
    """
    refuse = refuse_all_but_organizers
    with deciding(inquiry.competition, user, at, refuse=refuse) as decision:
        rows = Thread.objects.filter(pk=inquiry.pk, competition=decision.competition)
        found = lock(rows.filter(kind=Thread.Kind.INQUIRY))
        if not found:
            raise Refused("unknown_thread")
        if not found[0].all_posts.filter(by_organizer=True, deleted_at=None).exists():
            raise Refused("not_answered")
        _refuse_traces(found[0], f"{text}\n{text_en}")
        announcement = announce(
            competition=decision.competition,
            user=user,
            text=text,
            text_en=text_en,
            pinned=pinned,
            seen=seen,
            at=at,
        )
        decision.record("inquiry.published", found[0].pk)
    return announcement


def answer_to_publish(inquiry: Thread) -> str:
    """What the organizers answered last, without the lines that quote."""
    answers = inquiry.all_posts.filter(by_organizer=True, deleted_at=None)
    last = answers.order_by("-answers", "-at").first()
    lines = last.text.splitlines() if last is not None else []
    return "\n".join(line for line in lines if not line.lstrip().startswith(">")).strip()


def _refuse_traces(inquiry: Thread, text: str) -> None:
    """Raises Refused for words that lead to the inquiry, name its author or repeat theirs."""
    posts = inquiry.all_posts.filter(author=inquiry.author_id)
    ids = [inquiry.pk, *inquiry.all_posts.values_list("pk", flat=True)]
    if any(form in text.lower() for pk in ids for form in (str(pk), pk.hex)):
        raise Refused("inquiry_traces.link")
    said = _plain(text)
    for name in known_as(inquiry.author, inquiry.competition):
        if _names(fold(name), fold(text)):
            raise Refused("inquiry_traces.asker", name=name)
    versions = PostVersion.objects.filter(post__in=posts)
    theirs = [inquiry.title, *posts.values_list("text", flat=True)]
    theirs += [words for row in versions.values_list("title", "text") for words in row]
    for quote in _quotes(said, [_plain(words) for words in theirs]):
        raise Refused("inquiry_traces.quote", quote=quote)


def _plain(text: str) -> str:
    return fold(_MARKS.sub(" ", text))


def _names(name: str, text: str) -> bool:
    """Whether the text has this as a name: Korean particles may follow it, other letters not."""
    end = r"(?![0-9a-z_])" if name[-1:].isascii() else ""
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}{end}", text) is not None


def _quotes(said: str, theirs: list[str]) -> Iterator[str]:
    """What of theirs stands in it: twenty characters in a row, or a whole that is shorter."""
    for words in theirs:
        if QUOTED // 2 <= len(words) <= QUOTED:
            if words in said:
                yield words
        elif len(words) > QUOTED:
            for place in range(len(said) - QUOTED + 1):
                if said[place : place + QUOTED] in words:
                    yield said[place : place + QUOTED]
