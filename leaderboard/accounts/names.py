"""What a person or a team may be called: the one policy, wherever a name is made or changed."""

import re
import unicodedata

from django.core.exceptions import ValidationError
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.skeletons import is_blank, skeleton
from leaderboard.refusals import Refused
from leaderboard.texts import reader_language
from scoring.characters import nfc, nfkc

TEAM_LENGTH, USERNAME_LENGTH = 40, 150

# Jamo as they are typed, ㅋㅋ: the compatible form of NFKC breaks them up. Not the filler.
_JAMO = re.compile("([\u3131-\u3163\u3165-\u318e]+)")
_OF_EMOJI = "\ufe0f\u200d"  # the style mark and the joiner, behind characters of these kinds
_BEFORE = ("So", "Sk", "Sm", "Mn", "Po", "Nd")
# Whoever reads these believes that the organizers, this server or nobody speaks.
_OF_OTHERS = """
    admin administrator administrators root superuser sysadmin system server staff manager host
    moderator moderators organizer organizers organiser official support operator baseline
    baselines anonymous 관리자 운영 운영자 운영진 운영팀 주최 주최자 주최측 조교 심판 심사위원 공식
    공식팀 공지 시스템 서버 어드민 기준선 베이스라인
"""
_RESERVED = frozenset(map(skeleton, _OF_OTHERS.split()))
# The names of closed teams (탈퇴한 팀 2) and accounts (탈퇴-0123456789ab).
_CLOSED = re.compile("탈퇴한|탈퇴[0-9a-f]{12}$")
_FEWEST_DIGITS = 5  # of a student number; 30215 is one of a school


def tidy(name: str) -> str:
    """A name as it is kept: NFKC (jamo stay as typed), single spaces, none at the ends."""
    parts = _JAMO.split(name)
    parts[::2] = (nfkc(part) for part in parts[::2])
    return " ".join(nfc("".join(parts)).split())


def name_problem(name: str, most: int = USERNAME_LENGTH) -> Refused | None:
    """Why nobody can have this name (as `tidy` gives it): it is too long, or not drawn as it is
    written. None if somebody can."""
    if len(name) > most:
        return Refused(
            "name_long",
            _("The name is too long. The limit is {most} characters."),
            _("Enter a shorter name."),
            most=most,
        )
    kinds = [unicodedata.category(character) for character in name]
    if not any(kind[0] in "LNS" and not is_blank(c) for kind, c in zip(kinds, name, strict=True)):
        return Refused(
            "name_empty",
            _("The name has no visible character."),
            _("Enter at least one letter or digit."),
        )
    for at, c in enumerate(name):
        joins = at > 0 and c in _OF_EMOJI and kinds[at - 1] in _BEFORE
        stacked = [kind[0] for kind in kinds[max(at - 2, 0) : at + 1]] == ["M"] * 3
        if (is_blank(c) and not joins) or stacked or c in "\ufffc\ufffd":
            return Refused(
                "name_invisible",
                _("The name has a character that other people cannot see ({number})."),
                _("Type the name instead of pasting it."),
                number=f"U+{ord(c):04X}",
            )
    return None


def reserved_problem(name: str) -> Refused | None:
    """For a name that only those who run a contest or the server may have, also disguised, with a
    number or 님 beside it."""
    plain = "".join(c for c in tidy(name).casefold() if c.isalnum())
    forms = (plain, plain.strip("0123456789"), plain.removesuffix("님"))
    if _CLOSED.match(plain) or not _RESERVED.isdisjoint(map(skeleton, forms)):
        return Refused(
            "name_reserved",
            _("This name looks like the organizers, the server or a closed account."),
            _("Choose another name."),
        )
    return None


def without_unreadable(name: str) -> str:
    """What remains of a name without the characters that no name may hold; may be empty."""
    return tidy("".join(c for c in tidy(name) if c == " " or not is_blank(c)))


def may_be_number(username: str) -> bool:
    """Whether a username may be somebody's student number, which is not for everybody to read.

    >>> [may_be_number(name) for name in ("20261234", "s2026-1234", "team7")]
    [True, True, False]
    """
    return sum(character.isdigit() for character in username) >= _FEWEST_DIGITS


def check_username(name: str) -> None:
    """`name_problem` as a validator of Django. Raises ValidationError."""
    if (problem := name_problem(name)) is not None:
        raise invalid(problem)


def check_team_name(name: str) -> None:
    """`name_problem` of a team as a validator of Django. Raises ValidationError."""
    if (problem := name_problem(name, TEAM_LENGTH)) is not None:
        raise invalid(problem)


def invalid(problem: Refused) -> ValidationError:
    """The problem as Django's forms show it, in the language of whoever reads it then."""
    return ValidationError(lazy(lambda: problem.whole(reader_language()), str)(), code=problem.code)
