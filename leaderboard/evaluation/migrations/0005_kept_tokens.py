import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0004_workers_and_what_was_done_lately"),
    ]

    operations = [
        migrations.RenameModel(old_name="SubmissionCuts", new_name="KeptTokens"),
        migrations.AlterModelOptions(
            name="kepttokens",
            options={"verbose_name": "Kept tokens", "verbose_name_plural": "Kept tokens"},
        ),
        migrations.AlterField(
            model_name="kepttokens",
            name="submission",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="kept_tokens",
                to="submissions.submission",
            ),
        ),
    ]
