from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def copy_keys(apps, schema_editor):
    """As `boards.standings` does from now on."""
    keys = apps.get_model("teams", "Team").objects.filter(pk=OuterRef("team"))
    Standing = apps.get_model("boards", "Standing")
    Standing.objects.update(sort_key=Subquery(keys.values("sort_key")))


class Migration(migrations.Migration):
    dependencies = [
        ("boards", "0011_gap_of_a_team"),
    ]

    operations = [
        migrations.AddField(
            model_name="standing",
            name="sort_key",
            field=models.CharField(default="", max_length=200),
        ),
        migrations.RunPython(copy_keys, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="standing",
            index=models.Index(
                fields=["scoring_version", "board", "sort_key", "-printed", "received_at", "team"],
                name="standing_by_name",
            ),
        ),
    ]
