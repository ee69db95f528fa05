from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('inbox', '0013_without_filters_and_states_of_mails'),
    ]

    operations = [
        migrations.DeleteModel(
            name='Preference',
        ),
    ]
