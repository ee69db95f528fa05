"""What ALARM_WEBHOOK has not heard yet waits in the outbox; a row of an alarm is what rings."""

from typing import Any

from django.db import migrations
from django.db.models import F


def move(apps: Any, schema_editor: Any) -> None:
    message, alarm = apps.get_model("outbox", "Message"), apps.get_model("operations", "Alarm")
    for row in alarm.objects.order_by("began_at", "pk"):
        unheard = [("begins", row.began_at)] if row.told_at is None else []
        unheard += [("ends", row.ended_at)] if row.ended_at is not None else []
        for number, (state, at) in enumerate(unheard):
            message.objects.create(
                lane="alarm",
                kind=state,
                subject=row.pk,
                title=row.kind,
                data={
                    "fault": row.fault,
                    "values": row.values,
                    "began_at": row.began_at.isoformat(),
                },
                made_at=at,
                next_at=row.next_at or at,
                attempt=0 if number else row.tries,
            )
    alarm.objects.exclude(ended_at=None).delete()


def heard(apps: Any, schema_editor: Any) -> None:
    """One step back: of what rings ALARM_WEBHOOK heard, unless the message waits."""
    messages = apps.get_model("outbox", "Message").objects.filter(lane="alarm")
    waiting = messages.filter(kind="begins", state="waiting").values_list("subject", flat=True)
    rings = apps.get_model("operations", "Alarm").objects.exclude(pk__in=list(waiting))
    rings.update(told_at=F("began_at"))
    messages.delete()


class Migration(migrations.Migration):
    dependencies = [("operations", "0003_backup"), ("outbox", "0001_initial")]

    operations = [migrations.RunPython(move, heard)]
