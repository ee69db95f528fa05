"""Mails move into the outbox under their keys, so none that waits is lost or sent twice."""

from typing import Any

from django.db import migrations


def move(apps: Any, schema_editor: Any) -> None:
    message = apps.get_model("outbox", "Message")
    mails = apps.get_model("inbox", "Mail").objects.select_related("address").order_by("pk")
    message.objects.bulk_create(
        (
            message(
                id=mail.pk,
                lane="mail",
                kind=mail.kind,
                recipient=mail.address_id,
                user_id=mail.address.user_id,
                count=max(mail.number, 1),
                data={"notices": mail.notices},
                state=mail.state,
                made_at=mail.made_at,
                next_at=mail.next_at,
                attempt=mail.attempt,
                lease_until=mail.lease_until,
                ended_at=mail.ended_at,
                failure=mail.failure,
            )
            for mail in mails
        ),
        batch_size=500,
    )


def move_back(apps: Any, schema_editor: Any) -> None:
    message, mail = apps.get_model("outbox", "Message"), apps.get_model("inbox", "Mail")
    known = apps.get_model("inbox", "MailAddress").objects.values("pk")
    mail.objects.bulk_create(
        (
            mail(
                id=row.pk,
                address_id=row.recipient,
                kind=row.kind,
                notices=row.data["notices"],
                number=row.count,
                state=row.state,
                made_at=row.made_at,
                next_at=row.next_at,
                attempt=row.attempt,
                lease_until=row.lease_until,
                ended_at=row.ended_at,
                failure=row.failure,
            )
            for row in message.objects.filter(recipient__in=known, lane="mail").order_by("pk")
        ),
        batch_size=500,
    )
    message.objects.filter(lane="mail").delete()


class Migration(migrations.Migration):
    dependencies = [("inbox", "0009_security_of_the_account"), ("outbox", "0001_initial")]

    operations = [migrations.RunPython(move, move_back)]
