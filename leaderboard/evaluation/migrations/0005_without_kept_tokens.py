"""Kept tokens lie in the store; no version reads or writes this table any more."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0004_kept_failure'),
    ]

    operations = [migrations.DeleteModel(name='KeptTokens')]
