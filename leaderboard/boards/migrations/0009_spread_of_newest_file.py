from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('boards', '0008_organizers_edition_beside_golds'),
    ]

    operations = [
        migrations.AddField(
            model_name='teamspread',
            name='last_submission_at',
            field=models.DateTimeField(null=True, verbose_name='Last submission'),
        ),
    ]
