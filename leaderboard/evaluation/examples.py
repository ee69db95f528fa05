"""Each row's values of stored evaluations; for organizers, whose golds they are."""

from collections.abc import Collection
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from leaderboard.evaluation.models import ExampleScores
from leaderboard.references.models import Example
from scoring.pipeline import read_example_blob

Values = NDArray[np.float64]


def row_values(
    submissions: Collection[UUID], versions: Collection[UUID]
) -> dict[tuple[UUID, UUID], Values]:
    """Rows x metrics by (submission, version), rows in the order of the set. One query."""
    blobs = ExampleScores.objects.filter(
        evaluation__submission__in=submissions, evaluation__scoring_version__in=versions
    ).values_list("evaluation__submission", "evaluation__scoring_version", "blob")
    return {
        (submission_id, version_id): read_example_blob(bytes(blob))
        for submission_id, version_id, blob in blobs
    }


def rows_in_order(reference_set_id: UUID) -> list[tuple[str, str]]:
    """Id and split of each row, in the order of the stored values."""
    rows = Example.objects.filter(reference_set=reference_set_id).order_by("position")
    return list(rows.values_list("example_id", "split"))
