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
            name='AuditEvent',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('at', models.DateTimeField(verbose_name='Time')),
                ('kind', models.CharField(max_length=40, verbose_name='Kind')),
                ('competition', models.UUIDField(db_index=True, null=True, verbose_name='Competition')),
                ('subject', models.UUIDField(null=True, verbose_name='Subject')),
                ('before', models.JSONField(null=True, verbose_name='Before')),
                ('after', models.JSONField(null=True, verbose_name='After')),
                ('reason', models.TextField(blank=True, verbose_name='Reason')),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='Who')),
            ],
            options={
                'verbose_name': 'Audit log',
                'verbose_name_plural': 'Audit log',
                'ordering': ['-at', 'pk'],
                'indexes': [models.Index(fields=['competition', '-at'], name='audit_audit_competi_30c8f8_idx')],
            },
        ),
    ]
