"""What an organizer looks through: how scoring stands, and all that was handed in."""

import re
from datetime import datetime, timedelta
from typing import Any, Literal, get_args
from uuid import UUID

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet

from leaderboard.competitions.models import Competition
from leaderboard.evaluation.claim import unsupported_versions
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.queries import SHOWN
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from leaderboard.teams.queries import among, teams_of

State = Evaluation.State
SCORED = (ScoringVersion.State.LIVE, ScoringVersion.State.REHEARSING)
A_DAY = timedelta(days=1)


def scoring(competition: Competition) -> dict[str, Any]:
    """One contest's scoring, the live version first, then the newest.

    The same few queries for any number of submissions.
    """
    scored = ScoringVersion.objects.filter(competition=competition, state__in=SCORED)
    versions = list(scored.order_by("state", "-draft_number"))  # "live" before "rehearsing"
    rows = Evaluation.objects.filter(scoring_version__in=versions).order_by()
    by_state = rows.values_list("scoring_version", "state").annotate(number=Count("*"))
    numbers = {(version, State(state)): number for version, state, number in by_state}
    counted = [
        {
            "version": version,
            **{name: numbers.get((version.pk, state), 0) for state, name in SHOWN.items()},
        }
        for version in versions
    ]
    failures = (
        rows.filter(state=State.FAILED)
        .values("scoring_version", code=F("failure"))
        .annotate(number=Count("pk"), last_at=Max("finished_at"))
        .order_by("-number", "code", "scoring_version__draft_number")
    )
    by_key = {version.pk: version for version in versions}
    return {
        "versions": counted,
        "waiting": sum(number for (_, state), number in numbers.items() if state == State.QUEUED),
        "failures": [{**one, "version": by_key[one["scoring_version"]]} for one in failures],
        "oldest_waiting_at": rows.filter(state=State.QUEUED).aggregate(at=Min("received_at"))["at"],
        "unsupported": [
            one for one in unsupported_versions() if one.competition_id == competition.pk
        ],
    }


def server_scoring(at: datetime) -> dict[str, Any]:
    """The whole server's: contests with the oldest file first, and the failures of a day.

    Three queries for any number of contests.
    """
    contest, states = F("scoring_version__competition__slug"), (State.QUEUED, State.RUNNING)
    queued, live = Q(state=State.QUEUED), Q(scoring_version__state=ScoringVersion.State.LIVE)
    queue = (
        Evaluation.objects.filter(state__in=states)
        .values(slug=contest)
        .annotate(
            waiting=Count("pk", filter=queued & live),
            rehearsals=Count("pk", filter=queued & ~live),
            running=Count("pk", filter=~queued),
            oldest_at=Min("received_at"),
        )
        .order_by("oldest_at", "slug")
    )
    failures = (
        Evaluation.objects.filter(state=State.FAILED, finished_at__gt=at - A_DAY)
        .values(slug=contest, code=F("failure"))
        .annotate(number=Count("pk"), last_at=Max("finished_at"))
        .order_by("-last_at", "slug", "code")
    )
    done = Evaluation.objects.filter(state=State.DONE)
    return {
        "queue": list(queue),
        "failures": list(failures),
        "last_scored_at": done.aggregate(last=Max("finished_at"))["last"],
    }


Kind = Literal["waiting", "running", "done", "failed", "cancelled", "excluded", "late", "baseline"]
KINDS: tuple[Kind, ...] = get_args(Kind)
HEX = re.compile(r"[0-9a-f]{4,64}")
NEWEST = 1000  # files of which one may lack its evaluation
SHORTEST_ID = 8  # as many as a failure tells its team to quote


def search(competition: Competition, *, query: str = "", kind: str = "") -> QuerySet[Submission]:
    """Submissions by team, person, file name, hash or id, newest first.

    `kind` is one of KINDS: a state under the live version (`failed`: under a rehearsing one too),
    or what was decided about it. An unknown one finds nothing.
    """
    matching = of_competition(competition)
    if query.strip():
        matching = matching.filter(_words(competition, query.strip()))
    return matching.filter(_kind(competition, kind)) if kind else matching


def of_competition(competition: Competition) -> QuerySet[Submission]:
    """Everything that was handed in, baselines too, newest first."""
    return Submission.objects.filter(team__competition=competition).select_related(
        "team__competition", "submitted_by", "exclusion", "cancellation", "final_choice"
    )


def evaluations_of(submissions: list[UUID]) -> dict[UUID, list[Evaluation]]:
    """The evaluations of these submissions, newest version first, in one query."""
    rows = Evaluation.objects.filter(submission__in=submissions)
    found: dict[UUID, list[Evaluation]] = {}
    for row in rows.select_related("scoring_version").order_by("-scoring_version__draft_number"):
        found.setdefault(row.submission_id, []).append(row)
    return found


def retriable(competition: Competition) -> QuerySet[Evaluation]:
    """What failed on our side under a version that is scored now; cancelled ones never."""
    failed = Evaluation.objects.filter(
        state=State.FAILED,
        scoring_version__competition=competition,
        scoring_version__state__in=SCORED,
        submission__cancellation=None,
    ).exclude(failure=Evaluation.IDS_CHANGED)
    return failed.select_related("scoring_version", "submission__team__competition")


def _words(competition: Competition, query: str) -> Q:
    named = Team.objects.filter(competition=competition, name__icontains=query)
    wanted = among("team", named.values_list("pk", flat=True)) | among(
        "team", teams_of(competition, query)
    )
    of_file = Q(file_name__icontains=query)
    digits = query.lower().replace("-", "")
    if HEX.fullmatch(digits):
        # By its beginning. A range, for its index: hexadecimal digits are in order everywhere.
        of_file |= Q(sha256__gte=digits, sha256__lt=f"{digits}g")
        if SHORTEST_ID <= len(digits) <= 32:
            # An id by its beginning. A range, because databases write ids in different ways.
            ids = (UUID(hex=digits.ljust(32, "0")), UUID(hex=digits.ljust(32, "f")))
            scored = Evaluation.objects.filter(pk__range=ids)
            wanted |= Q(pk__range=ids) | among("pk", scored.values_list("submission", flat=True))
    files = Submission.objects.filter(of_file).values_list("pk", flat=True)
    return wanted | among("pk", files, of_file)


def _kind(competition: Competition, kind: str) -> Q:
    live = _under(ScoringVersion.State.LIVE)
    match kind:
        case "waiting":
            queued = Evaluation.objects.filter(
                scoring_version__competition=competition,
                scoring_version__state=ScoringVersion.State.LIVE,
                state=State.QUEUED,
            )
            # An upload brings its evaluation. One that was lost is asked for by the sweeper, at
            # once if its file is new: a million files are not looked through for it.
            newest = Submission.objects.filter(team__competition=competition).values("pk")[:NEWEST]
            lacking = Submission.objects.filter(~Exists(live), pk__in=newest)
            return Q(cancellation=None) & (
                among("pk", queued.values_list("submission", flat=True))
                | among("pk", lacking.values_list("pk", flat=True))
            )
        case "running" | "done":
            return Q(Exists(live.filter(state=kind)))
        case "failed":
            failed = Evaluation.objects.filter(
                scoring_version__competition=competition,
                scoring_version__state__in=SCORED,
                state=State.FAILED,
            )
            return among("pk", failed.values_list("submission", flat=True))
        case "cancelled":
            return Q(cancellation__isnull=False)
        case "excluded":
            return Q(exclusion__isnull=False)
        case "late":
            return Q(is_late=True)
        case "baseline":
            return Q(team__kind=Team.Kind.BASELINE)
        case _:
            return Q(pk=None)


def _under(*states: str) -> QuerySet[Evaluation]:
    return Evaluation.objects.filter(submission=OuterRef("pk"), scoring_version__state__in=states)
