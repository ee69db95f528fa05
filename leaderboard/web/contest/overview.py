"""The list of contests, and a contest's overview."""

from datetime import datetime
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.accounts.models import User
from leaderboard.community.announcements import announcements
from leaderboard.competitions import roles
from leaderboard.competitions import schedule as dates
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.registration import newest_terms, terms_due
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.evaluation.health import load, stalled, workers
from leaderboard.evaluation.queries import expected_wait, server_scoring, under_way, waits_since
from leaderboard.operations.checks import faults
from leaderboard.operations.installation import version
from leaderboard.references.models import ScoringVersion
from leaderboard.teams import queries as teams
from leaderboard.teams.membership import request_of
from leaderboard.texts import reader_language
from leaderboard.web.lookups import WebRequest
from leaderboard.web.page import ContestPage, page
from scoring.explain import worked_example
from scoring.formula import FormulaText, describe
from scoring.messages import Language
from scoring.profile import PRESETS, Profile
from scoring.tokenizers import java


@require_safe
def home(request: WebRequest) -> HttpResponse:
    """`/`: the contests that this person may know of, running ones first; `?archived`: the others
    that can only be read any more."""
    order = [Phase.OPEN, Phase.UPCOMING, Phase.CLOSED, Phase.REVEALED]
    known = list(teams.visible_to(request.user))
    is_archive = "archived" in request.GET
    organized = set(
        Organizer.objects.filter(user=request.user.pk).values_list("competition", flat=True)
    )
    lines: list[dict[str, Any]] = [
        {
            "competition": competition,
            "phase": phase(competition, request.received_at),
            "paused": dates.is_paused(competition, request.received_at),
            "held": dates.is_held(competition, request.received_at),
            "teams": teams.participants(competition).count(),
            "own_team": teams.team_of(request.user, competition),
            "organized": competition.pk in organized,
        }
        for competition in known
        if competition.is_archived is is_archive
    ]
    ctx = {
        "lines": sorted(lines, key=lambda line: order.index(line["phase"])),
        "is_archive": is_archive,
        "has_archive": any(competition.is_archived for competition in known),
        "now": request.received_at,
        "may_create": roles.may_create(request.user),
        "nobody_yet": not lines and not User.objects.exists(),
    }
    return render(request, "home.html", ctx)


# --- How a contest's score is made ----------------------------------------------------------------

# One everyday row, written for this project; no contest's reference.
DIALOGUE = (
    "손님: 지난주에 산 전기포트에서 물이 새요. 교환할 수 있을까요?",
    "점원: 지금은 재고가 없어요. 금요일에 들어오면 문자로 알려 드릴게요.",
)
PREDICTION = (
    "포트에서 물이 새서 찾아온 손님에게 "
    "점원은 카드 내역으로 확인한 뒤 문자로 알려 주겠다고 했습니다."
)
REFERENCES = (
    "손님은 물이 새는 전기포트를 교환하러 왔고, "
    "점원은 금요일에 재고가 들어오면 문자로 알려 주기로 합니다.",
    "지난주에 산 전기포트에서 물이 새자 손님이 교환을 요청합니다. "
    "재고가 없어 금요일에 다시 방문하기로 합니다.",
    "손님은 영수증이 없지만 카드 내역으로 구매를 확인받고, 같은 전기포트로 바꾸기로 합니다.",
)
COUNTS = (len(REFERENCES), len(REFERENCES))


def explained(competition: Competition, version: ScoringVersion | None) -> dict[str, Any]:
    """What the overview and the foot of a board say about the number.

    Of the live version, or of the contest's settings before there is one.
    """
    if version is None:
        return _explain(competition.profile(), COUNTS, reader_language())
    counted = version.reference_set
    return _explain(version.profile(), (counted.golds_min, counted.golds_max), reader_language())


def presets() -> list[tuple[str, FormulaText]]:
    language = reader_language()
    return [(name, describe(profile, language=language)) for name, profile in PRESETS.items()]


@lru_cache(maxsize=64)
def _explain(profile: Profile, counts: tuple[int, int], language: Language) -> dict[str, Any]:
    """A profile explained; no example where the analyzer would have to start Java first."""
    words = describe(profile, ngolds=counts, language=language)
    example = None
    if profile.tokenizer not in java.NAMES:
        example = worked_example(profile, PREDICTION, REFERENCES, language)
    return {"words": words, "example": example}


# --- The overview --------------------------------------------------------------------------------


@page("", "overview")
class Overview(ContestPage):
    """`/c/<slug>/`: introduction, how scores are made (printed from the profile), dates, rules."""

    tab = "overview"
    template = "overview.html"

    def context(self) -> dict[str, Any]:
        competition, team = self.competition, self.viewer.team
        return {
            "team": team,
            "asked": None if team else request_of(self.request.user, competition),
            "terms": newest_terms(competition),
            "terms_due": terms_due(self.user, competition) if team else None,
            "version": self.viewer.version,
            "dialogue": DIALOGUE,
            "summary": REFERENCES[0],
            "explained": explained(competition, self.viewer.version),
            "announcements": announcements(
                competition, self.request.user, runs_it=self.viewer.role is not None
            ),
            "milestones": schedule(competition, self.at),
        }


def schedule(competition: Competition, now: datetime) -> list[dict[str, Any]]:
    """The dates in order with the present, `here`, among them."""
    held = dates.is_held(competition, now)
    reveal = _("Verifying results (reveal held)") if held else _("Results revealed")
    lines = [
        (competition.opens_at, _("Opens")),
        (competition.team_merge_until, _("Last day to merge teams")),
        (competition.freezes_at, _("Board freeze")),
        (competition.closes_at, _("Closes")),
        (competition.reveals_at, reveal),
    ]
    found = sorted((at, title) for at, title in lines if at is not None)
    milestones: list[dict[str, Any]] = [
        {
            "at": at,
            "title": title,
            # A held reveal has not happened, though its date has passed.
            "state": "past" if at <= now and not (held and title == reveal) else "",
        }
        for at, title in found
    ]
    passed = sum(milestone["state"] == "past" for milestone in milestones)
    for milestone in milestones[passed : passed + 1]:  # until the next one, unless nobody knows
        milestone["counts"] = not (competition.reveal_held and milestone["title"] == reveal)
    milestones.insert(passed, {"at": now, "title": _("Now"), "state": "here"})
    return milestones


@require_safe
def status(request: WebRequest) -> HttpResponse:
    """`/status`: of the whole server, for everybody; what administrators should know, for them."""
    if request.htmx:
        return stall_alone(request, rehearsals=False)
    is_staff = request.user.is_staff
    ctx = {
        "load": load(request.received_at),
        "server": server_scoring(request.received_at) if is_staff else None,
        "workers": workers(request.received_at) if is_staff else (),
        "now": request.received_at,
        "zone": timezone.get_current_timezone(),
    }
    return render(request, "status.html", ctx)


@require_safe
def doctor(request: WebRequest) -> HttpResponse:
    """`/status/faults`: what is wrong with the installation; takes seconds, so `/status` asks."""
    if not request.user.is_staff:
        raise Http404
    language = reader_language()
    found = [
        (fault.message(language), fault.next_step(language))
        for fault in faults(request.received_at)
    ]
    return render(request, "parts/faults.html", {"faults": found, "version": version()})


@require_safe
def kept(request: WebRequest) -> HttpResponse:
    """`/kept`: what this server keeps of people, for how long and why; for everybody."""
    names = ("MESSAGE_DAYS", "LOG_DAYS", "CLOSED_NAME_DAYS")
    return render(request, "kept.html", {name.lower(): getattr(settings, name) for name in names})


@page("status", "contest_status")
class ContestStatus(ContestPage):
    """`/c/<slug>/status`: how long scoring takes now, and what is under way of one's own."""

    tab = "contest_status"
    template = "contest_status.html"

    def respond(self) -> HttpResponseBase:
        if self.request.htmx:
            return stall_alone(self.request, rehearsals=False)
        return self.show()

    def context(self) -> dict[str, Any]:
        team, waiting = self.viewer.team, waits_since(self.at)
        return {
            "load": load(self.at, self.competition),
            "waiting": waiting,
            "expected": expected_wait(waiting + 1),
            "under_way": under_way(team) if team else [],
        }


def stall_alone(request: WebRequest, *, rehearsals: bool) -> HttpResponse:
    """The part of a page that comes and goes with a standstill; `rehearsals` are for organizers."""
    ctx = {
        "stall": stalled(request.received_at, rehearsals=rehearsals),
        "for_organizers": rehearsals,
        "now": request.received_at,
    }
    return render(request, "parts/stall.html", ctx)
