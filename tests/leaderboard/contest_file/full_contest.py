"""A contest with something in every table of its file, and what its boards show."""

from datetime import datetime, timedelta

from django.apps import apps
from django.contrib.auth.models import AnonymousUser
from django.db import models

from leaderboard.actions.announcements import announce
from leaderboard.actions.competition import change_registration
from leaderboard.actions.discipline import exclude
from leaderboard.actions.forum import hide_post, mark_answer, pin, reply, start_thread
from leaderboard.actions.merging import accept_merge, ask_to_merge
from leaderboard.actions.references import (
    release_dev_set,
    release_dialogues,
    upload_dev_set,
    upload_dialogues,
    upload_references,
)
from leaderboard.actions.scoring import evaluate_next
from leaderboard.actions.submissions import cancel, choose_finals
from leaderboard.actions.teams import add_baseline
from leaderboard.actions.versions import make_live, rehearse
from leaderboard.boards import exports
from leaderboard.boards import queries as boards
from leaderboard.boards.models import Standing, StandingDay
from leaderboard.boards.standings import place_everywhere
from leaderboard.competitions.models import (
    Competition,
    Organizer,
    Terms,
    TermsAcceptance,
)
from leaderboard.references.models import (
    ScoringVersion,
)
from leaderboard.submissions.ledger import refund
from leaderboard.submissions.models import QuotaEntry
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import JoinRequest, Merge, Team
from tests.leaderboard import builders
from tests.leaderboard.builders import CLOSES, NOON, OPENS, REVEALS, viewer_of
from tests.leaderboard.kept_rows import built_once

AFTER = REVEALS + timedelta(days=1)
DAY = timedelta(days=1)
GOOD = {"talk_1": "민수는 내일 도서관에서 지우를 만난다", "talk_2": "손님은 주전자를 바꾼다"}
FAIR = {"talk_1": "민수는 지우를 본다", "talk_4": "검진을 권한다"}
POOR = {"talk_1": "모른다", "talk_5": "아무 말이나 적었다"}


@built_once
def build() -> Competition:
    """Two versions were live, a third rehearses, a fourth is a draft; teams of every kind."""
    contest = builders.competition(
        "talk",
        rules="## 룰\r\n\n- 하루 **열두 번**\x85끝 😀  \n",
        rules_en=" begins with a blank\n\ttab\n",
        late_entries=True,
        freezes_at=CLOSES - DAY,
    )
    _people(contest)
    builders.live(contest)
    builders.data_file(contest)
    alices = builders.team(contest, "alice", "bob", called="햇살")
    _hand_in_before_the_second_version(contest, alices)
    _second_version(contest)
    _decide(contest, alices)
    _forum(contest)
    _merge(contest)
    _versions_to_come(contest)
    _dev_set(contest)
    add_baseline(
        competition=contest,
        user=builders.user("olivia"),
        name="기준",
        upload=Upload("lead.csv", builders.prediction_csv(FAIR)),
        at=NOON + timedelta(hours=1),
    )
    while evaluate_next(now=lambda: CLOSES):
        pass
    change_registration(  # from now on: who is in stays in
        competition=contest,
        user=builders.user("olivia"),
        registration="approval",
        code="secret-code",
        emails=["alice@example.org"],
        at=AFTER,
    )
    contest.refresh_from_db()
    return contest


def _people(contest: Competition) -> None:
    for name, role in (("eddie", "editor"), ("ada", "assistant")):
        Organizer.objects.create(competition=contest, user=builders.user(name), role=role)
    for number in (1, 2):
        terms = Terms.objects.create(
            competition=contest, number=number, text=f"약관 {number}", made_at=OPENS
        )
        TermsAcceptance.objects.create(terms=terms, user=builders.user("alice"), at=NOON)
    JoinRequest.objects.create(
        competition=contest, user=builders.user("pat"), team_name="기다림", asked_at=OPENS
    )
    JoinRequest.objects.create(
        competition=contest,
        user=builders.user("alice"),
        team_name="햇살",
        asked_at=OPENS,
        approved=True,
        decided_by=builders.user("eddie"),
        decided_at=OPENS + timedelta(microseconds=1),
    )


def _hand_in_before_the_second_version(contest: Competition, alices: Team) -> None:
    builders.hand_in(alices, FAIR, at=NOON - 2 * DAY, key="first")
    builders.hand_in(alices, GOOD, at=NOON - DAY)
    builders.hand_in(builders.team(contest, "erin"), FAIR, at=NOON - DAY)
    builders.hand_in(builders.team(contest, "gil"), POOR, at=NOON - DAY)
    builders.score_all(at=NOON - DAY)


def _golds(
    contest: Competition, first: str, *, seed: str | None = None, **more: tuple[str, ...]
) -> ScoringVersion:
    golds = {**builders.GOLDS, "talk_1": (first, *builders.GOLDS["talk_1"]), **more}
    return upload_references(
        competition=contest,
        user=builders.user("eddie"),
        files=[Upload("../고친 정답.csv", builders.gold_csv(golds, builders.SPLITS))]
        if seed is None
        else [Upload("a.csv", builders.gold_csv(golds, None))],
        preset="max-sum",
        tokenizer="mecab-ko",
        tags="drop",
        tag_forms=["화자*"],
        seed=seed,
        at=NOON,
    )


def _second_version(contest: Competition) -> None:
    second = _golds(contest, "민수와 지우가 도서관에서 만난다")
    rehearse(version=second, user=builders.user("olivia"), at=NOON)
    builders.score_all()
    make_live(version=second, user=builders.user("olivia"), at=NOON)


def _decide(contest: Competition, alices: Team) -> None:
    taken_back = builders.hand_in(alices, GOOD, at=NOON + timedelta(minutes=1))
    cancel(submission=taken_back, user=builders.user("bob"), at=NOON + timedelta(minutes=2))
    best = builders.hand_in(alices, GOOD, at=NOON + timedelta(minutes=3))
    other = builders.hand_in(alices, POOR, at=NOON + timedelta(minutes=4))
    out = builders.hand_in(alices, dict(GOOD, talk_5="지하철이 늦었다"), at=NOON + DAY)
    builders.score_all(at=NOON + DAY)
    exclude(
        submission=out,
        user=builders.user("eddie"),
        reason="겹침",
        reason_shown=False,
        at=NOON + DAY,
    )
    choose_finals(
        team=alices,
        user=builders.user("alice"),
        submission_ids=[other.pk, best.pk],
        at=NOON + DAY,
    )
    # As after a failure of ours that a later retry mended: the refund stays.
    refund(submission=other, at=NOON + DAY, reason=QuotaEntry.Reason.FAILED)
    QuotaEntry.objects.create(
        team=alices,
        kind="grant",
        amount=3,
        day=NOON.date(),
        at=NOON,
        words="점검",
    )
    late = builders.hand_in(alices, GOOD, at=CLOSES + timedelta(minutes=1))
    assert late.is_late
    gils = Team.objects.get(name="gil")
    gils.disqualified_at, gils.disqualify_reason = NOON, "규칙 위반"
    gils.save()
    place_everywhere(team=gils)
    erins = Team.objects.get(name="erin")
    announce(
        competition=contest,
        user=builders.user("olivia"),
        text="두 팀에게",
        audience="teams",
        teams=[alices, erins],
        at=NOON,
    )


def _forum(contest: Competition) -> None:
    alice, olivia = builders.user("alice"), builders.user("olivia")
    asked = start_thread(
        competition=contest,
        user=alice,
        kind="question",
        title="데이터",
        text="어디에 있나요?\n\n```\ncat\n```",
        at=NOON,
    )
    hidden = reply(thread=asked, user=builders.user("erin"), text="광고", at=NOON + DAY)
    answer = reply(thread=asked, user=olivia, text="‘데이터’에 있어요.", at=NOON + 2 * DAY)
    mark_answer(post=answer, user=alice, at=NOON + 2 * DAY)
    hide_post(post=hidden, user=olivia, reason="광고", at=NOON + 2 * DAY)
    pin(thread=asked, user=olivia, pinned=True, at=NOON + 2 * DAY)
    start_thread(
        competition=contest, user=alice, kind="inquiry", title="사정", text="아파요", at=NOON
    )


def _merge(contest: Competition) -> None:
    """One team took in another one, which had taken in a third."""
    teams = [builders.team(contest, name) for name in ("hana", "ian", "judy")]
    for number, team in enumerate(teams):
        builders.hand_in(team, POOR, at=NOON + number * DAY)
    for survivor, absorbed in ((1, 2), (0, 1)):
        merge(teams[survivor], teams[absorbed], at=NOON + 3 * DAY)
    builders.hand_in(teams[0], FAIR, at=NOON + 4 * DAY)
    builders.score_all(at=NOON + 4 * DAY)
    hana, alices = Team.objects.get(name="hana"), Team.objects.get(name="햇살")
    ask_to_merge(team=hana, user=hana.captain, name=alices.name, at=NOON + 4 * DAY)


def merge(survivor: Team, absorbed: Team, *, at: datetime) -> Merge:
    """Two teams become one as both captains want it."""
    asked = ask_to_merge(team=survivor, user=survivor.captain, name=absorbed.name, at=at)
    accept_merge(merge=asked, user=absorbed.captain, at=at)
    return asked


def _versions_to_come(contest: Competition) -> None:
    third = _golds(contest, "도서관에서 만난다")
    rehearse(version=third, user=builders.user("olivia"), at=CLOSES)
    _golds(contest, "초안", seed="f" * 32, more_1=("새 정답",))


def _dev_set(contest: Competition) -> None:
    olivia = builders.user("olivia")
    for number in (1, 2):
        data = f"fname,summary1,split\ndev_{number},연습 {number},public\n".encode()
        files = [Upload(f"dev{number}.csv", data)]
        at = NOON + timedelta(minutes=number)
        dev = upload_dev_set(competition=contest, user=olivia, files=files, at=at)
        if number == 1:
            release_dev_set(reference_set=dev, user=olivia, at=NOON)
    words = 'fname,dialogue\ndev_2,"#1: ""예""\r\n\n=1+1 \r 끝 "\n'.encode()
    made = upload_dialogues(
        competition=contest, user=olivia, upload=Upload("대화.csv", words), at=NOON
    )
    release_dialogues(dialogue_set=made, user=olivia, at=NOON)


def forget() -> None:
    """An installation without a contest, and without the people of one."""
    for model in apps.get_models(include_auto_created=True):
        if model.__module__.startswith("leaderboard"):
            model._base_manager.all()._raw_delete("default")


STANDING = (
    "scoring_version__number",
    "board",
    "team__name",
    "printed",
    "submission",
    "received_at",
    "entries",
    "last_submission_at",
    "ranked",
)


def shown(slug: str) -> dict[tuple[str, datetime | None], bytes]:
    """Every board as everybody may export it after the reveal, of now and of each midnight."""
    looked = viewer_of(Competition.objects.get(slug=slug), AnonymousUser(), AFTER)
    found: dict[tuple[str, datetime | None], bytes] = {}
    for board in ("public", "private"):
        for instant in (None, *builders.midnights(looked.competition)):
            page = boards.whole(looked, board, instant=instant)
            assert page.rows or instant
            found[board, instant] = exports.board_csv(page)
    return found


def standings(slug: str) -> list[tuple[object, ...]]:
    """All placements, of now and of every kept instant, under the versions that are kept up.

    A retired version's are as they were when it was retired: later rulings do not reach them.
    """
    past = _kept_up(StandingDay, slug).values_list("until", "stands_until", "metrics", *STANDING)
    now = _kept_up(Standing, slug).values_list("metrics", *STANDING)
    return sorted([*now, *past], key=str)


def placements_now(slug: str) -> list[tuple[object, ...]]:
    """What another installation can be compared with: no row's number, nothing of the past."""
    return list(_kept_up(Standing, slug).values_list(*STANDING))


def _kept_up(model: type[models.Model], slug: str) -> models.QuerySet[models.Model]:
    states = ("live", "rehearsing")
    return model._default_manager.filter(
        team__competition__slug=slug, scoring_version__state__in=states
    )
