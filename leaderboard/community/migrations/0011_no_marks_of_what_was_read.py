from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('community', '0010_no_versions_of_posts'),
    ]

    operations = [
        migrations.DeleteModel(
            name='ReadMark',
        ),
    ]
