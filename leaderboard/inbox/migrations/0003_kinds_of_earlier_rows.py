"""What was told as an announcement before there were kinds for it."""

from typing import Any

from django.db import migrations

KINDS = {"asked": {"data__about__in": ["asked", "join"]}, "excluded": {"data__has_key": "submission"}}


def name(apps: Any, schema_editor: Any) -> None:
    rows = apps.get_model("inbox", "Notification").objects.filter(kind="announced")
    for kind, told in KINDS.items():
        rows.filter(**told).update(kind=kind)


def take_back(apps: Any, schema_editor: Any) -> None:
    rows = apps.get_model("inbox", "Notification").objects
    rows.filter(kind__in=KINDS).update(kind="announced")


class Migration(migrations.Migration):
    dependencies = [("inbox", "0002_kinds_preferences_and_mail")]

    operations = [migrations.RunPython(name, take_back)]
