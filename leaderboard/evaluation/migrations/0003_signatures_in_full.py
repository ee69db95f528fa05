"""Stored signatures are written out: sixteen digits of the golds' hash, and the Unicode version.

A version keeps its numbers and goes on being scored: a worker claims what bears the signature that
its own code prints. Only lines whose eight digits begin the stored hash are changed, and what stood
there before is in the contest's log. The Unicode version is that of the Python that runs this; the
NFC of a character is the same in every version that knows it.
"""

import re
import unicodedata

from django.db import migrations
from django.utils import timezone

SHORT = re.compile(r"(.*\|)norm:nfc(\|.*\|)gold:([0-9a-f]{8})(\|.*)")
FULL = re.compile(r"(.*\|)norm:nfc/[0-9.]+(\|.*\|)gold:([0-9a-f]{8})[0-9a-f]{8}(\|.*)")


def written_out(line, sha256):
    found = SHORT.fullmatch(line)
    if not found or not sha256.startswith(found[3]):
        return line
    norm = f'norm:nfc/{unicodedata.unidata_version}'
    return f'{found[1]}{norm}{found[2]}gold:{sha256[:16]}{found[4]}'


def shortened(line, sha256):
    found = FULL.fullmatch(line)
    return f'{found[1]}norm:nfc{found[2]}gold:{found[3]}{found[4]}' if found else line


def change(apps, spelled):
    """Every version with its numbers; what changed is logged."""
    versions = apps.get_model('references', 'ScoringVersion').objects
    scores = apps.get_model('evaluation', 'SplitScore').objects
    log = apps.get_model('audit', 'AuditEvent').objects
    for version in versions.select_related('reference_set').order_by('competition_id', 'number'):
        sha256 = version.reference_set.sha256
        own = scores.filter(evaluation__scoring_version=version.pk).order_by()
        for line in set(own.values_list('signature', flat=True).distinct()):
            if spelled(line, sha256) != line:
                own.filter(signature=line).update(signature=spelled(line, sha256))
        before = version.signature
        after = spelled(before, sha256)
        if after != before:
            versions.filter(pk=version.pk).update(signature=after)
            log.create(
                at=timezone.now(),
                kind='version.signature_respelled',
                competition=version.competition_id,
                subject=version.pk,
                before={'version': version.number, 'signature': before},
                after={'version': version.number, 'signature': after},
            )


def write_out(apps, schema_editor):
    change(apps, written_out)


def shorten(apps, schema_editor):
    change(apps, shortened)


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0002_ties_have_an_order'),
        ('evaluation', '0002_submission_cuts'),
        ('references', '0003_ties_have_an_order'),
    ]

    operations = [
        migrations.RunPython(write_out, shorten),
    ]
