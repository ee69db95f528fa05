import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('boards', '0001_initial'),
        ('references', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='BoardBands',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('board', models.CharField(choices=[('public', 'Public'), ('private', 'Private')], max_length=7, verbose_name='Board')),
                ('stamp', models.CharField(max_length=64)),
                ('made_at', models.DateTimeField(verbose_name='Created')),
                ('look_after', models.DateTimeField()),
                ('instant', models.DateTimeField(null=True)),
                ('rows', models.PositiveIntegerField(verbose_name='Rows')),
                ('threshold', models.BigIntegerField(null=True)),
                ('signature', models.TextField(verbose_name='Signature')),
                ('totals', models.BinaryField()),
                ('scoring_version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bands', to='references.scoringversion')),
            ],
            options={
                'verbose_name': 'Bands',
                'verbose_name_plural': 'Bands',
                'constraints': [models.UniqueConstraint(fields=('scoring_version', 'board'), name='one_band_row')],
            },
        ),
    ]
