"""Totals by kind of dialogue: of dev rows for all, of hidden ones for editors until the reveal."""

import re
from datetime import datetime, timedelta

import numpy as np
import pytest
from django.utils import timezone

from leaderboard.actions.references import release_dialogues, upload_dialogues
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import ExampleScores
from leaderboard.insight.slices import slices_of
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import Team
from scoring.pipeline import Report, prepare, read_example_blob, score
from scoring.profile import Profile
from scoring.references import read
from tests.leaderboard.builders import (
    competition,
    dev_set,
    hand_in,
    live,
    score_all,
    team,
    user,
    viewer_of,
)
from tests.leaderboard.material import NOON, REVEALS, gold_csv, texts_csv
from tests.leaderboard.web.pages import browser, csv_file, running
from tests.leaderboard.web.stage import stop_clock

pytestmark = pytest.mark.django_db
SOON = NOON + timedelta(hours=1)
HEADING = "대화 종류별 총점"
GOLD = {f"row_{n:03}": (f"{n}번 손님이 커피를 {n}잔 시킨다.",) for n in range(120)}
SPLIT = {name: ("public", "private")[n % 2] for n, name in enumerate(GOLD)}
TALKS = {name: "\n".join(["가: 네"] * (5 if n < 60 else 12)) for n, name in enumerate(GOLD)}
TEXTS = {name: gold if n % 3 else "눈이 온다." for n, (name, (gold,)) in enumerate(GOLD.items())}


def contest(private: str = "") -> tuple[Competition, Team, Submission]:
    """private: what Alice says of every private row, else her texts."""
    made = competition()
    live(made, gold_csv(GOLD, SPLIT))
    upload = Upload("talks.csv", texts_csv(TALKS, column="dialogue"))
    upload_dialogues(competition=made, user=user("olivia"), upload=upload, at=NOON)
    ours = team(made, "alice")
    texts = {
        name: private if private and SPLIT[name] == "private" else TEXTS[name] for name in GOLD
    }
    file = hand_in(ours, data=texts_csv(texts))
    score_all()
    return made, ours, file


def test_editors_see_them_at_once_and_teams_from_the_reveal_on() -> None:
    made, _, file = contest()

    def shown(by: str, at: datetime) -> bool:
        return bool(slices_of(file, viewer_of(made, user(by), at)))

    assert not shown("alice", SOON)
    assert not shown("alice", REVEALS - timedelta(microseconds=1))
    assert shown("alice", REVEALS)
    assert shown("olivia", SOON)
    [groups, _] = slices_of(file, viewer_of(made, user("olivia"), SOON)).values()
    golds = prepare(read([("gold.csv", gold_csv(GOLD, SPLIT))]), Profile())
    totals = score(TEXTS, golds).examples.sum(axis=1)
    few = np.array([n for n in range(60) if n % 2 == 1])
    first = groups[0].slices[1]
    assert (groups[0].name, first.split, first.rows) == ("1–8", "private", 30)
    assert first.total == pytest.approx(totals[few].mean(), abs=1e-9)
    assert first.error == pytest.approx(totals[few].std(ddof=1) / 30**0.5, abs=1e-9)


def test_private_values_change_no_byte_of_what_a_team_reads_before_the_reveal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, _, file = contest()
    own, desk = _addresses(made, file)
    seen = []
    stop_clock(monkeypatch, SOON)
    for _ in range(2):
        pages = [browser(name).get(own).text for name in ("alice", "nobody")]
        seen.append((pages, browser("olivia").get(desk).text))
        kept = ExampleScores.objects.get(evaluation__submission=file)
        values = read_example_blob(bytes(kept.blob))
        private = [place for place, split in enumerate(SPLIT.values()) if split == "private"]
        values[private] = values[private][::-1] / 2
        kept.blob = Report("", len(values), {}, values, (), ()).example_blob()
        kept.save(update_fields=["blob"])
    assert _bare(seen[0][0]) == _bare(seen[1][0])
    assert _bare([seen[0][1]]) != _bare([seen[1][1]]), "the change can be seen"


def _addresses(made: Competition, file: Submission) -> tuple[str, str]:
    return f"/c/{made.slug}/submissions/{file.pk}", f"/c/{made.slug}/desk/submissions/{file.pk}"


def _bare(pages: list[str]) -> list[str]:
    return [re.sub(r'(csrfmiddlewaretoken" value|nonce)="[^"]*"', "", page) for page in pages]


def test_the_lab_says_it_of_dev_rows_to_anybody() -> None:
    made = running()
    dev_set(made, GOLD)
    team(made, "alice")

    def page() -> str:
        file = csv_file(texts_csv(TEXTS))
        return browser("alice").post("/c/talk/lab", {"file": file, "verb": "file"}).text

    assert HEADING not in page(), "every dialogue is as long as any other"
    upload = Upload("talks.csv", texts_csv(TALKS, column="dialogue"))
    talks = upload_dialogues(
        competition=made, user=user("olivia"), upload=upload, at=timezone.now()
    )
    assert HEADING not in page(), "these were not released"
    release_dialogues(dialogue_set=talks, user=user("olivia"), at=timezone.now())
    assert HEADING in page()
    assert "9–14" in page()
