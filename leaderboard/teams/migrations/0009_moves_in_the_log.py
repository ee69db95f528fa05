from django.db import migrations


def write_into_the_log(apps, schema_editor):
    """Let the log's lines say by ids who was put from which team into which; undone, the other way."""
    AuditEvent = apps.get_model("audit", "AuditEvent")
    for row in apps.get_model("teams", "Regrouping").objects.iterator():
        moves = [{name: move[name] for name in ("user", "team", "source")} for move in row.moves]
        back = [{**move, "team": move["source"], "source": move["team"]} for move in moves]
        for kind, said in (("team.people_put", moves), ("team.people_put_back", back)):
            for event in AuditEvent.objects.filter(kind=kind, subject=row.pk):
                event.after = {**(event.after or {}), "moves": said}
                event.save(update_fields=["after"])


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0001_initial'),
        ('teams', '0008_no_captain_votes'),
    ]

    operations = [
        migrations.RunPython(write_into_the_log, migrations.RunPython.noop),
        migrations.DeleteModel(
            name='Regrouping',
        ),
    ]
