# Made anew before the first release; from here on migrations are only added.

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('competitions', '0001_initial'),
        ('teams', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Announcement',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('at', models.DateTimeField(verbose_name='Time')),
                ('edited_at', models.DateTimeField(null=True, verbose_name='edited at')),
                ('text', models.TextField(max_length=2000, verbose_name='Content')),
                ('text_en', models.TextField(blank=True, max_length=2000, verbose_name='Text (English)')),
                ('audience', models.CharField(choices=[('all', 'Everybody'), ('no_submission', 'Teams without a submission'), ('teams', 'Chosen teams')], default='all', max_length=13, verbose_name='Recipient')),
                ('pinned', models.BooleanField(default=False, verbose_name='Pin to the top')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='Author')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='announcements', to='competitions.competition')),
                ('teams', models.ManyToManyField(blank=True, related_name='announcements', to='teams.team')),
            ],
            options={
                'verbose_name': 'Announcement',
                'verbose_name_plural': 'Announcement',
                'ordering': ['-pinned', '-at', 'pk'],
                'indexes': [models.Index(fields=['competition', '-at'], name='community_a_competi_61911e_idx')],
            },
        ),
    ]
