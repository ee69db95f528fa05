"""Publishing what was answered to one person in private: to all, and nothing of who asked."""

import re
from collections.abc import Iterator
from datetime import datetime

from leaderboard.accounts.models import User
from leaderboard.actions.announcements import announce, refuse_all_but_organizers
from leaderboard.actions.decisions import deciding
from leaderboard.actions.refusals import Refused
from leaderboard.community.forum import fold
from leaderboard.community.models import Announcement, Thread
from leaderboard.competitions.locking import lock
from leaderboard.teams.queries import known_as

QUOTED = 20  # letters in a row that are no accident, as `_counted` counts them
_BLANK_IN_HANGUL = re.compile(r"(?<=[가-힣]) (?=[가-힣])")
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
    theirs = [inquiry.title, *posts.values_list("text", flat=True)]
    for quote in _quotes(said, [_plain(words) for words in theirs]):
        raise Refused("inquiry_traces.quote", quote=quote)


def _plain(text: str) -> str:
    return fold(_MARKS.sub(" ", text))


def _names(name: str, text: str) -> bool:
    """Whether the text has this as a name: Korean particles may follow it, other letters not."""
    end = r"(?![0-9a-z_])" if name[-1:].isascii() else ""
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}{end}", text) is not None


def _quotes(said: str, theirs: list[str]) -> Iterator[str]:
    """What of theirs stands in it: QUOTED letters in a row, or a whole that is shorter."""
    places = _counted(said)
    runs = _runs(said, places)
    for words in theirs:
        own = _counted(words)
        if len(own) > QUOTED:
            known = set(_runs(words, own))
            for start, run in enumerate(runs):
                if run in known:
                    yield said[places[start] : places[start + QUOTED - 1] + 1]
        elif len(words) >= QUOTED // 2 and _spelled(words, own) in _spelled(said, places):
            yield words


def _counted(text: str) -> list[int]:
    """The places of a text's letters. A Hangul syllable, which says what two Latin letters do,
    counts twice, and a blank between two of them, which people set as they like, not at all."""
    blanks = {found.start() for found in _BLANK_IN_HANGUL.finditer(text)}
    return [
        place
        for place, letter in enumerate(text)
        if place not in blanks
        for _ in range(2 if "가" <= letter <= "힣" else 1)
    ]


def _spelled(text: str, places: list[int]) -> str:
    return "".join(text[place] for place in places)


def _runs(text: str, places: list[int]) -> list[str]:
    """QUOTED letters from each of these places on."""
    spelled = _spelled(text, places)
    return [spelled[start : start + QUOTED] for start in range(len(spelled) - QUOTED + 1)]
