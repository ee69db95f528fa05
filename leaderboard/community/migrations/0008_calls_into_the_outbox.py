"""Messages of webhooks move into the outbox under their ids: none that waits is lost."""

from typing import Any

from django.db import migrations

STATES = {"waiting": "waiting", "delivered": "sent", "given_up": "failed"}


def move(apps: Any, schema_editor: Any) -> None:
    message, delivery = apps.get_model("outbox", "Message"), apps.get_model("community", "Delivery")
    message.objects.bulk_create(
        (
            message(
                id=row.pk,
                lane=f"webhook:{row.webhook_id}",
                kind=row.event,
                recipient=row.webhook_id,
                subject=row.subject,
                title=row.title,
                count=row.count,
                state=STATES[row.state],
                made_at=row.created_at,
                next_at=row.next_at,
                attempt=row.attempt,
                ended_at=row.ended_at,
                failure="" if row.state == "delivered" else row.failure or str(row.status or ""),
            )
            for row in delivery.objects.order_by("pk")
        ),
        batch_size=500,
    )


def move_back(apps: Any, schema_editor: Any) -> None:
    message, delivery = apps.get_model("outbox", "Message"), apps.get_model("community", "Delivery")
    known = apps.get_model("community", "Webhook").objects.values("pk")
    former = {new: old for old, new in STATES.items()}
    delivery.objects.bulk_create(
        (
            delivery(
                id=row.pk,
                webhook_id=row.recipient,
                event=row.kind,
                subject=row.subject,
                title=row.title,
                count=row.count,
                state=former[row.state],
                created_at=row.made_at,
                next_at=row.next_at,
                attempt=row.attempt,
                ended_at=row.ended_at,
                status=int(row.failure) if row.failure.isdigit() else None,
                failure="" if row.failure.isdigit() else row.failure[:30],
            )
            for row in message.objects.filter(recipient__in=known).order_by("pk")
        ),
        batch_size=500,
    )
    message.objects.filter(lane__startswith="webhook:").delete()


class Migration(migrations.Migration):
    dependencies = [("community", "0007_one_post_per_key"), ("outbox", "0001_initial")]

    operations = [migrations.RunPython(move, move_back)]
