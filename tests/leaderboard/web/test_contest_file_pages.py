"""A contest leaves and comes through pages: the owner's desk, and the page to import one."""

import io
import re
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponseBase
from django.test import Client

from leaderboard.audit.models import AuditEvent
from leaderboard.boards.models import Standing
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.references.models import ScoringVersion
from leaderboard.teams.models import Team
from leaderboard.web.desk import contest_file
from tests.leaderboard import builders
from tests.leaderboard.contest_file import full_contest

pytestmark = pytest.mark.django_db
DESK = "/c/talk/desk/file"
IMPORT = "/contests/import"


def signed_in(name: str, **rights: bool) -> Client:
    person = builders.user(name)
    for right, value in rights.items():
        setattr(person, right, value)
    person.save()
    browser = Client(headers={"accept-language": "en"})
    browser.force_login(person)
    return browser


def contest() -> Competition:
    made = builders.open_competition()
    builders.hand_in(builders.team(made, "alice"))
    builders.score_all()
    editor = builders.user("eddie")
    Organizer.objects.create(competition=made, user=editor, role=Organizer.Role.EDITOR)
    return made


def body(response: HttpResponseBase) -> bytes:
    return b"".join(response.streaming_content)  # type: ignore[attr-defined]


def download(verb: str) -> bytes:
    return body(signed_in("olivia").post(DESK, {"verb": verb}))


def upload(data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("talk.zip", data, content_type="application/zip")


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found is not None
    return found[1]


def test_it_works() -> None:
    made = contest()
    owner = signed_in("olivia")
    assert "모두 내려받기" in owner.get(DESK, headers={"accept-language": "ko"}).content.decode()
    response = owner.post(DESK, {"verb": "full"})
    assert response["Content-Disposition"] == 'attachment; filename="talk-contest-full.zip"'
    with zipfile.ZipFile(io.BytesIO(body(response))) as archive:
        assert b"full: true" in archive.read("contest.yaml")
    event = AuditEvent.objects.get(kind="competition.exported")
    assert (event.actor_id, event.competition) == (builders.user("olivia").pk, made.pk)
    assert event.after == {"full": True}


def test_an_owner_who_may_make_contests_clones_this_one() -> None:
    contest()
    owner = signed_in("olivia", may_create_contests=True)
    sent = {"verb": "clone", "title": "봄 대회", "slug": "next"}
    for wrong in ({"slug": "talk"}, {"title": ""}):
        assert owner.post(DESK, sent | wrong).status_code == 422
    response = owner.post(DESK, sent, follow=True)
    assert response.redirect_chain == [("/c/next/desk/", 302)]
    clone = Competition.objects.get(slug="next")
    assert clone.title == "봄 대회"
    assert ScoringVersion.objects.get(competition=clone).state == "draft"
    assert list(clone.organizers.values_list("user__username", flat=True)) == ["olivia"]
    assert AuditEvent.objects.get(kind="competition.cloned").after == {"slug": "next"}
    builders.user("olivia").__class__.objects.update(may_create_contests=False)
    assert owner.post(DESK, sent | {"slug": "third"}).status_code == 403


def test_the_administrator_looks_first_and_imports_then() -> None:
    contest()
    data = download("full")
    row = Standing.objects.get(board="private")
    full_contest.forget()
    sue = signed_in("sue", is_superuser=True)
    looked = sue.post(IMPORT, {"verb": "check", "file": upload(data)})
    page = looked.content.decode()
    assert looked.status_code == 200
    assert "alice, eddie, olivia" in page
    assert not Competition.objects.exists()
    again = {name: hidden(page, name) for name in ("seen", "carried", "slug")}
    response = sue.post(IMPORT, {"verb": "import", **again})
    assert response.headers["Location"] == "/c/talk/"  # the file names its owner: not Sue
    builders.score_all()
    assert Standing.objects.get(board="private").printed == row.printed
    assert Team.objects.get().name == "alice"
    event = AuditEvent.objects.get(kind="competition.imported")
    assert event.actor_id == builders.user("sue").pk


def test_a_large_file_is_chosen_again_and_must_be_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    contest()
    plain, full = download("plain"), download("full")
    full_contest.forget()
    monkeypatch.setattr(contest_file, "CARRIED_BYTES", 10)
    sue = signed_in("sue", is_superuser=True)
    page = sue.post(IMPORT, {"verb": "check", "file": upload(plain)}).content.decode()
    assert 'name="carried"' not in page
    seen = hidden(page, "seen")
    other = sue.post(IMPORT, {"verb": "import", "seen": seen, "file": upload(full)})
    assert other.status_code == 409
    assert "another file" in other.content.decode() or "다른 파일" in other.content.decode()
    assert sue.post(IMPORT, {"verb": "import", "file": upload(plain)}).status_code == 409
    assert not Competition.objects.exists()
    done = sue.post(IMPORT, {"verb": "import", "seen": seen, "file": upload(plain)})
    assert done.headers["Location"] == "/c/talk/desk/"


def test_the_right_to_import_is_asked_before_the_file_is_judged() -> None:
    """Who may not take people in mends no file first, and learns nothing of who is here."""
    contest()
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(download("full"))) as archive:
        document = archive.read("contest.yaml")
    with zipfile.ZipFile(out, "w") as archive:  # without any of its files
        archive.writestr("contest.yaml", document)
    nina = signed_in("nina", may_create_contests=True)
    assert "Only the administrator can import a file with people" in nina.get(IMPORT).text
    refused = nina.post(IMPORT, {"verb": "check", "file": upload(out.getvalue())})
    assert refused.status_code == 403
    assert "can be imported by the administrator only" in refused.text
    assert "already here" not in refused.text
    sue = signed_in("sue", is_superuser=True)
    assert "Only the administrator" not in sue.get(IMPORT).text
    assert "already here" in sue.post(IMPORT, {"file": upload(out.getvalue())}).text


def test_hostile_texts_of_a_file_are_shown_literally() -> None:
    contest()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("contest.yaml", 'format: 1\nfull: false\n"<script>alert(1)</script>": 1\n')
    page = signed_in("sue", is_superuser=True).post(
        IMPORT, {"verb": "check", "file": upload(out.getvalue())}
    )
    assert b"<script>alert" not in page.content
    assert b"&lt;script&gt;" in page.content
