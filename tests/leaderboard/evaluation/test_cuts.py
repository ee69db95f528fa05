"""Kept cuts: a rehearsal of other golds cuts nothing, and no number can tell the difference."""

from dataclasses import replace

import numpy as np
import pytest

from leaderboard.actions.references import upload_golds
from leaderboard.actions.versions import rehearse
from leaderboard.evaluation import token_cache
from leaderboard.evaluation.models import Evaluation, SubmissionCuts
from leaderboard.references.queries import workshop_references
from leaderboard.submissions.intake import Upload
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import texts
from scoring import tokenizers
from scoring.pipeline import prepare, read_example_blob, score
from scoring.tokenizers import Tokenizer
from tests.leaderboard.builders import (
    GOLDS,
    NOON,
    gold_csv,
    hand_in,
    open_competition,
    score_all,
    team,
    user,
)

pytestmark = pytest.mark.django_db
ODD = {
    "blanks": "  도서관에서\t만난다\u3000그리고\u00a0간다.  ",
    "laughter": "ㅋㅋㅋ 진짜? ^^;; 👩‍👩‍👧 가\u200b나",
    "marks": "\u00e9 \u00e1\u0301 \u2028줄 \x0b끝",  # NFC, as the validator keeps all texts
    "latin": "The U.S. team's 3.14% (약 5,000원) http://example.com/a?b=1",
    "nothing": "\u3164",
    "blank": " ",
}


@pytest.fixture
def submission() -> Submission:
    return hand_in(team(open_competition(), "alice"))


def kept_and_loaded(submission: Submission, tokenizer: Tokenizer, given: dict[str, str]) -> None:
    """Cut, keep, load: the tokens must be the ones that the tokenizer gives, all of them."""
    known: dict[str, token_cache.Tokens] = {}
    remembering = token_cache.remembering(tokenizer, known)
    plain = {name: tokenizer(text) for name, text in given.items()}
    assert {name: remembering(text) for name, text in given.items()} == plain
    token_cache.keep(submission.pk, tokenizer, given, known)
    loaded = token_cache.load(submission.pk, tokenizer, given)
    assert loaded == known

    def fall_over(text: str) -> list[str]:
        raise AssertionError(f"cut again: {text!r}")

    again = token_cache.remembering(replace(tokenizer, cut=fall_over), loaded)
    assert {name: again(text) for name, text in given.items()} == plain


def test_it_works_with_odd_texts_too(submission: Submission) -> None:
    kept_and_loaded(submission, tokenizers.get("mecab-ko"), ODD)


def test_an_analyzer_that_changes_letters_is_kept_by_its_tokens(submission: Submission) -> None:
    decomposing = Tokenizer("odd", "odd/1", lambda text: ["하", "았", *text.split()])
    kept_and_loaded(submission, decomposing, ODD)


def test_another_engine_or_dictionary_reads_nothing_of_it(submission: Submission) -> None:
    tokenizer = tokenizers.get("mecab-ko")
    token_cache.keep(
        submission.pk, tokenizer, {"a": "길이 있다"}, {"길이 있다": ("길", "이", "있", "다")}
    )
    upgraded = replace(tokenizer, signature=f"{tokenizer.signature}.1")
    assert token_cache.load(submission.pk, upgraded, {"a": "길이 있다"}) == {}


def test_what_is_cut_sooner_than_read_is_not_kept(submission: Submission) -> None:
    token_cache.keep(submission.pk, tokenizers.get("chars"), {"a": "길"}, {"길": ("길",)})
    assert not SubmissionCuts.objects.exists()


def test_a_rehearsal_with_kept_cuts_gives_the_numbers_of_a_fresh_scoring() -> None:
    contest = open_competition()
    given = hand_in(team(contest, "alice"), {"talk_1": ODD["latin"], "talk_2": ODD["laughter"]})
    score_all()
    assert SubmissionCuts.objects.get().submission == given
    corrected = {**GOLDS, "talk_1": ("The U.S. team 은 5,000원을 낸다.", GOLDS["talk_1"][1])}
    version = upload_golds(
        competition=contest,
        user=user("olivia"),
        files=[Upload("corrected.csv", gold_csv(corrected))],
        preset="mean-sum",
        tokenizer="mecab-ko",
        at=NOON,
    )
    rehearse(version=version, user=user("olivia"), at=NOON)
    assert score_all() == 1
    fresh = score(
        texts(given.pk),
        prepare(workshop_references(version.reference_set_id), version.profile()),
    )
    done = Evaluation.objects.get(scoring_version=version)
    for part in done.scores.all():
        assert part.metrics == dict(fresh.splits[part.split].metrics)
        assert part.signature == fresh.splits[part.split].signature
    rows = read_example_blob(bytes(done.example_scores.blob))
    assert np.array_equal(rows, fresh.examples), "to the last bit, row by row"
    assert SubmissionCuts.objects.count() == 1
