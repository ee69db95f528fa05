"""`/admin/` reads what was decided: no change of it gets past the log and the announcements."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from leaderboard.web import admin as administration
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, hand_in, running

pytestmark = pytest.mark.django_db
# All that an administrator may write there. Whatever else is registered, an action decides.
ACCOUNTS = {"accounts.User", "account.EmailAddress"}


@pytest.fixture
def sue() -> Client:
    """A superuser's browser."""
    User.objects.filter(pk=builders.user("sue").pk).update(is_staff=True, is_superuser=True)
    return browser("sue")


def pages_of(row: Any) -> str:
    meta = row._meta
    return f"/admin/{meta.app_label}/{meta.model_name}/{row.pk}"


def decided() -> list[Any]:
    """A row of each table that once could be written there, and of the oldest read-only one."""
    ours = builders.team(running(), "alice", "bob", "dana")
    hand_in(ours)
    Notification.objects.create(
        **{"user": builders.user("alice"), "kind": "warned", "subject": ours.pk},
        created_at=timezone.now(),
    )
    tables = (Competition, Team, Submission, Notification)
    return [table._default_manager.get() for table in tables]


def test_nothing_that_an_action_decides_is_written_in_the_administration() -> None:
    request = RequestFactory().get("/admin/")
    request.user = User(username="sue", is_staff=True, is_superuser=True)
    written = set()
    for model, page in admin.site._registry.items():
        parts = [page, *(inline(model, admin.site) for inline in page.inlines)]
        may = [page.has_add_permission(request)]
        may += [part.has_add_permission(request, None) for part in parts[1:]]
        may += [part.has_change_permission(request) for part in parts]
        may += [part.has_delete_permission(request) for part in parts]
        if any(may) or page.get_actions(request):
            written.add(model._meta.label)
    assert written == ACCOUNTS


def test_an_account_is_closed_by_its_person_and_never_deleted(sue: Client) -> None:
    """Deleting would take memberships, roles and inbox along, and leave a contest ownerless."""
    running()
    olivia = builders.user("olivia")
    assert sue.get(f"{pages_of(olivia)}/change/").status_code == 200
    assert sue.post(f"{pages_of(olivia)}/delete/", {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [olivia.pk], "post": "yes"}
    sue.post("/admin/accounts/user/", chosen)
    assert User.objects.filter(pk=olivia.pk).exists()


def test_a_large_table_is_not_counted_to_show_its_first_rows(
    sue: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(administration, "MOST", 2)
    ours = builders.team(running(), "alice")
    for minute in (-3, -2, -1):
        hand_in(ours, after=timedelta(minutes=minute))
    address = "/admin/submissions/submission/"
    with CaptureQueriesContext(connection) as asked:
        shown = sue.get(address)
    counts = [one["sql"] for one in asked if "COUNT(" in one["sql"]]
    assert len(counts) == 1
    assert "LIMIT 3" in counts[0]
    assert "2개 초과" in " ".join(shown.text.split())
    assert "2개 초과" not in sue.get(f"{address}?q={ours.name}").text, (
        "those that match are counted"
    )
    assert sue.get(f"{address}?q={ours.name}").context["cl"].result_count == 3
    # What was written last comes first.
    entries = sue.get("/admin/submissions/quotaentry/").context["cl"].result_list
    assert [entry.pk for entry in entries] == sorted((one.pk for one in entries), reverse=True)
