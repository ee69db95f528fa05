"""The text of a file lay in the database beside the file; now the file alone is read.

Forward removes a text only where its file is in the store and nothing waits for it: a worker of the
version before, still running, finds what it needs. The table itself goes with the next release.
Backward writes again what is missing, from the files.
"""

import json
import zlib

from django.core.files.storage import storages
from django.db import migrations

AT_ONCE = 500
WAITING = ("queued", "running")


def drop(apps, schema_editor):
    Text = apps.get_model("submissions", "SubmissionText")
    texts = Text.objects.exclude(submission__evaluations__state__in=WAITING)
    if not texts.exists():
        return
    there = set(storages["submissions"].names())
    rows = texts.values_list("pk", "submission__file").iterator(chunk_size=AT_ONCE)
    known = [pk for pk, file in rows if file in there]
    for start in range(0, len(known), AT_ONCE):
        Text.objects.filter(pk__in=known[start : start + AT_ONCE]).delete()


def write_again(apps, schema_editor):
    from leaderboard.submissions.queries import texts

    Submission = apps.get_model("submissions", "Submission")
    Text = apps.get_model("submissions", "SubmissionText")
    for pk in list(Submission.objects.filter(text=None).values_list("pk", flat=True)):
        blob = zlib.compress(json.dumps(texts(pk), ensure_ascii=False).encode(), level=6)
        Text.objects.create(submission_id=pk, blob=blob)


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0001_initial'),
        ('submissions', '0004_source'),
    ]

    operations = [migrations.RunPython(drop, write_again)]
