from django.db import migrations, models


def copy(apps, schema_editor):
    """An account that a class list opened has that list's name; the log says which contest's."""
    memberships = apps.get_model('teams', 'Membership').objects
    enrolled = apps.get_model('audit', 'AuditEvent').objects.filter(kind='class.enrolled')
    seen = set()
    for event in enrolled.order_by('at', 'pk'):
        names = set((event.after or {}).get('usernames', ())) - seen
        seen |= names
        listed = memberships.filter(competition=event.competition, user__username__in=names)
        for one in listed.exclude(user__first_name='').select_related('user'):
            memberships.filter(pk=one.pk).update(listed_name=one.user.first_name)


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0002_ties_have_an_order'),
        ('teams', '0007_teams_in_counting_order'),
    ]

    operations = [
        migrations.AddField(
            model_name='membership',
            name='listed_name',
            field=models.CharField(blank=True, max_length=150, verbose_name='Name on the list', default=''),
            preserve_default=False,
        ),
        migrations.RunPython(copy, migrations.RunPython.noop),
    ]
