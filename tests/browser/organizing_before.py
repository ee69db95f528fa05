"""The organizer's way before the first file comes in, a function for each section of the guide."""

import csv
import re
from datetime import timedelta
from pathlib import Path

from playwright.sync_api import expect

from leaderboard import demo
from tests.browser.organizer import (
    CONTEST,
    SLUG,
    Walk,
    clock,
    confirm,
    csv_file,
    part,
    press,
    said,
    type_date,
)
from tests.browser.play import SECRET, let_create

TEXTS = Path(demo.__file__).parent
STUDENTS = b"username,name,email,team\n20260001,Haneul,,1st\n20260002,Bada,,1st\n20260003,San,,\n"


def get_an_account(walk: Walk) -> None:
    walk.stack.env["DJANGO_SUPERUSER_PASSWORD"] = SECRET
    walk.stack.manage("createsuperuser", "--no-input", "--username=root", "--email=")
    walk.newcomer("olivia")
    let_create(walk.window("root"), "olivia")


def make_the_contest(walk: Walk) -> None:
    page = walk.olivia
    page.goto("/")
    page.get_by_role("link", name="대회 만들기").click()
    page.get_by_label("제목", exact=True).fill("겨울 요약 수업")
    page.get_by_label("주소").fill(SLUG)
    # Opening now: what is missing keeps everybody from handing in, whatever the date says.
    for label, days in (("시작", 0), ("마감", 30), ("결과 공개", 31)):
        type_date(page, label, clock() + timedelta(days=days))
    press(page, "대회 만들기")
    page.wait_for_url(f"**{CONTEST}/desk/")
    said(page, "열기까지 남은 일")
    said(page, "아직 제출을 받지 않습니다.")


def write_pages_and_limits(walk: Walk) -> None:
    page = walk.desk("대회", "대회 설정")
    page.get_by_label("소개 (Markdown)").fill("## 안녕하세요\n\n대화를 **요약**합니다.")
    page.get_by_label("룰 (Markdown)").fill("- 팀은 세 명까지입니다.")
    page.get_by_label("하루 제출").fill("4")
    press(page, "미리 보기")
    said(page, "이렇게 공지합니다")  # the contest is open, so a changed limit is announced
    expect(page.locator(".prose strong")).to_have_text("요약")
    press(page, "이대로 저장")
    said(page, "저장하고 모두에게 알렸습니다.")


def set_the_dates(walk: Walk) -> None:
    page = walk.desk("대회", "일정")
    for label, days in (("순위표 고정", 28), ("팀 합치기 마감", 20)):
        type_date(page, label, clock() + timedelta(days=days))
    press(page, "바뀌는 것 확인")
    said(page, "이렇게 공지합니다")
    press(page, "이대로 일정 바꾸기")
    said(page, "일정을 저장했습니다.")


def give_out_data_files(walk: Walk) -> None:
    page = walk.desk("대회", "데이터 파일")
    page.set_input_files("#id_file", csv_file("train.csv", (TEXTS / "dialogues.csv").read_bytes()))
    page.get_by_label("설명").first.fill("요약할 대화")
    press(page, "올리기")
    said(page, "train.csv 파일을 더했습니다.")
    page.get_by_text("train.csv").last.click()
    expect(page.get_by_role("button", name="파일 지우기")).to_be_visible()  # for owners


def upload_the_golds(walk: Walk) -> None:
    page = walk.desk("채점", "정답과 채점 기준")
    page.set_input_files("#files", csv_file("broken.csv", b"fname,summary1\ntest_0,\n"))
    press(page, "확인하고 초안 만들기")
    said(page, "이 정답은 쓸 수 없습니다")
    page.set_input_files("#files", csv_file("golds.csv", (TEXTS / "golds.csv").read_bytes()))
    press(page, "확인하고 초안 만들기")
    said(page, "모든 정답이 만점")
    press(page, "v1 적용")
    expect(page.locator(".badge.go").last).to_contain_text("사용 중")


def release_a_dev_set(walk: Walk) -> None:
    page = walk.desk("채점", "dev 묶음")
    page.set_input_files("#dev_files", csv_file("dev.csv", (TEXTS / "dev_golds.csv").read_bytes()))
    page.get_by_role("button", name="확인하고 두기").first.click()
    confirm(page, "정답까지 공개", "이대로 정답까지 공개")
    said(page, "dev 묶음을 공개했습니다.")
    dialogues = (TEXTS / "dev_dialogues.csv").read_bytes()
    page.set_input_files("#dialogue_file", csv_file("dialogues.csv", dialogues))
    page.get_by_role("button", name="확인하고 두기").last.click()
    confirm(page, "대화 공개", "이대로 대화 공개")
    said(page, "대화를 공개했습니다.")


def decide_how_people_join(walk: Walk) -> None:
    page = walk.desk("사람", "사람")
    terms = part(page, "약관")
    terms.get_by_label("약관 (Markdown)").fill("데이터는 이 대회에만 씁니다.")
    press(terms, "미리 보기")
    said(page, "이렇게 보입니다")
    press(page, "새 판으로 저장")
    said(page, "약관 제1판을 저장했습니다.")
    _by_approval(walk)
    _by_address(walk)
    _by_code(walk)
    _choose(walk, "누구나")


def _choose(walk: Walk, kind: str, *, code: str = "", emails: str = "") -> None:
    page = walk.desk("사람", "사람")
    page.locator("[name=registration]").select_option(label=kind)
    page.locator("[name=code]").fill(code)
    page.locator("[name=emails]").fill(emails)
    press(page, "참가 방법 저장")
    said(page, "참가 방법을 저장했습니다.")


def _by_approval(walk: Walk) -> None:
    _choose(walk, "주최자 승인")
    charlie = walk.newcomer("charlie")
    charlie.goto(f"{CONTEST}/")
    charlie.get_by_role("link", name="참가", exact=True).click()
    walk.join(charlie, "charlie 팀", "참가 신청")
    said(charlie, "주최자의 승인을 기다립니다.")
    page = walk.desk("사람", "사람")
    press(page.get_by_role("row").filter(has_text="charlie"), "승인", exact=False)
    said(page, "승인하고 알렸습니다: charlie")


def _by_address(walk: Walk) -> None:
    _choose(walk, "이메일 명단", emails="dana@example.org")
    dana = walk.newcomer("dana")
    dana.goto(f"{CONTEST}/join")
    dana.get_by_label("이메일").fill("dana@example.org")
    walk.join(dana, "dana 팀")
    dana.wait_for_url(f"**{CONTEST}/data")


def _by_code(walk: Walk) -> None:
    _choose(walk, "참가 코드", code="winter-2026")
    link = walk.olivia.locator("#registration a.id").inner_text()
    erin = walk.newcomer("erin")
    erin.goto(link)
    if (code := erin.get_by_label("참가 코드")).count():
        code.fill("winter-2026")
    walk.join(erin, "erin 팀")
    erin.wait_for_url(f"**{CONTEST}/data")


def share_the_work(walk: Walk) -> None:
    editor, assistant = walk.newcomer("ed"), walk.newcomer("tara")
    for name, role in (("ed", "편집자"), ("tara", "조교")):
        page = walk.desk("사람", "사람")
        organizers = part(page, "역할 주기 또는 바꾸기")
        organizers.get_by_label("사용자 이름").fill(name)
        organizers.get_by_label("역할").select_option(label=role)
        press(organizers, "누구인지 보기")
        said(page, "이 계정이 맞습니까?")
        press(page, "이 사람에게 역할 주기")
        said(page, f"{name} 님의 역할: {role}")
    editor.goto(f"{CONTEST}/desk/people")
    expect(editor.get_by_role("heading", name="역할 주기 또는 바꾸기")).to_have_count(0)
    assistant.goto(f"{CONTEST}/")
    assistant.get_by_role("link", name="주최자", exact=True).click()
    menu = assistant.get_by_role("navigation", name="주최자 메뉴").get_by_role("link")
    expect(menu).to_have_text(["대회", "참가자 화면으로", "공지", "게시판"])
    assert assistant.request.get(f"{CONTEST}/desk/golds").status == 404


def enrol_a_class(walk: Walk) -> None:
    page = walk.desk("사람", "수업 등록")
    page.set_input_files("#id_file", csv_file("class.csv", STUDENTS))
    press(page, "미리 보기")
    said(page, "새 계정 3개")
    press(page, "등록하기")
    said(page, "이 비밀번호는 다시 볼 수 없습니다.")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV로 받기").click()
    slips = list(csv.DictReader(download.value.path().read_text("utf-8-sig").splitlines()))
    assert [slip["username"] for slip in slips] == ["20260001", "20260002", "20260003"]
    student = walk.window("20260001")
    student.goto("/accounts/login/")
    student.fill("[name=login]", "20260001")
    student.fill("[name=password]", slips[0]["password"])
    student.click("main button[type=submit]")
    student.wait_for_url(re.compile("/accounts/password/change"))
    student.fill("[name=oldpassword]", slips[0]["password"])
    student.fill("[name=password1]", SECRET)
    student.fill("[name=password2]", SECRET)
    student.click("main button[type=submit]")
    student.goto(f"{CONTEST}/terms")
    student.get_by_label("약관을 읽었고 동의합니다").check()
    press(student, "동의하고 계속하기")


def announce_the_opening(walk: Walk) -> None:
    page = walk.desk("대회", "공지")
    page.locator("#id_text").fill("이제 파일을 낼 수 있습니다.")
    page.get_by_label("받는 사람").select_option(label="모두")
    page.get_by_label("위에 고정").check()
    confirm(page, "공지 미리 보기", "이대로 공지하기")
    said(page, "공지했습니다.")
    page.get_by_text("고치기", exact=True).first.click()
    said_here = page.locator("li details[open]")
    said_here.get_by_label("내용", exact=True).fill("이제 파일을 낼 수 있습니다. 하루 4개까지.")
    confirm(said_here, "고친 글 확인", "이대로 고치기")
    said(page, "공지를 고쳤습니다.")
    charlie = walk.window("charlie")
    charlie.goto("/inbox")
    said(charlie, "이제 파일을 낼 수 있습니다. 하루 4개까지.")
