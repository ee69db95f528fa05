"""Every CSV that we write begins with a BOM: without one, Korean Excel garbles its letters."""

import codecs
import io
import zipfile
from pathlib import PurePosixPath

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from pytest_django import Settings

from leaderboard.contest_file.export import package
from leaderboard.demo.contests import CONTESTS, as_csv
from tests.leaderboard import builders
from tests.leaderboard.web.addresses import address, form_of, known_values, url_list
from tests.leaderboard.web.crawl import content
from tests.leaderboard.web.pages import browser, running
from tests.leaderboard.web.parts import parts
from tests.leaderboard.web.stage import Stage, build, clients, stop_clock, undone

BOM = codecs.BOM_UTF8
FILE_VERBS = {"lab": {"verb": "csv"}}  # where another verb shows a page
AS_SENT = {"golds", "data", "submissions", "files"}  # the folders of what people sent

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:No directory at"),
]


@pytest.mark.crawl
def test_every_csv_of_the_url_table_opens_in_korean_excel(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    stage = build()
    stop_clock(monkeypatch, builders.NOON)
    for part in parts():
        part.fill_files(stage, settings)
    found = written(stage)
    named = {listed.name for listed in url_list() if listed.route.endswith(".csv")}
    assert named | {"repaired", "lab"} <= found.keys()
    assert [name for name, data in found.items() if not data.startswith(BOM)] == []


def written(stage: Stage) -> dict[str, bytes]:
    """What the project's addresses answer as CSV to an editor or a participant, by their names."""
    found = {}
    browsers, values = clients(), known_values(stage)
    for listed in url_list():
        if listed.name.startswith("admin:"):
            continue
        where = address(listed, values)
        for role in ("olivia", "alice"):
            with undone(browsers[role]):
                answers: list[HttpResponse] = [browsers[role].get(where)]
                if form := {**form_of(listed.name, stage), **FILE_VERBS.get(listed.name, {})}:
                    answers.append(browsers[role].post(where, form))
                for answer in answers:
                    if answer.headers.get("Content-Type", "").startswith("text/csv"):
                        found[listed.name] = content(answer)
    return found


@pytest.mark.parametrize("full", [False, True])
def test_every_csv_that_an_export_writes_opens_in_korean_excel(full: bool) -> None:
    stage = build()
    files = package(stage.contest, full=full).files
    ours = [path for path in files if PurePosixPath(path).parts[0] not in AS_SENT]
    assert ours, "the dialogues"
    assert [path for path in ours if not files[path]().startswith(BOM)] == []


def test_every_csv_of_the_zip_of_everything_opens_in_korean_excel() -> None:
    build()
    answer = browser("olivia").get("/c/talk/desk/export.zip")
    with zipfile.ZipFile(io.BytesIO(content(answer))) as archive:
        names = [n for n in archive.namelist() if n.endswith(".csv") and "/" not in n]
        assert len(names) > 8
        assert [name for name in names if not archive.read(name).startswith(BOM)] == []


def test_the_demo_hands_out_files_that_open_in_korean_excel() -> None:
    files = [file for contest in CONTESTS for file in contest.files]
    assert files
    assert all(file.read().startswith(BOM) for file in files)
    assert as_csv({"talk_1": "둘은 만난다."}).startswith(BOM)


@pytest.mark.parametrize(
    ("name", "data", "warned"),
    [
        ("a.csv", "fname,dialogue\nt,가\n".encode(), True),
        ("A.CSV", ("x" * 2_000_000 + "가").encode(), True),
        ("a.csv", "fname,dialogue\nt,가\n".encode("utf-8-sig"), False),
        ("a.csv", "fname,dialogue\nt,가\n".encode("cp949"), False),
        ("a.csv", "fname,dialogue\nt,가\n".encode("utf-16"), False),
        ("a.csv", b"fname,dialogue\nt,x\n", False),
        ("a.jsonl", '{"가": 1}'.encode(), False),
    ],
    ids=["utf-8", "late letter", "bom", "cp949", "utf-16", "ascii", "no csv"],
)
def test_an_organizer_whose_data_file_has_no_bom_is_warned(
    name: str, data: bytes, warned: bool
) -> None:
    running()
    sent = {"verb": "add", "file": SimpleUploadedFile(name, data)}
    page = browser("olivia").post("/c/talk/desk/data", sent, follow=True).text
    assert "파일을 더했습니다" in page
    assert ("BOM이 없어" in page) is warned
