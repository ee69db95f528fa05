"""The switch is not the judge's alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("competitions", "0008_imported_at")]

    operations = [
        migrations.RenameField("competition", "shows_judge", "shows_other_columns"),
        migrations.AlterField(
            "competition",
            "shows_other_columns",
            models.BooleanField(default=False, verbose_name='Shows other columns'),
        ),
    ]
