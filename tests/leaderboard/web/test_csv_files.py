"""Every CSV that we write begins with a BOM: without one, Korean Excel garbles its letters."""

import codecs
from pathlib import PurePosixPath

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.contest_file.export import package
from tests.leaderboard.web.pages import browser, running
from tests.leaderboard.web.stage import build

BOM = codecs.BOM_UTF8
AS_SENT = {"golds", "data", "submissions", "files"}  # the folders of what people sent

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:No directory at"),
]


def test_every_csv_that_an_export_writes_opens_in_korean_excel() -> None:
    stage = build()
    files = package(stage.contest, full=True).files
    ours = [path for path in files if PurePosixPath(path).parts[0] not in AS_SENT]
    assert ours, "the dialogues"
    assert [path for path in ours if not files[path]().startswith(BOM)] == []


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
    assert "파일을 추가했습니다" in page
    assert ("BOM이 없어" in page) is warned
