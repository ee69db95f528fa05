"""The text of a submission is read again from its file, whatever the contest's rules are by now."""

import importlib
import json
import zlib

import pytest
from django.apps import apps
from pytest_django import DjangoAssertNumQueries

from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission, SubmissionText
from leaderboard.submissions.queries import reread, texts, texts_by_submission
from scoring.findings import InvalidSubmission
from scoring.predictions import read
from tests.leaderboard.builders import hand_in, open_competition, score_all, team

pytestmark = pytest.mark.django_db
step = importlib.import_module("leaderboard.submissions.migrations.0005_texts_lie_in_the_store")


def kept(submission: Submission, says: dict[str, str]) -> None:
    """As the version before kept it."""
    blob = zlib.compress(json.dumps(says).encode())
    SubmissionText.objects.create(submission=submission, blob=blob)


def test_a_file_is_read_though_the_contest_would_take_it_no_more() -> None:
    contest = open_competition()
    given = hand_in(team(contest, "alice"), {"talk_1": "가" * 300})
    Competition.objects.filter(pk=contest.pk).update(max_cell=100)
    assert texts(given.pk)["talk_1"] == "가" * 300


def test_a_file_is_read_under_the_ids_of_its_own_day() -> None:
    data = "fname,summary\na,하나\nb,둘\n".encode()
    assert reread(data, [("a",), ("a", "b", "c"), ("b", "a")]).texts == {"a": "하나", "b": "둘"}
    with pytest.raises(InvalidSubmission):
        reread(data, [("a",)])


def test_a_file_that_was_taken_with_its_quotes_keeps_them() -> None:
    """A new one is refused; the score of one that was taken never moves by itself."""
    data = 'fname, summary\na, "하나"\n'.encode()
    with pytest.raises(InvalidSubmission) as refused:
        read(data, ["a"])
    assert [problem.code for problem in refused.value.problems] == ["blank_at_quote"]
    assert reread(data, [("a",)]).texts == {"a": ' "하나"'}


def test_a_text_whose_file_is_lost_is_still_read() -> None:
    given = hand_in(team(open_competition(), "alice"))
    kept(given, {"talk_1": "남은 것"})
    assert texts(given.pk)["talk_1"] != "남은 것"
    given.file.delete(save=False)
    assert texts(given.pk) == {"talk_1": "남은 것"}


def test_the_upgrade_loses_no_text_and_one_step_back_has_them_all() -> None:
    contest = open_competition()
    scored, lost = hand_in(team(contest, "alice")), hand_in(team(contest, "bob"))
    score_all()
    waiting = hand_in(team(contest, "charlie"))
    says = texts(scored.pk)
    for one in (scored, lost, waiting):
        kept(one, says)
    lost.file.delete(save=False)
    step.drop(apps, None)
    assert set(SubmissionText.objects.values_list("pk", flat=True)) == {lost.pk, waiting.pk}
    step.drop(apps, None)  # again is nothing new
    step.write_again(apps, None)
    assert json.loads(zlib.decompress(SubmissionText.objects.get(pk=scored.pk).blob)) == says


def test_the_texts_of_many_files_cost_the_questions_of_one(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    contest = open_competition()
    files = [hand_in(team(contest, name)).pk for name in ("alice", "bob", "charlie")]
    texts(files[0])  # the set's ids are read once a process
    with django_assert_num_queries(2):
        texts(files[0])
    with django_assert_num_queries(2):
        found = texts_by_submission(files)
    assert found == {file: texts(file) for file in files}
