from collections import Counter

from django.db import migrations, models
from django.db.models import Case, F, Q, When

SHOWN = 20
ENOUGH = 3


def renumber(apps, schema_editor):
    """Drafts have had their numbers; only what was live keeps them for everybody.

    In one statement: PostgreSQL alters no table of which a row was written twice before.
    """
    was_live = Q(made_live_at__isnull=False) | Q(state='live')
    apps.get_model('references', 'ScoringVersion').objects.update(
        draft_number=F('number'), number=Case(When(was_live, then=F('number')), default=None)
    )


def count_golds(apps, schema_editor):
    """Which rows of sets that exist have fewer golds than the rest."""
    examples = apps.get_model('references', 'Example').objects
    for found in apps.get_model('references', 'ReferenceSet').objects.iterator():
        rows = examples.filter(reference_set=found).order_by('position')
        counts = {key: len(golds) for key, golds in rows.values_list('example_id', 'references')}
        sizes = Counter(counts.values())
        usual = max(sizes, key=lambda size: (sizes[size], size), default=0)
        found.oddities |= {
            'usual': usual,
            'fewer': odd([key for key, size in counts.items() if size < usual]),
            'few': odd([key for key, size in counts.items() if size < ENOUGH]),
        }
        found.save(update_fields=['oddities'])


def odd(ids):
    return {'count': len(ids), 'shown': ids[:SHOWN]}


class Migration(migrations.Migration):

    dependencies = [
        ('references', '0003_ties_have_an_order'),
    ]

    operations = [
        migrations.AddField(
            model_name='scoringversion',
            name='draft_number',
            field=models.PositiveIntegerField(default=0, verbose_name='draft number'),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name='scoringversion',
            name='number',
            field=models.PositiveIntegerField(null=True, verbose_name='Number'),
        ),
        migrations.AlterModelOptions(
            name='scoringversion',
            options={'ordering': ['-draft_number'], 'verbose_name': 'Scoring version', 'verbose_name_plural': 'Scoring version'},
        ),
        migrations.RunPython(renumber, migrations.RunPython.noop),
        migrations.RunPython(count_golds, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name='scoringversion',
            constraint=models.UniqueConstraint(fields=('competition', 'draft_number'), name='one_draft_per_number'),
        ),
        migrations.AddConstraint(
            model_name='scoringversion',
            constraint=models.CheckConstraint(
                condition=Q(('made_live_at', None), ~Q(('state', 'live'))) | Q(('number__isnull', False)),
                name='what_was_live_has_a_number',
            ),
        ),
    ]
