from django.db import migrations

# What is searched by a part of it, as Django writes that for PostgreSQL.
SEARCHED = (
    ('submissions_submission', 'file_name'),
    ('teams_team', 'name'),
    ('teams_membership', 'listed_name'),
    ('accounts_user', 'username'),
)
# Asked before: within a transaction an error would be the migration's end.
MAY_MAKE = """
    SELECT 1 FROM pg_available_extension_versions
    WHERE name = 'pg_trgm' AND (trusted OR current_setting('is_superuser') = 'on')
        AND has_database_privilege(current_database(), 'CREATE')
"""
IS_THERE = """
    SELECT 1 FROM pg_opclass WHERE opcname = 'gin_trgm_ops' AND pg_opclass_is_visible(oid)
"""


def find_by_parts(apps, schema_editor):
    """Where the extension is there or this account may make it; else all is looked through."""
    if schema_editor.connection.vendor != 'postgresql':
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(MAY_MAKE)
        if cursor.fetchone():
            cursor.execute('CREATE EXTENSION IF NOT EXISTS pg_trgm')
        cursor.execute(IS_THERE)
        if not cursor.fetchone():
            return
        for table, column in SEARCHED:
            cursor.execute(
                f'CREATE INDEX {table}_{column}_parts ON {table} '
                f'USING gin (UPPER({column}::text) gin_trgm_ops)'
            )


def look_through(apps, schema_editor):
    """The extension stays: it may have been there before."""
    if schema_editor.connection.vendor == 'postgresql':
        with schema_editor.connection.cursor() as cursor:
            for table, column in SEARCHED:
                cursor.execute(f'DROP INDEX IF EXISTS {table}_{column}_parts')


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
        ('submissions', '0007_find_by_hash'),
        ('teams', '0007_count_teams_by_a_small_index'),
    ]

    operations = [migrations.RunPython(find_by_parts, look_through)]
