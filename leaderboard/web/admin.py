"""The administrator's pages: accounts, and tables of facts to read. Gold texts are not shown here.

That of accounts calls an action, so they all stand at the entry point.
"""

from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib import admin, messages
from django.contrib.auth.models import Group
from django.db.models import Model, QuerySet
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.admin import AccountAdmin, FactAdmin, FactInline
from leaderboard.accounts.models import User
from leaderboard.actions.closing import close_account_of, export_account_of
from leaderboard.actions.people import make_password_link
from leaderboard.audit.models import AuditEvent
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import Competition, DataFile, Organizer
from leaderboard.contest_file.everything import own_data
from leaderboard.evaluation.models import Evaluation
from leaderboard.inbox.models import Notification
from leaderboard.outbox.models import Message
from leaderboard.references.models import ScoringVersion
from leaderboard.refusals import Refused
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.teams.models import Membership, Merge, Team
from leaderboard.web.account.settings import link_address
from leaderboard.web.lookups import Pages, person
from leaderboard.web.templatetags.formatting import spoken

# Its form shows and takes the keys by which browsers are signed in.
admin.site.unregister(UserSession)
admin.site.unregister(Group)  # nothing here asks for permissions


@admin.register(User)
class PeopleAdmin(AccountAdmin):
    """Accounts: who may make contests, links to new passwords, data and closing."""

    actions = ("password_links", "export_data", "close_accounts")

    @admin.action(description=_("Download the data of one person"))
    def export_data(
        self, request: HttpRequest, queryset: QuerySet[User]
    ) -> HttpResponseBase | None:
        """What people can download of themselves, on their wish."""
        if queryset.count() != 1:
            self.message_user(request, _("Choose one account."), messages.ERROR)
            return None
        chosen, at = queryset.get(), timezone.now()
        export_account_of(person=chosen, user=person(request), at=at)
        return FileResponse(own_data(chosen, at), as_attachment=True, filename="data.zip")

    @admin.action(description=_("Close the accounts"))
    def close_accounts(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponse | None:
        """Asked twice: it cannot be undone."""
        if "sure" not in request.POST:
            context = {**self.admin_site.each_context(request), "people": queryset}
            return TemplateResponse(request, "admin/close_accounts.html", context)
        for chosen in queryset:
            name = chosen.username
            try:
                close_account_of(person=chosen, user=person(request), at=timezone.now())
            except Refused as refusal:
                self.message_user(request, f"{name}: {spoken(refusal)}", messages.ERROR)
            else:
                said = str(_("The account was closed: {name}")).format(name=name)
                self.message_user(request, said, messages.SUCCESS)
        return None

    @admin.action(description=_("Create new password links (24 hours, one use)"))
    def password_links(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponse | None:
        """One link for each chosen person who may sign in."""
        links = []
        for user in queryset.order_by("username"):
            try:
                token = make_password_link(user=user, made_by=person(request), at=timezone.now())
            except Refused as refusal:
                self.message_user(request, f"{user}: {spoken(refusal)}", messages.ERROR)
            else:
                links.append((user, link_address(token)))
        if not links:
            return None
        context = {**self.admin_site.each_context(request), "links": links}
        answer = TemplateResponse(request, "admin/password_links.html", context)
        add_never_cache_headers(answer)
        return answer


class OrganizerInline(FactInline):
    model = Organizer


class MembershipInline(FactInline):
    model = Membership
    fk_name = "team"


MOST = 10_000  # rows that a list pages through, of a table of millions: one filters


class TableAdmin(FactAdmin):
    """Of a table that may have millions of rows, which nobody counts to look at the first ones."""

    show_full_result_count = False

    def get_paginator(
        self, request: HttpRequest, queryset: QuerySet[Any], per_page: int, *_more: Any
    ) -> Pages:
        return Pages(queryset, per_page, None if queryset.query.where else MOST)


# Table, columns and filters of its list, and what else its page has.
_FACTS: list[tuple[type[Model], str, str, dict[str, tuple[object, ...]]]] = [
    (AuditEvent, "at kind actor competition subject reason", "kind", {}),
    (Message, "made_at lane kind user state attempt failure next_at", "state kind", {}),
    (Notification, "created_at kind user competition_slug read_at", "kind", {}),
    (
        Competition,
        "slug title opens_at closes_at reveals_at zone is_private",
        "",
        {"inlines": (OrganizerInline,)},
    ),
    (DataFile, "name competition size sha256", "", {}),
    (
        Team,
        "name competition captain created_at",
        "",
        {"inlines": (MembershipInline,), "search_fields": ("name",)},
    ),
    (Merge, "asked_at survivor absorbed state answered_at undone_at", "state", {}),
    # Without the private board's lines, which nobody sees yet.
    (
        ScoringVersion,
        "competition number draft_number state signature created_at made_live_at",
        "state",
        {"exclude": ("self_check",)},
    ),
    (
        Submission,
        "received_at team submitted_by file_name size sha256",
        "",
        {"search_fields": ("team__name", "sha256")},
    ),
    # As they were written, which needs no sorting.
    (QuotaEntry, "at team kind amount day reason words", "kind", {"ordering": ("-pk",)}),
    (Evaluation, "received_at submission scoring_version state attempt failure", "state", {}),
    (Announcement, "at competition author audience pinned", "", {}),
]
for _model, _columns, _filters, _more in _FACTS:
    shown = {"list_display": _columns.split(), "list_filter": _filters.split(), **_more}
    admin.site.register(_model, TableAdmin, **shown)
