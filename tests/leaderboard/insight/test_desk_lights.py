"""Lights as editors read them: which file, why, in how many rows; nothing moves by them."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.actions.references import upload_dialogues
from leaderboard.boards import figures as of_large
from leaderboard.boards.figures import make_next_figures
from leaderboard.boards.models import Figures, Standing
from leaderboard.evaluation.models import SplitScore
from leaderboard.insight.flags import KEPT, found_flags, make_next_lights, report, without_lights
from leaderboard.insight.models import FileLights, TeamSpread
from leaderboard.insight.specificity import make_next_lifts
from leaderboard.insight.trivial_baselines import make_next_lines
from leaderboard.insight.tuning_gap import make_next_spreads, without_spread
from leaderboard.references.queries import live_version
from leaderboard.submissions.queries import Upload
from scoring.pipeline import prepare, score
from scoring.profile import Profile
from scoring.references import read
from tests.leaderboard.builders import competition, hand_in, live, score_all, team, user
from tests.leaderboard.insight.alike import CONSTANT, GOLD, SPLIT, contest_of_three
from tests.leaderboard.material import NOON, REVEALS, gold_csv, texts_csv
from tests.leaderboard.web.pages import browser

pytestmark = pytest.mark.django_db
SOON = NOON + timedelta(hours=1)


def looked_at(at: datetime = SOON) -> None:
    make_next_lines()
    for make_next in (make_next_lifts, make_next_lights):
        while make_next(at):
            pass


def test_the_constant_is_named_with_reasons_and_counts() -> None:
    contest, _ = contest_of_three()
    looked_at()
    version = live_version(contest)
    shown = report(version, SOON)
    # Bob says the same in two rows each; Alice's are references.
    assert [team for _, team, _, _ in shown["files"]] == ["charlie", "bob"]
    submission, _, _, flags = shown["files"][0]
    assert [one.name for one in flags] == ["lift", "constant", "length"]
    assert (shown["found"]["of"], shown["found"]["unlooked"]) == (3, 0)
    page = browser("olivia").get(f"/c/{contest.slug}/desk/lights").text
    assert f"{len(GOLD)}행 가운데 {len(CONSTANT) - 1}행" in page
    assert page.count("▲") >= 2
    assert "charlie" in page
    one = browser("olivia").get(f"/c/{contest.slug}/desk/submissions/{submission}").text
    assert f"{len(GOLD)}행 가운데 {len(CONSTANT) - 1}행" in one


def test_from_the_reveal_on_the_file_of_the_private_board_is_looked_at_too() -> None:
    contest = competition(finals_rule="best")
    live(contest, gold_csv(GOLD, SPLIT))
    alices = team(contest, "alice")
    perfect = {name: golds[0] for name, golds in GOLD.items()}
    said = {half: {**perfect, **_constant_but(half)} for half in ("public", "private")}
    ours = {half: hand_in(alices, data=texts_csv(texts)) for half, texts in said.items()}
    hand_in(team(contest, "bob"), data=texts_csv(perfect))
    score_all()
    version = live_version(contest)
    looked_at()
    assert report(version, SOON)["found"]["of"] == 2
    looked_at(REVEALS)
    shown = report(version, REVEALS)
    assert (shown["found"]["of"], shown["found"]["unlooked"]) == (3, 0)
    assert {submission for submission, *_ in shown["files"]} == {one.pk for one in ours.values()}
    assert all("constant" in [one.name for one in flags] for *_, flags in shown["files"])


def _constant_but(half: str) -> dict[str, str]:
    """One text for the rows of the other half."""
    return {name: CONSTANT[name] for name in GOLD if SPLIT[name] != half}


def test_they_are_made_once_and_again_with_the_dialogues() -> None:
    contest, [alices, *_] = contest_of_three()
    assert without_lights(SOON) is None, "without lines nothing says what is usual"
    looked_at()
    assert without_lights(SOON) is None
    before = FileLights.objects.get(evaluation__submission__team=alices)
    assert "copying" not in before.found
    talks = {name: f"가: {golds[0]}\n나: 네." for name, golds in GOLD.items()}
    upload = Upload("talks.csv", texts_csv(talks, column="dialogue"))
    upload_dialogues(competition=contest, user=user("olivia"), upload=upload, at=NOON)
    looked_at()
    after = FileLights.objects.get(pk=before.pk)
    assert "copying" in after.found
    assert after.signature != before.signature


def test_a_gap_far_above_the_others_has_a_light() -> None:
    golds = {f"row_{n:03}": (f"{n}번 손님이 커피를 {n}잔 시킨다.",) for n in range(80)}
    split = {name: ("public", "private")[n % 2] for n, name in enumerate(golds)}
    contest = competition()
    live(contest, gold_csv(golds, split))
    right = {name: gold for name, (gold,) in golds.items()}
    fitted = {
        name: text if split[name] == "public" else "비가 온다." for name, text in right.items()
    }
    nearly = [name for n, name in enumerate(fitted) if n % 10 == 0]
    for by, rows in (("alice", right), ("bob", right), ("charlie", fitted)):
        ours = team(contest, by)
        worse = rows | dict.fromkeys(nearly, "눈이 온다.")
        for minute, texts in enumerate((worse, rows)):
            hand_in(ours, data=texts_csv(texts), at=NOON + timedelta(minutes=minute))
    score_all()
    while make_next_spreads(SOON):
        pass
    version = live_version(contest)
    found = {team: flags for _, team, _, flags in report(version, SOON)["files"]}
    assert list(found) == ["charlie"]
    [light] = found["charlie"]
    assert (light.name, light.light) == ("gap", "amber")
    assert float(light.errors) == pytest.approx(_errors(golds, split, worse, fitted), abs=0.05)
    assert (
        f"표준오차 {light.errors}배" in browser("olivia").get(f"/c/{contest.slug}/desk/lights").text
    )
    assert without_spread() == []
    hand_in(ours, data=texts_csv(right), at=NOON + timedelta(minutes=5))
    score_all()
    assert [line.team.name for line in without_spread()] == ["charlie"]


def test_the_gap_of_a_team_with_one_file_is_among_all() -> None:
    """That of the file that stands on the public board, whichever is the better private one."""
    _, [alices, *_] = contest_of_three()
    better = {name: golds[0] for name, golds in GOLD.items()}
    hand_in(alices, data=texts_csv(better), at=NOON + timedelta(minutes=1))
    score_all()
    while make_next_spreads(SOON):
        pass
    spreads = {spread.team_id: spread for spread in TeamSpread.objects.all()}
    standing = Standing.objects.filter(board="public")
    assert len(spreads) == standing.count() == 3
    for line in standing:
        scores = SplitScore.objects.filter(evaluation__submission=line.submission_id)
        printed = dict(scores.values_list("split", "printed"))
        assert spreads[line.team_id].gap == printed["public"] - printed["private"]
    assert [team for team, spread in spreads.items() if spread.deviation is not None] == [alices.pk]


def _errors(
    golds: dict[str, tuple[str, ...]],
    split: dict[str, str],
    worse: dict[str, str],
    best: dict[str, str],
) -> float:
    """Section by section of the definition, from the files alone; the median gap is 0."""
    prepared = prepare(read([("gold.csv", gold_csv(golds, split))]), Profile())
    rows = np.stack([score(texts, prepared).examples.sum(axis=1) for texts in (worse, best)])
    rest = rows - rows.mean(axis=0) - rows.mean(axis=1)[:, None] + rows.mean()
    deviation = ((rest**2).sum() / (len(golds) - 1)) ** 0.5
    splits = score(best, prepared).splits
    gap: float = splits["public"].total - splits["private"].total
    return float(gap / (deviation * (2 / (len(golds) / 2)) ** 0.5))


def test_a_light_of_a_file_that_stands_no_longer_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(of_large, "LARGE", 2)
    contest, [*_, charlies] = contest_of_three()
    looked_at()
    version = live_version(contest)
    make_next_figures(SOON)
    assert [name for _, name, *_ in report(version, SOON)["files"]] == ["charlie", "bob"]
    charlies.standings.all().delete()
    shown = report(version, SOON)
    assert [name for _, name, *_ in shown["files"]] == ["bob"]
    assert shown["made_at"] == SOON


def test_those_of_a_large_contest_are_shown_with_their_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(of_large, "LARGE", 2)
    contest, _ = contest_of_three()
    looked_at()
    version = live_version(contest)
    olivia, page = browser("olivia"), f"/c/{contest.slug}/desk/lights"
    assert "</time> 기준" not in olivia.get(page).text
    make_next_figures(timezone.now())
    found = Figures.objects.get(scoring_version=version).more[KEPT]
    assert found == found_flags(version, SOON)
    assert found["lit"] == 2
    with CaptureQueriesContext(connection) as asked:
        assert "</time> 기준" in olivia.get(page).text
    assert not [one for one in asked if 'FROM "boards_filelights"' in one["sql"]]
