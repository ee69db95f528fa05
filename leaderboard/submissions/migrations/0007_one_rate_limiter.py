from django.db import migrations


class Migration(migrations.Migration):
    """Checks and refused submits are counted in `accounts.RateCount` now; no count was older than
    an hour."""

    dependencies = [
        ("submissions", "0006_when_the_trash_is_erased"),
    ]

    operations = [
        migrations.DeleteModel(name="BrakeCount"),
    ]
