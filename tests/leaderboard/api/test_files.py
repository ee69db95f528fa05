"""The files for participants, as the data page has them."""

import hashlib

import pytest

from tests.leaderboard import builders
from tests.leaderboard.api.calling import contest_url, json_of, program
from tests.leaderboard.web.pages import browser, running
from tests.leaderboard.web.stage import DEV_GOLDS

pytestmark = pytest.mark.django_db
PAGES = {
    "dev_golds.csv": "/c/talk/lab/dev_golds.csv",
    "dev_dialogues.csv": "/c/talk/lab/dev_dialogues.csv",
    "sample_submission.csv": "/c/talk/data/sample_submission.csv",
}


def test_each_file_of_the_page_is_listed_and_downloaded_by_its_name() -> None:
    contest = running()
    builders.team(contest, "alice")
    own = builders.data_file(contest)
    builders.dev_set(contest, DEV_GOLDS)
    alice, web = program("alice"), browser("alice")
    listed = json_of(alice.get(contest_url("/files")))
    assert [one["name"] for one in listed] == [own.name, *PAGES]
    assert all(one["description"] != one["description_en"] for one in listed[1:])
    for one in listed:
        by_name, by_id = alice.get(contest_url(f"/files/{one['name']}")), alice.get(one["url"])
        data = b"".join(by_name)
        assert data == b"".join(by_id)
        assert (len(data), hashlib.sha256(data).hexdigest()) == (one["size"], one["sha256"])
        if one["name"] in PAGES:
            assert data == web.get(PAGES[one["name"]]).content
    # An organizer's file goes before a made one of its name.
    own.name = "sample_submission.csv"
    own.save()
    listed = json_of(alice.get(contest_url("/files")))
    assert [one["id"] for one in listed if one["name"] == own.name] == [str(own.pk)]
    sent = alice.get(contest_url(f"/files/{own.name}"))
    assert b"".join(sent) == own.file.open("rb").read()
    assert alice.get(contest_url("/files/none.csv")).status_code == 404
