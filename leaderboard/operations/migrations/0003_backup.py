"""How the last backups ended: none is known before the next one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("operations", "0002_alarms_that_were_told")]

    operations = [
        migrations.CreateModel(
            name="Backup",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("made_at", models.DateTimeField(null=True)),
                ("failed_at", models.DateTimeField(null=True)),
                ("failure", models.CharField(default="", max_length=20)),
            ],
            options={"verbose_name": "Backup", "verbose_name_plural": "Backup"},
        )
    ]
