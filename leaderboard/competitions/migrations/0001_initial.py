# Made anew before the first release; from here on migrations are only added.

import django.core.validators
import django.db.models.deletion
import leaderboard.competitions.models
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Competition',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('slug', models.SlugField(unique=True, verbose_name='Address')),
                ('title', models.CharField(max_length=120, verbose_name='Title')),
                ('title_en', models.CharField(blank=True, max_length=120, verbose_name='Title (English)')),
                ('introduction', models.TextField(blank=True, verbose_name='Introduction (Markdown)')),
                ('introduction_en', models.TextField(blank=True, verbose_name='Introduction (English)')),
                ('rules', models.TextField(blank=True, verbose_name='Rules (Markdown)')),
                ('rules_en', models.TextField(blank=True, verbose_name='Rules (English)')),
                ('opens_at', models.DateTimeField(verbose_name='Opens')),
                ('team_merge_until', models.DateTimeField(blank=True, null=True, verbose_name='Last day to merge teams')),
                ('freezes_at', models.DateTimeField(blank=True, null=True, verbose_name='Board freeze')),
                ('closes_at', models.DateTimeField(verbose_name='Closes')),
                ('reveals_at', models.DateTimeField(verbose_name='Results revealed')),
                ('paused_at', models.DateTimeField(blank=True, null=True, verbose_name='Paused at')),
                ('pause_reason', models.CharField(blank=True, max_length=200, verbose_name='Reason for the pause')),
                ('reveal_held', models.BooleanField(default=False, verbose_name='Reveal held until verified')),
                ('reveal_told_at', models.DateTimeField(editable=False, null=True, verbose_name='Reveal told at')),
                ('imported_at', models.DateTimeField(editable=False, null=True, verbose_name='Imported at')),
                ('zone', models.CharField(default='Asia/Seoul', max_length=64, validators=[leaderboard.competitions.models.validate_zone], verbose_name='Time zone')),
                ('preset', models.CharField(default='max-sum', max_length=20, validators=[leaderboard.competitions.models.validate_preset], verbose_name='Preset')),
                ('tokenizer', models.CharField(default='mecab-ko', max_length=20, validators=[leaderboard.competitions.models.validate_tokenizer], verbose_name='Tokenizer')),
                ('daily_limit', models.PositiveIntegerField(default=12, validators=[django.core.validators.MinValueValidator(1)], verbose_name='Submissions a day')),
                ('total_limit', models.PositiveIntegerField(blank=True, null=True, verbose_name='Submissions in all')),
                ('max_waiting', models.PositiveIntegerField(default=3, validators=[django.core.validators.MinValueValidator(1)], verbose_name='Waiting at once')),
                ('max_cell', models.PositiveIntegerField(default=2000, verbose_name='Characters of one summary')),
                ('late_entries', models.BooleanField(default=False, verbose_name='Accept entries after the close (unranked)')),
                ('finals_rule', models.CharField(choices=[('finals', 'The better of the finals'), ('best', 'The best of all submissions')], default='finals', max_length=6, verbose_name='Private ranks')),
                ('registration', models.CharField(choices=[('open', 'Anybody'), ('code', 'Code to join'), ('allow-list', 'List of mail addresses'), ('approval', 'By approval')], default='open', max_length=10, verbose_name='How people join')),
                ('registration_code', models.CharField(blank=True, max_length=40, verbose_name='Code to join')),
                ('is_private', models.BooleanField(default=False, verbose_name='Private competition')),
                ('shows_other_columns', models.BooleanField(default=False, verbose_name='Shows other columns')),
                ('board_needs_sign_in', models.BooleanField(default=False, verbose_name='Leaderboard for signed-in people only')),
            ],
            options={
                'verbose_name': 'Competition',
                'verbose_name_plural': 'Competition',
                'ordering': ['-opens_at', 'slug'],
                'constraints': [models.CheckConstraint(condition=models.Q(('opens_at__lt', models.F('closes_at')), ('closes_at__lte', models.F('reveals_at'))), name='competition_dates_in_order'), models.CheckConstraint(condition=models.Q(('freezes_at__isnull', True), models.Q(('freezes_at__gt', models.F('opens_at')), ('freezes_at__lte', models.F('closes_at'))), _connector='OR'), name='freeze_while_open'), models.CheckConstraint(condition=models.Q(('team_merge_until__isnull', True), ('team_merge_until__lte', models.F('closes_at')), _connector='OR'), name='merges_end_before_closing'), models.UniqueConstraint(condition=models.Q(('registration_code', ''), _negated=True), fields=('registration_code',), name='one_contest_per_code'), models.CheckConstraint(condition=models.Q(('max_cell__gte', 1), ('max_cell__lte', 10000)), name='max_cell_in_range')],
            },
        ),
        migrations.CreateModel(
            name='Terms',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(verbose_name='Number')),
                ('text', models.TextField(blank=True, verbose_name='Terms (Markdown)')),
                ('text_en', models.TextField(blank=True, verbose_name='Terms (English)')),
                ('made_at', models.DateTimeField(verbose_name='Created')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='terms', to='competitions.competition')),
            ],
            options={
                'verbose_name': 'Terms',
                'verbose_name_plural': 'Terms',
                'ordering': ['-number'],
            },
        ),
        migrations.CreateModel(
            name='TermsAcceptance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(verbose_name='Time')),
                ('terms', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='acceptances', to='competitions.terms')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'Acceptance of terms',
                'verbose_name_plural': 'Acceptance of terms',
            },
        ),
        migrations.CreateModel(
            name='AllowedEmail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254, verbose_name='Mail address')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='allowed_emails', to='competitions.competition')),
            ],
            options={
                'verbose_name': 'Listed mail address',
                'verbose_name_plural': 'Listed mail address',
                'ordering': ['email'],
                'constraints': [models.UniqueConstraint(fields=('competition', 'email'), name='one_line_per_email')],
            },
        ),
        migrations.CreateModel(
            name='DataFile',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=120, verbose_name='Name')),
                ('description', models.TextField(blank=True, verbose_name='Description')),
                ('description_en', models.TextField(blank=True, verbose_name='Description (English)')),
                ('file', models.FileField(storage=leaderboard.competitions.models.data_storage, upload_to='data', verbose_name='File')),
                ('size', models.PositiveBigIntegerField(verbose_name='Size')),
                ('sha256', models.CharField(max_length=64, verbose_name='sha256')),
                ('position', models.PositiveIntegerField(default=0, verbose_name='Order')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='data_files', to='competitions.competition')),
            ],
            options={
                'verbose_name': 'Data file',
                'verbose_name_plural': 'Data file',
                'ordering': ['position', 'name'],
                'constraints': [models.UniqueConstraint(fields=('competition', 'name'), name='one_file_per_name')],
            },
        ),
        migrations.CreateModel(
            name='Organizer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('owner', 'Owner'), ('editor', 'Editor'), ('assistant', 'Assistant')], default='owner', max_length=10, verbose_name='Role')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='organizers', to='competitions.competition')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='organizer_roles', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'Organizer',
                'verbose_name_plural': 'Organizer',
                'constraints': [models.UniqueConstraint(fields=('competition', 'user'), name='one_role_per_person')],
            },
        ),
        migrations.AddConstraint(
            model_name='terms',
            constraint=models.UniqueConstraint(fields=('competition', 'number'), name='one_terms_per_number'),
        ),
        migrations.AddConstraint(
            model_name='termsacceptance',
            constraint=models.UniqueConstraint(fields=('terms', 'user'), name='terms_accepted_once'),
        ),
    ]
