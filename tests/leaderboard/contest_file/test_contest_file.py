"""A contest written to a file and made of it again is the same contest, to the last byte."""

import io
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db.models import Model
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.accounts.models import User
from leaderboard.actions.schedule import announce_reveals
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import AllowedEmail, Competition, DataFile
from leaderboard.contest_file import layout
from leaderboard.contest_file.check import plan
from leaderboard.contest_file.cloning import clone, proposed_dates
from leaderboard.contest_file.export import Damaged, package
from leaderboard.contest_file.import_competition import import_competition
from leaderboard.contest_file.packing import Archive, dump, load, write_zip
from leaderboard.contest_file.reading import ImportPlan
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.inbox.models import Notification
from leaderboard.references.models import DialogueSet, ReferenceSet, Release, ScoringVersion
from leaderboard.references.queries import splits_of, stored_references
from leaderboard.submissions.ledger import allowance, entries
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from scoring.references import draw_splits
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON, OPENS
from tests.leaderboard.contest_file import full_contest, left_out
from tests.leaderboard.contest_file.full_contest import AFTER
from tests.servers import ROOT

pytestmark = pytest.mark.django_db


def zipped(contest: Competition, *, full: bool = True) -> bytes:
    out = io.BytesIO()
    write_zip(package(contest, full=full), out)
    return out.getvalue()


def look(data: bytes, slug: str | None = None) -> ImportPlan:
    return plan(Archive(io.BytesIO(data)), slug=slug)


def take_in(
    data: bytes, slug: str | None = None, owner: str = "root", at: datetime = AFTER
) -> Competition:
    found = look(data, slug)
    assert found.problems == []
    return import_competition(
        contest=found.contest, owner=builders.user(owner), asked_by=None, at=at
    )


def changed(data: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """The same file with another document."""
    files = files_of(data)
    document = load(files["contest.yaml"])
    change(document)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, kept in {**files, "contest.yaml": dump(document)}.items():
            archive.writestr(name, kept)
    return out.getvalue()


def files_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_contest_comes_back_byte_for_byte_with_the_same_boards() -> None:
    contest = full_contest.build()
    before = zipped(contest)
    document = load(files_of(before)["contest.yaml"])
    assert [name for name, rows in document.items() if rows in ([], {})] == ["closed_accounts"]
    boards, standings = full_contest.shown("talk"), full_contest.standings("talk")
    ledger = {
        team.name: [
            (line.entry.at, line.amount, line.entry.message("ko"), line.left_after)
            for line in entries(team)
        ]
        for team in Team.objects.all()
    }
    left = {team.name: allowance(team, contest, NOON) for team in Team.objects.all()}
    full_contest.forget()
    assert not User.objects.exists()

    again = take_in(before)
    event = AuditEvent.objects.get(kind="competition.imported")
    assert event.competition == again.pk
    assert event.after == {"slug": "talk", "teams": 7, "submissions": 14}
    cancelled = Evaluation.objects.filter(submission__cancellation__isnull=False)
    assert set(cancelled.values_list("state", flat=True)) == {"cancelled"}
    while builders.score_all(at=AFTER):
        pass

    assert zipped(again) == before
    assert announce_reveals(at=AFTER) == 0
    assert not Notification.objects.exists(), "nobody is told of what was told before"
    assert full_contest.shown("talk") == boards
    assert full_contest.standings("talk") == standings
    assert ledger == {
        team.name: [
            (line.entry.at, line.amount, line.entry.message("ko"), line.left_after)
            for line in entries(team)
        ]
        for team in Team.objects.all()
    }
    assert left == {team.name: allowance(team, again, NOON) for team in Team.objects.all()}
    call_command("rebuild_standings", "--check")


def test_a_plain_file_has_no_people_and_comes_back_as_plain() -> None:
    contest = full_contest.build()
    before = zipped(contest, full=False)
    text = files_of(before)["contest.yaml"].decode()
    for name in ("alice", "bob", "eddie", "olivia", "erin", "햇살", "SECRET-CODE", "example.org"):
        assert name not in text
    full_contest.forget()
    again = take_in(before, owner="nina")
    assert zipped(again, full=False) == before
    assert list(again.organizers.values_list("user__username", "role")) == [("nina", "owner")]
    assert not Team.objects.exists()
    versions = ScoringVersion.objects.order_by("draft_number")
    assert list(versions.values_list("draft_number", "number", "state")) == [
        (1, 1, "retired"),
        (2, 2, "live"),
        (3, None, "rehearsing"),
        (4, None, "draft"),
    ]


def test_no_file_holds_scores_mail_passwords_or_the_log() -> None:
    contest = full_contest.build()
    olivia = builders.user("olivia")
    everything = b"".join(files_of(zipped(contest)).values()).decode()
    assert "alice@example.org" not in everything
    assert "SECRET-CODE" not in everything
    assert olivia.password not in everything
    assert "version.made_live" not in everything
    totals = set(SplitScore.objects.exclude(total=0).values_list("total", flat=True))
    assert len(totals) > 5
    for total in totals:
        assert f"{total:.6f}" not in everything


def test_missing_people_are_made_without_a_way_in_and_present_ones_stay() -> None:
    contest = builders.open_competition()
    builders.team(contest, "alice", "bob")
    closed = builders.user("bob")
    closed.closed_at = NOON
    closed.save()
    data = zipped(contest)
    full_contest.forget()
    here = builders.user("alice")
    found = look(data)
    assert (found.known_people, found.new_people) == (["alice"], ["bob", "olivia"])
    take_in(data)
    assert User.objects.get(username="alice").password == here.password
    olivia = User.objects.get(username="olivia")
    assert not olivia.has_usable_password()
    rights = (olivia.is_superuser, olivia.is_staff, olivia.may_create_contests)
    assert rights == (False, False, False)
    bob = User.objects.get(username="bob")
    assert (bob.is_active, bob.closed_at) == (False, AFTER)


def test_what_comes_after_the_import_is_told() -> None:
    data = zipped(builders.open_competition())
    full_contest.forget()
    contest = take_in(data, at=OPENS)
    builders.hand_in(builders.team(contest, "alice"))
    builders.score_all()
    assert [one.kind for one in Notification.objects.all()] == ["scored"]
    assert announce_reveals(at=contest.reveals_at) == 1
    assert Notification.objects.filter(kind="revealed").count() == 1


@pytest.mark.whole
def test_another_address_gives_new_ids_to_everything() -> None:
    contest = full_contest.build()
    boards = full_contest.shown("talk")
    data = zipped(contest)
    copy = take_in(data, slug="copy")
    builders.score_all(at=AFTER)
    assert copy.pk != contest.pk
    ids = set(copy.teams.values_list("pk", flat=True))
    assert not ids & set(contest.teams.values_list("pk", flat=True))
    ours = full_contest.shown("copy")
    assert {board: text.replace(b"copy", b"talk") for board, text in ours.items()} == boards
    # Apart from ids and the address the two are one and the same file.
    assert len(zipped(copy)) == len(data)


def test_what_is_here_already_is_refused_by_address_and_by_id() -> None:
    data = zipped(builders.open_competition())
    found = look(data)
    assert found.contest is None
    assert [problem.place.split(" ")[-1] for problem in found.problems] == ["competition"]
    assert look(data, slug="other").contest is not None
    assert look(data, slug="no spaces here").contest is None


@pytest.mark.whole
def test_out_and_in_again_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    full_contest.build()
    file = tmp_path / "talk.zip"
    call_command("export_contest", "talk", str(file), "--full")
    with pytest.raises(CommandError, match="exists"):
        call_command("export_contest", "talk", str(file))
    assert file.stat().st_mode & 0o077 == 0
    assert AuditEvent.objects.filter(kind="competition.exported").count() == 1
    full_contest.forget()
    builders.user("root")
    call_command("import_contest", str(file), "--owner", "root", "--dry-run")
    told = capsys.readouterr().out
    assert "contest: talk (일상 대화 요약), full" in told
    assert "accounts that are here: none" in told
    assert "accounts to make, without a password: ada, alice, bob, eddie" in told
    models = [model for model in apps.get_models() if model.__module__.startswith("leaderboard")]
    filled = [model.__name__ for model in models if model._default_manager.exists()]
    assert filled == ["User"]
    call_command("import_contest", str(file), "--owner", "root")
    assert Competition.objects.get().slug == "talk"


def clone_of(contest: Competition, owner: str) -> Competition:
    """Its clone at `/c/next`, as the desk makes one."""
    at = timezone.now()
    found = clone(contest, slug="next", at=at)
    who = builders.user(owner)
    return import_competition(contest=found.contest, owner=who, asked_by=None, at=at)


def test_a_clone_has_the_golds_as_a_draft_and_nobody_in_it() -> None:
    contest = full_contest.build()
    clone = clone_of(contest, "nina")
    assert clone.pk != contest.pk
    for name in ("freezes_at", "closes_at", "reveals_at"):
        assert getattr(clone, name) - clone.opens_at == getattr(contest, name) - contest.opens_at
    version = ScoringVersion.objects.get(competition=clone)
    live = ScoringVersion.objects.get(competition=contest, state="live")
    assert (version.number, version.draft_number, version.state) == (None, 1, "draft")
    assert version.reference_set.sha256 == live.reference_set.sha256
    practice = ReferenceSet.objects.filter(competition=clone, public_rows=0)
    assert practice.count() == ReferenceSet.objects.filter(competition=clone).count() - 1 == 2
    assert not Release.objects.filter(competition=clone).exists()
    assert DialogueSet.objects.get(competition=clone).released_at is None
    assert DataFile.objects.get(competition=clone).sha256 == contest.data_files.get().sha256
    assert clone.rules == contest.rules
    assert not clone.teams.exists()
    assert not AllowedEmail.objects.filter(competition=clone).exists()


def drawn_contest() -> tuple[Competition, ReferenceSet]:
    """A contest whose golds came without splits, and with what a reader could stumble over."""
    golds = {f"talk_{n}": (f"정답 {n}", f' "{n}",\r\n=1+1\r ') for n in range(40)}
    contest = builders.competition()
    builders.live(contest, builders.gold_csv(golds, None))
    return contest, ReferenceSet.objects.get()


def test_a_drawn_split_is_exported_and_never_drawn_again() -> None:
    contest, golds = drawn_contest()
    before, splits, seed = zipped(contest), splits_of(golds), golds.split_seed
    full_contest.forget()
    again = take_in(before)
    assert zipped(again) == before
    imported = ReferenceSet.objects.get()
    assert (splits_of(imported), imported.split_seed) == (splits, seed)
    assert stored_references(imported.pk).sha256 == golds.sha256


def test_a_clone_draws_a_seed_and_a_split_of_its_own() -> None:
    contest, golds = drawn_contest()
    clone_of(contest, "olivia")
    cloned = ReferenceSet.objects.get(competition__slug="next")
    assert cloned.golds_sha256 == golds.golds_sha256
    assert splits_of(cloned) != splits_of(golds)
    assert cloned.split_seed not in (None, golds.split_seed)
    drawn = stored_references(cloned.pk)
    assert draw_splits(drawn, seed=str(cloned.split_seed)) == drawn
    assert (cloned.public_rows, cloned.private_rows) == (20, 20)


def test_a_clone_opens_some_weeks_later_at_the_same_hour_of_its_own_clock() -> None:
    # New York left summer time on 2026-11-01: 09:00 there is 13:00, later 14:00 in UTC.
    contest = builders.competition(
        opens_at=OPENS - timedelta(days=30, hours=12),  # 2026-10-16 13:00 UTC
        zone="America/New_York",
    )
    clone = clone_of(contest, "nina")
    assert clone.opens_at.astimezone(clone.zoneinfo).strftime("%a %H:%M") == "Fri 09:00"


def test_a_clone_leaves_three_days_to_look_at_it_unless_its_model_has_yet_to_open() -> None:
    contest = builders.competition()
    minute = timedelta(minutes=1)
    week = timedelta(weeks=1)
    for at, opens_at in (
        (OPENS - minute, OPENS),
        (OPENS, OPENS + week),
        (OPENS + week - 3 * timedelta(days=1) - minute, OPENS + week),
        (OPENS + week - 3 * timedelta(days=1), OPENS + 2 * week),
    ):
        dates = proposed_dates(contest, at=at)
        assert dates["opens_at"] == opens_at
        assert dates["closes_at"] - opens_at == contest.closes_at - contest.opens_at


def test_a_damaged_stored_file_is_told_instead_of_exported() -> None:
    contest = full_contest.build()
    submission = Submission.objects.first()
    path = Path(storages["submissions"].path(submission.file.name))
    path.write_bytes(b"fname,summary\n")
    with pytest.raises(Damaged, match="file_changed"):
        zipped(contest)
    path.unlink()
    with pytest.raises(Damaged, match="file_gone"):
        zipped(contest)


# --- What is written, and what is not -------------------------------------------------------------


def of_a_contest() -> list[type[Model]]:
    """Every model whose rows belong to one contest, found by following foreign keys."""
    found: list[type[Model]] = [Competition]
    models = [model for model in apps.get_models() if model.__module__.startswith("leaderboard")]
    for _ in models:
        found += [
            model
            for model in models
            if model not in found
            and any(field.related_model in found for field in model._meta.concrete_fields)
        ]
    return found


def left_tables() -> dict[str, str]:
    """The tables that are not exported, those of the optional apps that are here too."""
    found = dict(left_out.TABLES)
    for app in apps.get_app_configs():
        if (ROOT / "tests" / "leaderboard" / app.label / "left_out.py").exists():
            found |= import_module(f"tests.leaderboard.{app.label}.left_out").TABLES
    return found


def test_no_field_of_a_contest_is_forgotten() -> None:
    left = left_tables()
    written = {table.model: set(table.fields) for table in (layout.COMPETITION, *layout.TABLES)}
    forgotten = []
    for model in of_a_contest():
        if model not in written:
            if model.__name__ not in left:
                forgotten.append(model.__name__)
            continue
        for field in (*model._meta.concrete_fields, *model._meta.many_to_many):
            name = f"{model.__name__}.{field.name}"
            if (field.name in written[model]) == (name in left_out.FIELDS):
                forgotten.append(name)
    assert forgotten == []


def test_the_lists_of_what_is_left_out_name_real_things() -> None:
    models = {model.__name__: model for model in of_a_contest()}
    assert set(left_tables()) <= models.keys()
    for name in left_out.FIELDS:
        model, field = name.split(".")
        models[model]._meta.get_field(field)


Texts = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), Texts, max_size=4))
def test_any_text_comes_back_from_yaml(data: dict[str, Any]) -> None:
    assert load(dump(data)) == data
