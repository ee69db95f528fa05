"""The demo contests, made through the same actions and the same scorer as anybody's."""

import json
import os
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, time, timedelta
from itertools import groupby
from pathlib import Path
from zoneinfo import ZoneInfo

from django.conf import settings

from leaderboard.accounts.models import User
from leaderboard.actions.announcements import announce
from leaderboard.actions.competition import create_competition
from leaderboard.actions.data_files import add_data_file
from leaderboard.actions.invitations import accept, invite_person
from leaderboard.actions.references import (
    check_references_at_once,
    release_dev_set,
    release_dialogues,
    upload_dev_set,
    upload_dialogues,
    upload_references,
)
from leaderboard.actions.registration import join
from leaderboard.actions.schedule import announce_reveals
from leaderboard.actions.scoring import evaluate_next
from leaderboard.actions.submissions import choose_finals, submit
from leaderboard.actions.teams import add_baseline
from leaderboard.actions.versions import make_live, rehearse
from leaderboard.community.announcements import last_announcement
from leaderboard.competitions.models import Competition
from leaderboard.competitions.storage import private
from leaderboard.demo.contests import CONTESTS, DemoContest, PlannedUpload, as_csv, read
from leaderboard.demo.talk import seed_forum
from leaderboard.evaluation.queries import unended
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import covering_sets, live_version
from leaderboard.references.released import dialogue_sets, practice_sets, released_set
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload, chosen, of_team
from leaderboard.teams.invitations import of_person
from leaderboard.teams.models import Team
from leaderboard.teams.queries import baselines, team_of

ZONE = ZoneInfo("Asia/Seoul")
ORGANIZER = "olivia"
INVITED = (("bob",), ("sora", "yena"))  # into the first teams; Alice leads the very first
LOOKING_TIME = timedelta(minutes=10)  # until the organizer takes the next step
SCORING_TIME = timedelta(seconds=2)  # what a worker would take; the demo's past has no worker


def seed(*, at: datetime) -> int:
    """Make what is missing of the demo; answers how many submissions it handed in."""
    return sum(part(at=at) for part in PARTS)


def seed_contests(*, at: datetime) -> int:
    """Make what is missing of the two contests; answers how many submissions it handed in.

    Safe to run again, also after it was killed half way: contests are found by their slug, teams by
    their captain, submissions by their key. A contest that is complete stays as people left it.
    """
    olivia = organizer(ORGANIZER)
    handed_in = sum(seed_contest(contest, olivia, at) for contest in CONTESTS)
    if not accounts_file().exists():
        first = CONTESTS[0].teams()[0]
        _hand_out(
            {
                ORGANIZER: ("organizer", None),
                "alice": ("participant", first),
                "bob": ("participant", first),
                "charlie": ("participant", None),
            }
        )
    return handed_in


PARTS: list[Callable[..., int]] = [seed_contests]
"""What makes the demo, each called with `at` and safe to run again; answers how many submissions
it handed in. An app above this one appends its own in its `ready()`."""


def seed_contest(contest: DemoContest, olivia: User, at: datetime) -> int:
    """Make what is missing of one contest; answers how many submissions it handed in."""
    competition = Competition.objects.filter(slug=contest.pages["slug"]).first()
    if competition is None:
        competition = _create(contest, olivia, at)
    # Days count from the midnight on which the contest was made, also when the seed goes on later.
    opened = competition.opens_at.astimezone(ZONE).date() - timedelta(days=contest.opens_day)
    midnight = datetime.combine(opened, time.min, tzinfo=ZONE)
    planned = contest.submissions()
    _data(contest, competition, olivia, at)
    _golds(contest, competition, olivia)
    _dev_set(contest, competition, olivia)
    _dialogues(contest, competition, olivia)
    _baselines(contest, competition, olivia)
    teams = _teams(contest, competition)
    handed_in = 0
    for is_later, files in groupby(enumerate(planned), lambda file: contest.is_corrected(file[1])):
        if is_later:
            _correct(contest, competition, olivia, midnight)
        for number, one in files:
            handed_in += _hand_in(f"demo-{number}", contest, one, teams[one.team], midnight)
    for name, team in teams.items():
        _choose_finals([one for one in planned if one.team == name], team)
    _announcement(contest, competition, olivia, midnight)
    asks, helps = (person(name) for name in contest.captains[:2])
    seed_forum(competition, olivia, asks=asks, helps=helps)
    if competition.reveals_at <= at:
        # Dated by the reveal, not by the day on which somebody installed the demo.
        announce_reveals(at=competition.reveals_at)
    return handed_in


def _create(contest: DemoContest, olivia: User, at: datetime) -> Competition:
    midnight = datetime.combine(at.astimezone(ZONE).date(), time.min, tzinfo=ZONE)
    opens_at = midnight + timedelta(days=contest.opens_day, hours=10)
    return create_competition(
        **contest.pages,
        owner=olivia,
        at=min(at, opens_at),
        opens_at=opens_at,
        closes_at=midnight + timedelta(days=contest.closes_day, hours=19),
        reveals_at=midnight + timedelta(days=contest.reveals_day, hours=10),
        zone=str(ZONE),
        late_entries=contest.late_entries,
    )


def _data(contest: DemoContest, competition: Competition, olivia: User, at: datetime) -> None:
    known = set(competition.data_files.values_list("name", flat=True))
    for file in contest.files:
        if file.name not in known:
            add_data_file(
                competition=competition,
                user=olivia,
                upload=Upload(file.name, file.read()),
                description=file.description_ko,
                description_en=file.description_en,
                at=at,
            )


def _golds(contest: DemoContest, competition: Competition, olivia: User) -> None:
    if live_version(competition) is not None:
        return
    at = competition.opens_at
    version = _version(contest, competition, olivia, contest.first_golds(), at)
    make_live(version=version, user=olivia, at=at)


def _version(
    contest: DemoContest, competition: Competition, olivia: User, golds: bytes, at: datetime
) -> ScoringVersion:
    version = upload_references(
        competition=competition,
        user=olivia,
        files=[Upload(contest.golds, golds)],
        preset=competition.preset,
        tokenizer=competition.tokenizer,
        at=at,
    )
    check_references_at_once(version=version)
    return version


def _correct(
    contest: DemoContest, competition: Competition, olivia: User, midnight: datetime
) -> None:
    """The references without their slip, rehearsed and made live, from the step that is missing.

    A contest that was filled before there was a correction stays without one.
    """
    live = live_version(competition)
    assert contest.correction is not None
    assert live is not None
    if live.number != 1:
        return
    at = midnight + timedelta(days=contest.correction.day, hours=contest.correction.hour)
    version = competition.scoring_versions.latest("draft_number")
    if version == live:
        if Submission.objects.filter(team__competition=competition, received_at__gt=at).exists():
            return
        version = _version(contest, competition, olivia, read(contest.golds), at)
    if version.state == ScoringVersion.State.DRAFT:
        rehearse(version=version, user=olivia, at=at + LOOKING_TIME)
        version.refresh_from_db()
    if version.state == ScoringVersion.State.REHEARSING:
        while evaluate_next(now=lambda: at + LOOKING_TIME + SCORING_TIME) is not None:
            pass
        if unended(version):
            return  # one was being scored when the seed was killed: a worker ends it
        reason, at = contest.correction.reason, at + 2 * LOOKING_TIME
        make_live(version=version, user=olivia, reason=reason, at=at)


def _dev_set(contest: DemoContest, competition: Competition, olivia: User) -> None:
    """Golds to practise on with their dialogues; only what is missing is made."""
    if not contest.dev_golds:
        return
    at = competition.opens_at
    if released_set(competition) is None:
        golds = next(iter(practice_sets(competition)), None) or upload_dev_set(
            competition=competition,
            user=olivia,
            files=[Upload(contest.dev_golds, read(contest.dev_golds))],
            at=at,
        )
        release_dev_set(reference_set=golds, user=olivia, at=at)
    if not any(one.released_at for one in dialogue_sets(competition)):
        dialogues = next(iter(dialogue_sets(competition)), None) or upload_dialogues(
            competition=competition,
            user=olivia,
            upload=Upload(contest.dev_dialogues, read(contest.dev_dialogues)),
            at=at,
        )
        release_dialogues(dialogue_set=dialogues, user=olivia, at=at)


def _dialogues(contest: DemoContest, competition: Competition, olivia: User) -> None:
    """Those of the golds, so that a board says what their first turns earn. After the dev set,
    which takes the only dialogues that are there for its own."""
    if covering_sets(competition, live_version(competition)):
        return
    [file] = contest.files
    upload = Upload(file.name, file.read())
    upload_dialogues(competition=competition, user=olivia, upload=upload, at=competition.opens_at)


def _baselines(contest: DemoContest, competition: Competition, olivia: User) -> None:
    at = competition.opens_at
    there = set(baselines(competition).values_list("name", flat=True))
    if len(there) >= len(contest.baselines):
        return  # also where they have other names
    for name in contest.baselines:
        if name not in there:
            file = Upload("baseline.csv", as_csv(contest.baseline_texts(name)))
            add_baseline(competition=competition, user=olivia, name=name, upload=file, at=at)
            evaluate_next(now=lambda: at + SCORING_TIME)


def _announcement(
    contest: DemoContest, competition: Competition, olivia: User, midnight: datetime
) -> None:
    """Told once, when its teams are there to be told."""
    said = contest.announcement
    if said is None or last_announcement(competition) is not None:
        return
    announce(
        competition=competition,
        user=olivia,
        text=said.text_ko,
        text_en=said.text_en,
        at=midnight + timedelta(days=contest.opens_day + said.day, hours=said.hour),
    )


def _teams(contest: DemoContest, competition: Competition) -> dict[str, Team]:
    """Each planned team with its captain; into two of them the captain invited others."""
    opens = competition.opens_at
    teams = {
        name: join(user=person(captain), competition=competition, team_name=name, at=opens)
        for name, captain in zip(contest.teams(), contest.captains, strict=True)
    }
    for name, members in zip(contest.teams(), INVITED, strict=False):
        for username in members:
            _come_in(teams[name], person(username), opens)
    return teams


def _come_in(team: Team, newcomer: User, at: datetime) -> None:
    """By an invitation of the captain, which may have been sent before the seed was killed."""
    if team_of(newcomer, team.competition) is not None:
        return
    assert team.captain is not None
    if not of_person(newcomer, team.competition, at):
        invite_person(team=team, user=team.captain, username=newcomer.username, at=at)
    [asked] = of_person(newcomer, team.competition, at)
    accept(invitation=asked, user=newcomer, at=at)


def _choose_finals(planned: Sequence[PlannedUpload], team: Team) -> None:
    """What the plan says, right after the team's last file; a choice that was made stays."""
    names = [one.file_name for one in planned if one.final]
    if not names or chosen(team.pk):
        return
    own = list(of_team(team))
    assert team.captain is not None
    choose_finals(
        team=team,
        user=team.captain,
        submission_ids=[one.pk for one in own if one.file_name in names],
        at=own[0].received_at + SCORING_TIME,
    )


def _hand_in(
    key: str, contest: DemoContest, planned: PlannedUpload, team: Team, midnight: datetime
) -> int:
    if Submission.objects.filter(team=team, key=key).exists():
        return 0
    at = midnight + timedelta(days=planned.day_offset, hours=planned.hour, minutes=planned.minute)
    assert team.captain is not None
    submit(
        team=team,
        user=team.captain,
        upload=Upload(planned.file_name, as_csv(contest.texts(planned))),
        key=key,
        note=planned.note,
        method_name=planned.method_name,
        at=at,
    )
    evaluate_next(now=lambda: at + SCORING_TIME)
    return 1


def accounts_file() -> Path:
    """Where the passwords lie, readable by the owner of the data folder only."""
    return Path(settings.DATA_DIR) / "demo-accounts.json"


def person(username: str) -> User:
    """The account of that name; a new one cannot sign in until it gets a password."""
    user, made = User.objects.get_or_create(username=username)
    if made:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def organizer(username: str) -> User:
    """The account of that name, allowed to make contests."""
    user = person(username)
    if not user.may_create_contests:
        user.may_create_contests = True
        user.save(update_fields=["may_create_contests"])
    return user


def _hand_out(people: dict[str, tuple[str, str | None]]) -> None:
    """Give each `username: (role, team)` a random password; the file is written whole or not."""
    accounts = []
    for username, (role, team) in people.items():
        password = secrets.token_urlsafe(9)
        user = person(username)
        user.set_password(password)
        user.save(update_fields=["password"])
        accounts.append({"username": username, "password": password, "role": role, "team": team})
    aside = accounts_file().with_suffix(".part")
    with open(aside, "w", encoding="utf-8", opener=private) as out:
        content = {"url": settings.BASE_URL, "accounts": accounts}
        json.dump(content, out, ensure_ascii=False, indent=2)
    os.replace(aside, accounts_file())
