from django.db import migrations, models

import leaderboard.teams.models
from leaderboard.teams.models import sort_key

PART = 500


def fill(apps, schema_editor):
    """The sort keys of teams that exist, a few at a time."""
    manager = apps.get_model('teams', 'Team').objects
    part = []
    for team in manager.order_by('pk').only('name').iterator(chunk_size=PART):
        team.sort_key = sort_key(team.name)
        part.append(team)
        if len(part) == PART:
            manager.bulk_update(part, ['sort_key'])
            part = []
    manager.bulk_update(part, ['sort_key'])


class Migration(migrations.Migration):

    dependencies = [
        ('teams', '0006_typed_addresses'),
    ]

    operations = [
        migrations.AddField(
            model_name='team',
            name='sort_key',
            field=leaderboard.teams.models.SortKeyField(default='', editable=False, max_length=200, of='name'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterModelOptions(
            name='team',
            options={'ordering': ['sort_key', 'name'], 'verbose_name': 'Team', 'verbose_name_plural': 'Team'},
        ),
        migrations.RemoveIndex(
            model_name='team',
            name='teams_of_a_kind',
        ),
        migrations.AddIndex(
            model_name='team',
            index=models.Index(fields=['competition', 'kind', 'sort_key'], name='teams_of_a_kind'),
        ),
    ]
