"""A judge that praises what the references do not know: shown to organizers, changes no score."""

from collections.abc import Collection

from leaderboard.evaluation.models import SplitScore
from leaderboard.judging.models import ColumnValue, Judging
from leaderboard.references.models import ScoringVersion

HIGH_BUT_LOW_ROUGE = "high_but_low_rouge"
_HIGH, _LOWEST = 0.9, 0.05
# With fewer submissions "the lowest twentieth" is nobody or chance.
_FEWEST = 20


def flags(judging: Judging, values: Collection[ColumnValue]) -> list[str]:
    """Of a judging whose values were just computed, unsaved or not."""
    judged = next((each.mean for each in values if each.metric == "summarization"), None)
    if judged is None or judged < _HIGH:
        return []
    scores = SplitScore.objects.filter(
        split=judging.board,
        evaluation__scoring_version__competition=judging.config.competition_id,
        evaluation__scoring_version__state=ScoringVersion.State.LIVE,
    )
    own = scores.filter(evaluation__submission=judging.submission_id).first()
    number = scores.count()
    if own is None or number < _FEWEST:
        return []
    below = scores.filter(printed__lt=own.printed).count()
    return [HIGH_BUT_LOW_ROUGE] if below < _LOWEST * number else []
