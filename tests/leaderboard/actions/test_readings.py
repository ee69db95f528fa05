"""A version goes on with the reading that it is signed with; a new one reads line by line."""

import io

import pytest

from leaderboard.actions.versions import redraft
from leaderboard.contest_file.check import plan
from leaderboard.contest_file.cloning import clone
from leaderboard.contest_file.export import package
from leaderboard.contest_file.import_competition import import_competition
from leaderboard.contest_file.packing import Archive, write_zip
from leaderboard.contest_file.reading import ImportPlan
from leaderboard.evaluation.claim import is_supported
from leaderboard.evaluation.models import SplitScore
from leaderboard.evaluation.run import prepared_references
from leaderboard.references.models import ScoringVersion
from scoring import tokenizers
from scoring.signature import part
from tests.leaderboard.builders import competition, hand_in, live, score_all, team, user
from tests.leaderboard.material import GOLDS, NOON

pytestmark = [pytest.mark.django_db, pytest.mark.java]

WHOLE = tokenizers.signature("okt", "whole")


@pytest.fixture
def older() -> ScoringVersion:
    """A live version as it was made before texts were read line by line."""
    version = live(competition(), tokenizer="okt")
    assert part(version.signature, "tok") == f"{WHOLE}+lines"
    version.signature = version.signature.replace("+lines", "")
    version.save(update_fields=["signature"])
    return version


def test_a_version_goes_on_with_its_reading_and_a_new_one_reads_line_by_line(
    older: ScoringVersion,
) -> None:
    assert is_supported(older)
    prepared = prepared_references(older.reference_set_id, older.profile())
    assert prepared.signature == older.signature
    assert prepared.tokenizer("쉰다.\n간다.") != prepared.tokenizer("쉰다.\r\n간다.")
    texts = {example: f"{golds[0]}\n끝." for example, golds in GOLDS.items()}
    hand_in(team(older.competition, "alice"), texts)
    score_all()
    assert {part(one.signature, "tok") for one in SplitScore.objects.all()} == {WHOLE}
    newer = redraft(version=older, user=user("olivia"), preset="max-sum", tokenizer="okt", at=NOON)
    assert part(newer.signature, "tok") == f"{WHOLE}+lines"


def test_an_imported_version_keeps_its_reading_and_a_clone_is_new(older: ScoringVersion) -> None:
    def signed(found: ImportPlan) -> str:
        made = import_competition(
            contest=found.contest, owner=user("olivia"), asked_by=None, at=NOON
        )
        [version] = made.scoring_versions.all()
        return part(version.signature, "tok")

    out = io.BytesIO()
    write_zip(package(older.competition, full=False), out)
    assert signed(plan(Archive(out), slug="came")) == WHOLE
    assert signed(clone(older.competition, slug="cloned", at=NOON)) == f"{WHOLE}+lines"
