from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('teams', '0010_members_know_no_merge'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='membership',
            name='looking_for_team',
        ),
    ]
