from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('community', '0004_forum_in_order'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RenameModel(
            old_name='Report',
            new_name='PostReport',
        ),
        migrations.AlterField(
            model_name='webhook',
            name='language',
            field=models.CharField(choices=[('ko', 'Korean'), ('en', 'English')], max_length=2, verbose_name='Language'),
        ),
    ]
