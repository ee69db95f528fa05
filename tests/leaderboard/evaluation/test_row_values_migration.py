"""On the way back the version before reads what this one kept."""

import importlib
import struct
import zlib

import numpy as np
import pytest
from django.apps import apps

from leaderboard.evaluation.models import ExampleScores
from scoring.pipeline import read_example_blob
from tests.leaderboard import builders

MIGRATION = "leaderboard.evaluation.migrations.0003_row_values_as_fractions"


@pytest.mark.django_db
def test_all_are_floats_again_and_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = builders.team(builders.open_competition(), "alice")
    for _ in range(3):
        builders.hand_in(ours)
    builders.score_all()
    kept = {row.pk: read_example_blob(bytes(row.blob)) for row in ExampleScores.objects.all()}
    assert len(kept) == 3
    migration = importlib.import_module(MIGRATION)
    monkeypatch.setattr(migration, "PART", 2)
    migration.written_as_floats(apps, None)
    for row in ExampleScores.objects.all():
        rows, metrics = struct.unpack_from("<II", bytes(row.blob))
        floats = np.frombuffer(zlib.decompress(bytes(row.blob)[8:]), dtype="<f8")
        assert floats.tobytes() == kept[row.pk].tobytes()
        assert (rows, metrics) == kept[row.pk].shape
