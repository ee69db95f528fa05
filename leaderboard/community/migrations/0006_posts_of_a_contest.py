import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def fill(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """A post is of the contest in whose forum its thread stands, and a report of its post's."""
    alias = editor.connection.alias
    for name, above in (("Post", "Thread"), ("PostReport", "Post")):
        rows = apps.get_model("community", name).objects.using(alias)
        owners = apps.get_model("community", above).objects.using(alias)
        own = owners.filter(pk=models.OuterRef(above.lower())).values("competition")
        rows.update(competition=models.Subquery(own))


class Migration(migrations.Migration):

    dependencies = [
        ('community', '0005_post_report'),
        ('competitions', '0003_forum_readers'),
    ]

    operations = [
        migrations.AddField(
            model_name='post',
            name='competition',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='competitions.competition'),
        ),
        migrations.AddField(
            model_name='postreport',
            name='competition',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='competitions.competition'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='post',
            name='competition',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='competitions.competition'),
        ),
        migrations.AlterField(
            model_name='postreport',
            name='competition',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='competitions.competition'),
        ),
        migrations.AddIndex(
            model_name='post',
            index=models.Index(fields=['competition', 'at'], name='posts_of_a_contest'),
        ),
        migrations.AddIndex(
            model_name='postreport',
            index=models.Index(condition=models.Q(('settled_at', None)), fields=['competition', 'at'], name='open_reports'),
        ),
    ]
