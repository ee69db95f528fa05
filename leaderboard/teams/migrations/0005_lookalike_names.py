import itertools
import logging

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import leaderboard.accounts.names
import leaderboard.accounts.skeletons
from leaderboard.accounts.skeletons import AGAIN, distinct

log = logging.getLogger(__name__)


def fill(apps, schema_editor):
    """The skeletons of teams that exist; of two that look alike the later one gets a number."""
    manager = apps.get_model('teams', 'Team').objects
    rows = manager.only('name', 'competition_id').order_by('competition_id', 'created_at', 'pk')
    for _, teams in itertools.groupby(rows, lambda team: team.competition_id):
        teams = list(teams)
        for team, skeleton in zip(teams, distinct(team.name for team in teams)):
            team.skeleton = skeleton
            if AGAIN in skeleton:
                log.warning('team %s looks like one before it; both keep their names', team.pk)
        manager.bulk_update(teams, ['skeleton'], batch_size=200)


def release(apps, schema_editor):
    """Closed accounts lead no team."""
    apps.get_model('teams', 'Team').objects.filter(captain__closed_at__isnull=False).update(
        captain=None
    )


class Migration(migrations.Migration):

    dependencies = [
        ('competitions', '0006_judge_columns'),
        ('accounts', '0005_lookalike_names'),
        ('teams', '0004_ties_have_an_order'),
    ]

    operations = [
        migrations.AddField(
            model_name='team',
            name='skeleton',
            field=leaderboard.accounts.skeletons.SkeletonField(default='', editable=False, max_length=310, of='name'),
        ),
        migrations.AlterField(
            model_name='joinrequest',
            name='team_name',
            field=models.CharField(max_length=40, validators=[leaderboard.accounts.names.check_team_name], verbose_name='Team name'),
        ),
        migrations.AlterField(
            model_name='team',
            name='captain',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='Captain'),
        ),
        migrations.AlterField(
            model_name='team',
            name='name',
            field=models.CharField(max_length=40, validators=[leaderboard.accounts.names.check_team_name], verbose_name='Name'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name='team',
            constraint=models.UniqueConstraint(fields=('competition', 'skeleton'), name='one_team_per_skeleton'),
        ),
        # Last: PostgreSQL alters no table whose foreign keys wait to be checked.
        migrations.RunPython(release, migrations.RunPython.noop),
    ]
