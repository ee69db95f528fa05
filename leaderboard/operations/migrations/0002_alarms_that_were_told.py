"""What ALARM_WEBHOOK was told is kept; of what rings by now it heard."""

from typing import Any

from django.db import migrations, models
from django.db.models import F, Q


def heard(apps: Any, schema_editor: Any) -> None:
    apps.get_model("operations", "Alarm").objects.update(told_at=F("began_at"))


def forget_ended(apps: Any, schema_editor: Any) -> None:
    """One step back a row is what rings."""
    apps.get_model("operations", "Alarm").objects.exclude(ended_at=None).delete()


class Migration(migrations.Migration):
    dependencies = [("operations", "0001_alarms")]

    operations = [
        migrations.AddField("alarm", "ended_at", models.DateTimeField(null=True)),
        migrations.AddField("alarm", "next_at", models.DateTimeField(null=True)),
        migrations.AddField("alarm", "told_at", models.DateTimeField(null=True)),
        migrations.AddField(
            "alarm", "tries", models.PositiveSmallIntegerField(db_default=0, default=0)
        ),
        migrations.AlterField("alarm", "kind", models.CharField(max_length=30)),
        migrations.RunPython(heard, forget_ended),
        migrations.AddConstraint(
            "alarm",
            models.UniqueConstraint(
                condition=Q(ended_at=None), fields=("kind",), name="alarm_rings_once"
            ),
        ),
    ]
