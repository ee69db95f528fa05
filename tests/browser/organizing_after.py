"""The organizer's way from the freeze to the next contest, a function for each section."""

import io
import subprocess
import sys
import zipfile
from datetime import timedelta

from playwright.sync_api import expect

from tests.browser.organizer import (
    CONTEST,
    SLUG,
    Walk,
    confirm,
    minute,
    part,
    press,
    said,
    type_date,
)
from tests.browser.organizing_before import TEXTS
from tests.browser.test_whole_contest import expected, prediction_file
from tests.servers import ROOT


def freeze_the_board(walk: Walk) -> None:
    walk.wait_until(walk.moments["freeze"], "the freeze")
    before = walk.board("dana")
    total = walk.hand_in("charlie", "better.csv", prediction_file("better"))
    said(walk.window("dana"), "순위표 고정")
    assert walk.board("dana") == before
    assert walk.board("charlie")["charlie 팀"].split()[1] == total
    assert walk.board("olivia")["charlie 팀"].split()[1] == total


def hold_the_reveal(walk: Walk) -> None:
    page = walk.desk("대회", "일정")
    confirm(page, "공개 미루기", "이대로 공개 미루기")
    said(page, "결과 공개를 미루고 모두에게 알렸습니다.")
    # The end comes in a minute, so that the test can see it.
    walk.moments["close"] = close = minute(timedelta(seconds=10))
    for label in ("팀 합치기 마감", "마감", "결과 공개"):
        type_date(page, label, close)
    confirm(page, "바뀌는 것 확인", "이대로 일정 바꾸기")
    said(page, "일정을 저장했습니다.")


def look_for_copies(walk: Walk) -> None:
    page = walk.desk("채점", "겹침")
    pair = page.get_by_role("row").filter(has_text="charlie 팀").filter(has_text="첫째 팀")
    expect(pair).to_contain_text("모든 답이 같음")


def take_everything_out(walk: Walk) -> None:
    page = walk.desk("기록", "내보내기")
    with page.expect_download() as download:
        page.get_by_role("link", name="ZIP으로 받기").click()
    with zipfile.ZipFile(download.value.path()) as packed:
        names = packed.namelist()
        assert any("board-private" in name for name in names)
        gold = "카포를 써서 쉬운 코드로 연주하는 방법을 알려 준다".encode()
        assert not [name for name in names if gold in packed.read(name)]
    page = walk.desk("기록", "대회 파일")
    for button in ("모두 받기", "대회만 받기"):
        with page.expect_download() as download:
            press(page, button)
        file = download.value.path().read_bytes()
        with zipfile.ZipFile(io.BytesIO(file)) as packed:
            assert any(name.endswith("contest.yaml") for name in packed.namelist())
    walk.files["contest.zip"] = file


def close_and_verify(walk: Walk) -> None:
    walk.wait_until(walk.moments["close"], "the close")
    charlie = walk.window("charlie")
    charlie.goto(f"{CONTEST}/submit")
    said(charlie, "제출이 마감됐습니다.")
    charlie.goto(f"{CONTEST}/leaderboard?board=private")
    said(charlie, "이 순위표는 아직 공개되지 않았습니다")
    standing = walk.board("olivia", "private")
    walk.noted["winner"] = f"1위 {expected('better', 'private')['total']:.4f}"
    assert standing["charlie 팀"] == walk.noted["winner"]
    page = walk.desk("채점", "제출")
    page.get_by_role("row").get_by_role("link", name="better.csv").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="better.csv").click()
    sent = walk.stack.folder / "better.csv"
    sent.write_bytes(download.value.path().read_bytes())
    command = [sys.executable, "-m", "scoring", "verify", str(TEXTS / "golds.csv"), str(sent)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def reveal(walk: Walk) -> None:
    page = walk.desk("대회", "일정")
    confirm(page, "더 미루지 않기", "이대로 더 미루지 않기")
    said(page, "결과 공개를 더 미루지 않습니다.")
    for name in ("visitor", "charlie"):
        assert walk.board(name, "private")["charlie 팀"] == walk.noted["winner"]
    visitor = walk.window("visitor")
    visitor.get_by_role("main").get_by_role("link", name="순위 변화").click()
    shaken = visitor.get_by_role("row").filter(has_text="charlie 팀")
    expect(shaken.first).to_contain_text(walk.noted["winner"].split()[1])


def read_the_log(walk: Walk) -> None:
    page = walk.desk("기록", "기록")
    for words in ("팀을 실격함", "채점 기준을 적용함", "서버를 고친 시간만큼 늘립니다."):
        expect(page.get_by_role("row").filter(has_text=words).first).to_be_visible()


def begin_the_next(walk: Walk) -> None:
    page = walk.desk("기록", "대회 파일")
    page.get_by_label("새 주소").fill("summer-class")
    press(page, "복제하기")
    page.wait_for_url("**/c/summer-class/desk/")
    expect(part(page, "열기까지 남은 일")).to_be_visible()  # its golds are a draft
    page.goto("/")
    page.get_by_role("link", name="대회 가져오기").click()
    files = {"name": "contest.zip", "mimeType": "application/zip"}
    page.get_by_label("대회 파일 (ZIP)").set_input_files(
        files=[{**files, "buffer": walk.files["contest.zip"]}]  # type: ignore[list-item]
    )
    page.get_by_label("다른 주소로").fill(f"{SLUG}-again")
    press(page, "먼저 확인하기")
    press(page, "이대로 가져오기")
    page.wait_for_url(f"**{CONTEST}-again/desk/")
    said(page, "대회를 가져왔습니다.")


def archive_and_delete(walk: Walk) -> None:
    page = walk.desk("기록", "보관·삭제")
    press(page, "이 대회 보관하기")
    said(page, "대회를 보관했습니다.")
    page.goto("/")
    page.get_by_role("link", name="보관한 대회").click()
    expect(page.locator(f"a[href='{CONTEST}/']").first).to_be_visible()
    page = walk.desk("기록", "보관·삭제")
    press(page, "보관에서 되돌리기")
    said(page, "보관한 대회를 되돌렸습니다.")
    page.get_by_label("대회 주소").fill(SLUG)
    press(page, "이 대회를 아주 삭제하기")
    said(page, "대회를 삭제했습니다.")
    for name in ("olivia", "charlie"):
        answer = walk.window(name).goto(f"{CONTEST}/")
        assert answer is not None
        assert answer.status == 404
