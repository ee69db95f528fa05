"""A contest's settings: made, edited, who may come in, under which terms."""

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override, pgettext_lazy

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import (
    Change,
    Deciding,
    Preview,
    announcing,
    changes,
    deciding,
    digest_of,
    refuse_all_but_editors,
    refuse_unseen,
)
from leaderboard.audit.log import KINDS
from leaderboard.boards.standings import place_all
from leaderboard.competitions.locking import lock, lock_one
from leaderboard.competitions.models import AllowedEmail, Competition, Organizer, Terms
from leaderboard.competitions.registration import (
    MOST_EMAILS,
    is_code,
    newest_terms,
    read_emails,
    tidy_code,
)
from leaderboard.competitions.roles import may_create
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.references.queries import scored_versions
from leaderboard.refusals import Forbidden, Invalid, Refused
from leaderboard.teams.models import Team
from leaderboard.texts import say

KINDS |= {
    "competition.created": _("Created the competition"),
    "competition.edited": _("Changed the settings"),
    "registration.changed": _("Way of joining changed"),
    "terms.changed": _("Terms changed"),
}


def not_a_creator() -> Refused:
    """For who has no right to make competitions, with whom to ask."""
    administrators = User.objects.filter(is_superuser=True, is_active=True).order_by("pk")
    return Forbidden(
        "not_a_creator",
        _("This account cannot create competitions."),
        _("Ask an administrator of this server for permission: {names}."),
        names=", ".join(administrators.values_list("username", flat=True)[:3]) or "–",
    )


def create_competition(*, owner: User, at: datetime, **fields: Any) -> Competition:
    """A competition with these fields, run by `owner`. Raises Refused, and ValidationError by
    field."""
    competition = Competition(**fields)
    try:
        with transaction.atomic():
            # The right is read under the lock, which also keeps the owner from closing the account.
            if not may_create(lock_one(User.objects.filter(pk=owner.pk))):
                raise not_a_creator()
            competition.full_clean(validate_constraints=False)
            if not competition.opens_at < competition.closes_at <= competition.reveals_at:
                raise Invalid(
                    "dates_in_order", _("The dates must be in order: opening, close, reveal.")
                )
            if competition.closes_at <= at:  # nothing moves what has passed: it could never open
                raise Invalid("date_in_the_past", _("The close must be in the future."))
            competition.validate_constraints()
            competition.save(force_insert=True)
            Organizer.objects.create(competition=competition, user=owner, role=Organizer.Role.OWNER)
            decision = Deciding(competition, owner, at)
            decision.record("competition.created", competition.pk, after={"slug": competition.slug})
    except IntegrityError:
        # Somebody took the address between the check and the row.
        raise Refused(
            "slug_taken",
            _("Another competition has just taken this address."),
            _("Choose another address."),
        ) from None
    return competition


# What participants hand in by. Changed after the opening, it is looked at twice and announced.
RULES = {
    "daily_limit": _("submissions a day"),
    "total_limit": _("submissions in total"),
    "max_waiting": _("waiting at the same time"),
    "max_cell": _("characters of a summary"),
    "max_team_size": _("people in a team"),
    "late_entries": _("entries after the close"),
    "finals_rule": _("private rank"),
}
# How its values are called that are no numbers.
_WORDS = {
    None: _("no limit"),
    False: pgettext_lazy("late entries", "no"),
    True: pgettext_lazy("late entries", "yes"),
    "finals": _("the better of the finals"),
    "best": _("the best of all submissions"),
}


# All that this verb may change.
NAMES = (
    *("title", "title_en", "introduction", "introduction_en", "rules", "rules_en"),
    *RULES,
    *("board_needs_sign_in", "forum_readers", "is_private"),
)


@dataclass(frozen=True)
class Edit(Preview):
    """What saving would change, and what it would announce (None: nothing)."""

    changes: tuple[Change, ...] = ()


def preview_edit(
    *, competition: Competition, user: User, wanted: Mapping[str, Any], at: datetime
) -> Edit:
    """What `edit_competition` would do. Raises Refused and ValidationError as it would."""
    refuse_all_but_editors(competition, user)
    found = changes(competition, wanted, NAMES)
    _check_edit(competition, found, at)
    ruled = [change for change in found if change.name in RULES]
    opened = phase(competition, at) is not Phase.UPCOMING
    if not ruled or not opened:
        return Edit(digest_of(found), changes=found)
    told = (_sentence(ruled, "ko"), _sentence(ruled, "en"))
    return Edit(**vars(announcing(competition, "edited", told, *found, at=at)), changes=found)


def edit_competition(
    *, competition: Competition, user: User, wanted: Mapping[str, Any], seen: str = "", at: datetime
) -> Edit:
    """Save these settings, by their `NAMES`; the others stay.

    Rules of an opened contest change only as they were seen: `seen` is the digest of the preview.
    Raises Refused and ValidationError.
    """
    with deciding(competition, user, at) as decision:
        locked = decision.competition
        edit = preview_edit(competition=locked, user=user, wanted=wanted, at=at)
        if not edit.changes:
            return edit
        if edit.announced is not None:
            refuse_unseen(edit, seen)
        after = {change.name: change.after for change in edit.changes}
        decision.save(**after)
        if "finals_rule" in after:
            # Which submission counts on the private board has changed.
            teams = lock(Team.objects.filter(competition=locked))
            for version in scored_versions(locked):
                place_all(teams=teams, version=version)
        if edit.announced is not None:
            decision.announce(edit.announced)
        decision.record(
            "competition.edited",
            locked.pk,
            before={change.name: change.before for change in edit.changes},
            after=after,
        )
    return edit


def _check_edit(competition: Competition, changes: tuple[Change, ...], at: datetime) -> None:
    changed = {change.name for change in changes}
    if "finals_rule" in changed and phase(competition, at) is Phase.REVEALED:
        raise Refused(
            "revealed", _("After the reveal, the rule of the private rank cannot change.")
        )
    after = copy(competition)
    for change in changes:
        setattr(after, change.name, change.after)
    after.clean_fields(exclude={field.name for field in after._meta.fields} - changed)
    after.validate_constraints()


def _sentence(changes: list[Change], language: str) -> str:
    with override(language):
        rules = ", ".join(
            f"{RULES[one.name]} {_word(one.before)} → {_word(one.after)}" for one in changes
        )
    return say(_("The rules have changed: {rules}."), language, rules=rules)


def _word(value: Any) -> str:
    return str(value if type(value) is int else _WORDS[value])


def change_registration(
    *,
    competition: Competition,
    user: User,
    registration: str,
    code: str | None = None,
    emails: Iterable[str] | None = None,
    at: datetime,
) -> None:
    """Set the kind, the code and the whole list (one address an item); people inside stay.

    A code or a list that is not given stays as it is.

    A code may stand with any kind: `/join/<code>` then leads to the contest, also to a private
    one, and the kind still decides who comes in. Lines that are no address refuse the whole
    change, so that nobody is left out unseen. Raises Refused.
    """
    with deciding(competition, user, at) as decision:
        locked = decision.competition
        kept = set(locked.allowed_emails.values_list("email", flat=True))
        tidied = locked.registration_code if code is None else tidy_code(code)
        wanted, invalid = (kept, {}) if emails is None else read_emails(emails)
        _check_registration(registration, tidied, wanted, invalid)
        before = _printable(locked)
        try:
            with transaction.atomic():
                decision.save(registration=registration, registration_code=tidied)
        except IntegrityError:
            raise Invalid(
                "code_taken", _("Another competition uses this code. Choose another one.")
            ) from None
        new = [AllowedEmail(competition=locked, email=one) for one in sorted(wanted - kept)]
        AllowedEmail.objects.bulk_create(new, batch_size=500)
        removed, _rows = locked.allowed_emails.filter(email__in=kept - wanted).delete()
        after = _printable(locked)
        if before != after or new or removed:
            decision.record(
                "registration.changed",
                before=before,
                after={**after, "emails_new": len(new), "emails_removed": removed},
            )


def _check_registration(
    registration: str, code: str, emails: set[str], invalid: dict[int, str]
) -> None:
    kinds = Competition.Registration
    if registration not in kinds.values:
        raise Invalid("unknown_registration", _("This way of joining does not exist."))
    if code and not is_code(code):
        raise Invalid("code_form", _("A code has 6 to 40 letters, digits and hyphens."))
    if registration == kinds.CODE and not code:
        raise Invalid("code_missing", _("Enter the code."))
    if invalid:
        shown = ", ".join(f"{line}: {text[:60]}" for line, text in [*invalid.items()][:5])
        raise Invalid(
            "emails_invalid",
            _("Nothing was saved: {count} lines are not mail addresses. {shown}"),
            count=len(invalid),
            shown=shown,
        )
    if len(emails) > MOST_EMAILS:
        raise Invalid(
            "too_many_emails", _("The list can have at most {most} addresses."), most=MOST_EMAILS
        )


def _printable(competition: Competition) -> dict[str, object]:
    return {
        "registration": competition.registration,
        "registration_code": competition.registration_code,
    }


TERMS_LENGTH = 20_000


def change_terms(
    *, competition: Competition, user: User, text: str, text_en: str = "", at: datetime
) -> Terms | None:
    """A new wording under the next number, which everybody has yet to accept. Raises Refused.

    The same wording again changes nothing. An empty one takes the terms back: from then on
    nothing is to be accepted, and the earlier wordings and acceptances stay.
    """
    text, text_en = text.strip(), text_en.strip()
    if max(len(text), len(text_en)) > TERMS_LENGTH:
        raise Invalid(
            "terms_length",
            _("Terms can have at most {terms_length} characters."),
            terms_length=TERMS_LENGTH,
        )
    if text_en and not text:
        raise Invalid("terms_language", _("English terms also need Korean terms."))
    with deciding(competition, user, at) as decision:
        before = newest_terms(decision.competition)
        if (before.text, before.text_en) == (text, text_en) if before else not text:
            return before
        newest = decision.competition.terms.first()
        terms = decision.competition.terms.create(
            number=newest.number + 1 if newest else 1, text=text, text_en=text_en, made_at=at
        )
        decision.record(
            "terms.changed",
            before={"terms": before.number if before else None},
            after={"terms": terms.number if text else None},
        )
    return terms if text else None
