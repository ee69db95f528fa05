"""The dev lab scores what was released, shows every token of it, and knows no other golds."""

import csv
import io
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from leaderboard.accounts.rate_limits import Limit
from leaderboard.actions import checks as practise_module
from leaderboard.actions.versions import make_live, redraft, rehearse
from leaderboard.competitions.models import Competition
from leaderboard.references.models import ReferenceSet, Release, ScoringVersion
from leaderboard.references.queries import live_version, released_set
from leaderboard.submissions.models import QuotaEntry, Submission
from scoring.pipeline import prepare, score
from scoring.profile import Profile
from scoring.references import read
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.web import needles
from tests.leaderboard.web.crawl import Probe, send
from tests.leaderboard.web.pages import browser, csv_file, running
from tests.leaderboard.web.stage import BELOW_EDITOR, DEV_GOLDS, DEV_TEXTS, build, stop_clock

pytestmark = pytest.mark.django_db
LAB = "/c/talk/lab"
DEV_FILE = builders.texts_csv(DEV_TEXTS)


@pytest.fixture
def contest() -> Competition:
    made = running()
    builders.dev_set(made, DEV_GOLDS)
    builders.team(made, "alice")
    return made


def post(client: Client, data: bytes = DEV_FILE, **fields: str) -> Any:
    return client.post(LAB, {"file": csv_file(data), "verb": "file", **fields})


def expected() -> Any:
    """The workshop's own answer to the same file."""
    golds = read([("dev.csv", builders.gold_csv(DEV_GOLDS, None))])
    return score(DEV_TEXTS, prepare(golds, Profile()))


def test_a_file_is_scored_by_the_real_scorer_and_nothing_is_kept(contest: Competition) -> None:
    page = post(browser("alice"))
    report = expected().splits["all"]
    assert page.status_code == 200
    assert f'<p class="score">{report.total:.4f}</p>' in page.text
    assert f"{report.metrics['rouge1']:.4f}" in page.text
    assert report.signature in page.text.replace("<wbr>", "")
    assert "split:all" in report.signature
    assert not Submission.objects.exists()
    assert not QuotaEntry.objects.exists()


def test_rows_are_shown_token_by_token_the_lowest_first(contest: Competition) -> None:
    page = post(browser("alice")).text
    # dev_1 repeats most of a gold; dev_2 shares `손 님 이`, `를` and the ending with its only gold.
    values = dict(zip(expected().example_ids, expected().examples.sum(axis=1), strict=True))
    assert values["dev_2"] < values["dev_1"]
    assert page.index('<span class="id">dev_2</span>') < page.index('<span class="id">dev_1</span>')
    assert '<span class="x">차</span>' in page, "ours alone"
    assert '<span class="o">커피</span>' in page, "missing"
    assert '<span class="m j l">손</span>' in page, "same, joined to the next, in order"
    assert "최고인 지표 없음" in page, "dev_1 has a gold that wins nothing"
    assert "dev_1?" in page, "the dialogue, turn by turn"


def test_pasted_lines_do_the_same(contest: Competition) -> None:
    pasted = browser("alice").post(LAB, {"pasted": DEV_FILE.decode(), "verb": "file"})
    assert f"{expected().splits['all'].total:.4f}" in pasted.text


def test_values_as_a_file_under_their_signature(contest: Competition) -> None:
    answer = post(browser("alice"), verb="csv")
    lines = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert lines[1] == ["# signature", expected().splits["all"].signature]
    assert lines[2] == ["fname", "rouge1", "rouge2", "rougeL", "total"]
    assert [line[0] for line in lines[3:]] == ["dev_1", "dev_2"]
    assert float(lines[3][4]) == pytest.approx(expected().examples[0].sum(), abs=1e-6)


def test_one_text_against_one_row(contest: Competition) -> None:
    fields = {"row": "dev_2", "text": DEV_GOLDS["dev_2"][0], "verb": "row"}
    page = browser("alice").post(LAB, fields)
    assert "1.0000 + 1.0000 + 1.0000 = 3.0000" in page.text
    lost = browser("alice").post(LAB, {**fields, "row": "dev_9"})
    assert lost.status_code == 422


def test_the_lab_opens_with_an_example_that_names_what_is_same_missing_and_extra(
    contest: Competition,
) -> None:
    page = browser("alice").get(LAB)
    [row] = page.context["rows"]
    assert row["row"].example_id == "dev_1"
    said = set(re.findall(r'<span class="vh" lang="ko"> (\S+): </span>', page.text))
    assert said == {"같음", "빠짐", "추가"}
    assert page.context["runs"].ends_at is None, "it is not counted"


def test_a_bad_file_is_answered_by_the_one_validator(contest: Competition) -> None:
    page = post(browser("alice"), b"fname,summary\ndev_1,\ntalk_1,x\n")
    assert page.status_code == 422
    for said in ("요약이 비어 있습니다", "알 수 없는 id talk_1", "id 1개가 없습니다: dev_2"):
        assert said in page.text


def test_hostile_text_stays_text(contest: Competition) -> None:
    rows = {**DEV_TEXTS, "dev_2": '<script>alert("x")</script> 손님이 <b>차</b>를 시킨다.'}
    page = post(browser("alice"), builders.texts_csv(rows)).text
    assert "<script>alert" not in page
    assert "<b>차</b>" not in page


def test_runs_are_counted_and_organizers_without_a_team_have_none(
    contest: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = Limit("too_many_lab_runs", 2, timedelta(hours=1))
    monkeypatch.setattr("leaderboard.actions.checks.LAB_RUNS", two)
    alice, olivia = browser("alice"), browser("olivia")
    assert "한 시간에 2번까지" in alice.get(LAB).text
    assert "1번 남음" in post(alice).text
    assert "0번 남음" in post(alice).text
    pasted = "fname,summary\ndev_1,산에 간다\n"
    for typed in (
        {"verb": "file", "pasted": pasted},
        {"verb": "row", "row": "dev_2", "text": "차"},
    ):
        page = alice.post(LAB, typed)
        assert page.status_code == 429
        assert 0 < int(page["Retry-After"]) <= 3600
        assert typed.get("pasted", typed.get("text", "")) in page.text
    assert '<option value="dev_2" selected>' in page.text
    assert [post(olivia).status_code for _ in range(3)] == [200, 200, 200]


def test_without_a_set_before_the_start_and_with_a_slow_analyzer() -> None:
    contest = running()
    builders.team(contest, "alice")
    alice = browser("alice")
    assert "아직 공개된 개발용(dev) 데이터가 없습니다" in alice.get(LAB).text
    assert post(alice).status_code == 409
    assert alice.get(f"{LAB}/dev_golds.csv").status_code == 404
    builders.dev_set(contest, DEV_GOLDS)
    version = live_version(contest)
    assert version is not None
    slow = redraft(
        version=version, user=builders.user("olivia"), preset="max-sum", tokenizer="kkma", at=NOON
    )
    rehearse(version=slow, user=builders.user("olivia"), at=NOON)
    make_live(version=slow, user=builders.user("olivia"), at=NOON)
    assert "채점 서버에서만" in alice.get(LAB).text
    later = contest.opens_at + timedelta(days=9)
    Competition.objects.update(
        opens_at=contest.opens_at + timedelta(days=4), closes_at=later, reveals_at=later
    )
    page = alice.get(LAB)
    assert "아직 시작하지 않았습니다" in page.text
    assert "dev_1" not in page.text + post(alice).text
    for name in ("dev_golds", "dev_dialogues"):
        assert alice.get(f"{LAB}/{name}.csv").status_code == 404


def test_what_is_downloaded_is_what_scores_here(contest: Competition) -> None:
    alice = browser("alice")
    page = alice.get("/c/talk/data").text
    assert f"{LAB}/dev_golds.csv" in page
    assert f"{LAB}/dev_dialogues.csv" in page
    released = released_set(contest)
    assert released is not None
    data = alice.get(f"{LAB}/dev_golds.csv").content
    assert read([("dev_golds.csv", data)]).sha256 == released.sha256
    assert "dev_2,가: dev_2?" in alice.get(f"{LAB}/dev_dialogues.csv").content.decode().replace(
        '"', ""
    )


# --- Never for hidden golds, by any road ---------------------------------------------------------

ROADS: tuple[dict[str, str], ...] = (
    {"verb": "row", "row": "talk_1", "text": "민수는 내일"},
    {"verb": "file", "row": "talk_1", "pasted": builders.prediction_csv().decode()},
    {"verb": "csv", "row": "talk_1", "pasted": builders.prediction_csv().decode()},
    {"verb": "file", "row": "talk_1", "pasted": DEV_FILE.decode()},
    {"verb": "row", "row": "dev_1", "text": "민수는 내일 도서관에서 지우를 만난다"},
)


def asked(**more: str) -> list[Probe]:
    """Every form of the lab aimed at hidden rows, and the pages beside it with any parameter."""
    forms = [Probe(LAB, "POST", lambda road=road: {**road, **more}) for road in ROADS]
    where = [LAB, f"{LAB}/dev_golds.csv", f"{LAB}/dev_dialogues.csv"]
    query = "&".join(f"{key}={value}" for key, value in more.items())
    return [*forms, *(Probe(f"{one}?{query}") for one in where)]


@pytest.mark.crawl
def test_no_role_reaches_a_hidden_gold_here(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build()
    hidden = ReferenceSet.objects.get(scoring_versions__state="live", competition=stage.contest)
    names = {
        "set": str(hidden.pk),
        "reference_set": str(hidden.pk),
        "version": "1",
        "id": str(stage.draft.pk),
        "split": "public",
    }
    pages = []
    for role in BELOW_EDITOR:
        client = browser(None if role == "visitor" else role)
        pages += [send(role, client, probe) for probe in asked(**names)]
    assert needles.hits(pages, needles.GOLDS) == []
    assert any(page.status == 200 and "3.0000" not in page.text for page in pages)


def test_a_planted_way_to_the_hidden_golds_is_found_and_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build()

    def live_set(_: Competition) -> ReferenceSet:
        return ScoringVersion.objects.get(
            competition=stage.contest, state=ScoringVersion.State.LIVE
        ).reference_set

    alice = browser("alice")
    monkeypatch.setattr(practise_module, "released_set", live_set)
    with pytest.raises(PermissionError):
        alice.post(LAB, ROADS[0])
    # Only with the second lock open as well does a gold come out, and the search sees it.
    Release.objects.create(
        competition=stage.contest,
        reference_set=live_set(stage.contest),
        released_by=builders.user("olivia"),
        released_at=NOON - timedelta(days=9),
    )
    page = send("alice", alice, Probe(LAB, "POST", lambda: dict(ROADS[0])))
    assert needles.hits([page], needles.GOLDS) != []
