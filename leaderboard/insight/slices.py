"""What a file reaches by kind of dialogue: see `scoring.insight.slices`."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from numpy.typing import NDArray

from leaderboard.boards.visibility import Viewer, may_see_parts, visible_boards
from leaderboard.evaluation.queries import row_values
from leaderboard.references.queries import dialogues_of, stored_references
from leaderboard.submissions.models import Submission
from scoring.comparison import row_totals
from scoring.insight.slices import OTHERS, Slice, groups, size_of, slices

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
