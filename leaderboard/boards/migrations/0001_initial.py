# Made anew before the first release; from here on migrations are only added.

import datetime
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('references', '0001_initial'),
        ('submissions', '0001_initial'),
        ('teams', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Standing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('board', models.CharField(choices=[('public', 'Public'), ('private', 'Private')], max_length=7, verbose_name='Board')),
                ('printed', models.BigIntegerField(verbose_name='Total × 10⁴')),
                ('metrics', models.JSONField(verbose_name='Metrics × 10⁴')),
                ('received_at', models.DateTimeField(verbose_name='That submission received at')),
                ('entries', models.PositiveIntegerField(verbose_name='Entries')),
                ('last_submission_at', models.DateTimeField(verbose_name='Last submission')),
                ('ranked', models.BooleanField(default=True, verbose_name='Ranked')),
                ('scoring_version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='standings', to='references.scoringversion')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='submissions.submission')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='standings', to='teams.team')),
            ],
            options={
                'verbose_name': 'Standing',
                'verbose_name_plural': 'Standing',
                'indexes': [models.Index(fields=['scoring_version', 'board', '-printed', 'received_at', 'team', 'ranked'], name='standing_by_total')],
                'constraints': [models.UniqueConstraint(fields=('scoring_version', 'board', 'team'), name='one_standing_per_team')],
            },
        ),
        migrations.CreateModel(
            name='StandingDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('board', models.CharField(choices=[('public', 'Public'), ('private', 'Private')], max_length=7, verbose_name='Board')),
                ('printed', models.BigIntegerField(verbose_name='Total × 10⁴')),
                ('metrics', models.JSONField(verbose_name='Metrics × 10⁴')),
                ('received_at', models.DateTimeField(verbose_name='That submission received at')),
                ('entries', models.PositiveIntegerField(verbose_name='Entries')),
                ('last_submission_at', models.DateTimeField(verbose_name='Last submission')),
                ('ranked', models.BooleanField(default=True, verbose_name='Ranked')),
                ('until', models.DateTimeField(default=datetime.datetime(9999, 1, 1, 0, 0, tzinfo=datetime.timezone.utc))),
                ('stands_until', models.DateTimeField(null=True)),
                ('scoring_version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='standing_days', to='references.scoringversion')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='submissions.submission')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='standing_days', to='teams.team')),
            ],
            options={
                'verbose_name': 'Line of a past board',
                'verbose_name_plural': 'Line of a past board',
                'indexes': [models.Index(condition=models.Q(('stands_until__isnull', False)), fields=['scoring_version', 'board', '-printed', 'received_at', 'team', 'last_submission_at', 'stands_until', 'ranked'], name='standing_day_by_total')],
                'constraints': [models.UniqueConstraint(fields=('scoring_version', 'team', 'board', 'last_submission_at'), name='one_standing_from_an_instant')],
            },
        ),
        migrations.CreateModel(
            name='Switch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('board', models.CharField(choices=[('public', 'Public'), ('private', 'Private')], max_length=7, verbose_name='Board')),
                ('at', models.DateTimeField(verbose_name='Made live')),
                ('moves', models.JSONField(verbose_name='moves')),
                ('replaced', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='references.scoringversion')),
                ('scoring_version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='switches', to='references.scoringversion')),
            ],
            options={
                'verbose_name': 'change of version',
                'verbose_name_plural': 'change of version',
                'ordering': ['-at', '-pk'],
                'constraints': [models.UniqueConstraint(fields=('scoring_version', 'board', 'at'), name='one_switch_at_a_time')],
            },
        ),
    ]
