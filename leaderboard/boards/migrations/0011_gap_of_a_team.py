from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def read_gaps(apps, schema_editor):
    """As `boards.gaps` does from now on, of the files that stand there."""
    Standing = apps.get_model("boards", "Standing")
    TeamSpread = apps.get_model("boards", "TeamSpread")
    SplitScore = apps.get_model("evaluation", "SplitScore")
    of_line = SplitScore.objects.filter(
        evaluation__scoring_version=OuterRef("scoring_version"),
        evaluation__submission=OuterRef("submission"),
    )
    public, private = (
        Subquery(of_line.filter(split=split).values("printed")[:1])
        for split in ("public", "private")
    )
    lines = Standing.objects.filter(
        board="public", scoring_version=OuterRef("scoring_version"), team=OuterRef("team")
    )
    gap = lines.annotate(gap=public - private).values("gap")
    TeamSpread.objects.update(gap=Subquery(gap[:1]))


class Migration(migrations.Migration):
    dependencies = [
        ("boards", "0010_which_files_count"),
        ("evaluation", "0003_row_values_as_fractions"),
    ]

    operations = [
        migrations.AddField(
            model_name="teamspread",
            name="gap",
            field=models.BigIntegerField(null=True),
        ),
        migrations.RunPython(read_gaps, migrations.RunPython.noop),
    ]
