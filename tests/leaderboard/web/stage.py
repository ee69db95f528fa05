"""A contest with everything that can be asked for, and the people who ask.

Golds hold canaries, and private scores are replaced by numbers that occur nowhere else, so that
a search for them in answers means something.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from http.cookies import SimpleCookie
from types import SimpleNamespace
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from django.db import transaction
from django.test import Client

from leaderboard.accounts.models import ApiToken
from leaderboard.accounts.passwords import digest
from leaderboard.accounts.tokens import PREFIX
from leaderboard.actions.competition import change_registration, change_terms
from leaderboard.actions.discipline import disqualify, exclude
from leaderboard.actions.forum import mark_answer, reply, start_thread
from leaderboard.actions.invitations import invite_person
from leaderboard.actions.merging import ask_to_merge
from leaderboard.actions.registration import request_to_join
from leaderboard.actions.schedule import hold_reveal, pause
from leaderboard.actions.scoring import retry
from leaderboard.actions.teams import add_baseline
from leaderboard.actions.versions import rehearse
from leaderboard.boards.figures import DERIVED
from leaderboard.boards.standings import place_all, place_everywhere
from leaderboard.community.models import Post
from leaderboard.competitions.models import Competition, DataFile, Organizer
from leaderboard.evaluation.models import Evaluation, ExampleScores, SplitScore
from leaderboard.evaluation.queries import rows_in_order
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import Invitation, Merge, Team
from scoring.pipeline import Report, read_example_blob
from scoring.ranking import printed
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON, OPENS, REVEALS, SPLITS
from tests.leaderboard.kept_rows import built_once
from tests.leaderboard.web.parts import parts

# Everybody who may ask, from the one who knows least. Alice and Bob are one team; Charlie signed
# in and joined nothing; Dana takes part in Oscar's contest; Olivia owns this one, Eddie edits it,
# Ada assists; Sue is superuser.
ROLES = (
    "visitor",
    "charlie",
    "dana",
    "oscar",
    "alice",
    "bob",
    "ada",
    "sue",
    "eddie",
    "olivia",
)
EDITORS = ("eddie", "olivia")
BELOW_EDITOR = tuple(role for role in ROLES if role not in EDITORS)
# One of each kind of them; Bob sees what Alice does, Dana and Oscar no more than Charlie.
WATCHERS = ("visitor", "charlie", "alice", "ada", "sue")
KINDS = (*WATCHERS, "olivia")
OUTSIDERS = ("visitor", "charlie", "dana", "oscar")  # who may not know of a private contest


def _when(role: str, at_once: tuple[str, ...], kinds: tuple[str, ...]) -> Any:
    """The mark of what asks every address as this role: see CONTRIBUTING."""
    if role in at_once:
        return ()
    return pytest.mark.crawl if role in kinds else pytest.mark.slow


def each(
    *roles: str,
    at_once: tuple[str, ...] = ("visitor", "charlie", "alice", "olivia"),
    kinds: tuple[str, ...] = KINDS,
) -> list[ParameterSet]:
    """One test for each role; `./run test` runs those of `at_once`, `./run test all` those of
    `kinds` too: one of each kind. The others are for `./run long`.
    """
    return [pytest.param(role, marks=_when(role, at_once, kinds)) for role in roles]


def crawls(
    *roles: str,
    at_once: tuple[str, ...],
    kinds: tuple[str, ...] = KINDS,
    whole: tuple[str, ...] = (),
) -> list[ParameterSet]:
    """One crawl for each role, and whether nothing is left out of it.

    Who crawls when is as `each` has it: those of `whole` whole, the others small. `./run long`
    makes the whole crawls of all the others.
    """
    return [
        *(
            pytest.param(role, role in whole, marks=_when(role, at_once, kinds), id=role)
            for role in roles
            if role in (*at_once, *kinds)
        ),
        *(
            pytest.param(role, True, marks=pytest.mark.slow, id=f"{role}-whole")
            for role in roles
            if role not in whole
        ),
    ]


GOLDS = {
    "talk_1": (
        "민수는 내일 도서관에서 지우를 만난다 kanarie1a",
        "도서관에서 보기로 한다 kanarie1b",
    ),
    "talk_2": ("손님은 새는 주전자를 바꾸러 왔다 kanarie2a", "점원이 교환해 준다 kanarie2b"),
    "talk_4": ("의사는 매년 건강검진을 권한다 kanarie4a", "환자는 검진을 예약한다 kanarie4b"),
    "talk_5": ("지하철이 늦어 회의가 밀렸다 kanarie5a", "팀장은 회의를 미룬다 kanarie5b"),
}
CANARY = "kanarie"

# Released, and written by nobody who wrote the others.
DEV_GOLDS = {
    "dev_1": ("둘은 주말에 산에 가기로 한다.", "주말에 함께 산에 오른다."),
    "dev_2": ("손님이 커피를 두 잔 시킨다.",),
}
DEV_TEXTS = {"dev_1": "주말에 산에 가기로 했다.", "dev_2": "손님이 차를 시킨다."}

GOOD = {
    "talk_1": "민수는 내일 도서관에서 지우를 만난다",
    "talk_2": "손님은 주전자를 바꾸러 왔다",
    "talk_4": "의사는 매년 건강검진을 권한다",
    "talk_5": "회의가 밀렸다",
}
FAIR = {**GOOD, "talk_1": "민수는 지우를 만난다", "talk_2": "손님이 왔다"}
POOR = dict.fromkeys(GOOD, "아무 말이나 적었다")


@dataclass(frozen=True)
class Stage:
    """The contest `talk`, and `elsewhere` run by Oscar with Dana in it."""

    contest: Competition
    elsewhere: Competition
    alices: Team
    best: Submission
    rivals: Submission
    danas: Submission
    draft: ScoringVersion
    elsewhere_version: ScoringVersion
    question: Merge
    others_question: Merge
    data_file: DataFile
    elsewhere_file: DataFile
    invitation: Invitation
    reply: Post  # of Erin, to a question of Alice's
    elsewhere_post: Post
    more: dict[str, Any]  # of the apps that may be left out


@built_once
def build(*, private: bool = False) -> Stage:
    """Both contests with golds, drafts, files, teams and submissions in every state."""
    contest = _contest("talk", private=private, owner="olivia")
    for name, role in (("eddie", Organizer.Role.EDITOR), ("ada", Organizer.Role.ASSISTANT)):
        Organizer.objects.create(competition=contest, user=builders.user(name), role=role)
    builders.webhook(contest, at=OPENS)
    draft = _upload_golds(contest)
    elsewhere = _contest("elsewhere", private=private, owner="oscar")
    for name in ("charlie", "sue"):
        builders.user(name)
    type(builders.user("sue")).objects.filter(username="sue").update(
        is_staff=True, is_superuser=True
    )
    alices = builders.team(contest, "alice", "bob", called="햇살")
    minute = timedelta(minutes=1)
    builders.hand_in(alices, FAIR, at=NOON - 9 * minute)
    best = builders.hand_in(alices, GOOD, at=NOON - 8 * minute)
    # Erin and Fay tie on the public board, Gil stands last.
    rivals = builders.hand_in(builders.team(contest, "erin"), FAIR, at=NOON - 7 * minute)
    fays, gils = builders.team(contest, "fay"), builders.team(contest, "gil")
    builders.hand_in(fays, FAIR, at=NOON - 6 * minute)
    builders.hand_in(gils, POOR, at=NOON - 5 * minute)
    danas = builders.hand_in(builders.team(elsewhere, "dana"), POOR, at=NOON - 4 * minute)
    builders.score_all(at=NOON - 3 * minute)
    _leave(
        builders.hand_in(alices, POOR, at=NOON - 2 * minute), "failed", attempt=3, failure="OSError"
    )
    _leave(builders.hand_in(alices, POOR, at=NOON - 2 * minute), "running", stage="cut", attempt=1)
    builders.hand_in(alices, POOR, at=NOON - minute)
    erin = builders.user("erin")
    invite_person(team=rivals.team, user=erin, username="alice", at=NOON - minute)
    question = ask_to_merge(team=alices, user=builders.user("alice"), name="erin", at=NOON)
    others = ask_to_merge(team=fays, user=builders.user("fay"), name="gil", at=NOON)
    set_private_scores(canary_scores())
    more: dict[str, Any] = {}
    _give_tokens("erin", *(role for role in ROLES if role != "visitor"))
    for part in parts():
        more |= part.build(contest, elsewhere)
    derive()
    for part in parts():
        part.hide_private()
    return Stage(
        contest=contest,
        elsewhere=elsewhere,
        alices=alices,
        best=best,
        rivals=rivals,
        danas=danas,
        draft=draft,
        elsewhere_version=ScoringVersion.objects.get(competition=elsewhere),
        question=question,
        others_question=others,
        data_file=contest.data_files.get(),
        elsewhere_file=elsewhere.data_files.get(),
        invitation=Invitation.objects.get(),
        reply=_talk(contest, "alice", "erin", "olivia"),
        elsewhere_post=_talk(elsewhere, "dana", "dana", "oscar"),
        more=more,
    )


def _give_tokens(*names: str) -> None:
    """Each a token of the widest scope. Its secret is no secret, so that answers are the same."""
    for name in names:
        ApiToken.objects.create(
            user=builders.user(name),
            name="노트북",
            scope=ApiToken.Scope.ORGANIZE,
            digest=digest(secret_of(name)),
            made_at=OPENS,
            expires_at=REVEALS + timedelta(days=300),
            last_used_at=REVEALS + timedelta(days=299),  # no use is noted
        )


def own_pair(stage: Stage) -> str:
    """The page that compares the two submissions of Alice that were scored first."""
    done = stage.alices.submissions.filter(evaluations__state="done").exclude(pk=stage.best.pk)
    earlier = done.earliest("received_at")
    return f"/c/{stage.contest.slug}/submissions/compare?a={earlier.pk}&b={stage.best.pk}"


def secret_of(name: str) -> str:
    """What this person's program says."""
    return f"{PREFIX}{name}"


def _earlier(minutes: int) -> datetime:
    """Before what somebody who walks writes: posts of one moment have no order of their own."""
    return NOON - timedelta(minutes=minutes)


def _talk(contest: Competition, asks: str, helps: str, answers: str) -> Post:
    """A question with a reply and an organizer's answer, and a private inquiry."""
    words = {"title": f"데이터 {asks}", "text": "`talk_1`은 **어디**에 있나요?", "at": _earlier(4)}
    asking = builders.user(asks)
    asked = start_thread(competition=contest, user=asking, kind="question", **words)
    helped = reply(thread=asked, user=builders.user(helps), text="저도 찾아요.", at=_earlier(3))
    answer = reply(thread=asked, user=builders.user(answers), text="데이터 탭에요.", at=_earlier(2))
    mark_answer(post=answer, user=asking, at=_earlier(1))
    start_thread(competition=contest, user=builders.user(helps), kind="inquiry", **words)
    return helped


def _contest(slug: str, *, private: bool, owner: str) -> Competition:
    contest = builders.competition(
        slug,
        is_private=private,
        rules="## 룰\n\n- 하루에 **열두 번**까지 냅니다.",
        introduction="대화를 요약합니다.",
    )
    olivia = builders.user("olivia")
    change_terms(competition=contest, user=olivia, text="서로 **존중**합니다.", at=OPENS)
    change_registration(
        competition=contest, user=olivia, registration="open", code=f"{slug}-2026", at=OPENS
    )
    builders.live(contest, builders.gold_csv(GOLDS))
    builders.data_file(contest)
    builders.dev_set(contest, DEV_GOLDS)
    Organizer.objects.filter(competition=contest).update(user=builders.user(owner))
    return contest


def _upload_golds(contest: Competition) -> ScoringVersion:
    changed = {**GOLDS, "talk_1": ("민수는 지우를 본다 kanarie1c",)}
    return builders.uploaded(contest, builders.gold_csv(changed, SPLITS), preset="mean-sum")


def _leave(submission: Submission, state: str, **fields: object) -> None:
    finished = NOON if state == "failed" else None
    Evaluation.objects.filter(submission=submission).update(
        state=state, finished_at=finished, last_sign_at=NOON, rows_total=4, rows_done=2, **fields
    )


def private_scores() -> list[SplitScore]:
    """The private rows of everything scored, in the order it was received, Dana's last."""
    rows = SplitScore.objects.filter(split="private", evaluation__state="done")
    return list(rows.order_by("evaluation__received_at", "evaluation"))


def canary_scores() -> list[dict[str, float]]:
    """One set of metrics a submission that no real score equals; the seed keeps them the same."""
    chance = random.Random(20261120)
    metrics = ("rouge1", "rouge2", "rougeL")
    return [{name: round(chance.uniform(0.3, 0.8), 8) for name in metrics} for _ in range(12)]


def set_private_scores(scores: list[dict[str, float]]) -> None:
    """Give each scored submission these private metrics, and rebuild the private standings."""
    rows = private_scores()
    for row, metrics in zip(rows, scores, strict=False):
        row.metrics = metrics
        row.total = sum(metrics.values())
        row.printed = printed(row.total)
        row.save()
    for version in ScoringVersion.objects.filter(state="live"):
        for team in Team.objects.filter(competition=version.competition):
            place_all(teams=[team], version=version)


def derive() -> None:
    """What a worker makes beside the standings."""
    while any(one.make(NOON) for one in DERIVED):
        pass


def permute_private_scores() -> None:
    """Hand the private scores of `talk` round: every submission gets the next one's.

    Dana's, the last received, is Oscar's to see and stays.
    """
    scores = [dict(row.metrics) for row in private_scores()][:-1]
    set_private_scores([*scores[1:], scores[0]])
    _permute_private_rows()
    for part in parts():
        part.permute_private()
    _derive_again()


def _derive_again() -> None:
    """Make anew what is made of rows that changed."""
    for part in parts():
        part.forget_derived()
    derive()


def _permute_private_rows() -> None:
    """The same with the values of rows, of which everything else is made."""
    kept = list(
        ExampleScores.objects.filter(evaluation__scoring_version__competition__slug="talk")
        .select_related("evaluation__scoring_version")
        .order_by("evaluation__received_at", "evaluation")
    )
    values = [read_example_blob(bytes(one.blob)) for one in kept]
    for one, own, other in zip(kept, values, [*values[1:], *values[:1]], strict=True):
        rows = rows_in_order(one.evaluation.scoring_version.reference_set_id)
        private = [place for place, (_, split) in enumerate(rows) if split == "private"]
        mixed = own.copy()
        mixed[private] = other[private]
        one.blob = Report("", len(mixed), {}, mixed, (), ()).example_blob()
        one.save()


def unsettle(stage: Stage) -> dict[str, object]:
    """Bring the contest to where it shows its other forms; which of its things show them."""
    contest, olivia = stage.contest, builders.user("olivia")
    who: dict[str, Any] = {"user": olivia, "at": NOON}
    file = Upload("baseline.csv", builders.prediction_csv(POOR))
    add_baseline(competition=contest, name="KoBART", upload=file, **who)
    exclude(submission=stage.rivals, reason="두 번 냄", reason_shown=True, **who)
    retry(evaluation=Evaluation.objects.get(submission__team=stage.alices, state="failed"), **who)
    rehearse(version=stage.draft, **who)
    change_registration(competition=contest, registration="approval", code="", **who)
    request_to_join(competition=contest, user=builders.user("dana"), terms=1, at=NOON)
    change_terms(competition=contest, text="서로 더욱 존중합니다.", **who)
    disqualify(team=stage.rivals.team, reason="같은 파일", **who)
    hold_reveal(competition=contest, held=True, **who)
    pause(competition=contest, reason="정답을 다시 봅니다", **who)
    for part in parts():
        part.unsettle(stage)
    waiting = Evaluation.objects.filter(
        submission__team=stage.alices, state="queued", scoring_version__state="live"
    )
    return {
        "submission_id": waiting.earliest("submission__received_at").submission_id,
        "any_submission_id": stage.rivals.pk,
        "team_id": stage.rivals.team_id,
    }


FREEZE = NOON - timedelta(minutes=6, seconds=30)  # Fay and Gil came later


def freeze(stage: Stage) -> None:
    """Freeze the board, and let Erin, Fay and Gil have sent files since."""
    for name, texts in (("erin", GOOD), ("fay", {**GOOD, "talk_4": "환자"}), ("gil", FAIR)):
        team = Team.objects.get(competition=stage.contest, captain__username=name)
        builders.hand_in(team, texts, at=NOON - timedelta(seconds=30))
    builders.score_all(at=NOON - timedelta(seconds=20))
    set_private_scores(canary_scores())
    Competition.objects.filter(pk=stage.contest.pk).update(freezes_at=FREEZE)
    _derive_again()


def permute_later_scores(stage: Stage) -> None:
    """Hand round the public scores that other teams than Alice's and Bob's got since the freeze."""
    later = SplitScore.objects.filter(
        split="public",
        evaluation__state="done",
        evaluation__received_at__gte=FREEZE,
        evaluation__submission__team__competition=stage.contest,
    ).exclude(evaluation__submission__team=stage.alices)
    rows = list(later.order_by("evaluation__received_at", "evaluation"))
    metrics = [dict(row.metrics) for row in rows]
    for row, values in zip(rows, [*metrics[1:], metrics[0]], strict=True):
        row.metrics, row.total = values, sum(values.values())
        row.printed = printed(row.total)
        row.save()
    for team in Team.objects.filter(competition=stage.contest):
        place_everywhere(team=team)


def clients() -> dict[str, Client]:
    """A browser for each role, signed in, that says its token below `/api/` as a program would. A
    server error is an answer like any other here."""
    browsers = {role: Client(raise_request_exception=False, headers=_said(role)) for role in ROLES}
    for role, browser in browsers.items():
        if role != "visitor":
            browser.force_login(builders.user(role))
    return browsers


def _said(role: str) -> dict[str, str]:
    return {} if role == "visitor" else {"authorization": f"Bearer {secret_of(role)}"}


@contextmanager
def undone(browser: Client) -> Iterator[None]:
    """What happens inside leaves no trace: rows, cookies and counted attempts are as before."""
    cookies = SimpleCookie(browser.cookies)
    with transaction.atomic():
        try:
            yield
        finally:
            transaction.set_rollback(True)
            browser.cookies = cookies


def stop_clock(monkeypatch: pytest.MonkeyPatch, at: datetime) -> None:
    """Let every request of this test come in at `at`."""
    clock = SimpleNamespace(now=lambda: at)
    for module in ("web.middleware", "operations.health"):
        monkeypatch.setattr(f"leaderboard.{module}.timezone", clock)
