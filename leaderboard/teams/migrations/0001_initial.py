# Made anew before the first release; from here on migrations are only added.

import django.db.models.deletion
import leaderboard.accounts.names
import leaderboard.accounts.skeletons
import leaderboard.teams.models
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('competitions', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Team',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=40, validators=[leaderboard.accounts.names.check_team_name], verbose_name='Name')),
                ('skeleton', leaderboard.accounts.skeletons.SkeletonField(default='', editable=False, max_length=310, of='name')),
                ('sort_key', leaderboard.teams.models.SortKeyField(default='', editable=False, max_length=200, of='name')),
                ('created_at', models.DateTimeField(verbose_name='Created')),
                ('kind', models.CharField(choices=[('team', 'Participating team'), ('baseline', 'Baseline')], default='team', max_length=8, verbose_name='Kind')),
                ('disqualified_at', models.DateTimeField(blank=True, null=True, verbose_name='Disqualified at')),
                ('disqualify_reason', models.CharField(blank=True, max_length=300, verbose_name='Reason for the disqualification')),
                ('captain', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='Captain')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='teams', to='competitions.competition')),
            ],
            options={
                'verbose_name': 'Team',
                'verbose_name_plural': 'Team',
                'ordering': ['sort_key', 'name'],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('joined_at', models.DateTimeField(verbose_name='Joined')),
                ('typed_email', models.EmailField(blank=True, max_length=254, verbose_name='Typed e-mail')),
                ('listed_name', models.CharField(blank=True, max_length=150, verbose_name='Name on the list')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='competitions.competition')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='teams.team')),
            ],
            options={
                'verbose_name': 'Members',
                'verbose_name_plural': 'Members',
                'ordering': ['joined_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='JoinRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('team_name', models.CharField(max_length=40, validators=[leaderboard.accounts.names.check_team_name], verbose_name='Team name')),
                ('asked_at', models.DateTimeField(verbose_name='Asked at')),
                ('approved', models.BooleanField(null=True, verbose_name='Approve')),
                ('decided_at', models.DateTimeField(null=True, verbose_name='Decided at')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='join_requests', to='competitions.competition')),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'Request to join',
                'verbose_name_plural': 'Request to join',
                'ordering': ['asked_at', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('competition', 'user'), name='one_request_per_person')],
            },
        ),
        migrations.AddIndex(
            model_name='team',
            index=models.Index(fields=['competition', 'kind', 'sort_key'], name='teams_of_a_kind'),
        ),
        migrations.AddConstraint(
            model_name='team',
            constraint=models.UniqueConstraint(fields=('competition', 'name'), name='one_team_per_name'),
        ),
        migrations.AddConstraint(
            model_name='team',
            constraint=models.UniqueConstraint(fields=('competition', 'skeleton'), name='one_team_per_skeleton'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.UniqueConstraint(fields=('competition', 'user'), name='one_team_per_person'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.UniqueConstraint(condition=models.Q(('typed_email', ''), _negated=True), fields=('competition', 'typed_email'), name='one_person_per_typed_email'),
        ),
    ]
