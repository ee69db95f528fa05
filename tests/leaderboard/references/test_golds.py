"""Golds: checked, hashed, drafted, and made live once."""

import re
from collections.abc import Iterable

import pytest

from leaderboard.actions.versions import make_live
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.references.models import ReferenceSet, ScoringVersion
from leaderboard.references.queries import (
    expected_ids,
    live_version,
    splits_of,
    stored_references,
)
from leaderboard.refusals import Refused
from scoring.findings import InvalidReferences
from scoring.references import draw_splits
from tests.leaderboard.builders import competition, live, open_competition, uploaded, user
from tests.leaderboard.material import GOLDS, NOON, SPLITS, gold_csv

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    version = uploaded(competition())
    assert (version.number, version.draft_number, version.state) == (None, 1, "draft")
    assert (version.reference_set.public_rows, version.reference_set.private_rows) == (2, 2)
    assert expected_ids(version) == tuple(GOLDS)
    again = stored_references(version.reference_set_id)
    assert again.sha256 == version.reference_set.sha256
    assert f"|gold:{again.sha256[:16]}|" in version.signature
    assert AuditEvent.objects.filter(kind="golds.uploaded").count() == 1


def test_an_invalid_file_leaves_nothing() -> None:
    with pytest.raises(InvalidReferences):
        uploaded(competition(), b"fname,summary1,split\ntalk_1,,public\n")
    assert not ReferenceSet.objects.exists()


def drawn(contest: Competition, ids: Iterable[str], **given: str) -> ReferenceSet:
    """The set of an upload without a split column."""
    golds = {one: (f"{one}의 정답.",) for one in ids}
    found = uploaded(contest, gold_csv(golds, None), **given).reference_set
    assert abs(found.public_rows - found.private_rows) <= 1
    return found


def test_without_splits_the_server_draws_them_by_a_secret_seed() -> None:
    ids = [f"talk_{n}" for n in range(200)]
    one, other = (drawn(competition(slug), ids) for slug in ("talk", "chat"))
    assert splits_of(one) != splits_of(other)
    for found in (one, other):
        assert re.fullmatch("[0-9a-f]{32}", found.split_seed or "")
        references = stored_references(found.pk)
        assert draw_splits(references, seed=str(found.split_seed)) == references
    # Whatever names a seed in the log would tell it to every organizer's screen.
    assert str(one.split_seed) not in str(list(AuditEvent.objects.values_list("after", "before")))


def test_corrected_golds_keep_their_splits() -> None:
    contest = competition()
    ids = [f"talk_{n}" for n in range(60)]
    first = drawn(contest, ids)
    same = drawn(contest, ids[::-1])
    assert (splits_of(same), same.split_seed) == (splits_of(first), first.split_seed)
    more = drawn(contest, [*ids, *(f"more_{n}" for n in range(10))])
    assert splits_of(more).items() > splits_of(first).items()
    assert more.public_rows == first.public_rows + 5
    assert more.split_seed == ""  # two draws made it, and no seed says both
    assert splits_of(drawn(contest, ids)) == splits_of(first)


def test_a_corrected_topic_moves_no_row() -> None:
    contest, golds = competition(), {f"talk_{n}": ("정답.",) for n in range(60)}
    first = drawn(contest, golds)
    topics = "fname,summary1,topic\n" + "".join(f"{one},정답.,{one}\n" for one in golds)
    second = uploaded(contest, topics.encode()).reference_set
    assert splits_of(second) == splits_of(first)
    assert second.split_seed == ""


def test_splits_of_the_organizer_stay_though_corrected_golds_name_none() -> None:
    contest = open_competition()
    version = uploaded(contest, gold_csv(splits=None))
    assert (splits_of(version.reference_set), version.reference_set.split_seed) == (SPLITS, None)
    turned = {one: {"public": "private"}.get(split, "public") for one, split in SPLITS.items()}
    assert splits_of(uploaded(contest, gold_csv(splits=turned)).reference_set) == turned


def test_the_first_goes_live_and_the_second_is_refused_until_rehearsal_exists() -> None:
    contest = open_competition()
    first = live_version(contest)
    assert first.number == 1
    with pytest.raises(Refused, match="live_exists"):
        live(contest, gold_csv({**GOLDS, "talk_1": ("고친 정답.",)}))
    assert live_version(contest) == first


def test_a_retired_version_is_no_draft() -> None:
    version = uploaded(competition())
    ScoringVersion.objects.update(state="retired")
    with pytest.raises(Refused, match="not_a_draft"):
        make_live(version=version, user=user("olivia"), at=NOON)
