# Made anew before the first release; from here on migrations are only added.

import django.db.models.deletion
import leaderboard.submissions.models
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('teams', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('received_at', models.DateTimeField(verbose_name='Received')),
                ('key', models.CharField(max_length=64, verbose_name='Idempotency key')),
                ('file', models.FileField(max_length=120, storage=leaderboard.submissions.models.submission_storage, upload_to='', verbose_name='File')),
                ('file_name', models.CharField(max_length=120, verbose_name='Name as sent')),
                ('size', models.PositiveIntegerField(verbose_name='Size')),
                ('sha256', models.CharField(max_length=64, verbose_name='sha256')),
                ('notices', models.JSONField(default=list, verbose_name='Notice')),
                ('note', models.CharField(blank=True, max_length=500, verbose_name='Note')),
                ('method_name', models.CharField(blank=True, max_length=80, verbose_name='Method')),
                ('is_late', models.BooleanField(default=False, verbose_name='Late entries')),
                ('submitted_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='teams.team')),
            ],
            options={
                'verbose_name': 'Submission',
                'verbose_name_plural': 'Submission',
                'ordering': ['-received_at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='SubmissionText',
            fields=[
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='text', serialize=False, to='submissions.submission')),
                ('blob', models.BinaryField()),
            ],
            options={
                'verbose_name': 'Submission text',
                'verbose_name_plural': 'Submission text',
            },
        ),
        migrations.CreateModel(
            name='FileRound',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ('installation', models.UUIDField(null=True, verbose_name='installation id')),
                ('number', models.PositiveBigIntegerField(default=0, verbose_name='number')),
                ('ended_at', models.DateTimeField(null=True, verbose_name='ended')),
                ('erases_from', models.DateTimeField(null=True, verbose_name='trash is emptied from')),
                ('files', models.PositiveBigIntegerField(default=0, verbose_name='File')),
                ('without_row', models.PositiveBigIntegerField(default=0, verbose_name='files without a submission')),
                ('trashed', models.PositiveBigIntegerField(default=0, verbose_name='files in the trash')),
                ('stopped', models.CharField(blank=True, choices=[('other', 'The folder belongs to another database'), ('older', 'The database is older than the files'), ('unknown', 'Nothing says whose folder it is'), ('many', 'Too many files have no submission')], max_length=7, verbose_name='why nothing was moved')),
            ],
            options={
                'verbose_name': 'file round',
                'verbose_name_plural': 'file round',
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='one_file_round')],
            },
        ),
        migrations.CreateModel(
            name='QuotaEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('charge', 'Charge'), ('refund', 'Refund'), ('grant', 'Grant')], max_length=6, verbose_name='Kind')),
                ('amount', models.PositiveSmallIntegerField(default=1, verbose_name='Count')),
                ('day', models.DateField(verbose_name='Contest day')),
                ('at', models.DateTimeField(verbose_name='Time')),
                ('reason', models.CharField(blank=True, choices=[('submitted', 'Submission'), ('failed', 'Scoring failed on our side'), ('cancelled', 'Cancelled by the team')], max_length=9, verbose_name='Reason')),
                ('words', models.CharField(blank=True, max_length=200, verbose_name='Reason in words')),
                ('submission', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='quota_entries', to='submissions.submission')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quota_entries', to='teams.team')),
            ],
            options={
                'verbose_name': 'Quota ledger',
                'verbose_name_plural': 'Quota ledger',
                'ordering': ['at', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Cancellation',
            fields=[
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='cancellation', serialize=False, to='submissions.submission')),
                ('at', models.DateTimeField(verbose_name='Time')),
                ('cancelled_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='Cancelled by')),
            ],
            options={
                'verbose_name': 'Cancelled',
                'verbose_name_plural': 'Cancelled',
            },
        ),
        migrations.CreateModel(
            name='Exclusion',
            fields=[
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='exclusion', serialize=False, to='submissions.submission')),
                ('at', models.DateTimeField(verbose_name='Time')),
                ('reason', models.CharField(max_length=300, verbose_name='Reason')),
                ('reason_shown', models.BooleanField(default=True, verbose_name='Show the reason to the team')),
                ('excluded_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='Excluded by')),
            ],
            options={
                'verbose_name': 'Exclusion',
                'verbose_name_plural': 'Exclusion',
            },
        ),
        migrations.CreateModel(
            name='FinalChoice',
            fields=[
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='final_choice', serialize=False, to='submissions.submission')),
                ('at', models.DateTimeField(verbose_name='Time')),
                ('chosen_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='Chosen by')),
            ],
            options={
                'verbose_name': 'Finals',
                'verbose_name_plural': 'Finals',
            },
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['team', '-received_at'], name='submissions_team_id_f94d45_idx'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['team', 'sha256'], name='submissions_team_id_58f8b6_idx'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['file'], name='submission_by_file'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.UniqueConstraint(fields=('team', 'key'), name='one_submission_per_key'),
        ),
        migrations.AddIndex(
            model_name='quotaentry',
            index=models.Index(fields=['team', 'day'], name='submissions_team_id_62e781_idx'),
        ),
        migrations.AddConstraint(
            model_name='quotaentry',
            constraint=models.UniqueConstraint(fields=('submission', 'kind'), name='one_entry_per_kind'),
        ),
    ]
