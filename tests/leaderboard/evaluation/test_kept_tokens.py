"""Kept tokens: a rehearsal of other golds cuts nothing, and no number can tell the difference."""

from dataclasses import replace

import numpy as np
import pytest
from django.core.files.storage import storages

from leaderboard.actions.versions import rehearse
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.run import keep_tokens, kept_tokens
from leaderboard.references.queries import stored_references
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import texts
from scoring import tokenizers
from scoring.pipeline import prepare, read_example_blob, score
from scoring.tokenizers import Tokenizer
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, uploaded, user
from tests.leaderboard.material import GOLDS, NOON, gold_csv

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


def kept(submission: Submission) -> list[str]:
    """The files of this submission's tokens."""
    names = storages["tokens"].names()  # type: ignore[attr-defined]
    return [name for name in names if name.startswith(str(submission.pk))]


def kept_and_loaded(submission: Submission, tokenizer: Tokenizer, given: dict[str, str]) -> None:
    """Cut, keep, load: the tokens must be the ones that the tokenizer gives, all of them."""
    plain = {text: tokenizer(text) for text in given.values()}
    keep_tokens(submission.pk, tokenizer, given, plain)
    assert kept_tokens(submission.pk, tokenizer, given) == plain


def test_it_works_with_odd_texts_too(submission: Submission) -> None:
    kept_and_loaded(submission, tokenizers.get("mecab-ko"), ODD)


def test_another_engine_or_dictionary_reads_nothing_of_it(submission: Submission) -> None:
    tokenizer = tokenizers.get("mecab-ko")
    keep_tokens(
        submission.pk, tokenizer, {"a": "길이 있다"}, {"길이 있다": ("길", "이", "있", "다")}
    )
    upgraded = replace(tokenizer, signature=f"{tokenizer.signature}.1")
    assert kept_tokens(submission.pk, upgraded, {"a": "길이 있다"}) == {}


def test_what_is_cut_sooner_than_read_is_not_kept(submission: Submission) -> None:
    keep_tokens(submission.pk, tokenizers.get("chars"), {"a": "길"}, {"길": ("길",)})
    assert kept(submission) == []


def test_a_rehearsal_with_kept_tokens_gives_the_numbers_of_a_fresh_scoring() -> None:
    contest = open_competition()
    given = hand_in(team(contest, "alice"), {"talk_1": ODD["latin"], "talk_2": ODD["laughter"]})
    score_all()
    assert len(kept(given)) == 1
    corrected = {**GOLDS, "talk_1": ("The U.S. team 은 5,000원을 낸다.", GOLDS["talk_1"][1])}
    version = uploaded(contest, gold_csv(corrected), preset="mean-sum")
    rehearse(version=version, user=user("olivia"), at=NOON)
    assert score_all() == 1
    prepared = prepare(stored_references(version.reference_set_id), version.profile())
    fresh = score(texts(given.pk), prepared)
    done = Evaluation.objects.get(scoring_version=version)
    for part in done.scores.all():
        assert part.metrics == dict(fresh.splits[part.split].metrics)
        assert part.signature == fresh.splits[part.split].signature
    rows = read_example_blob(bytes(done.example_scores.blob))
    assert np.array_equal(rows, fresh.examples), "to the last bit, row by row"
    assert len(kept(given)) == 1

    def fall_over(text: str) -> list[str]:
        raise AssertionError(f"cut again: {text!r}")

    cuts_nothing = replace(prepared, tokenizer=replace(prepared.tokenizer, cut=fall_over))
    known = kept_tokens(given.pk, prepared.tokenizer, texts(given.pk))
    assert np.array_equal(score(texts(given.pk), cuts_nothing, known=known).examples, rows)
