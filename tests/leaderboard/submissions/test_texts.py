"""The text of a submission is read again from its file, whatever the contest's rules are by now."""

import json
import os
import zlib

import pytest
from django.core.files.storage import storages
from django.utils import timezone
from hypothesis import given, reject
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from leaderboard.actions.scoring import evaluate_next
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.submissions.models import Submission, SubmissionText
from leaderboard.submissions.queries import FileChanged, texts, texts_by_submission
from scoring.characters import nfc
from scoring.findings import InvalidSubmission
from scoring.predictions import read, read_accepted
from scoring.table import written
from tests.leaderboard.builders import hand_in, open_competition, team

pytestmark = pytest.mark.django_db


def kept(submission: Submission, says: dict[str, str]) -> None:
    """As the version before kept it."""
    blob = zlib.compress(json.dumps(says).encode())
    SubmissionText.objects.create(submission=submission, blob=blob)


def test_a_file_is_read_though_the_contest_would_take_it_no_more() -> None:
    contest = open_competition()
    sent = hand_in(team(contest, "alice"), {"talk_1": "가" * 300})
    Competition.objects.filter(pk=contest.pk).update(max_cell=100)
    assert texts(sent.pk)["talk_1"] == "가" * 300


def test_a_file_that_was_taken_with_its_quotes_keeps_them() -> None:
    """A new one is refused; the score of one that was taken never moves by itself."""
    data = 'fname, summary\na, "하나"\n\nb,둘\n'.encode()
    with pytest.raises(InvalidSubmission) as refused:
        read(data, ["a", "b"])
    assert [problem.code for problem in refused.value.problems] == ["blank_at_quote"]
    assert read_accepted(data) == {"a": ' "하나"', "b": "둘"}


@given(st.data())
def test_an_accepted_file_is_read_as_the_validator_read_it(data: st.DataObject) -> None:
    cell = st.text(st.sampled_from('가각e\u0301 ,;"\n\r\u200b\ufeffA'), min_size=1, max_size=6)
    ids = data.draw(st.lists(cell.map(str.strip).filter(bool), min_size=1, max_size=4, unique=True))
    rows = [(data.draw(st.sampled_from(["", " "])) + one, data.draw(cell)) for one in ids]
    sent = written([["Summary ", "x", "ID"], *((text, "", name) for name, text in rows)])
    sent += data.draw(st.sampled_from(["", "\n", ",,\n", "\r\n\r\n"]))
    sent = sent.encode(data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])))
    try:
        accepted = read(sent, [nfc(one) for one in ids])
    except InvalidSubmission:
        reject()
    assert read_accepted(sent) == dict(accepted.texts)


def test_a_file_that_was_changed_in_the_store_is_never_scored() -> None:
    sent = hand_in(team(open_competition(), "alice"))
    with storages["submissions"].open(sent.file.name, "r+b") as kept_file:
        kept_file.seek(-2, os.SEEK_END)
        kept_file.write(b"!")
    with pytest.raises(FileChanged):
        texts(sent.pk)
    evaluate_next(now=timezone.now)
    found = Evaluation.objects.get(submission=sent)
    assert (found.state, found.attempt) == ("queued", 1)  # tried again, then the attempt goes back
    assert not SplitScore.objects.exists()


def test_a_text_whose_file_is_lost_is_still_read() -> None:
    sent = hand_in(team(open_competition(), "alice"))
    kept(sent, {"talk_1": "남은 것"})
    assert texts(sent.pk)["talk_1"] != "남은 것"
    sent.file.delete(save=False)
    assert texts(sent.pk) == {"talk_1": "남은 것"}


def test_the_texts_of_many_files_cost_the_questions_of_one(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    contest = open_competition()
    files = [hand_in(team(contest, name)).pk for name in ("alice", "bob", "charlie")]
    with django_assert_num_queries(1):
        texts(files[0])
    with django_assert_num_queries(1):
        found = texts_by_submission(files)
    assert found == {file: texts(file) for file in files}
