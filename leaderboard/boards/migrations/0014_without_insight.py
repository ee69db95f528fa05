"""What tells how far a board can be believed becomes an app of its own, with its tables.

Their foreign keys are no constraints of the database from now on: where that app is taken out, a
contest can still be deleted. Only Django's state forgets the tables here; `insight` takes them up.
"""

import django.db.models.deletion
from django.db import migrations, models

KEYS = {
    'boardbands': {'scoring_version': ('bands', 'references.scoringversion')},
    'filelift': {'evaluation': ('lifts', 'evaluation.evaluation')},
    'teamspread': {
        'scoring_version': ('spreads', 'references.scoringversion'),
        'team': ('spreads', 'teams.team'),
    },
    'closingreport': {'scoring_version': ('+', 'references.scoringversion')},
}
ONE_TO_ONE = {
    'filelights': {'evaluation': ('lights', 'evaluation.evaluation', None)},
    'closingreport': {'competition': ('closing_report', 'competitions.competition', 'Competition')},
}


class Migration(migrations.Migration):

    dependencies = [
        ('boards', '0013_figures_of_a_large_contest'),
    ]

    operations = [
        *(
            migrations.AlterField(model, name, models.ForeignKey(
                db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name=related, to=to,
            ))
            for model, fields in KEYS.items()
            for name, (related, to) in fields.items()
        ),
        *(
            migrations.AlterField(model, name, models.OneToOneField(
                db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name=related, to=to, verbose_name=said,
            ))
            for model, fields in ONE_TO_ONE.items()
            for name, (related, to, said) in fields.items()
        ),
        migrations.AlterField('figures', 'lights', models.JSONField(db_column='lights', default=dict)),
        migrations.RenameField('figures', 'lights', 'more'),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name)
                for name in ('BoardBands', 'FileLift', 'FileLights', 'TeamSpread', 'ClosingReport')
            ],
        ),
    ]
