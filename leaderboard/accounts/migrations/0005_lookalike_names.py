import logging

import django.contrib.auth.validators
from django.db import migrations, models

import leaderboard.accounts.names
import leaderboard.accounts.skeletons
from leaderboard.accounts.skeletons import AGAIN, distinct

log = logging.getLogger(__name__)


def fill(apps, schema_editor):
    """The skeletons of accounts that exist; of two that look alike the later one gets a number."""
    users = list(apps.get_model('accounts', 'User').objects.only('username').order_by('pk'))
    for user, skeleton in zip(users, distinct(user.username for user in users)):
        user.skeleton = skeleton
        if AGAIN in skeleton:
            log.warning('account %s looks like one before it; both keep their names', user.pk)
    manager = apps.get_model('accounts', 'User').objects
    manager.bulk_update(users, ['skeleton'], batch_size=200)


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0004_rate_counts'),
    ]

    operations = [
        migrations.CreateModel(
            name='HeldName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('skeleton_hmac', models.CharField(max_length=64, unique=True, verbose_name='hmac')),
                ('until', models.DateTimeField(verbose_name='Until')),
            ],
            options={
                'verbose_name': 'Held name',
                'verbose_name_plural': 'Held name',
            },
        ),
        migrations.AddField(
            model_name='passwordlink',
            name='password_hmac',
            field=models.CharField(default='', max_length=64, verbose_name='hmac'),
        ),
        migrations.AddField(
            model_name='user',
            name='skeleton',
            field=leaderboard.accounts.skeletons.SkeletonField(default='', editable=False, max_length=310, of='username'),
        ),
        migrations.AlterField(
            model_name='user',
            name='username',
            field=models.CharField(max_length=150, unique=True, validators=[leaderboard.accounts.names.check_username, django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='Username'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name='user',
            constraint=models.UniqueConstraint(fields=('skeleton',), name='one_person_per_skeleton'),
        ),
    ]
