import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('competitions', '0001_initial'),
        ('teams', '0002_invitations'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Merge',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('asked', 'Asked'), ('accepted', 'Merged'), ('declined', 'Declined'), ('withdrawn', 'Withdrawn'), ('undone', 'Undone')], default='asked', max_length=9, verbose_name='State')),
                ('asked_at', models.DateTimeField(verbose_name='Asked at')),
                ('answered_at', models.DateTimeField(blank=True, null=True, verbose_name='Answered at')),
                ('undone_at', models.DateTimeField(blank=True, null=True, verbose_name='Undone at')),
                ('reason', models.CharField(blank=True, max_length=300, verbose_name='Reason')),
            ],
            options={
                'verbose_name': 'Team merge',
                'verbose_name_plural': 'Team merge',
                'ordering': ['-asked_at', 'pk'],
            },
        ),
        migrations.AddField(
            model_name='membership',
            name='origin',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='teams.team'),
        ),
        migrations.AddField(
            model_name='team',
            name='merged_into',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='absorbed', to='teams.team', verbose_name='Merged into'),
        ),
        migrations.AddConstraint(
            model_name='team',
            constraint=models.CheckConstraint(condition=models.Q(('merged_into', models.F('id')), _negated=True), name='merged_into_another'),
        ),
        migrations.AddField(
            model_name='merge',
            name='absorbed',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='merges_offered', to='teams.team'),
        ),
        migrations.AddField(
            model_name='merge',
            name='answered_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='merge',
            name='asked_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='merge',
            name='competition',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='merges', to='competitions.competition'),
        ),
        migrations.AddField(
            model_name='merge',
            name='survivor',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='merges_asked', to='teams.team'),
        ),
        migrations.AddField(
            model_name='merge',
            name='undone_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='merge',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'asked')), fields=('survivor', 'absorbed'), name='one_open_question_per_pair'),
        ),
        migrations.AddConstraint(
            model_name='merge',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'accepted')), fields=('absorbed',), name='merged_into_one_team'),
        ),
        migrations.AddConstraint(
            model_name='merge',
            constraint=models.CheckConstraint(condition=models.Q(('survivor', models.F('absorbed')), _negated=True), name='merge_of_two_teams'),
        ),
        migrations.AddConstraint(
            model_name='merge',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('answered_at', None), ('state', 'asked')), models.Q(models.Q(('state', 'asked'), _negated=True), ('answered_at__isnull', False)), _connector='OR'), name='merge_answered_once'),
        ),
        migrations.AddConstraint(
            model_name='merge',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'undone'), ('undone_at__isnull', False)), models.Q(models.Q(('state', 'undone'), _negated=True), ('undone_at', None)), _connector='OR'), name='merge_undone_with_time'),
        ),
    ]
