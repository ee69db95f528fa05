"""What a file reaches by kind of dialogue, and its precision and recall.

For who runs the contest, and for all from the reveal on: before it they would be more equations
about hidden rows. Numbers are `scoring.insight.slices`' and `scoring.insight.precision_recall`'.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from numpy.typing import NDArray

from leaderboard.boards.visibility import Viewer, may_see_parts, visible_boards
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.queries import row_values
from leaderboard.evaluation.run import is_cheap, kept_tokens, prepared_references
from leaderboard.references.queries import dialogues_of, stored_references
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import texts
from scoring.insight.precision_recall import Side, sides_by_split, sides_profile
from scoring.insight.slices import OTHERS, Slice, groups, size_of, slices
from scoring.pipeline import row_totals, score
from scoring.tokenizers import available

Kinds = dict[str, list["GroupSlices"]]
"""By what the groups differ, as pages call it."""


class GroupSlices(NamedTuple):
    """A group under its name, and what the file reaches there on each split."""

    name: str
    slices: list[Slice]


def slices_of(submission: Submission, viewer: Viewer) -> Kinds:
    """On the boards that this viewer may see; empty where nobody may ask, or nothing is scored
    under the live version. The submission is of the viewer's team, or the viewer edits.
    """
    version = viewer.version
    if version is None or not may_see_parts(viewer):
        return {}
    kept = row_values([submission.pk], [version.pk]).get((submission.pk, version.pk))
    if kept is None:
        return {}
    rows = stored_references(version.reference_set_id).examples
    splits = {
        board: np.array([place for place, row in enumerate(rows) if row.split == board], np.intp)
        for board in visible_boards(viewer)
    }
    return kinds(
        row_totals(kept, version.profile()),
        {row.example_id: row.topic for row in rows},
        dialogues_of(version) or {},
        splits,
    )


def kinds(
    totals: NDArray[np.float64],
    topics: Mapping[str, str | None],
    dialogues: Mapping[str, str],
    splits: Mapping[str, NDArray[np.intp]],
) -> Kinds:
    """Of the totals of rows. topics: of each of them, in their order. Without a dialogue for every
    row there are groups by topic alone.
    """
    whole = all(row in dialogues for row in topics)
    sizes = [size_of(dialogues[row]) for row in topics] if whole else None
    found = groups(list(topics.values()), sizes, splits)
    labels = {
        "turns": _("Turns of the dialogue"),
        "length": _("Length of the dialogue"),
        "topic": _("Topic"),
    }
    return {
        labels[by]: [
            GroupSlices(_name(by, group.names), slices(totals, group, splits)) for group in of_kind
        ]
        for by, of_kind in found.items()
    }


def _name(by: str, names: Sequence[str]) -> str:
    said = {
        ("length", "short"): pgettext("dialogue", "short"),
        ("length", "medium"): pgettext("dialogue", "medium"),
        ("length", "long"): pgettext("dialogue", "long"),
        ("topic", OTHERS): _("other topics"),
    }
    return " + ".join(said.get((by, name), name) for name in names)


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
