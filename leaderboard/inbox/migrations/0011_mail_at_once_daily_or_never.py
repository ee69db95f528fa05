"""Notices are mailed at once, daily or never; who stopped mail gets none."""

from typing import Any

from django.db import migrations, models
from django.db.models import F


def choose(apps: Any, schema_editor: Any) -> None:
    address = apps.get_model("inbox", "MailAddress")
    address.objects.filter(every="hour").update(every="now")
    address.objects.exclude(stopped_at=None).update(every="never")


def choose_back(apps: Any, schema_editor: Any) -> None:
    address = apps.get_model("inbox", "MailAddress")
    address.objects.filter(every="never").update(every="hour", stopped_at=F("asked_at"))
    address.objects.filter(every="now").update(every="hour")


class Migration(migrations.Migration):
    dependencies = [("inbox", "0010_mails_into_the_outbox")]

    operations = [
        migrations.AlterField(
            "mailaddress",
            "every",
            models.CharField(
                choices=[("now", "At once"), ("day", "Once a day"), ("never", "Never")],
                default="now",
                max_length=5,
                verbose_name="How often",
            ),
        ),
        migrations.RunPython(choose, choose_back),
    ]
