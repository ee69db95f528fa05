import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def keep_origin(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """No two teams were ever merged before: whoever has a file handed it in."""
    submissions = apps.get_model("submissions", "Submission")
    submissions.objects.using(editor.connection.alias).update(origin=models.F("team"))


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0002_carried_charges'),
        ('teams', '0003_merges'),
    ]

    operations = [
        migrations.AddField(
            model_name='quotaentry',
            name='origin',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='teams.team'),
        ),
        migrations.AddField(
            model_name='submission',
            name='origin',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='teams.team'),
        ),
        migrations.RunPython(keep_origin, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='submission',
            name='origin',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='teams.team'),
        ),
        migrations.RemoveConstraint(
            model_name='submission',
            name='one_submission_per_key',
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.UniqueConstraint(fields=('origin', 'key'), name='one_submission_per_origin_key'),
        ),
    ]
