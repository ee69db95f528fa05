"""A contest's settings: made, edited, who may come in, under which terms."""

from collections.abc import Iterable, Mapping
from copy import copy
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import (
    Change,
    Deciding,
    announcing,
    before_and_after,
    changes,
    deciding,
    in_both,
    listed,
    refuse_unseen,
    still_ahead,
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


def edit_competition(
    *,
    competition: Competition,
    user: User,
    wanted: Mapping[str, Any],
    seen: str | None = None,
    at: datetime,
) -> None:
    """Save these settings, by their `NAMES`; the others stay.

    Rules of an opened contest change once `seen` is the digest of what would be announced. Raises
    Refused and ValidationError.
    """
    with deciding(competition, user, at) as decision:
        locked = decision.competition
        found = changes(locked, wanted, NAMES)
        if not found:
            return
        _check_edit(locked, found, at)
        ruled = [change for change in found if change.name in RULES]
        rules = listed("{} {} → {}", ((RULES[n], _word(a), _word(b)) for n, a, b in ruled))
        said = in_both(_("The rules have changed: {rules}."), rules=rules)
        if ruled and not still_ahead(locked, at):
            refuse_unseen(announcing(locked, "edited", said, *found, at=at), seen)
        decision.save(**{change.name: change.after for change in found})
        if any(change.name == "finals_rule" for change in found):
            # Which submission counts on the private board has changed.
            teams = lock(Team.objects.filter(competition=locked))
            for version in scored_versions(locked):
                place_all(teams=teams, version=version)
        if ruled:
            decision.announce(said)
        decision.record("competition.edited", locked.pk, **before_and_after(found))


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


def _word(value: Any) -> Any:
    return value if type(value) is int else _WORDS[value]


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
        values = {"registration": registration, "registration_code": tidied}
        found = changes(locked, values, values)
        try:
            with transaction.atomic():
                decision.save(**values)
        except IntegrityError:
            raise Invalid(
                "code_taken", _("Another competition uses this code. Choose another one.")
            ) from None
        new = [AllowedEmail(competition=locked, email=one) for one in sorted(wanted - kept)]
        AllowedEmail.objects.bulk_create(new, batch_size=500)
        removed, _rows = locked.allowed_emails.filter(email__in=kept - wanted).delete()
        if found or new or removed:
            logged = before_and_after(found)
            logged["after"] |= {"emails_new": len(new), "emails_removed": removed}
            decision.record("registration.changed", **logged)


def _check_registration(
    registration: str, code: str, emails: set[str], invalid: dict[int, str]
) -> None:
    if code and not is_code(code):
        raise Invalid("code_form", _("A code has 6 to 40 letters, digits and hyphens."))
    if registration == Competition.Registration.CODE and not code:
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


def change_terms(
    *, competition: Competition, user: User, text: str, text_en: str = "", at: datetime
) -> Terms | None:
    """A new wording under the next number, which everybody has yet to accept. Raises Refused.

    The same wording again changes nothing. An empty one takes the terms back: from then on
    nothing is to be accepted, and the earlier wordings and acceptances stay.
    """
    text, text_en = text.strip(), text_en.strip()
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
