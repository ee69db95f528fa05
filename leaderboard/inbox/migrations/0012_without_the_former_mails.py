from typing import Any

from django.db import migrations, models


def nothing(apps: Any, schema_editor: Any) -> None:
    """Notices keep the keys of their mails."""


def without_mails(apps: Any, schema_editor: Any) -> None:
    """One step back the table of mails is empty at first."""
    apps.get_model("inbox", "Notification").objects.exclude(mail=None).update(mail=None)


class Migration(migrations.Migration):
    dependencies = [("inbox", "0011_mail_at_once_daily_or_never")]

    operations = [
        migrations.RemoveField("mailaddress", "stopped_at"),
        migrations.RemoveIndex("notification", "inbox_mailed"),
        migrations.AlterField("notification", "mail", models.UUIDField(null=True)),
        migrations.DeleteModel("Mail"),
        migrations.RunPython(nothing, without_mails),
    ]
