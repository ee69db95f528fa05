# Made anew before the first release; from here on migrations are only added.

import django.db.models.deletion
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
            name='DialogueSet',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('sha256', models.CharField(max_length=64, verbose_name='sha256')),
                ('rows', models.PositiveIntegerField(verbose_name='Rows')),
                ('file_name', models.CharField(max_length=120, verbose_name='File names')),
                ('notices', models.JSONField(default=list, verbose_name='Notice')),
                ('uploaded_at', models.DateTimeField(verbose_name='Uploaded')),
                ('released_at', models.DateTimeField(null=True, verbose_name='Released at')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='dialogue_sets', to='competitions.competition')),
                ('uploaded_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'Dialogue set',
                'verbose_name_plural': 'Dialogue set',
                'ordering': ['-uploaded_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Dialogue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('example_id', models.CharField(max_length=200)),
                ('text', models.TextField()),
                ('dialogue_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='dialogues', to='references.dialogueset')),
            ],
            options={
                'verbose_name': 'Dialogues',
                'verbose_name_plural': 'Dialogues',
                'ordering': ['position'],
            },
        ),
        migrations.CreateModel(
            name='ReferenceSet',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('sha256', models.CharField(max_length=64, verbose_name='sha256')),
                ('golds_sha256', models.CharField(max_length=64, verbose_name='sha256 without splits')),
                ('rows', models.PositiveIntegerField(verbose_name='Rows')),
                ('public_rows', models.PositiveIntegerField(verbose_name='Public rows')),
                ('private_rows', models.PositiveIntegerField(verbose_name='Private rows')),
                ('golds_min', models.PositiveSmallIntegerField(verbose_name='Golds a row, least')),
                ('golds_max', models.PositiveSmallIntegerField(verbose_name='Golds a row, most')),
                ('split_seed', models.BigIntegerField(null=True, verbose_name='Split seed')),
                ('file_names', models.JSONField(default=list, verbose_name='File names')),
                ('stored_as', models.JSONField(default=list, verbose_name='Stored as')),
                ('notices', models.JSONField(default=list, verbose_name='Notice')),
                ('oddities', models.JSONField(default=dict, verbose_name='Worth a look')),
                ('uploaded_at', models.DateTimeField(verbose_name='Uploaded')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reference_sets', to='competitions.competition')),
                ('uploaded_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'Reference set',
                'verbose_name_plural': 'Reference set',
                'ordering': ['-uploaded_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Example',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('example_id', models.CharField(max_length=200)),
                ('references', models.JSONField()),
                ('split', models.CharField(max_length=7)),
                ('topic', models.TextField(blank=True)),
                ('reference_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='examples', to='references.referenceset')),
            ],
            options={
                'verbose_name': 'Reference row',
                'verbose_name_plural': 'Reference row',
                'ordering': ['position'],
            },
        ),
        migrations.CreateModel(
            name='Release',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('released_at', models.DateTimeField(verbose_name='Released at')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='competitions.competition')),
                ('reference_set', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='release', to='references.referenceset')),
                ('released_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'Released golds',
                'verbose_name_plural': 'Released golds',
                'ordering': ['-released_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='ScoringVersion',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField(null=True, verbose_name='Number')),
                ('draft_number', models.PositiveIntegerField(verbose_name='draft number')),
                ('profile_settings', models.JSONField(verbose_name='Scoring settings')),
                ('signature', models.TextField(verbose_name='Signature')),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('rehearsing', 'Rehearsing'), ('live', 'Live'), ('retired', 'Retired')], default='draft', max_length=10, verbose_name='State')),
                ('created_at', models.DateTimeField(verbose_name='Created')),
                ('made_live_at', models.DateTimeField(null=True, verbose_name='Made live')),
                ('retired_at', models.DateTimeField(null=True, verbose_name='Retired at')),
                ('self_check', models.JSONField(null=True, verbose_name='Self-check')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='scoring_versions', to='competitions.competition')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reference_set', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='scoring_versions', to='references.referenceset')),
            ],
            options={
                'verbose_name': 'Scoring version',
                'verbose_name_plural': 'Scoring version',
                'ordering': ['-draft_number'],
            },
        ),
        migrations.CreateModel(
            name='SetUse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('golds_sha256', models.CharField(max_length=64, verbose_name='sha256 without splits')),
                ('use', models.CharField(choices=[('scored', 'Evaluation'), ('released', 'Released')], max_length=8, verbose_name='Use')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='set_uses', to='competitions.competition')),
            ],
            options={
                'verbose_name': 'Use of golds',
                'verbose_name_plural': 'Use of golds',
            },
        ),
        migrations.AddConstraint(
            model_name='dialogueset',
            constraint=models.UniqueConstraint(fields=('competition', 'sha256'), name='one_dialogue_set_per_content'),
        ),
        migrations.AddConstraint(
            model_name='dialogue',
            constraint=models.UniqueConstraint(fields=('dialogue_set', 'example_id'), name='one_dialogue_per_id'),
        ),
        migrations.AddConstraint(
            model_name='example',
            constraint=models.UniqueConstraint(fields=('reference_set', 'example_id'), name='one_example_per_id'),
        ),
        migrations.AddConstraint(
            model_name='example',
            constraint=models.CheckConstraint(condition=models.Q(('split__in', ['public', 'private', ''])), name='example_split_is_known'),
        ),
        migrations.AddConstraint(
            model_name='scoringversion',
            constraint=models.UniqueConstraint(fields=('competition', 'number'), name='one_version_per_number'),
        ),
        migrations.AddConstraint(
            model_name='scoringversion',
            constraint=models.UniqueConstraint(fields=('competition', 'draft_number'), name='one_draft_per_number'),
        ),
        migrations.AddConstraint(
            model_name='scoringversion',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('made_live_at', None), models.Q(('state', 'live'), _negated=True)), ('number__isnull', False), _connector='OR'), name='what_was_live_has_a_number'),
        ),
        migrations.AddConstraint(
            model_name='scoringversion',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'live')), fields=('competition',), name='one_live_version'),
        ),
        migrations.AddConstraint(
            model_name='setuse',
            constraint=models.UniqueConstraint(fields=('competition', 'golds_sha256'), name='scored_or_released_not_both'),
        ),
    ]
