"""The API's numbers, against the package rouge-score and ranks counted here.

Each row's best of its golds for each metric (F1), the mean over the rows of a board, the three
added up, printed with four decimals: the preset max-sum, its words cut at blanks.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from rouge_score.rouge_scorer import RougeScorer

from leaderboard.actions.teams import add_baseline
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from tests.leaderboard import builders
from tests.leaderboard.api.calling import contest_url, json_of, program
from tests.leaderboard.material import GOLDS, NOON, REVEALS, SPLITS, texts_csv
from tests.leaderboard.web.stage import stop_clock

pytestmark = pytest.mark.django_db
METRICS = ("rouge1", "rouge2", "rougeL")
WEAK = {"talk_1": "민수는", "talk_2": "점원이", "talk_4": "환자는", "talk_5": "팀장은"}
FAIR = WEAK | {"talk_4": "의사는 매년 검진을 권한다.", "talk_5": "회의가 열 시로 밀렸다."}
GOOD = FAIR | {"talk_1": "민수는 내일 지우를 만난다.", "talk_2": "점원이 주전자를 바꾸어 준다."}
FILES = (("alice", WEAK), ("bob", GOOD), ("charlie", GOOD), ("alice", FAIR), ("dana", FAIR))


class Blanks:
    """Of rouge-score: cuts at blanks."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


def expected(texts: Mapping[str, str], board: str) -> dict[str, float]:
    """`total` and the metrics, as printed."""
    scorer = RougeScorer(METRICS, tokenizer=Blanks())
    rows = [name for name in GOLDS if SPLITS[name] == board]
    means = []
    for metric in METRICS:
        best = (
            max(scorer.score(gold, texts[name])[metric].fmeasure for gold in GOLDS[name])
            for name in rows
        )
        means.append(sum(best) / len(rows))
    return {
        "total": float(f"{sum(means):.4f}"),
        **{name: float(f"{mean:.4f}") for name, mean in zip(METRICS, means, strict=True)},
    }


@pytest.fixture
def handed_in(monkeypatch: pytest.MonkeyPatch) -> list[Submission]:
    """FILES, a minute apart, and a baseline; all scored. It is noon."""
    stop_clock(monkeypatch, NOON)
    contest = builders.competition()
    builders.live(contest, preset="max-sum", tokenizer="whitespace")
    teams = {name: builders.team(contest, name) for name in ("alice", "bob", "charlie", "dana")}
    hour = timedelta(hours=1)
    made = [
        builders.hand_in(teams[name], data=texts_csv(texts), at=NOON - hour + n * hour / 60)
        for n, (name, texts) in enumerate(FILES)
    ]
    golds = Upload("golds.csv", texts_csv({name: one[0] for name, one in GOLDS.items()}))
    olivia = builders.user("olivia")
    add_baseline(competition=contest, name="golds", upload=golds, user=olivia, at=NOON)
    builders.score_all()
    return made


def numbers(found: dict[str, Any]) -> dict[str, float]:
    return {"total": found["total"], **found["metrics"]}


@pytest.mark.parametrize(("at", "boards"), [(NOON, ["public"]), (REVEALS, ["public", "private"])])
def test_a_submissions_scores_are_rouge_scores(
    handed_in: list[Submission], monkeypatch: pytest.MonkeyPatch, at: Any, boards: list[str]
) -> None:
    stop_clock(monkeypatch, at)
    for own, (name, texts) in zip(handed_in, FILES, strict=True):
        found = json_of(program(name).get(contest_url(f"/submissions/{own.pk}")))["scores"]
        assert {board: numbers(found[board]) for board in found} == {
            board: expected(texts, board) for board in boards
        }


def test_what_a_score_means_is_counted_from_the_printed_totals(
    handed_in: list[Submission],
) -> None:
    weak, good, _, fair, _ = (expected(texts, "public")["total"] for _, texts in FILES)
    assert weak < fair < good
    means = [
        json_of(program(name).get(contest_url(f"/submissions/{own.pk}")))["standing"]
        for own, (name, _) in zip(handed_in, FILES, strict=True)
    ]
    shared = {"teams": 4, "gap_to_next": None, "gap_to_first": 0.0, "rank": 1}
    none = {"rank_before": None, "difference": None}
    assert means[1] == means[2] == {**shared, **none, "is_best": True}  # Bob and Charlie tie
    assert means[3] == {
        "is_best": True,
        "rank": 3,
        "rank_before": 4,
        "teams": 4,
        "difference": round(fair - weak, 4),
        "gap_to_next": round(good - fair, 4),
        "gap_to_first": round(good - fair, 4),
    }
    assert (means[0]["is_best"], means[0]["rank"], means[0]["difference"]) == (False, 4, None)
    assert (means[4]["rank"], means[4]["is_best"]) == (3, True)


@pytest.mark.parametrize("board", ["public", "private"])
def test_a_board_has_the_totals_and_ranks_and_none_for_a_baseline(
    handed_in: list[Submission], monkeypatch: pytest.MonkeyPatch, board: str
) -> None:
    stop_clock(monkeypatch, REVEALS)
    best = {"alice": FAIR, "bob": GOOD, "charlie": GOOD, "dana": FAIR}  # by the public total
    totals = {name: expected(texts, board)["total"] for name, texts in best.items()}
    found = json_of(program("alice").get(contest_url(f"/leaderboard?board={board}")))
    rows = {row["team"]: row for row in found["rows"]}
    for name, texts in best.items():
        assert numbers(rows[name]) == expected(texts, board)
        better = sum(total > totals[name] for total in totals.values())
        assert rows[name]["rank"] == better + 1
    assert (rows["golds"]["rank"], rows["golds"]["total"]) == (None, 3.0)
    assert [row["total"] for row in found["rows"]] == sorted([*totals.values(), 3.0], reverse=True)


def test_the_private_board_says_why_it_is_not_open_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    builders.open_competition()
    where = "/api/v1/competitions/talk/leaderboard?board=private"
    stop_clock(monkeypatch, NOON)
    visitor = Client()
    said = json_of(visitor.get(where), 404)
    assert said["code"] == "board_ahead"
    assert "12-11 10:00" in said["en"]["detail"]
    Competition.objects.update(reveal_held=True)
    assert json_of(visitor.get(where), 404)["code"] == "board_held"
