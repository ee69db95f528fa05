# Made anew before the first release; from here on migrations are only added.

import django.db.models.deletion
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('references', '0001_initial'),
        ('submissions', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Evaluation',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('queued', 'Waiting'), ('running', 'Scoring'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=10, verbose_name='State')),
                ('received_at', models.DateTimeField(verbose_name='Received')),
                ('attempt', models.PositiveSmallIntegerField(default=0, verbose_name='Attempt')),
                ('owner', models.UUIDField(null=True, verbose_name='Owning worker')),
                ('lease_until', models.DateTimeField(null=True, verbose_name='Lease until')),
                ('not_before', models.DateTimeField(null=True, verbose_name='Not before')),
                ('stage', models.CharField(blank=True, max_length=10, verbose_name='Stage')),
                ('rows_done', models.PositiveIntegerField(default=0, verbose_name='Rows done')),
                ('rows_total', models.PositiveIntegerField(default=0, verbose_name='Rows in all')),
                ('last_sign_at', models.DateTimeField(null=True, verbose_name='Last sign of life')),
                ('started_at', models.DateTimeField(null=True, verbose_name='Opens')),
                ('finished_at', models.DateTimeField(null=True, verbose_name='Finished')),
                ('failure', models.CharField(blank=True, max_length=40, verbose_name='Cause of failure')),
                ('scoring_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='evaluations', to='references.scoringversion')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='evaluations', to='submissions.submission')),
            ],
            options={
                'verbose_name': 'Evaluation',
                'verbose_name_plural': 'Evaluation',
            },
        ),
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200, unique=True, verbose_name='Workers')),
                ('queue', models.CharField(max_length=40, verbose_name='Work')),
                ('started_at', models.DateTimeField(verbose_name='Opens')),
                ('last_sign_at', models.DateTimeField(verbose_name='Last sign of life')),
            ],
            options={
                'verbose_name': 'Workers',
                'verbose_name_plural': 'Workers',
            },
        ),
        migrations.CreateModel(
            name='ExampleScores',
            fields=[
                ('evaluation', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='example_scores', serialize=False, to='evaluation.evaluation')),
                ('blob', models.BinaryField()),
            ],
            options={
                'verbose_name': 'Scores per row',
                'verbose_name_plural': 'Scores per row',
            },
        ),
        migrations.CreateModel(
            name='KeptTokens',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tokenizer', models.CharField(max_length=200, verbose_name='Tokenizer signature')),
                ('blob', models.BinaryField()),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='kept_tokens', to='submissions.submission')),
            ],
            options={
                'verbose_name': 'Kept tokens',
                'verbose_name_plural': 'Kept tokens',
            },
        ),
        migrations.CreateModel(
            name='SplitScore',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('split', models.CharField(max_length=7, verbose_name='Split')),
                ('rows', models.PositiveIntegerField(verbose_name='Rows')),
                ('metrics', models.JSONField(verbose_name='Metrics')),
                ('total', models.FloatField(verbose_name='Total')),
                ('printed', models.BigIntegerField(verbose_name='Printed total × 10⁴')),
                ('signature', models.TextField(verbose_name='Signature')),
                ('evaluation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='evaluation.evaluation')),
            ],
            options={
                'verbose_name': 'Score',
                'verbose_name_plural': 'Score',
            },
        ),
        migrations.AddIndex(
            model_name='evaluation',
            index=models.Index(fields=['state', 'received_at'], name='evaluation__state_5b90fd_idx'),
        ),
        migrations.AddIndex(
            model_name='evaluation',
            index=models.Index(fields=['scoring_version', 'state'], name='evaluation__scoring_e3bbbe_idx'),
        ),
        migrations.AddIndex(
            model_name='evaluation',
            index=models.Index(fields=['state', 'finished_at'], name='evaluation__state_7b9e96_idx'),
        ),
        migrations.AddConstraint(
            model_name='evaluation',
            constraint=models.UniqueConstraint(fields=('submission', 'scoring_version'), name='one_evaluation_per_version'),
        ),
        migrations.AddConstraint(
            model_name='kepttokens',
            constraint=models.UniqueConstraint(fields=('submission', 'tokenizer'), name='cut_once_by_each_tokenizer'),
        ),
        migrations.AddConstraint(
            model_name='splitscore',
            constraint=models.UniqueConstraint(fields=('evaluation', 'split'), name='one_score_per_split'),
        ),
    ]
