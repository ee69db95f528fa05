# Made anew before the first release; from here on migrations are only added.

import django.db.models.deletion
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
            name='Notification',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('scored', 'Scored'), ('failed', 'Scoring failed'), ('announced', 'Announcement'), ('granted', 'More submissions granted'), ('warned', 'Warning'), ('disqualified', 'Disqualified'), ('reinstated', 'Disqualification lifted'), ('revealed', 'Results revealed')], max_length=20, verbose_name='Kind')),
                ('subject', models.UUIDField(verbose_name='Subject')),
                ('competition', models.UUIDField(null=True, verbose_name='Competition')),
                ('competition_slug', models.SlugField(blank=True, verbose_name='Competition address')),
                ('data', models.JSONField(default=dict, verbose_name='Content')),
                ('created_at', models.DateTimeField(verbose_name='Created')),
                ('read_at', models.DateTimeField(null=True, verbose_name='Read')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notifications', to=settings.AUTH_USER_MODEL, verbose_name='Recipient')),
            ],
            options={
                'verbose_name': 'Notice',
                'verbose_name_plural': 'Notice',
                'ordering': ['-created_at', 'pk'],
                'indexes': [models.Index(fields=['user', '-created_at'], name='inbox_notif_user_id_29d29b_idx')],
                'constraints': [models.UniqueConstraint(fields=('user', 'kind', 'subject'), name='one_notification')],
            },
        ),
    ]
