"""What runs a contest, by program."""

from typing import Any

import pytest
from django.utils import timezone

from leaderboard.actions.versions import make_live, redraft, rehearse
from leaderboard.community.models import Announcement
from leaderboard.references.models import ScoringVersion
from leaderboard.teams.models import Team
from scoring.profile import preset_of
from tests.leaderboard import builders
from tests.leaderboard.api.calling import contest_url, json_of, program
from tests.leaderboard.material import GOLDS, gold_csv
from tests.leaderboard.web.pages import csv_file, hand_in, running

pytestmark = pytest.mark.django_db
OTHER = "민수와 지우는 모레 서점에서 만난다."


def test_a_rehearsal_tells_totals_as_numbers() -> None:
    contest = running()
    hand_in(builders.team(contest, "alice"))
    builders.score_all(at=timezone.now())
    version = builders.uploaded(contest, gold_csv({**GOLDS, "talk_1": (OTHER, OTHER)}))
    rehearse(version=version, user=builders.user("olivia"), at=timezone.now())
    builders.score_all(at=timezone.now())
    olivia = program("olivia", "organize")
    [move] = json_of(olivia.get(contest_url(f"/versions/{version.pk}/rehearsal")))["moves"]
    assert move["team"] == "alice"
    assert move["total_before"] > move["total_after"] > 0


def test_golds_that_were_sent_say_what_their_page_says() -> None:
    running()
    odd = {**GOLDS, "talk_1": (OTHER, OTHER), "talk_2": (OTHER, "다른 요약이다.")}
    with_blank_line = gold_csv(odd).replace(b"\n", b"\n\n", 1)
    sent = {"files": csv_file(with_blank_line, "golds.csv"), "seed": "1"}
    olivia = program("olivia", "organize")
    found = json_of(olivia.post(contest_url("/versions"), sent), 201)
    kept = ScoringVersion.objects.get(pk=found["id"])
    assert found["oddities"] == kept.reference_set.oddities
    assert found["oddities"]["repeated"]["shown"] == ["talk_1"]
    assert found["notices"]
    assert all(one["message_ko"] != one["message_en"] for one in found["notices"])
    assert (found["golds_min"], found["golds_max"]) == (2, 2)
    assert found["is_checked"] is found["is_supported"] is True
    assert len(found["golds_score"]) == 2
    assert json_of(olivia.get(contest_url("/versions")))[0] == found


def test_new_golds_count_as_the_board_does_unless_somebody_says_otherwise() -> None:
    """The recipe of corrected golds names no setting: it must not change the formula."""
    contest = running()
    live = ScoringVersion.objects.get()
    asked = {"user": builders.user("olivia"), "at": timezone.now()}
    other = {"preset": "mean-sum", "tokenizer": "whitespace", "beside": ["chrf"], "tags": "drop"}
    changed = redraft(version=live, **other, **asked)
    rehearse(version=changed, **asked)
    make_live(version=changed, reason="", **asked)
    sent = {"files": csv_file(gold_csv(GOLDS), "golds.csv"), "seed": "1"}
    olivia, where = program("olivia", "organize"), contest_url("/versions")
    same = ScoringVersion.objects.get(pk=json_of(olivia.post(where, sent), 201)["id"])
    assert same.profile() == changed.profile()
    assert same.profile() != contest.profile()
    sent = {"files": csv_file(gold_csv(GOLDS), "golds.csv"), "preset": "max-sum", "tags": "keep"}
    said = ScoringVersion.objects.get(pk=json_of(olivia.post(where, sent), 201)["id"]).profile()
    assert (preset_of(said), said.tags, said.tokenizer) == ("max-sum", "keep", "whitespace")


def test_a_kind_that_is_none_is_refused_and_a_cut_list_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever excludes by kind would hit all of them."""
    team = builders.team(running(), "alice")
    for n in range(3):
        hand_in(team, {"talk_1": f"{n}번째 글이다."})
    olivia, where = program("olivia", "organize"), contest_url("/all-submissions")
    assert json_of(olivia.get(f"{where}?kind=faild"), 422)["fields"][0]["where"] == "query.kind"
    assert json_of(olivia.get(f"{where}?kind=failed"))["count"] == 0
    whole = json_of(olivia.get(where))
    assert (whole["count"], whole["is_cut"]) == (3, False)
    monkeypatch.setattr("leaderboard.api.desk.MOST", 2)
    cut = json_of(olivia.get(where))
    assert (cut["count"], cut["is_cut"]) == (2, True)


def test_a_reason_of_blanks_alone_is_none() -> None:
    """And the document says so: a program knows before it asks."""
    own = hand_in(builders.team(running(), "alice"))
    where = contest_url(f"/all-submissions/{own.pk}/exclusion")
    for blank in ("\v", " \n"):
        sent = {"data": {"reason": blank}, "content_type": "application/json"}
        answer = program("olivia", "organize").put(where, **sent)
        assert json_of(answer, 422)["fields"][0]["where"] == "body.reason"


def test_decisions_about_a_file_and_its_team_are_those_of_the_page() -> None:
    own = hand_in(builders.team(running(), "alice"))
    builders.score_all(at=timezone.now())
    olivia, files = program("olivia", "organize"), contest_url("/all-submissions")
    [before] = json_of(olivia.get(files))["items"]
    assert (before["id"], before["team"], before["submitted_by"]) == (str(own.pk), *["alice"] * 2)
    assert (before["state"], before["excluded"]) == ("done", None)
    assert before["totals"]["private"] > 0
    where, why = f"{files}/{own.pk}/exclusion", {"reason": "두 번 냄", "reason_shown": False}
    after = json_of(olivia.put(where, why, content_type="application/json"))
    assert after == before | {"excluded": "두 번 냄"}
    assert json_of(olivia.delete(where)) == before
    [team] = json_of(olivia.get(contest_url("/teams?q=ali")))["items"]
    assert (team["name"], team["members"], team["submissions"]) == ("alice", ["alice"], 1)
    left = json_of(program("alice").get(contest_url("/limits")))["left_today"]
    where, more = contest_url(f"/teams/{team['id']}/grants"), {"amount": 2, "reason": "서버 고장"}
    granted = json_of(olivia.post(where, more, content_type="application/json"), 201)
    assert granted == {"left_today": left + 2, "total_left": None}


def test_an_announcement_says_whom_it_reaches_before_and_after() -> None:
    contest = running()
    builders.team(contest, "alice", "bob")
    builders.team(contest, "charlie")
    olivia, said = program("olivia", "organize"), {"text": "내일 점검합니다", "dry_run": True}

    def announced(**changed: object) -> Any:
        where, sent = contest_url("/announcements"), {**said, **changed}
        return olivia.post(where, sent, content_type="application/json")

    def announce(status: int, **changed: object) -> dict[str, object]:
        found: dict[str, object] = json_of(announced(**changed), status)
        return found

    misspelt = json_of(announced(dryRun=True, dry_run=False), 422)
    assert misspelt["fields"][0]["where"] == "body.dryRun"
    assert not Announcement.objects.exists()
    looked = announce(200)
    assert (looked["reached"], looked["id"]) == (3, None)
    assert not Announcement.objects.exists()
    hand_in(Team.objects.get(name="charlie"))
    assert announce(200, audience="no_submission")["reached"] == 2
    made = announce(201, dry_run=False)
    assert made["reached"] == 3
    assert made["id"] == str(Announcement.objects.get().pk)
