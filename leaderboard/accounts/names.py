"""What a person or a team may be called: the one policy, wherever a name is made or changed."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from confusable_homoglyphs.categories import alias
from django.core.exceptions import ValidationError
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.accounts.skeletons import BLANK, is_blank, skeleton
from leaderboard.texts import Said, Sentences, reader_language
from scoring.characters import nfc, nfkc

TEAM_LENGTH, USERNAME_LENGTH = 40, 150

# Jamo as they are typed, ㅋㅋ: the compatible form of NFKC breaks them up. Not the filler.
_JAMO = re.compile("([\u3131-\u3163\u3165-\u318e]+)")
_ZWJ, _EMOJI_STYLE, _SKIN = "\u200d", "\ufe0f", re.compile("[\U0001f3fb-\U0001f3ff]")
_MOST_MARKS = 2  # behind one letter; more are drawn over the lines above and below
# Letters that one Korean word mixes. All others stand in words of their own script: a Cyrillic or
# Greek letter among Latin ones is there to be taken for one of them.
_TOGETHER = {"LATIN", "HANGUL", "HAN", "HIRAGANA", "KATAKANA", "BOPOMOFO"}
_SCRIPTS = {"CYRILLIC": _("Cyrillic"), "GREEK": _("Greek"), "ARMENIAN": _("Armenian")}
_NO_SCRIPT = {"COMMON", "INHERITED", "UNKNOWN", "Unknown"}
# Whoever reads these believes that the organizers, this server or nobody speaks.
_OF_OTHERS = """
    admin administrator administrators root superuser sysadmin system server staff manager host
    moderator moderators organizer organizers organiser official support operator baseline
    baselines anonymous 관리자 운영 운영자 운영진 운영팀 주최 주최자 주최측 조교 심판 심사위원 공식
    공식팀 공지 시스템 서버 어드민 기준선 베이스라인
"""
RESERVED = tuple(_OF_OTHERS.split())
# What a leaderboard prints behind a name, in both languages: `X · unranked`, `X (baseline)`.
MARKS = ("myteam", "내팀", "unranked", "순위없음")
_SETS_OFF = frozenset({"Ps", "Pe", "Pi", "Pf"}), frozenset("·•∙⋅・ㆍ‧|<>–—")
# The names of closed teams (탈퇴한 팀 2) and accounts (탈퇴-0123456789ab).
_CLOSED = re.compile("탈퇴한|탈퇴[0-9a-f]{12}$")
_HONORIFIC = "님"
_FEWEST_DIGITS = 5  # of a student number; 30215 is one of a school


class NameProblem(Said):
    """Why a name cannot be had, and what to do about it. `code` begins with `name_`."""

    sentences = {
        "name_empty": Sentences(
            _("The name has no visible character."), _("Write at least one letter or digit.")
        ),
        "name_held": Sentences(
            _("Nobody can take the name of a closed account for {days} days."),
            _("Choose another name."),
        ),
        "name_invisible": Sentences(
            _("There is an invisible character ({number})."),
            _("Type the name instead of pasting it."),
        ),
        "name_long": Sentences(
            _("The name is too long; {most} characters are the most."), _("Write a shorter one.")
        ),
        "name_marks": Sentences(
            _("A mark stands without a letter, or too many are stacked on one ({number})."),
            _("Type the name instead of pasting it."),
        ),
        "name_mixed": Sentences(
            _("The name mixes scripts: “{letter}” is a {script} letter."),
            _("Write it in one script."),
        ),
        "name_mixed.other": Sentences(
            # xgettext:no-python-brace-format  its Korean names no script
            pgettext_lazy("other", "The name mixes scripts: “{letter}” is a {script} letter."),
            _("Write it in one script."),
        ),
        "name_reserved": Sentences(
            _("This name could be taken for the organizers, the server or a closed account."),
            _("Choose another name."),
        ),
        "name_taken": Sentences(
            _("Somebody already has this name or one that looks like it."),
            _("Choose another name."),
        ),
        "name_unknown_character": Sentences(
            _("There is a character that other people's screens do not show ({number})."),
            _("Type the name instead of pasting it."),
        ),
    }

    def __str__(self) -> str:
        """In the reader's language, cause and next step."""
        return self.whole(reader_language())


def tidy(name: str) -> str:
    """A name as it is kept: NFKC (jamo stay as typed), single spaces, none at the ends."""
    parts = _JAMO.split(name)
    parts[::2] = (nfkc(part) for part in parts[::2])
    return " ".join(nfc("".join(parts)).split())


def username_problem(name: str) -> NameProblem | None:
    """Why no account can have this name (as `tidy` gives it); None if one can."""
    if len(name) > USERNAME_LENGTH:
        return NameProblem("name_long", most=USERNAME_LENGTH)
    return _unreadable(name) or _mixed(name, [name])


def team_name_problem(name: str) -> NameProblem | None:
    """Why no team can have this name (as `tidy` gives it). Words may differ in script: 팀 α."""
    if len(name) > TEAM_LENGTH:
        return NameProblem("name_long", most=TEAM_LENGTH)
    return _unreadable(name) or _mixed(name, _words(name))


def reserved_problem(name: str, *, closed: bool = False) -> NameProblem | None:
    """For a name that only those who run a contest or the server may bear, also disguised.

    What was `closed` may say so.
    """
    plain = _plain(name)
    if (not closed and _CLOSED.match(plain)) or _is_like(plain, RESERVED):
        return NameProblem("name_reserved")
    return None


def imitating_problem(name: str) -> NameProblem | None:
    """For a team's new name that holds, set off, what the leaderboard prints beside names.

    `KoBART (baseline)` would be read as the organizers' baseline. Names from before stay.
    """
    brackets, dots = _SETS_OFF
    parts = "".join(
        "\n" if unicodedata.category(c) in brackets or c in dots else c
        for c in tidy(name).replace(" - ", "\n")
    ).split("\n")
    if len(parts) > 1 and any(_is_like(_plain(part), (*RESERVED, *MARKS)) for part in parts):
        return NameProblem("name_reserved")
    return None


def _plain(name: str) -> str:
    return "".join(c for c in tidy(name).casefold() if c.isalnum())


def _is_like(plain: str, words: tuple[str, ...]) -> bool:
    """Whether this is one of the words or looks like one, with a number or 님 beside it or not."""
    forms = {plain, plain.strip("0123456789"), plain.removesuffix(_HONORIFIC)}
    return bool({skeleton(form) for form in forms} & _skeletons(words))


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
    """`username_problem` as a validator of Django. Raises ValidationError."""
    _raise(username_problem(name))


def check_team_name(name: str) -> None:
    """`team_name_problem` as a validator of Django. Raises ValidationError."""
    _raise(team_name_problem(name))


def invalid(problem: NameProblem) -> ValidationError:
    """The problem as Django's forms show it, in the language of whoever reads it then."""
    return ValidationError(lazy(problem.__str__, str)(), code=problem.code)


def _raise(problem: NameProblem | None) -> None:
    if problem is not None:
        raise invalid(problem)


def _unreadable(name: str) -> NameProblem | None:
    """For a name that is not drawn as it is written."""
    if not any(unicodedata.category(c)[0] in "LNS" and c not in BLANK for c in name):
        return NameProblem("name_empty")
    for place, character in enumerate(name):
        if unicodedata.category(character) in ("Cn", "Co", "Cs") or character in "\ufffc\ufffd":
            return NameProblem("name_unknown_character", number=_number(character))
        if is_blank(character) and not _joins_emoji(name, place):
            return NameProblem("name_invisible", number=_number(character))
    return _marks_problem(name)


def _number(character: str) -> str:
    return f"U+{ord(character):04X}"


def _joins_emoji(name: str, place: int) -> bool:
    """Whether the joiner or style mark at this place stands where emoji have them."""
    before = _SKIN.sub("", name[:place])
    if name[place] == _EMOJI_STYLE:
        return bool(before) and unicodedata.category(before[-1]) in ("So", "Sm", "Po", "Nd")
    after = name[place + 1 : place + 2]
    return (
        name[place] == _ZWJ
        and unicodedata.category(before.rstrip(_EMOJI_STYLE)[-1:] or " ") == "So"
        and unicodedata.category(after or " ") in ("So", "Sm")
    )


def _marks_problem(name: str) -> NameProblem | None:
    run = _MOST_MARKS  # a mark at the beginning has no letter
    for character in name:
        if character in BLANK:  # an emoji's style
            continue
        is_mark = unicodedata.category(character).startswith("M")
        run = run + 1 if is_mark else _MOST_MARKS if character == " " else 0
        if is_mark and run > _MOST_MARKS:
            return NameProblem("name_marks", number=_number(character))
    return None


def _words(name: str) -> list[str]:
    """Letters and marks that stand together."""
    kept = (c if unicodedata.category(c)[0] in "LM" else " " for c in name)
    return "".join(kept).split()


def _mixed(name: str, words: Iterable[str]) -> NameProblem | None:
    for word in words:
        scripts = {alias(c) for c in word} - _NO_SCRIPT
        # No syllable of Hangul looks like a Greek letter: Σ요약, 민수β.
        if len(scripts) > 1 and not (scripts <= _TOGETHER or scripts <= {"HANGUL", "GREEK"}):
            odd = next(c for c in word if alias(c) not in _TOGETHER | _NO_SCRIPT)
            if (script := _SCRIPTS.get(alias(odd))) is not None:
                return NameProblem("name_mixed", letter=odd, script=script)
            return NameProblem("name_mixed.other", letter=odd, script=alias(odd).title())
    return None


@cache
def _skeletons(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(skeleton, words))
