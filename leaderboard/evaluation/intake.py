"""Making the rows that ask for a scoring."""

from collections.abc import Sequence

from django.db.models.functions import Now

from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission


def ask(*, submission: Submission, versions: Sequence[ScoringVersion], rows: int) -> None:
    """Queue one evaluation for each version; asking again changes nothing."""
    Evaluation.objects.bulk_create(
        [
            Evaluation(
                submission=submission,
                scoring_version=version,
                received_at=submission.received_at,
                rows_total=rows,
            )
            for version in versions
        ],
        ignore_conflicts=True,
        batch_size=500,
    )


def ask_all(*, submissions: Sequence[Submission], version: ScoringVersion) -> int:
    """Queue one evaluation under this version for each submission; answers how many.

    They wait from now on (`not_before`), whenever their files were received. The database's clock
    is read once: an expression in each row of a hundred thousand would be kept in memory.
    """
    now = ScoringVersion.objects.annotate(now=Now()).values_list("now", flat=True)
    waits_from = now.get(pk=version.pk)
    Evaluation.objects.bulk_create(
        [
            Evaluation(
                submission=submission,
                scoring_version=version,
                received_at=submission.received_at,
                not_before=waits_from,
                rows_total=version.reference_set.rows,
            )
            for submission in submissions
        ],
        ignore_conflicts=True,
        batch_size=500,
    )
    return len(submissions)
