import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0003_origin'),
        ('teams', '0003_merges'),
    ]

    operations = [
        migrations.AddField(
            model_name='quotaentry',
            name='source',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='teams.team'),
        ),
    ]
