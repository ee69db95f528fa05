"""A file that somebody made by hand, or to do harm: every problem is told, nothing is written."""

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.utils import translation

from leaderboard.accounts.accounts import close
from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.contest_file.check import plan
from leaderboard.contest_file.export import package
from leaderboard.contest_file.import_competition import import_competition
from leaderboard.contest_file.packing import (
    COMMAND_LINE,
    WEB,
    Archive,
    Bounds,
    Wrong,
    dump,
    load,
    write_zip,
)
from leaderboard.contest_file.reading import ImportPlan
from leaderboard.refusals import Refused
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.contest_file import full_contest

pytestmark = pytest.mark.django_db
Document = dict[str, Any]


Files = dict[str, bytes]


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.fixture
def files() -> Files:
    """A small full export of a contest that is here no more."""
    contest = builders.open_competition()
    builders.hand_in(builders.team(contest, "alice", "bob"))
    builders.hand_in(builders.team(contest, "erin"), at=NOON)
    out = io.BytesIO()
    write_zip(package(contest, full=True), out)
    full_contest.forget()
    with zipfile.ZipFile(out) as made:
        return {name: made.read(name) for name in made.namelist()}


def archive(
    files: Files, method: int = zipfile.ZIP_STORED, bounds: Bounds = COMMAND_LINE
) -> Archive:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return Archive(out, bounds)


def changed(files: Files, change: Callable[[Document], object]) -> ImportPlan:
    """The plan of the files after a change to the document."""
    document = yaml.safe_load(files["contest.yaml"])
    change(document)
    return plan(archive({**files, "contest.yaml": dump(document)}))


def said(found: ImportPlan) -> list[str]:
    """Places without the file and line, with what is wrong in English."""
    assert found.contest is None
    return [f"{one.place.split(' ')[-1]}: {one.text}" for one in found.problems]


Key = str | int


def sets(*path: Key, to: object) -> Callable[[Document], object]:
    """A change of the value at this place."""

    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = to

    return change


def again(table: str, **values: object) -> Callable[[Document], object]:
    """Another row like the first of this table."""
    return lambda document: document[table].append(document[table][0] | values)


NEW = "00000000-0000-4000-8000-000000000001"


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (sets("format", to=2), "format"),
        (sets("full", to="yes"), "full"),
        (sets("scores", to=[]), "scores"),
        (sets("teams", to={}), "teams"),
        (sets("teams", 0, "points", to=1), "teams[0].points"),
        (sets("competition", to=None), "competition"),
        (lambda d: d["competition"].pop("title"), "competition"),
        (sets("competition", "opens_at", to="2026-12-24 10:00"), "competition.opens_at"),
        (sets("competition", "opens_at", to="2026-12-24T10:00"), "competition.opens_at"),
        (sets("competition", "zone", to="Mars/Olympus"), "competition.zone"),
        (sets("competition", "slug", to="no blanks"), "competition.slug"),
        (sets("competition", "daily_limit", to=True), "competition.daily_limit"),
        (sets("competition", "title", to=None), "competition.title"),
        (sets("competition", "reveals_at", to="2026-01-01T00:00:00Z"), "competition"),
        (sets("teams", 0, "captain", to="two words"), "teams[0].captain"),
        (sets("teams", 0, "name", to="a\0b"), "teams[0].name"),
        (sets("teams", 0, "name", to=" "), "teams[0].name"),
        (sets("teams", 0, "kind", to="king"), "teams[0].kind"),
        (
            lambda d: sets("teams", 0, "merged_into", to=d["teams"][0]["id"])(d),
            "teams[0].merged_into",
        ),
        (lambda d: d["teams"].pop(), "members[2].team"),
        (sets("ledger", 0, "day", to="today"), "ledger[0].day"),
        (
            sets("scoring_versions", 0, "profile_settings", "tokenizer", to="evil"),
            "scoring_versions[0].profile_settings",
        ),
        (sets("scoring_versions", 0, "number", to=None), "scoring_versions[0]"),
        (sets("reference_sets", 0, "practice", to=True), "scoring_versions[0].reference_set"),
        (sets("reference_sets", 0, "files", to=[]), "reference_sets[0].files"),
        (sets("submissions", 0, "file", "path", to="../../etc/passwd"), "submissions[0].file"),
        (sets("submissions", 0, "file", "path", to="submissions/none.csv"), "submissions[0].file"),
        (sets("submissions", 0, "file", "sha256", to="0" * 64), "submissions[0].file"),
        (
            lambda d: sets("submissions", 0, "file", to=d["reference_sets"][0]["files"][0])(d),
            "submissions[0].file",
        ),
        (sets("submissions", 0, "id", to="first"), "submissions[0].id"),
    ],
)
def test_each_problem_is_told_with_its_place(
    files: Files, change: Callable[[Document], object], place: str
) -> None:
    found = changed(files, change)
    assert found.contest is None
    assert any(one.place.endswith(place) for one in found.problems), said(found)
    assert not Competition.objects.exists()


def merge_with_itself(document: Document) -> None:
    team, at = document["teams"][0]["id"], document["competition"]["opens_at"]
    empty = dict.fromkeys(("answered_by", "answered_at", "undone_by", "undone_at"))
    row = {"id": NEW, "survivor": team, "absorbed": team, "state": "asked", "reason": ""}
    document["merges"].append(row | empty | {"asked_by": "alice", "asked_at": at})


@pytest.mark.parametrize(
    "change",
    [
        merge_with_itself,
        again("teams"),
        lambda document: again("members", team=document["teams"][1]["id"])(document),
        again("scoring_versions", number=2, draft_number=2, id=NEW),
    ],
)
def test_what_only_the_database_refuses_is_refused_whole(
    files: Files, change: Callable[[Document], object]
) -> None:
    found = changed(files, change).contest
    assert found is not None
    with pytest.raises(Refused, match="not_written"):
        import_competition(contest=found, owner=builders.user("root"), asked_by=None, at=NOON)
    assert not Competition.objects.exists()


def test_ten_problems_are_listed_and_all_counted(files: Files) -> None:
    found = changed(files, lambda d: d.update(terms=[{}] * 35_000))
    assert len(found.problems) == 10
    assert (found.total_problems, found.unlisted_problems) == (70_000, 69_990)
    assert found.problems[0].place.endswith(" terms[0]")


def test_a_released_set_must_share_no_row_with_one_that_scores(files: Files) -> None:
    def release(document: Document) -> None:
        golds = document["reference_sets"][0]
        new = "00000000-0000-4000-8000-000000000001"
        file = golds["files"][0]
        files["again.csv"] = some = b"".join(files[file["path"]].splitlines(keepends=True)[:2])
        named = {"path": "again.csv", "sha256": hashlib.sha256(some).hexdigest()}
        one = dict(golds, id=new, practice=True, files=[named])
        document["reference_sets"].append(one)
        document["reference_sets"][-1].pop("sha256")
        document["releases"].append({"reference_set": new, "released_at": golds["uploaded_at"]})
        document["releases"][-1]["released_by"] = "olivia"

    found = changed(files, release).contest
    assert found is not None
    with pytest.raises(Refused, match="golds_score"):
        import_competition(contest=found, owner=builders.user("root"), asked_by=None, at=NOON)
    assert not Competition.objects.exists()


def test_a_name_that_differs_only_in_case_is_refused(files: Files) -> None:
    builders.user("Alice")
    found = plan(archive(files))
    assert [one.text for one in found.problems] == ["Username alice: here Alice looks like it."]


def test_the_name_of_an_account_that_was_closed_here_lately_is_not_given_again(
    files: Files,
) -> None:
    close(user=builders.user("erin"), at=NOON)
    found = plan(archive(files)).contest
    assert found is not None
    with pytest.raises(Refused, match="name_held"):
        import_competition(contest=found, owner=builders.user("olivia"), asked_by=None, at=NOON)
    assert not User.objects.filter(username="erin").exists()


@pytest.mark.parametrize(
    "text",
    [
        "a: &x [1]\nb: *x",
        "a: !!python/object/apply:os.system [id]",
        "a: {b: {c: {d: {e: {f: {g: {h: {i: 1}}}}}}}}",
        "a: 1\na: 2",
        "- \x07",
        "",
    ],
)
def test_only_plain_yaml_is_read(text: str) -> None:
    with pytest.raises(Wrong):
        load(text.encode())


def test_depth_and_number_of_values_are_bounded() -> None:
    with pytest.raises(Wrong, match="deeply"):
        load(b"[" * 100_000)
    with pytest.raises(Wrong, match="too many"):
        load(b"- 1\n" * 2000, max_values=1000)


def test_words_that_yaml_would_turn_into_other_things_stay_text() -> None:
    text = b"a: no\nb: 1_000\nc: 12:30:00\nd: 0x1f\ne: 2026-12-01\nf: 1.5\ng: .inf\nh: 012\ni: <<"
    assert load(text) == {
        "a": "no",
        "b": "1_000",
        "c": "12:30:00",
        "d": "0x1f",
        "e": "2026-12-01",
        "f": "1.5",
        "g": ".inf",
        "h": "012",
        "i": "<<",
    }


# --- ZIPs ---------------------------------------------------------------------------------------


def test_what_is_no_zip_is_refused() -> None:
    with pytest.raises(Wrong, match="not a ZIP"):
        Archive(io.BytesIO(b"hello"))


def test_a_bomb_is_not_unpacked() -> None:
    bomb = archive({"contest.yaml": b"\0" * 50_000_000}, zipfile.ZIP_DEFLATED)
    with pytest.raises(Wrong, match="the limit is 1 KB"):
        bomb.read("contest.yaml", at_most=1000)
    small = COMMAND_LINE._replace(total=49_000_000)
    with pytest.raises(Wrong, match="too large"):
        archive({"contest.yaml": b"\0" * 50_000_000}, zipfile.ZIP_DEFLATED, small)


DEFLATED = zipfile.ZIP_DEFLATED
HEAD = b"format: 1\nfull: false\n"


@pytest.mark.parametrize(
    ("yaml", "told"),
    [
        (HEAD + b"x: [" + b"1," * 3_000 + b"1]", "too many values: more than 2,500."),
        (HEAD + b"terms:\n" + b"- {}\n" * 1_500, "too many values: more than 2,500."),
        (HEAD + b"x: " + b"x" * 20_000, "The file is too large; the limit is 20 KB."),
    ],
)
def test_on_the_web_a_smaller_document_is_read(yaml: bytes, told: str) -> None:
    assert (WEB.document, WEB.values) == (2_000_000, 250_000)
    hundredth = WEB._replace(document=WEB.document // 100, values=WEB.values // 100)
    found = plan(archive({"contest.yaml": yaml}, DEFLATED, hundredth))
    assert told in found.problems[0].text
    assert told not in plan(archive({"contest.yaml": yaml}, DEFLATED)).problems[0].text


def test_on_the_web_fewer_files_are_taken() -> None:
    files = {f"{n}": b"" for n in range(WEB.entries + 1)}
    assert len(archive(files).entries) == len(files)
    with pytest.raises(Wrong, match="too large"):
        archive(files, bounds=WEB)
    with pytest.raises(Wrong, match="too large"):
        archive({"a": b"\0" * (WEB.total + 1)}, DEFLATED, WEB)


def test_no_file_is_unpacked_for_a_hundred_rows(files: Files) -> None:
    def repeat(document: Document) -> None:
        row = document["submissions"][0]
        document["submissions"] += [dict(row) for _ in range(100)]

    found = changed(files, repeat)
    assert found.total_problems == 100
    assert {one.place.split(".")[-1] for one in found.problems} == {"file"}


def test_unknown_compression_and_broken_bytes_are_told() -> None:
    with pytest.raises(Wrong, match="compressed in an unsupported way"):
        archive({"a": b"x"}, zipfile.ZIP_LZMA).read("a", at_most=10)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a", b"hello hello hello")
    data = bytearray(out.getvalue())
    data[35] ^= 0xFF
    with pytest.raises(Wrong, match="damaged"):
        Archive(io.BytesIO(data)).read("a", at_most=100)


def test_nothing_but_a_package_is_taken() -> None:
    for files in ({}, {"contest.yaml": b"hello"}):
        found = plan(archive(files))
        assert [one.place for one in found.problems] == ["contest.yaml"]


# --- Who may --------------------------------------------------------------------------------------


def test_only_creators_import_and_only_the_administrator_takes_people(files: Files) -> None:
    found = plan(archive(files)).contest
    assert found is not None
    charlie = builders.user("charlie")

    def attempt() -> str:
        try:
            import_competition(contest=found, owner=charlie, asked_by=charlie, at=NOON)
        except Refused as refusal:
            return refusal.code
        return "done"

    assert attempt() == "not_a_creator"
    charlie.may_create_contests = True
    charlie.save()
    assert attempt() == "full_file"
    assert not User.objects.filter(username="alice").exists()
    charlie.is_superuser = True
    charlie.save()
    assert attempt() == "done"
    assert attempt() == "not_written"


def test_the_right_to_a_full_file_is_asked_before_anything_is_looked_at(files: Files) -> None:
    charlie = builders.user("charlie")
    charlie.may_create_contests = True
    files["contest.yaml"] = b"format: 1\nfull: true\nteams: 7\n"
    with pytest.raises(Refused, match="full_file"):
        plan(archive(files), asked_by=charlie)
    assert plan(archive(files)).total_problems > 1  # the console has every right


def test_a_failed_import_leaves_no_files_behind(files: Files, settings: Any) -> None:
    found = plan(archive(files)).contest
    assert found is not None
    builders.competition("talk")  # somebody took the address meanwhile
    stored = Path(settings.DATA_DIR) / "files" / "submissions"
    before = set(stored.iterdir())
    with pytest.raises(Refused):
        import_competition(contest=found, owner=builders.user("olivia"), asked_by=None, at=NOON)
    assert set(stored.iterdir()) == before
