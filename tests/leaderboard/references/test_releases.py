"""What participants may read: never anything that scores, by check and by constraint."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from leaderboard.actions.decisions import Deciding
from leaderboard.actions.references import (
    check_next_references,
    check_references_at_once,
    draft,
    release_dev_set,
    release_dialogues,
    upload_dev_set,
    upload_dialogues,
)
from leaderboard.actions.versions import redraft
from leaderboard.competitions.models import Competition
from leaderboard.references.intake import claim_use
from leaderboard.references.models import ReferenceSet, ScoringVersion, SetUse
from leaderboard.references.queries import (
    live_version,
    practice_examples,
    released_dialogues,
    released_set,
)
from leaderboard.refusals import Refused
from leaderboard.submissions.queries import Upload
from scoring.dialogues import InvalidDialogues
from scoring.profile import Profile
from tests.leaderboard.builders import GOLDS, NOON, gold_csv, open_competition, uploaded, user

pytestmark = pytest.mark.django_db
DEV = {
    "dev_1": ("두 사람은 영화를 보러 간다.", "영화를 같이 보기로 했다."),
    "dev_2": ("비가 와서 소풍을 미룬다.",),
}
TALK = "fname,dialogue\ndev_1,가: 영화 볼래?\ndev_2,나: 비가 오네.\n".encode()


def upload(contest: Competition, golds: dict[str, tuple[str, ...]] | None = None) -> ReferenceSet:
    return upload_dev_set(
        competition=contest,
        user=user("olivia"),
        files=[Upload("dev.csv", gold_csv(golds or DEV, None))],
        at=NOON,
    )


def upload_scored(contest: Competition, golds: dict[str, tuple[str, ...]]) -> ScoringVersion:
    return uploaded(contest, gold_csv(golds, None))


def test_a_set_is_released_in_two_steps_and_the_newest_counts() -> None:
    contest = open_competition()
    first = upload(contest)
    assert released_set(contest) is None
    with pytest.raises(PermissionError):
        practice_examples(first)
    release_dev_set(reference_set=first, user=user("olivia"), at=NOON)
    assert released_set(contest) == first
    assert [row.example_id for row in practice_examples(first)] == ["dev_1", "dev_2"]
    with pytest.raises(Refused, match="already_released"):
        release_dev_set(reference_set=first, user=user("olivia"), at=NOON)
    second = upload(contest, {"dev_3": ("눈이 내린다.",)})
    release_dev_set(reference_set=second, user=user("olivia"), at=NOON + timedelta(hours=1))
    assert released_set(contest) == second


@pytest.mark.parametrize(
    "golds",
    [
        {"dev_1": ("처음 보는 글.",), "talk_1": ("이것도 처음 보는 글.",)},
        {"dev_1": ("처음 보는 글.", f" {GOLDS['talk_2'][1].replace(' ', '  ')}")},
    ],
    ids=["an id", "a text"],
)
def test_nothing_that_scores_is_released(golds: dict[str, tuple[str, ...]]) -> None:
    contest = open_competition()
    with pytest.raises(Refused, match="golds_score") as caught:
        upload(contest, golds)
    assert GOLDS["talk_2"][1] not in caught.value.message("ko") + caught.value.message("en")


def test_golds_that_came_to_score_meanwhile_are_not_released() -> None:
    contest = open_competition()
    waiting = upload(contest)
    upload_scored(contest, DEV)
    with pytest.raises(Refused, match="golds_score"):
        release_dev_set(reference_set=waiting, user=user("olivia"), at=NOON)


def test_what_was_released_never_scores() -> None:
    contest = open_competition()
    release_dev_set(reference_set=upload(contest), user=user("olivia"), at=NOON)
    with pytest.raises(Refused, match="golds_released"):
        upload_scored(contest, {**GOLDS, "talk_7": DEV["dev_2"]})
    assert ScoringVersion.objects.count() == 1


def test_the_database_itself_keeps_the_two_uses_apart() -> None:
    contest = open_competition()
    waiting = upload(contest)
    scored = live_version(contest)
    with pytest.raises(IntegrityError), transaction.atomic():
        claim_use(reference_set=scored.reference_set, use=SetUse.Kind.RELEASED)
    claim_use(reference_set=waiting, use=SetUse.Kind.RELEASED)
    # The same golds with splits are another upload, and have the same use all the same.
    ReferenceSet.objects.filter(pk=waiting.pk).update(public_rows=1, private_rows=1)
    waiting.refresh_from_db()
    with pytest.raises(IntegrityError), transaction.atomic():
        draft(Deciding(contest, user("olivia"), NOON), waiting, Profile())
    with pytest.raises(IntegrityError), transaction.atomic():
        SetUse.objects.create(
            competition=contest, golds_sha256=waiting.golds_sha256, use=SetUse.Kind.SCORED
        )


def test_a_set_without_splits_makes_no_version() -> None:
    contest = open_competition()
    with pytest.raises(ValueError, match="splits"):
        draft(Deciding(contest, user("olivia"), NOON), upload(contest), Profile())


def test_other_contests_are_other_contests() -> None:
    here, there = open_competition(), open_competition("there")
    release_dev_set(reference_set=upload(here), user=user("olivia"), at=NOON)
    upload_scored(there, DEV)
    assert released_set(there) is None


def test_dialogues_cover_a_set_and_are_read_after_their_release() -> None:
    contest = open_competition()
    upload(contest)
    olivia = user("olivia")
    with pytest.raises(InvalidDialogues):
        upload_dialogues(
            competition=contest, user=olivia, upload=Upload("t.csv", b"a,b\n"), at=NOON
        )
    with pytest.raises(Refused, match="dialogues_missing") as caught:
        upload_dialogues(
            competition=contest,
            user=olivia,
            upload=Upload("t.csv", TALK.rsplit(b"dev_2", 1)[0]),
            at=NOON,
        )
    assert "dev_2" in caught.value.message("ko")
    kept = upload_dialogues(competition=contest, user=olivia, upload=Upload("t.csv", TALK), at=NOON)
    assert released_dialogues(contest, ["dev_1"]) == {}
    release_dialogues(dialogue_set=kept, user=olivia, at=NOON)
    assert released_dialogues(contest, ["dev_1", "dev_9"]) == {"dev_1": "가: 영화 볼래?"}
    with pytest.raises(Refused, match="same_dialogues"):
        upload_dialogues(competition=contest, user=olivia, upload=Upload("t.csv", TALK), at=NOON)


def test_the_golds_own_figures_are_kept_once() -> None:
    contest = open_competition()
    version = live_version(contest)
    assert check_references_at_once(version=version)
    assert not check_references_at_once(version=version)
    version.refresh_from_db()
    # Two golds a row; under `max` each of them is the full mark of three metrics.
    assert version.self_check == {"totals": [3.0, 3.0], "mean": 3.0, "full_mark": 3.0}


def test_a_worker_takes_what_no_request_waits_for() -> None:
    contest = open_competition()
    version = live_version(contest)
    mean = redraft(
        version=version, user=user("olivia"), preset="mean-sum", tokenizer="chars", at=NOON
    )
    assert mean.reference_set_id == version.reference_set_id
    assert (check_next_references(), check_next_references(), check_next_references()) == (
        True,
        True,
        False,
    )
    mean.refresh_from_db()
    assert 1.0 < mean.self_check["mean"] < 3.0, "under `mean` no gold reaches the full mark"
