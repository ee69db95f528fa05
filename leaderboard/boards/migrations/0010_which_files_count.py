from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('boards', '0009_spread_of_newest_file'),
    ]

    operations = [
        migrations.AddField(
            model_name='standing',
            name='files',
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='teamspread',
            name='files',
            field=models.BigIntegerField(default=0),
        ),
        migrations.RemoveField(
            model_name='teamspread',
            name='entries',
        ),
        migrations.RemoveField(
            model_name='teamspread',
            name='last_submission_at',
        ),
    ]
