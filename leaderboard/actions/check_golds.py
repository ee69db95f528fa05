"""What a version's golds would score themselves: computed once, shown on the desk."""

from leaderboard.evaluation.queue import is_supported
from leaderboard.evaluation.run import is_cheap, prepared_references
from leaderboard.references.intake import keep_self_check
from leaderboard.references.models import ScoringVersion
from scoring.pipeline import check_golds as check

AT_ONCE = 3_000  # golds that a request may wait for: about a second with the default analyzer


def check_golds(*, version: ScoringVersion) -> bool:
    """Score every gold as a prediction and keep the figures; True if they were new."""
    prepared = prepared_references(version.reference_set_id, version.profile())
    return keep_self_check(version=version, check=check(prepared))


def check_golds_at_once(*, version: ScoringVersion) -> bool:
    """The same if it takes no longer than a person waits; else a worker does it when rung."""
    golds = version.reference_set.oddities["golds"]
    if golds > AT_ONCE or not is_cheap(version.profile()):
        return False
    return check_golds(version=version)


def check_next_golds() -> bool:
    """The oldest unchecked version that this process can score; False when there is none."""
    version = next(filter(is_supported, unchecked()), None)
    return version is not None and check_golds(version=version)


def unchecked() -> list[ScoringVersion]:
    """Versions without figures, oldest first."""
    rows = ScoringVersion.objects.filter(self_check__isnull=True).order_by("created_at", "pk")
    return list(rows.select_related("reference_set"))
