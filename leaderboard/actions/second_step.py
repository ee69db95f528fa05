"""What cannot be taken back, or reaches every inbox, is looked at before it is done.

One way for all of it: `preview_<verb>` says what would happen and changes nothing; the verb itself
takes as `seen` the digest of what was shown and refuses, under its lock, to do anything else. Pages
always say what was seen; a program that shows nothing to anybody leaves `seen` out.
"""

import hashlib
from dataclasses import dataclass

from leaderboard.actions.refusals import Refused
from leaderboard.community.announcements import people_of
from leaderboard.competitions.models import Competition


@dataclass(frozen=True)
class Preview:
    """What a decision would do.

    `announced` in Korean and English, empty where nobody is told; `people` would find it in their
    inbox. The digest is another one as soon as anything would be decided differently.
    """

    digest: str
    announced: tuple[str, str] | None = None
    people: int = 0


def digest_of(*facts: object) -> str:
    """Of what is to be decided, and from which state on. Facts are plain values."""
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def announcing(competition: Competition, kind: str, ko: str, en: str, *facts: object) -> Preview:
    """Of a decision whose announcement to all says what it is; `facts` are what it leaves out."""
    return Preview(
        digest=digest_of(kind, competition.pk, ko, en, *facts),
        announced=(ko, en),
        people=people_of(competition).count(),
    )


def refuse_unseen(digest: str, seen: str | None) -> None:
    """Raises Refused unless this is what was seen, or nobody was to look."""
    if seen is not None and seen != digest:
        raise Refused(
            "look_first",
            ko="바뀌는 것을 먼저 확인해 주세요. 보신 것과 다릅니다.",
            en="Look first at what would change: it is not what you saw.",
        )
