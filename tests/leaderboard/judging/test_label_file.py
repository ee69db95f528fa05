"""The file of items to label: what is in it, what is not, and that it comes back whole."""

import csv
import io
from collections.abc import Iterable
from datetime import datetime

import pytest

from leaderboard.judging import labelling
from leaderboard.judging.actions.trust import upload_judge_labels
from leaderboard.judging.labelling import COLUMNS, TO_READ, judged, label_file
from leaderboard.judging.models import AgreementReport, Artefact, JudgeConfig, Judgment
from leaderboard.refusals import Refused
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from scoring.findings import Notice
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON, REVEALS, viewer_of
from tests.leaderboard.judging.stage import (
    ScriptedJudge,
    built,
    dialogues,
    freeze,
    request,
    work,
)

pytestmark = pytest.mark.django_db
# Ids that a spreadsheet would take for formulas are public too, with one talk of the usual golds.
GOLDS = {
    **builders.GOLDS,
    "=talk_8": ("손님은 방을 하루 더 빌린다.", "손님이 하루 더 묵는다."),
    "＝talk_9": ("둘은 버스를 타고 공항에 간다.", "버스로 공항에 가기로 한다."),
}
PUBLIC = ("talk_1", "talk_4", "=talk_8", "＝talk_9")
TALKS = {name: f"#Person1#: {one}\n#Person2#: 그래, {two}" for name, (one, two) in GOLDS.items()}
FORMULA = "=HYPERLINK(도서관에서 만난다)"


@pytest.fixture
def config(connected_judge: None) -> JudgeConfig:
    """Two judged submissions; one question's id begins like a formula as well."""
    contest = builders.competition()
    splits = {name: "public" if name in PUBLIC else "private" for name in GOLDS}
    builders.live(contest, builders.gold_csv(GOLDS, splits))
    dialogues(contest, TALKS)
    made = built(contest)
    question = Artefact.objects.filter(config=made, example_id="talk_1", kind="question")
    question.filter(item_id="q1").update(item_id="=q1")
    freeze(made)
    texts = {name: golds[0] for name, golds in GOLDS.items()}
    for name, talk_4 in (("alice", FORMULA), ("charlie", "의사가 검진을 권한다.")):
        data = builders.texts_csv({**texts, "talk_4": talk_4})
        given = builders.hand_in(builders.team(contest, name), data=data)
        for board in ("public", "private"):
            request(made, given, board)
    work(ScriptedJudge())
    return made


def fetched(
    config: JudgeConfig, *, number: int = 50, rater: str = "", at: datetime = NOON
) -> list[dict[str, str]]:
    seen = viewer_of(config.competition, builders.user("olivia"), at)
    every = Submission.objects.values_list("pk", flat=True)
    data = label_file(seen, config, submissions=list(every), number=number, rater=rater)
    assert data.startswith(b"\xef\xbb\xbfexample_id,submission,kind,item_id,rater,label,text,")
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))


def labelled(rows: Iterable[dict[str, str]], **labels: str) -> list[dict[str, str]]:
    """The rows with a label for each of these kinds, as a spreadsheet keeps them."""
    return [{**row, "label": labels.get(row["kind"], row["label"])} for row in rows]


def sent(
    config: JudgeConfig, rows: Iterable[dict[str, str]]
) -> tuple[AgreementReport, tuple[Notice, ...]]:
    out = io.StringIO()
    writer = csv.DictWriter(out, (*COLUMNS, *TO_READ))
    writer.writeheader()
    writer.writerows(rows)
    upload = Upload("labels.csv", out.getvalue().encode("utf-8-sig"))
    olivia = builders.user("olivia")
    return upload_judge_labels(config_id=config.pk, user=olivia, upload=upload, at=NOON)


YES = {"claim": "yes", "question": "yes", "content": "no", "adherence": "yes", "row": "0.5"}


def test_what_two_people_fill_in_is_counted_item_by_item(config: JudgeConfig) -> None:
    rows = [row for rater in ("=김", "＝이") for row in fetched(config, rater=rater)]
    report, notices = sent(config, labelled(rows, **YES))
    numbers = report.numbers
    everything = {about for about in judged(config).verdicts if about[1] in PUBLIC}
    assert {about[2] for about in everything} == {"claim", "question", "content", "adherence"}
    kinds, row = numbers["kinds"], numbers["rows"][0]
    assert numbers["raters"] == 2
    for name, number in (("labelled", len(everything)), ("compared", len(everything))):
        assert sum(kind[name] for kind in kinds) == number, name
    assert {(kind["unjudged"], kind["split"]) for kind in kinds} == {(0, 0)}
    # Two submissions, four public dialogues.
    assert (row["rows"], row["unjudged"]) == (8, 0)
    assert numbers["labels"] == 2 * (len(everything) + 8)
    kept = {(label["example_id"], label["rater"]) for label in report.labels}
    assert {("=talk_8", "=김"), ("＝talk_9", "＝이")} <= kept
    assert "=q1" in {label["item_id"] for label in report.labels}
    assert notices == ()
    claims = sum(about[2] == "claim" for about in everything)
    report, notices = sent(config, labelled(rows, claim="unsure"))
    assert report.numbers["labels"] == 2 * claims
    assert [notice.code for notice in notices] == ["without_label"]
    assert f"{len(rows) - 2 * claims:,}개는 건너뛰었습니다" in notices[0].message("ko")


def test_people_see_what_is_asked_and_not_what_the_judge_said(config: JudgeConfig) -> None:
    before = fetched(config)
    one = {(row["kind"], row["item_id"]): row for row in before if row["example_id"] == "talk_4"}
    assert one["claim", "c1"]["text"]
    assert one["question", "q1"]["dialogue"] == TALKS["talk_4"].replace("\n", " / ")
    assert {row["summary"] for row in before if row["example_id"] == "talk_4"} == {
        f"'{FORMULA}", "의사가 검진을 권한다.",
    }  # fmt: skip
    assert {row["rater"] + row["label"] for row in before} == {""}
    for row in Judgment.objects.all():
        for result in row.results.values():
            result["items"] = {name: not said for name, said in result.get("items", {}).items()}
        row.save()
    assert fetched(config) == before


def test_the_same_dialogues_each_time_private_ones_from_the_reveal_on(config: JudgeConfig) -> None:
    ids = [row["example_id"].removeprefix("'") for row in fetched(config)]
    assert list(dict.fromkeys(ids)) == sorted(PUBLIC)  # as golds are kept
    assert {row["example_id"] for row in fetched(config, at=REVEALS)} >= {"talk_2", "talk_5"}
    drawn = {row["example_id"] for row in fetched(config, number=2)}
    assert len(drawn) == 2
    assert {row["example_id"] for row in fetched(config, number=2)} == drawn


def test_what_could_not_be_uploaded_again_is_refused(
    config: JudgeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labelling, "MOST_ROWS", 7)
    for options, code in (
        ({}, "too_much_to_label"),
        ({"rater": "a\u202eb"}, "bad_rater"),
        ({"rater": "김" * 41}, "bad_rater"),
    ):
        with pytest.raises(Refused) as caught:
            fetched(config, **options)
        assert caught.value.code == code
    assert len({row["example_id"] for row in fetched(config, number=3)}) == 3
    Judgment.objects.filter(judging__board="public").delete()
    with pytest.raises(Refused) as caught:
        fetched(config)
    assert caught.value.code == "nothing_to_label"
