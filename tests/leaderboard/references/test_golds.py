"""Golds: checked, hashed, drafted, and made live once."""

import pytest

from leaderboard.actions.references import upload_references
from leaderboard.actions.refusals import Refused
from leaderboard.actions.versions import make_live
from leaderboard.audit.models import AuditEvent
from leaderboard.references.models import Example, ReferenceSet, ScoringVersion
from leaderboard.references.queries import expected_ids, live_version, stored_references
from leaderboard.submissions.intake import Upload
from scoring.findings import InvalidReferences
from tests.leaderboard.builders import competition, live, open_competition, user
from tests.leaderboard.material import GOLDS, NOON, gold_csv

pytestmark = pytest.mark.django_db


def upload(data: bytes, by: str = "olivia", seed: int | None = None) -> ScoringVersion:
    contest = competition()
    return upload_references(
        competition=contest,
        user=user(by),
        files=[Upload("golds.csv", data)],
        preset="max-sum",
        tokenizer="mecab-ko",
        seed=seed,
        at=NOON,
    )


def test_it_works() -> None:
    version = upload(gold_csv())
    assert (version.number, version.draft_number, version.state) == (None, 1, "draft")
    assert (version.reference_set.public_rows, version.reference_set.private_rows) == (2, 2)
    assert expected_ids(version) == tuple(GOLDS)
    again = stored_references(version.reference_set_id)
    assert again.sha256 == version.reference_set.sha256
    assert f"|gold:{again.sha256[:16]}|" in version.signature
    assert AuditEvent.objects.filter(kind="golds.uploaded").count() == 1


def test_an_invalid_file_leaves_nothing() -> None:
    with pytest.raises(InvalidReferences):
        upload(b"fname,summary1,split\ntalk_1,,public\n")
    assert not ReferenceSet.objects.exists()


def test_without_splits_a_seed_draws_them_the_same_each_time() -> None:
    contest = competition()

    def drawn(seed: int | None) -> dict[str, str]:
        version = upload_references(
            competition=contest,
            user=user("olivia"),
            files=[Upload("golds.csv", gold_csv(splits=None))],
            preset="max-sum",
            tokenizer="mecab-ko",
            seed=seed,
            at=NOON,
        )
        rows = Example.objects.filter(reference_set=version.reference_set)
        return dict(rows.values_list("example_id", "split"))

    with pytest.raises(Refused, match="seed_needed"):
        drawn(None)
    assert drawn(7) == drawn(7)
    assert sorted(drawn(7).values()) == ["private", "private", "public", "public"]


def test_a_stranger_and_a_participant_are_refused() -> None:
    with pytest.raises(Refused, match="not_an_editor"):
        upload(gold_csv(), by="charlie")


def test_the_first_goes_live_and_the_second_is_refused_until_rehearsal_exists() -> None:
    contest = open_competition()
    first = live_version(contest)
    assert first is not None
    assert first.number == 1
    with pytest.raises(Refused, match="live_exists"):
        live(contest, gold_csv({**GOLDS, "talk_1": ("고친 정답.",)}))
    assert live_version(contest) == first


def test_a_retired_version_is_no_draft() -> None:
    version = upload(gold_csv())
    ScoringVersion.objects.update(state="retired")
    with pytest.raises(Refused, match="not_a_draft"):
        make_live(version=version, user=user("olivia"), at=NOON)
