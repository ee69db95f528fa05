"""What participants agree to: wordings by number, and who accepted which."""

from datetime import datetime

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition, Terms, TermsAcceptance


def newest_terms(competition: Competition) -> Terms | None:
    """The wording that counts now, or None: never any, or the newest takes them back (empty)."""
    newest = Terms.objects.filter(competition=competition).order_by("-number").first()
    return newest if newest is not None and newest.text else None


def terms_due(user: User, competition: Competition) -> Terms | None:
    """The wording that this person has yet to accept; None if nothing is due."""
    terms = newest_terms(competition)
    if terms is None or terms.acceptances.filter(user=user).exists():
        return None
    return terms


def accepted_at(user: User, terms: Terms) -> datetime | None:
    """When this person accepted that wording."""
    return terms.acceptances.filter(user=user).values_list("at", flat=True).first()


def accept(*, terms: Terms, user: User, at: datetime) -> None:
    """Keep that the person agreed. Agreeing again changes nothing: the first time counts."""
    TermsAcceptance.objects.bulk_create(
        [TermsAcceptance(terms=terms, user=user, at=at)], ignore_conflicts=True, batch_size=500
    )


def write_terms(*, competition: Competition, text: str, text_en: str, at: datetime) -> Terms:
    """Add a wording under the next number. The competition's row is locked by the caller."""
    newest = Terms.objects.filter(competition=competition).order_by("-number").first()
    return Terms.objects.create(
        competition=competition,
        number=newest.number + 1 if newest else 1,
        text=text,
        text_en=text_en,
        made_at=at,
    )
