"""The desk's golds: checks, self-checks, what changed, who has no score, the released set."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.actions.versions import make_live, rehearse
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version, released_set, splits_of
from tests.leaderboard import builders
from tests.leaderboard.builders import GOLDS, NOON, SPLITS, gold_csv, uploaded, user
from tests.leaderboard.web.pages import browser, confirmed

pytestmark = pytest.mark.django_db
DESK = "/c/talk/desk/golds"
NEW = "민수는 모레 도서관에서 지우를 만난다."
FIXED = {**GOLDS, "talk_1": (NEW, GOLDS["talk_1"][1])}
PROFILE = {"preset": "max-sum", "tokenizer": "mecab-ko"}


def upload(
    contest: Competition, golds: dict[str, tuple[str, ...]], splits: dict[str, str] | None = SPLITS
) -> ScoringVersion:
    return uploaded(contest, gold_csv(golds, splits))


def csv(data: bytes, name: str = "golds.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def test_an_upload_shows_what_is_odd_and_what_the_golds_score_themselves_and_goes_live() -> None:
    builders.competition()
    olivia = browser("olivia")
    assert "아직 정답이 없습니다" in olivia.get(DESK).text
    odd = {
        **GOLDS,
        "talk_6": GOLDS["talk_2"],
        "talk_7": (GOLDS["talk_1"][0], GOLDS["talk_1"][0]),
        "talk_8": ("네.", "긴 " * 60),
    }
    splits = {**SPLITS, "talk_6": "public", "talk_7": "public", "talk_8": "private"}
    olivia.post(DESK, {"files": csv(gold_csv(odd, splits)), **PROFILE})
    assert "7행 (공개(Public) 4, 비공개(Private) 3)" in olivia.get(DESK).text
    version = ScoringVersion.objects.get()
    assert version.state == ScoringVersion.State.DRAFT
    page = " ".join(olivia.get(f"{DESK}/{version.pk}/changes").text.split())
    assert "talk_2 = talk_6</span>" in page, "the same golds in two rows"
    assert "talk_1 = talk_7" in page, "one gold in two rows"
    for label in ("아주 긴 정답", "아주 짧은 정답", "한 행에 같은 정답"):
        assert f"<span>{label}</span>" in page.replace("> ", ">").replace(" <", "<"), label
    # Two gold columns, both the full mark of three metrics; `네.` is no match for its own row's
    # second gold, but under `max` the best one counts.
    assert "3.0000 · 3.0000 / 3.0000" in page
    confirmed(olivia, f"{DESK}/{version.pk}/make-live", {})
    version.refresh_from_db()
    assert version.is_live


def test_corrected_references_keep_the_live_split_unless_a_new_one_is_asked_for() -> None:
    contest = builders.open_competition()
    ids = [f"talk_{n}" for n in range(1, 41)]
    golds = {one: (f"{one}의 정답",) for one in ids}
    first = live_version(contest)
    drawn = upload(contest, golds, None)
    rehearse(version=drawn, user=user("olivia"), at=NOON)
    make_live(version=drawn, user=user("olivia"), at=NOON)
    assert live_version(contest) == drawn != first
    upload(contest, golds, dict.fromkeys(ids[:20], "public") | dict.fromkeys(ids[20:], "private"))
    olivia, corrected = browser("olivia"), csv(gold_csv({**golds, "talk_1": (NEW,)}, None))
    kept = olivia.post(DESK, {"files": corrected, **PROFILE}, follow=True).text
    newest = ScoringVersion.objects.first()
    assert splits_of(newest.reference_set) == splits_of(drawn.reference_set), "of what is live"
    assert "v2의 공개/비공개 분할을 그대로" in kept
    corrected.seek(0)
    other = olivia.post(DESK, {"files": corrected, **PROFILE, "new_split": "on"}, follow=True).text
    newest = ScoringVersion.objects.first()
    assert splits_of(newest.reference_set) != splits_of(drawn.reference_set)
    assert "v2의 공개/비공개 분할을 그대로" not in other


def test_a_draft_is_discarded_from_its_page_in_two_steps() -> None:
    contest = builders.open_competition()
    version, live = upload(contest, FIXED), live_version(contest)
    assert live is not None
    olivia, where = browser("olivia"), f"{DESK}/{version.pk}/changes"
    page = olivia.get(where).text
    assert page.index("<summary") < page.index('value="discard"')
    assert browser("alice").post(where, {"verb": "discard"}).status_code == 404
    assert olivia.post(where, {"verb": "discard"}).headers["Location"] == DESK
    assert [one.label for one in ScoringVersion.objects.all()] == ["v1"]
    assert olivia.post(where, {"verb": "discard"}).status_code == 404
    assert olivia.post(f"{DESK}/{live.pk}/changes", {"verb": "discard"}).status_code == 409


def test_the_same_golds_in_another_way_and_the_figures_say_so() -> None:
    contest = builders.open_competition()
    version = live_version(contest)
    assert version is not None
    olivia, where = browser("olivia"), f"{DESK}/{version.pk}/changes"
    form = {"verb": "redraft", **PROFILE, "preset": "stages"}
    page = olivia.post(where, form, follow=True).text
    made = ScoringVersion.objects.get(draft_number=2)
    assert made.reference_set == version.reference_set
    assert "이 방식에서는 정답도 만점이 아닙니다" in page
    assert 'value="check"' in olivia.get(where).text, "v1 came by another road"
    olivia.post(where, {"verb": "check"})
    assert 'value="check"' not in olivia.get(where).text
    assert olivia.post(where, {**form, "tokenizer": "none"}).status_code == 422


def test_texts_stand_side_by_side_for_editors_alone() -> None:
    contest = builders.open_competition()
    Organizer.objects.create(competition=contest, user=user("ada"), role=Organizer.Role.ASSISTANT)
    other = {
        **{name: golds for name, golds in FIXED.items() if name != "talk_5"},
        "talk_9": ("<b>새</b> 행",),
    }
    splits = {**SPLITS, "talk_4": "private", "talk_9": "public"}
    version = upload(contest, other, splits)
    where = f"{DESK}/{version.pk}/changes"
    page = browser("olivia").get(where).text
    assert "<del>내일</del>" in page
    assert "<ins>모레</ins>" in page
    assert "&lt;b&gt;새&lt;/b&gt; 행" in page
    assert GOLDS["talk_5"][0] in page.replace("<del>", "").replace("</del>", "")
    assert GOLDS["talk_2"][0] not in page, "what is the same is not shown"
    assert "public → <b>private</b>" in page
    for name in ("ada", "alice"):
        assert browser(name).get(where).status_code == 404


def test_from_the_list_of_versions_over_a_rehearsal_to_a_new_live_one() -> None:
    contest = builders.open_competition()
    rest = {name: "아무 말이나 적었다." for name in GOLDS if name != "talk_1"}
    given = builders.hand_in(
        builders.team(contest, "alice"), {**rest, "talk_1": GOLDS["talk_1"][0]}
    )
    builders.hand_in(builders.team(contest, "bob"), {**rest, "talk_1": NEW})
    builders.score_all()
    version = upload(contest, {**GOLDS, "talk_1": (NEW, NEW)})
    olivia, where = browser("olivia"), f"{DESK}/{version.pk}/rehearsal"
    assert where in olivia.get(DESK).text
    olivia.post(where, {"verb": "rehearse"})
    refused = olivia.post(where, {"verb": "make_live"}, follow=True)
    assert "예행 채점이 아직 2개 남았습니다" in refused.text
    builders.score_all()
    page = olivia.get(where).text
    assert '<span class="id">talk_1</span>' in page
    assert f"/c/talk/desk/submissions/{given.pk}" in page
    assert "<del>gold:" in page
    assert "<ins>gold:" in page
    assert page.index("bob") < page.index("alice"), "in the order the board would have"
    for text in (NEW, GOLDS["talk_1"][0]):
        assert text not in page, "gold texts stay on the golds' own page"
    assert confirmed(olivia, where, {"verb": "make_live"}).status_code == 302
    assert live_version(contest) == version


def test_a_new_id_is_listed_confirmed_and_told_to_the_team() -> None:
    contest = builders.open_competition()
    given = builders.hand_in(builders.team(contest, "alice"))
    builders.score_all()
    longer = {**GOLDS, "talk_9": ("둘은 저녁을 먹는다.",)}
    version = upload(contest, longer, {**SPLITS, "talk_9": "public"})
    olivia = browser("olivia")
    where = f"{DESK}/{version.pk}/rehearsal"
    assert "새 id가 있습니다" in olivia.get(where).text, "before anything is started"
    olivia.post(where, {"verb": "rehearse"})
    builders.score_all()
    assert "1개는 새 id에 대한 요약이 없습니다" in olivia.get(where).text
    refused = olivia.post(where, {"verb": "make_live"}, follow=True)
    assert "제출 1개를 새 기준으로 채점하지 못했습니다: alice" in refused.text
    form = {"verb": "make_live", "accept_failed": "on", "reason": "한 행을 더함"}
    confirmed(olivia, where, form)
    assert live_version(contest) == version
    alice = browser("alice")
    page = alice.get(f"/c/talk/submissions/{given.pk}").text
    assert "새 채점 기준으로는 점수가 없습니다" in page
    assert "돌려 드렸습니다" not in page
    assert "채점 기준 v1의 점수" in page
    assert "3.0000" in page
    assert "한 행을 더함" in alice.get("/c/talk/").text + alice.get("/inbox").text


DEV = gold_csv({"dev_1": ("둘은 산에 간다.",)}, None)


def test_a_dev_set_is_looked_at_and_then_released() -> None:
    contest = builders.open_competition()
    olivia, where = browser("olivia"), "/c/talk/desk/dev-set"
    assert "아직 개발용(dev) 데이터가 없습니다" in olivia.get(where).text
    assert olivia.post(where, {"verb": "upload"}).status_code == 422
    bad = olivia.post(where, {"verb": "upload", "files": csv(b"fname,summary1\na,\n")})
    assert bad.status_code == 422
    olivia.post(where, {"verb": "upload", "files": csv(DEV)})
    assert "정답까지 공개" in olivia.get(where).text
    hidden = olivia.post(where, {"verb": "upload", "files": csv(gold_csv())}, follow=True)
    assert "채점에 쓰는 정답과 id나 글이 겹칩니다" in hidden.text
    key = contest.reference_sets.get(public_rows=0).pk
    confirmed(olivia, where, {"verb": "release", "id": str(key)})
    assert released_set(contest) is not None
    assert "공개 중" in olivia.get(where).text
    again = olivia.post(where, {"verb": "release", "id": str(key)}, follow=True)
    assert "이미 공개한 데이터입니다" in again.text
    assert olivia.post(where, {"verb": "release", "id": "x"}).status_code == 404


def test_what_becomes_of_speaker_tags_is_chosen_with_the_profile_and_rehearsed() -> None:
    contest = builders.open_competition()
    builders.hand_in(builders.team(contest, "alice"))
    builders.score_all()
    version = live_version(contest)
    assert version is not None
    olivia, page_of_live = browser("olivia"), f"{DESK}/{version.pk}/changes"
    form = {"verb": "redraft", **PROFILE}
    olivia.post(page_of_live, form)
    assert ScoringVersion.objects.get(draft_number=2).signature == version.signature
    for wrong in ({"tags": "none"}, {"tag_forms": "화자"}, {"tag_forms": "가* 나* 다* 라* 마*"}):
        refused = olivia.post(page_of_live, {**form, **wrong})
        assert refused.status_code == 422
        if "tag_forms" in wrong:
            assert f'value="{wrong["tag_forms"]}"' in refused.text, "what was typed stays"
    olivia.post(page_of_live, {**form, "tags": "drop", "tag_forms": " 화자*  [S*] "})
    made = ScoringVersion.objects.get(draft_number=3)
    assert made.profile().tag_forms == ("[S*]", "화자*")
    page = olivia.get(f"{DESK}/{made.pk}/changes").text
    assert "<ins>tags:drop+[S*]+화자*</ins>" in page
    assert page.count("<ins>") == 1, "nothing else differs from what is live"
    where = f"{DESK}/{made.pk}/rehearsal"
    olivia.post(where, {"verb": "rehearse"})
    builders.score_all()
    assert "<ins>tags:drop+[S*]+화자*</ins>" in olivia.get(where).text
    confirmed(olivia, where, {"verb": "make_live"})
    page = olivia.get(DESK).text
    assert page.count('<option value="drop" selected>') == 1, "what is live is proposed"
    assert page.count('value="[S*] 화자*"') == 1
    said = "#Person1#, [S1], 화자1 같은 화자 태그는 세지 않습니다."
    assert said in browser("alice").get("/c/talk/").text


def test_what_stands_beside_the_total_is_chosen_with_the_profile() -> None:
    contest = builders.open_competition()
    builders.hand_in(builders.team(contest, "alice"))
    builders.score_all()
    alice, olivia = browser("alice"), browser("olivia")
    before = alice.get("/c/talk/leaderboard.json").json()
    version = live_version(contest)
    assert version is not None
    asked = olivia.get(DESK).text
    assert "길이" in asked[asked.index('type="checkbox" name="beside" value="length"') :][:120]
    form, page_of_live = {"verb": "redraft", **PROFILE}, f"{DESK}/{version.pk}/changes"
    assert olivia.post(page_of_live, {**form, "beside": ["rouge1"]}).status_code == 422
    page = olivia.post(page_of_live, {**form, "beside": ["chrf", "length"]}, follow=True).text
    assert "<ins>chrf:nc6.nw0.b2.max" in page
    made = ScoringVersion.objects.get(draft_number=2)
    where = f"{DESK}/{made.pk}/rehearsal"
    olivia.post(where, {"verb": "rehearse"})
    builders.score_all()
    assert "<ins>chrf:nc6.nw0.b2.max" in olivia.get(where).text
    confirmed(olivia, where, {"verb": "make_live"})
    after = alice.get("/c/talk/leaderboard.json").json()
    row, old = after["rows"][0], before["rows"][0]
    assert row["total"] == old["total"]
    assert row["metrics"].items() >= old["metrics"].items()
    assert set(row["metrics"]) - set(old["metrics"]) == {"chrf", "length"}
    page = alice.get("/c/talk/leaderboard?sort=chrf&columns=all").text
    assert "chrF" in page
    assert re.search(r"길이 \(정답 \d+\)", page)
    assert alice.get("/c/talk/leaderboard.csv").text.splitlines()[7].count("chrf,length") == 1
    assert alice.get("/c/talk/submissions").status_code == 200
    assert "max F2[char 1–6](p, g)" in alice.get("/c/talk/").text
