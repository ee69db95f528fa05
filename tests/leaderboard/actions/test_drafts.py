"""Drafts of golds: numbered when they are made live, and gone without a trace when discarded."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.core.files.storage import storages

from leaderboard.actions.references import upload_dev_set
from leaderboard.actions.versions import discard, make_live, redraft, rehearse
from leaderboard.audit.models import AuditEvent
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import Competition
from leaderboard.references.models import Example, ReferenceSet, ScoringVersion, SetUse
from leaderboard.references.queries import live_version
from leaderboard.refusals import Refused
from leaderboard.submissions.queries import Upload
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, uploaded, user
from tests.leaderboard.material import GOLDS, NOON, gold_csv
from tests.leaderboard.web.pages import browser

pytestmark = pytest.mark.django_db
OLIVIA = "olivia"
FIXED = {**GOLDS, "talk_1": ("민수는 모레 도서관에서 지우를 만난다.", GOLDS["talk_1"][1])}


def draft(contest: Competition, golds: dict[str, tuple[str, ...]] = FIXED) -> ScoringVersion:
    return uploaded(contest, gold_csv(golds))


def switch_to(version: ScoringVersion, at: datetime = NOON) -> ScoringVersion:
    rehearse(version=version, user=user(OLIVIA), at=at)
    score_all(at)
    return make_live(version=version, user=user(OLIVIA), at=at)


def again(version: ScoringVersion) -> ScoringVersion:
    return redraft(
        version=version, user=user(OLIVIA), preset="mean-sum", tokenizer="mecab-ko", at=NOON
    )


# --- Numbers -------------------------------------------------------------------------------------


def test_public_numbers_are_given_at_make_live_and_leave_no_gap() -> None:
    contest = open_competition()
    hand_in(team(contest, "alice"))
    score_all()
    first = live_version(contest)
    drafts = [draft(contest) for _ in range(3)]
    assert [(one.number, one.label) for one in drafts] == [
        (None, "초안 2"),
        (None, "초안 3"),
        (None, "초안 4"),
    ]
    made = switch_to(drafts[2])
    assert (made.number, made.label) == (2, "v2")
    said = Announcement.objects.order_by("-at", "-pk")[0]
    assert "v1 → v2" in said.text
    assert "v1 → v2" in said.text_en
    back = switch_to(ScoringVersion.objects.get(pk=first.pk), NOON + timedelta(hours=1))
    assert back.number == 1, "what was live keeps its number"
    third = switch_to(ScoringVersion.objects.get(pk=drafts[0].pk), NOON + timedelta(hours=2))
    assert third.number == 3
    event = AuditEvent.objects.filter(kind="version.made_live").latest("at")
    assert (event.before["version"], event.after["version"], event.after["draft"]) == (1, 3, 2)


# --- Discarding ----------------------------------------------------------------------------------


def test_a_discarded_draft_leaves_neither_golds_nor_their_file(
    django_capture_on_commit_callbacks: object,
) -> None:
    contest = open_competition()
    version = draft(contest)
    (stored,) = version.reference_set.stored_as
    assert storages["golds"].exists(stored)
    with django_capture_on_commit_callbacks(execute=True):
        discard(version=version, user=user(OLIVIA), at=NOON)
    assert [one.label for one in ScoringVersion.objects.all()] == ["v1"]
    assert ReferenceSet.objects.count() == 1
    assert Example.objects.count() == len(GOLDS)
    assert not storages["golds"].exists(stored)
    event = AuditEvent.objects.get(kind="version.discarded")
    assert event.after == {"draft": 2, "signature": version.signature}
    assert "초안이나 예행을 폐기함" in browser(OLIVIA).get("/c/talk/desk/audit").text


def test_golds_that_another_version_has_stay(django_capture_on_commit_callbacks: object) -> None:
    contest = open_competition()
    live = live_version(contest)
    with django_capture_on_commit_callbacks(execute=True):
        discard(version=again(live), user=user(OLIVIA), at=NOON)
    assert storages["golds"].exists(live.reference_set.stored_as[0])
    hand_in(team(contest, "alice"))
    assert score_all() == 1


def test_golds_that_only_a_discarded_draft_had_may_be_released() -> None:
    """Somebody took the wrong form for the dev set."""
    contest = open_competition()
    dev = {"dev_1": ("둘은 산에 간다.",)}
    version = uploaded(contest, gold_csv(dev, {"dev_1": "public"}))
    files = [Upload("dev.csv", gold_csv(dev, None))]
    with pytest.raises(Refused):
        upload_dev_set(competition=contest, user=user(OLIVIA), files=files, at=NOON)
    discard(version=version, user=user(OLIVIA), at=NOON)
    upload_dev_set(competition=contest, user=user(OLIVIA), files=files, at=NOON)
    live = live_version(contest)
    kept = SetUse.objects.get(use=SetUse.Kind.SCORED)
    assert kept.golds_sha256 == live.reference_set.golds_sha256


def test_what_is_or_was_live_is_never_discarded() -> None:
    contest = open_competition()
    live = live_version(contest)
    with pytest.raises(Refused, match="not_to_discard"):
        discard(version=live, user=user(OLIVIA), at=NOON)
    switch_to(draft(contest))
    live.refresh_from_db()
    assert live.state == "retired"
    with pytest.raises(Refused, match="not_to_discard"):
        discard(version=live, user=user(OLIVIA), at=NOON)


@pytest.mark.parametrize("verb", [discard, rehearse, make_live, again])
def test_a_click_that_comes_after_the_draft_is_gone_is_refused(verb: Callable[..., object]) -> None:
    """Two people, or one who clicks twice: the other request had found the draft before."""
    contest = open_competition()
    version = ScoringVersion.objects.get(pk=draft(contest).pk)
    discard(version=ScoringVersion.objects.get(pk=version.pk), user=user(OLIVIA), at=NOON)
    who = {} if verb is again else {"user": user(OLIVIA), "at": NOON}
    with pytest.raises(Refused):
        verb(version=version, **who)
    assert [one.label for one in ScoringVersion.objects.all()] == ["v1"]
    assert not SetUse.objects.exclude(golds_sha256__in=ReferenceSet.objects.values("golds_sha256"))


def test_two_switches_to_a_version_at_one_moment_are_no_error() -> None:
    """Two machines' clocks may say the same; what is read afterwards is the newer one."""
    contest = open_competition()
    first = live_version(contest)
    assert first is not None
    second = switch_to(draft(contest))
    switch_to(first)
    switch_to(second)
    assert second.switches.count() == 2, "one for each board"
