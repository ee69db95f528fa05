"""The organizer's way while files come in, a function for each section of the guide."""

import re
import signal
import sqlite3
from datetime import timedelta
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.browser.axe import sideways, violations
from tests.browser.every_page import OF_A_REHEARSAL, name_of
from tests.browser.organizer import (
    CONTEST,
    Walk,
    clock,
    confirm,
    csv_file,
    minute,
    press,
    said,
    type_date,
)
from tests.browser.organizing_before import TEXTS
from tests.browser.play import DONE
from tests.browser.test_whole_contest import prediction_file


def look_at_the_overview(walk: Walk) -> None:
    for name, system in (("charlie", "literal"), ("dana", "good"), ("erin", "short")):
        walk.noted[name] = walk.hand_in(name, f"{system}.csv", prediction_file(system))
    # The same answers as Charlie's, with other blanks and stops.
    copied = prediction_file("literal").replace(b". ", b" ")
    walk.hand_in("20260001", "ours.csv", copied)
    page = walk.desk("한눈에")
    taken = page.locator(".bigs > div").filter(has_text="제출").first
    expect(taken.locator("dd").first).to_have_text("4")
    assert walk.board("olivia")["dana 팀"].split()[1] == walk.noted["dana"]


def pause_and_move_dates(walk: Walk) -> None:
    page = walk.desk("대회", "일정")
    page.locator("#pause_reason").fill("채점 서버를 고칩니다.")
    confirm(page, "제출 멈추기", "이대로 제출 멈추기")
    said(page, "제출을 멈추고 모두에게 알렸습니다.")
    charlie = walk.window("charlie")
    charlie.goto(f"{CONTEST}/submit")
    said(charlie, "채점 서버를 고칩니다.")
    expect(charlie.get_by_role("button", name="제출하고 1회 사용")).to_have_count(0)
    confirm(page, "다시 받기", "이대로 다시 받기")
    said(page, "제출을 다시 받고 모두에게 알렸습니다.")
    # A day longer; the freeze so near that it passes while the organizer does the next things.
    freeze = minute(timedelta(seconds=10))
    later = clock() + timedelta(days=40)
    for label, moment in (("마감", later), ("결과 공개", later), ("순위표 고정", freeze)):
        type_date(page, label, moment)
    page.get_by_label("까닭").first.fill("서버를 고친 시간만큼 늘립니다.")
    confirm(page, "바뀌는 것 확인", "이대로 일정 바꾸기")
    said(page, "일정을 저장했습니다.")
    walk.moments["freeze"] = freeze
    charlie.goto("/inbox")
    said(charlie, "서버를 고친 시간만큼 늘립니다.")


def help_a_team(walk: Walk) -> None:
    page = _team(walk, "erin 팀")
    page.locator("#grant_amount").fill("2")
    page.locator("#grant_reason").fill("파일이 깨졌습니다.")
    press(page, "더 주기")
    said(page, "제출 횟수를 더 주고 팀에 알렸습니다.")
    page.locator("#warn_reason").fill("팀 이름을 바꿔 주세요.")
    press(page, "경고 보내기")
    said(page, "팀원 모두에게 경고했습니다.")
    erin = walk.window("erin")
    erin.goto(f"{CONTEST}/ledger")
    said(erin, "파일이 깨졌습니다.")
    page = walk.desk("사람", "팀")
    page.get_by_label("사용자 이름").fill("20260003")
    page.locator("#id_team").select_option(label="1st")
    press(page, "팀에 넣기")
    said(page, "팀을 옮겼습니다.")
    page = _team(walk, "1st")
    page.locator("#rename_name").fill("첫째 팀")
    page.locator("#rename_reason").fill("한글 이름을 씁니다.")
    press(page, "이름 바꾸기")
    said(page, "이름을 바꾸고 팀에 알렸습니다.")
    page = walk.desk("사람", "팀 짜기")
    page.get_by_label("누가 어느 팀에").fill("San\t둘째 팀\nnobody\t둘째 팀\n")
    press(page, "미리 보기")
    said(page, "그렇게 불리는 사람도 없습니다: nobody")
    page.get_by_label("누가 어느 팀에").fill("San\t둘째 팀\n")
    press(page, "미리 보기")
    press(page, "이대로 팀에 넣기")
    said(page, "1명의 팀을 바꾸고 알렸습니다.")
    newest = page.get_by_role("row").filter(has_text="되돌릴 수 있는지 보기").first
    press(newest, "되돌릴 수 있는지 보기")
    said(page, "되돌아가는 사람 1명")
    press(page, "이대로 되돌리기")
    said(page, "1명을 되돌리고 알렸습니다.")
    page = walk.desk("사람", "참가자")
    expect(page.get_by_role("row").filter(has_text="San")).to_contain_text("첫째 팀")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV로 받기").click()
    assert "20260003,San,첫째 팀,no,3" in download.value.path().read_text("utf-8-sig")


def _team(walk: Walk, name: str) -> Page:
    page = walk.desk("사람", "팀")
    page.get_by_role("row").get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", name="횟수 장부")).to_be_visible()
    return page


def take_something_off_the_board(walk: Walk) -> None:
    page = walk.desk("채점", "제출")
    page.get_by_role("row").get_by_role("link", name="short.csv").click()
    page.get_by_label("까닭", exact=True).fill("규칙에 어긋난 자료를 썼습니다.")
    press(page, "순위표에서 빼기")
    said(page, "순위표에서 빼고 팀에 알렸습니다.")
    erin = walk.window("erin")
    erin.goto(f"{CONTEST}/submissions")
    said(erin, "규칙에 어긋난 자료를 썼습니다.")
    press(page, "되돌리기")
    said(page, "순위표에 되돌리고 팀에 알렸습니다.")
    page = _team(walk, "첫째 팀")
    page.locator("#disqualify_reason").fill("남의 파일을 냈습니다.")
    press(page, "실격 처리하기")
    said(page, "실격 처리하고 팀에 알렸습니다.")
    standing = walk.board("olivia")
    assert "첫째 팀" not in standing
    assert "erin 팀" in standing
    page = _team(walk, "첫째 팀")
    press(page, "실격 풀기")
    said(page, "실격을 풀고 팀에 알렸습니다.")


def show_a_baseline(walk: Walk) -> None:
    page = walk.desk("채점", "기준선")
    page.get_by_label("이름", exact=True).fill("첫 문장")
    page.set_input_files("#baseline_file", csv_file("lead.csv", prediction_file("lead")))
    press(page, "더하기")
    said(page, "기준선을 더했습니다.")
    walk.soon(lambda: walk.board("olivia").get("첫 문장", "").startswith("기준선"), "the baseline")


def score_again_what_failed(walk: Walk) -> None:
    # A real failure: the stored predictions are damaged on disk before a worker reads them.
    walk.stack.kill("worker", signal.SIGSTOP, tree=True)
    page = walk.send("erin", "damaged.csv", prediction_file("lead"))
    submission = page.url.rstrip("/").rpartition("/")[2].replace("-", "")
    whole = _replace_texts(walk, submission, b"damaged")
    walk.stack.kill("worker", signal.SIGCONT, tree=True)
    expect(page.get_by_text("1회를 돌려 드렸습니다.").first).to_be_visible(timeout=DONE)
    _replace_texts(walk, submission, whole)
    page = walk.desk("채점", "제출")
    page.get_by_label("상태").select_option(label="채점 실패")
    page.get_by_role("search").get_by_role("button", name="찾기").click()
    expect(page.get_by_role("row").get_by_role("link", name="damaged.csv")).to_be_visible()
    press(page, "모두 다시 채점")
    said(page, "다시 채점합니다: 1개")

    def scored() -> bool:
        page.reload()
        row = page.get_by_role("row").filter(has_text="damaged.csv")
        return "채점 완료" in row.inner_text()

    walk.soon(scored, "the file to be scored again")


def _replace_texts(walk: Walk, submission: str, blob: bytes) -> bytes:
    """Exchange the predictions of a submission in the database; answers what was there."""
    table = "submissions_submissiontext"
    with sqlite3.connect(f"{walk.stack.folder}/db.sqlite3", timeout=10) as database:
        where = f"FROM {table} WHERE submission_id = ?"
        before: bytes = database.execute(f"SELECT blob {where}", [submission]).fetchone()[0]
        database.execute(f"UPDATE {table} SET blob = ? WHERE submission_id = ?", [blob, submission])
    database.close()
    return before


def correct_the_golds(walk: Walk) -> None:
    before = walk.board("olivia")
    page = walk.desk("채점", "정답과 채점 기준")
    golds = (TEXTS / "golds.csv").read_text("utf-8")
    wrong = "재원이 어려운 기타 코드 때문에 축가를 걱정하자"
    corrected = golds.replace(wrong, "재원은 석 달인데 코드가 안 잡힌다고 했다.").encode()
    assert corrected != golds.encode()
    page.set_input_files("#files", csv_file("golds-2.csv", corrected))
    press(page, "확인하고 초안 만들기")
    said(page, "정답이 바뀐 행 1개")
    _rehearse(walk, "초안 2")
    assert walk.board("olivia") == before  # nothing has changed yet
    _open(walk, "초안 2")
    expect(page.get_by_role("row").filter(has_text="charlie 팀")).to_contain_text("test_0")
    _look_closely(page)
    page.get_by_label("까닭").fill("test_0의 정답을 바로잡았습니다.")
    press(page, "v2 적용")
    said(page, "새 기준을 적용하고 공지했습니다.")
    after = walk.board("olivia")
    assert after["charlie 팀"] != before["charlie 팀"]
    _rehearse(walk, "v1")  # going back takes the same road
    press(page, "v1 적용")
    said(page, "새 기준을 적용하고 공지했습니다.")
    assert walk.board("olivia") == before


def _look_closely(page: Page) -> None:
    """The pages of a rehearsal, to which the walk over every page does not come."""
    start = urlsplit(page.url).path
    found, waiting = {name_of(start): start}, [start]
    while waiting:
        page.goto(waiting.pop())
        for link in page.eval_on_selector_all("main a[href]", "all => all.map(a => a.pathname)"):
            if (name := name_of(link)) in OF_A_REHEARSAL and name not in found:
                found[name] = link
                waiting.append(link)
    assert found.keys() == OF_A_REHEARSAL
    wide = page.viewport_size
    assert wide is not None
    looks = (wide["width"], "light"), (360, "dark")
    for width, theme in looks:
        page.set_viewport_size({"width": width, "height": wide["height"]})
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        for path in found.values():
            page.goto(path)
            assert sideways(page) <= 0, path
            assert violations(page) == []
    page.set_viewport_size(wide)
    page.emulate_media(color_scheme="light")
    page.goto(start)


def _open(walk: Walk, version: str) -> None:
    page = walk.desk("채점", "정답과 채점 기준")
    row = page.get_by_role("row").filter(has=page.get_by_text(version, exact=True))
    row.get_by_role("link", name="예행", exact=True).click()


def _rehearse(walk: Walk, version: str) -> None:
    """Start the rehearsal of a version and wait for the last of its evaluations."""
    _open(walk, version)
    page = walk.olivia
    press(page, "예행 시작")
    said(page, "예행 채점을 시작했습니다.")

    def scored() -> bool:
        page.reload()
        left = page.locator(".bigs > div").filter(has_text="남은 예행 채점")
        return re.sub(r"\D", "", left.locator("dd").first.inner_text()) == "0"

    walk.soon(scored, "the rehearsal")
