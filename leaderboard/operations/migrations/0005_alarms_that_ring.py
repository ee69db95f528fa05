from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("operations", "0004_alarms_into_the_outbox")]

    operations = [
        migrations.RemoveConstraint("alarm", "alarm_rings_once"),
        migrations.RemoveField("alarm", "ended_at"),
        migrations.RemoveField("alarm", "next_at"),
        migrations.RemoveField("alarm", "told_at"),
        migrations.RemoveField("alarm", "tries"),
        migrations.AlterField("alarm", "kind", models.CharField(max_length=30, unique=True)),
    ]
