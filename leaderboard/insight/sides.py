"""Precision and recall of a submission: for who runs the contest, and for all from the reveal on.

Before it they would be more equations about hidden rows. Computed when asked for: the tokens are
kept, so it takes some milliseconds. Numbers are `scoring.insight.sides`'.
"""

from leaderboard.boards.visibility import Viewer, may_see_parts, visible_boards
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.run import is_cheap, kept_tokens, prepared_references
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import texts
from scoring.insight.sides import Side, sides_by_split, sides_profile
from scoring.pipeline import score
from scoring.tokenizers import available


def sides_of(submission: Submission, viewer: Viewer) -> dict[str, list[Side]]:
    """By board, of those that this viewer may see; empty where nobody may ask, or nothing is
    scored under the live version. The submission is of the viewer's team, or the viewer edits.
    """
    version = viewer.version
    if version is None or not may_see_parts(viewer):
        return {}
    profile = version.profile()
    done = version.evaluations.filter(submission=submission, state=Evaluation.State.DONE)
    if not is_cheap(profile) or not available(profile.tokenizer) or not done.exists():
        return {}
    asked = sides_profile(profile)
    prepared = prepared_references(version.reference_set_id, asked)
    given = texts(submission.pk)
    known = kept_tokens(submission.pk, prepared.tokenizer, given)
    used = {name: given[name] for name in prepared.references.ids}
    found = sides_by_split(profile, score(used, prepared, known=known).splits)
    return {board: found[board] for board in visible_boards(viewer) if board in found}
