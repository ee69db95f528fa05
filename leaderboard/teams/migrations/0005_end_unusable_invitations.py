"""Invitations that merges, lists and other roads into a team left open end, with their notices.

Of what is decided from now on the actions take care.
"""

from typing import Any

from django.db import migrations
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone


def end(apps: Any, schema_editor: Any) -> None:
    invitations = apps.get_model("teams", "Invitation").objects
    members = apps.get_model("teams", "Membership").objects.filter(
        team=OuterRef("team"), user=OuterRef("invitee")
    )
    useless = Q(Exists(members), uses=0) | Q(team__merged_into__isnull=False)
    found = invitations.filter(useless, revoked_at=None).values_list("pk", flat=True)
    invitations.filter(pk__in=list(found)).update(revoked_at=timezone.now())
    ended = invitations.filter(invitee__isnull=False, revoked_at__isnull=False, uses=0)
    notices = apps.get_model("inbox", "Notification").objects.filter(kind="invited")
    notices.filter(subject__in=ended.values("pk")).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("teams", "0004_regroupings"),
        ("inbox", "0006_find_by_contest_and_kind"),
    ]

    operations = [migrations.RunPython(end, migrations.RunPython.noop, elidable=True)]
