"""A contest of whose texts each is hostile, whoever may write it, for a walk in a real browser.

    python -m tests.browser.hostile     fills a stack's database; prints what the walk has to know

Rows are written as they are kept: what a form would refuse today may be there from yesterday.
"""

import json
import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import django

django.setup()

from django.core.files.base import ContentFile  # noqa: E402
from django.db import transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from leaderboard.accounts.models import User  # noqa: E402
from leaderboard.audit.models import AuditEvent  # noqa: E402
from leaderboard.boards.models import Standing  # noqa: E402
from leaderboard.community.models import Announcement  # noqa: E402
from leaderboard.community.webhook_models import Delivery, Webhook  # noqa: E402
from leaderboard.competitions.models import (  # noqa: E402
    AllowedEmail,
    Competition,
    DataFile,
    Organizer,
    Terms,
    data_storage,
)
from leaderboard.evaluation.models import Evaluation, SplitScore  # noqa: E402
from leaderboard.inbox.lines import GROUPED  # noqa: E402
from leaderboard.inbox.models import Notification  # noqa: E402
from leaderboard.inbox.news import News  # noqa: E402
from leaderboard.references.models import Dialogue, ReferenceSet, Release  # noqa: E402
from leaderboard.submissions.models import Exclusion, QuotaEntry, Submission  # noqa: E402
from leaderboard.teams.models import JoinRequest, Membership, Merge, Team  # noqa: E402
from tests.browser.hostile_texts import (  # noqa: E402
    NAMES,
    NUMBER,
    document,
    groups,
    held,
    hostile,
    mail,
    several,
)
from tests.browser.hostile_ways import invitations, webhooks  # noqa: E402
from tests.leaderboard import builders  # noqa: E402

NOW = timezone.now().replace(microsecond=0)
DAY = timedelta(days=1)


def contest() -> Competition:
    made = builders.open_competition(
        "talk",
        **{"opens_at": NOW - 3 * DAY, "closes_at": NOW + 3 * DAY, "reveals_at": NOW + 4 * DAY},
        **{"daily_limit": 1000, "max_waiting": 1000, "max_team_size": 200},
        forum_readers="public",
    )
    for name in ("introduction", "introduction_en", "rules", "rules_en"):
        setattr(made, name, document(f"Competition.{name}"))
    _single(made, 0)
    made.save()
    Terms.objects.create(
        **{"competition": made, "number": 1, "made_at": NOW - 2 * DAY},
        text=document("Terms.text"),
        text_en=document("Terms.text_en"),
    )
    return made


def _single(made: Competition, group: int) -> None:
    """What a contest has one of."""
    made.title = several("Competition.title", group)
    made.title_en = several("Competition.title_en", group)
    made.pause_reason = several("Competition.pause_reason", group)
    made.paused_at = NOW - DAY


def contests(first: Competition) -> list[str]:
    """As many contests as groups; the addresses of all."""
    made = [Competition.objects.get(pk=first.pk) for _ in groups()]
    for number, one in enumerate(made):
        one.pk, one.slug = uuid4(), f"talk-{number}"
        one.introduction = one.introduction_en = one.rules = one.rules_en = ""
        _single(one, number)
    Competition.objects.bulk_create(made)
    webhooks(made)
    olivia = builders.user("olivia")
    Organizer.objects.bulk_create(Organizer(competition=one, user=olivia) for one in made)
    return [one.slug for one in made]


def people(contest: Competition) -> list[Team]:
    """Somebody with a team and a scored file for each payload: the first, and copies of it."""
    first = builders.team(contest, "erin")
    file = builders.hand_in(first, at=NOW - 2 * DAY)
    builders.score_all(at=NOW - 2 * DAY)
    users = [User(username=hostile("User.username", number)) for number in range(NUMBER)]
    User.objects.bulk_create(users)
    teams = [
        builders.copied(first, name=hostile("Team.name", number), captain=users[number])
        for number in range(NUMBER)
    ]
    Team.objects.bulk_create(teams)
    Membership.objects.bulk_create(
        Membership(
            **{"team": teams[number], "competition": contest, "user": users[number]},
            joined_at=NOW - 2 * DAY,
            listed_name=hostile("Membership.listed_name", number),
            looking_for_team=hostile("Membership.looking_for_team", number),
        )
        for number in range(NUMBER)
    )
    for team, own in zip(teams, files(file, teams), strict=True):
        Standing.objects.bulk_create(
            builders.copied(row, team=team, submission=own) for row in first.standings.all()
        )
    return teams


def files(like: Submission, teams: list[Team], *, noted: bool = True) -> list[Submission]:
    """A file of each of these teams as one that was scored, described with hostile words."""
    made = [
        builders.copied(
            like,
            **{"team": team, "origin": team, "key": str(uuid4())},
            method_name=hostile("Submission.method_name", number),
            # Lists show a file's note, or its name where it has none.
            note=hostile("Submission.note", number) if noted else "",
            file_name=hostile("Submission.file_name", number),
        )
        for number, team in enumerate(teams)
    ]
    Submission.objects.bulk_create(made)
    done = like.evaluations.get()
    copies = Evaluation.objects.bulk_create(builders.copied(done, submission=one) for one in made)
    SplitScore.objects.bulk_create(
        builders.copied(score, evaluation=one) for one in copies for score in done.scores.all()
    )
    return made


def bobs(contest: Competition, teams: list[Team]) -> None:
    """Bob's team: files, ledger, merges and inbox full of what the others wrote."""
    team = builders.team(contest, "bob", called="bob")
    bob, olivia = builders.user("bob"), builders.user("olivia")
    for noted in (True, False):
        files(teams[0].submissions.get(), [team] * NUMBER, noted=noted)
    QuotaEntry.objects.bulk_create(
        QuotaEntry(
            **{"team": team, "kind": "grant", "day": NOW.date(), "at": NOW - DAY},
            words=hostile("QuotaEntry.words", number),
        )
        for number in range(NUMBER)
    )
    Merge.objects.bulk_create(
        Merge(
            **{"competition": contest, "survivor": team, "absorbed": teams[number]},
            **{"state": "undone", "asked_by": bob, "asked_at": NOW - DAY, "answered_by": bob},
            **{"answered_at": NOW - DAY, "undone_by": olivia, "undone_at": NOW - DAY},
            reason=hostile("Merge.reason", number),
        )
        for number in range(NUMBER)
    )
    _inbox(contest, bob)


def _inbox(contest: Competition, bob: User) -> None:
    kinds = [kind for kind in Notification.Kind if kind not in GROUPED]  # each is a line of its own
    said = list(News.sentences.items())
    for number in range(NUMBER):
        text = hostile("Notification.data", number)
        news, sentences = said[number // 3 % len(said)]
        values = dict.fromkeys(re.findall(r"{(\w+)", str(sentences.what)), text)
        data: tuple[dict[str, Any], ...] = (
            {"ko": text, "en": text},
            {"news": "merge_declined", "values": {"team": text}},
            {"news": news, "values": values, "reason": text},
        )
        Notification.objects.create(
            **{"user": bob, "kind": kinds[number % len(kinds)], "subject": uuid4()},
            **{"competition": contest.pk, "competition_slug": contest.slug},
            data=data[number % 3],
            created_at=NOW - DAY,
        )


def decisions(contest: Competition, like: Team) -> list[Team]:
    """What organizers and the log say, and who wants to come in; the teams that are out."""
    olivia = builders.user("olivia")
    out = [
        builders.copied(like, name=f"out {group}", disqualified_at=NOW)
        for group in range(len(groups()))
    ]
    for group, team in enumerate(out):
        team.disqualify_reason = several("Team.disqualify_reason", group)
    Team.objects.bulk_create(out)
    for group, file in enumerate(files(like.submissions.get(), out)):
        Exclusion.objects.create(
            **{"submission": file, "excluded_by": olivia, "at": NOW},
            reason=several("Exclusion.reason", group),
        )
    guests = [User(username=f"guest{number}") for number in range(NUMBER)]
    User.objects.bulk_create(guests)
    for number in range(NUMBER):
        AuditEvent.objects.create(
            **{"kind": "submission.excluded", "actor": olivia, "at": NOW, "subject": uuid4()},
            competition=contest.pk,
            before={"name": hostile("AuditEvent.before", number)},
            after={"name": [hostile("AuditEvent.after", number)]},
            reason=hostile("AuditEvent.reason", number),
        )
        JoinRequest.objects.create(
            **{"competition": contest, "user": guests[number], "asked_at": NOW},
            team_name=hostile("JoinRequest.team_name", number),
        )
        AllowedEmail.objects.create(competition=contest, email=mail("AllowedEmail.email", number))
    return out


def told(contest: Competition) -> None:
    """Announcements, what the webhook has sent, and files."""
    olivia = builders.user("olivia")
    webhook = Webhook.objects.create(
        competition=contest, url="https://hooks.example/x", format="slack", language="ko"
    )
    for group in range(len(groups())):
        Announcement.objects.create(
            **{"competition": contest, "author": olivia, "at": NOW - DAY},
            text=document("Announcement.text", groups()[group]),
            text_en=document("Announcement.text_en", groups()[group]),
        )
        Delivery.objects.create(
            **{"webhook": webhook, "created_at": NOW, "next_at": NOW, "event": "question.asked"},
            **{"state": "given_up", "failure": "timed_out", "ended_at": NOW},
            title=several("Delivery.title", group),
        )
    stored = data_storage().save("hostile", ContentFile(b"x"))
    for number in range(NUMBER):
        DataFile.objects.create(
            **{"competition": contest, "size": 1, "sha256": "0" * 64, "file": stored},
            name=hostile("DataFile.name", number),
            description=hostile("DataFile.description", number),
            description_en=hostile("DataFile.description_en", number),
            position=number,
        )


def golds(contest: Competition) -> None:
    """A dev set that everybody may read in the lab, and names of the files of golds."""
    ids = [" ".join(several("Example.example_id", group).split()) for group in range(len(groups()))]
    builders.dev_set(contest, {f"dev_{number}": ("정답이다",) for number in range(len(ids))})
    released = Release.objects.get(competition=contest).reference_set
    talks = Dialogue.objects.filter(dialogue_set__competition=contest)
    rows = zip(released.examples.all(), talks, ids, strict=True)
    for group, (example, talk, name) in enumerate(rows):
        example.example_id = talk.example_id = name
        example.references = [several("Example.references", group)]
        example.topic = several("Example.topic", group)
        example.save()
        talk.text = "\n".join(f"{one}: {one}" for one in _lines("Dialogue.text", group))
        talk.save()
    names = [hostile("ReferenceSet.file_names", number) for number in range(NUMBER)]
    ReferenceSet.objects.update(file_names=names)


def _lines(field: str, group: int) -> list[str]:
    return [" ".join(hostile(field, number).split()) for number in groups()[group]]


def build() -> dict[str, Any]:
    made = contest()
    charlie = builders.user("charlie")
    teams = people(made)
    ways = invitations(teams, charlie, NOW - DAY / 2)
    bobs(made, teams)
    out = decisions(made, teams[0])
    told(made)
    golds(made)
    dev_set = Release.objects.get().reference_set
    return {
        "names": NAMES,
        "contests": contests(made),
        "ways": ways,
        "teams": [str(team.pk) for team in out],
        "files": [str(team.submissions.get().pk) for team in out],
        "dev_ids": [example.example_id for example in dev_set.examples.all()],
        "held": held(),
    }


if __name__ == "__main__":
    with transaction.atomic():
        found = build()
    print(json.dumps(found))
