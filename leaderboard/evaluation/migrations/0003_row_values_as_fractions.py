"""Row values are kept as fractions from now on; those of before are read as they are.

The version before knows floats alone: on the way back all are written so.
"""

import struct
import zlib

from django.db import migrations

from scoring.pipeline import read_example_blob

PART = 50  # rows held at once: of 10,000 lines and six metrics each needs 0.5 MB


def written_as_floats(apps, schema_editor):
    kept = apps.get_model("evaluation", "ExampleScores").objects
    after = None
    while True:
        rows = kept.order_by("pk") if after is None else kept.filter(pk__gt=after).order_by("pk")
        part = list(rows[:PART])
        if not part:
            return
        for row in part:
            values = read_example_blob(bytes(row.blob)).astype("<f8")
            row.blob = struct.pack("<II", *values.shape) + zlib.compress(values.tobytes())
        kept.bulk_update(part, ["blob"], batch_size=PART)
        after = part[-1].pk


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0002_version_and_clock_of_a_process")]
    operations = [migrations.RunPython(migrations.RunPython.noop, written_as_floats)]
