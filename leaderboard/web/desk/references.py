"""The organizers' pages of references: upload, all versions, one version, rehearsing it.

Of a rehearsal: start it, look who moves and why, make it live or not. The same page says
afterwards who moved.
"""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.actions.references import check_references_at_once, upload_references
from leaderboard.actions.versions import discard, make_live, redraft, rehearse
from leaderboard.boards.models import Switch
from leaderboard.boards.rehearsal import preview
from leaderboard.boards.visibility import Board
from leaderboard.celery import waking
from leaderboard.competitions.schedule import refusal
from leaderboard.evaluation import queries as evaluation
from leaderboard.evaluation.claim import is_supported
from leaderboard.evaluation.run import kept_failures
from leaderboard.references import queries as references
from leaderboard.references.changes import Changes, changes
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version, next_number
from leaderboard.web import fragments, lookups
from leaderboard.web.desk.overview import FAILURES
from leaderboard.web.forms import ProfileForm, ReferencesForm, SwitchForm
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import SCORING, Entry
from leaderboard.web.uploads import ORGANIZER_BYTES
from leaderboard.worker.tasks import check_references, evaluate_next

State = ScoringVersion.State
CHANGES_PAGE = 50


@page("desk/golds/<uuid:version_id>/make-live", "make_live", does="make_live")
@page("desk/golds", "desk_golds", Entry(SCORING, gettext_lazy("References"), 10))
class ReferencesPage(DeskPage):
    """`/c/<slug>/desk/golds`: upload references, and all versions, a line each."""

    template = "desk/references.html"
    default = "upload"
    forms = {"upload": ReferencesForm}
    upload_bytes = ORGANIZER_BYTES
    brings = {"upload": "files"}

    def do_upload(self) -> str:
        version = upload_references(files=self.files, **self.typed(), **self.who)
        _compute(version)
        made = _("%(name)s was created. Scores have not changed.") % {"name": version.label}
        live = live_version(self.competition)
        if live is None:
            return made
        found = changes(live.reference_set_id, version.reference_set_id)
        if found.same_ids and not found.number["moved"]:
            kept = _("It uses the public/private split of %(live)s.")
        else:
            kept = _("Its ids or its public/private split differ from %(live)s.")
        return f"{made} {kept % {'live': live.label}}"

    def open(self, **address: UUID) -> None:
        self.named = address

    def address(self) -> str:
        return reverse("desk_golds", args=[self.competition.slug])

    def post_make_live(self) -> HttpResponse | str:
        """The first version of a contest, without rehearsal."""
        rows = ScoringVersion.objects.filter(competition=self.competition)
        version = get_object_or_404(rows, pk=self.named["version_id"])
        asked = self.second_step(make_live, "", version=version, user=self.user)
        if isinstance(asked, HttpResponse):
            return asked
        said = _("%(name)s is live.")
        if refusal(self.competition, self.at) is None:
            said = _("%(name)s is live. Submissions are open now.")
        return said % {"name": version.label}

    def context(self) -> dict[str, Any]:
        versions = references.versions(self.competition)
        rows = Switch.objects.filter(scoring_version__in=versions)
        switched = set(rows.values_list("scoring_version", flat=True))
        failed = {one.scoring_version_id for one in kept_failures(versions)}
        return {
            "form": self.form("upload", initial=references.proposed(self.competition)),
            "lines": [
                {
                    "version": one,
                    # It was made live in another's place, and who moved can be read.
                    "switched": one.pk in switched,
                    "broken": one.pk in failed or not is_supported(one),
                }
                for one in versions
            ],
            "asked": self.named.get("version_id"),
            "has_live": any(version.is_live for version in versions),
            "number": next_number(self.competition),
            "limit": ORGANIZER_BYTES,
        }


@page("desk/golds/<uuid:version_id>/changes", "gold_changes")
class VersionPage(DeskPage):
    """`/c/<slug>/desk/golds/<id>/changes`: a version's checks, and its texts beside the live ones,
    or those of the version before."""

    tab = "desk_golds"
    about = "version"
    template = "desk/reference_changes.html"
    forms = {"redraft": ProfileForm}

    def open(self, **address: UUID) -> None:
        versions = references.versions(self.competition)
        found = next((one for one in versions if one.pk == address["version_id"]), None)
        if found is None:
            raise Http404
        self.version = found
        before = [one for one in versions if one.draft_number < found.draft_number]
        live = [one for one in versions if one.is_live and one.pk != found.pk]
        self.other = next(iter(live + before), None)

    def do_redraft(self) -> HttpResponse:
        made = redraft(**self.typed(), **self.who)
        _compute(made)
        return redirect("gold_changes", self.competition.slug, made.pk)

    def do_check(self) -> str | None:
        if _compute(self.version):
            return None
        return _("A scoring worker is checking them. Reload the page in a minute.")

    def do_discard(self) -> HttpResponse:
        discard(**self.who)
        return redirect("desk_golds", self.competition.slug)

    def context(self) -> dict[str, Any]:
        version, other = self.version, self.other
        golds = version.reference_set_id
        found = changes(other.reference_set_id, golds) if other else Changes()
        check = version.self_check or {"totals": (), "full_mark": 0.0}
        full_mark = f"{check['full_mark']:.4f}"
        return {
            "version": version,
            "live": other,
            "changes": found,
            "page": lookups.page_of(self.request, found.rows, CHANGES_PAGE),
            "form": self.form("redraft", initial=references.proposed(self.competition)),
            "signatures": _compared(other.signature, version.signature) if other else (),
            "supported": is_supported(version),
            "fragments": [make(self.request, version) for make in fragments.VERSION],
            # Whole texts to an analyzer that a version made now gives line by line.
            "older_reading": version.profile().reading == "whole",
            # Each column of references, submitted itself, gets the full mark as printed.
            "is_full": all(f"{total:.4f}" == full_mark for total in check["totals"]),
            "failures": [
                (one, FAILURES.get(one.code, one.code)) for one in kept_failures([version])
            ],
        }


def _compute(version: ScoringVersion) -> bool:
    """The references' own figures, now or by a worker; True if they are there."""
    if is_supported(version) and check_references_at_once(version=version):
        return True
    with waking(check_references):  # the version itself was committed before
        return version.self_check is not None


TEAMS_PAGE = 50


@page("desk/golds/<uuid:version_id>/rehearsal", "rehearsal")
class Rehearsal(DeskPage):
    """`/c/<slug>/desk/golds/<id>/rehearsal`: the effect first, its cause second, then the gate."""

    tab = "desk_golds"
    about = "version"
    template = "desk/rehearsal.html"
    version: ScoringVersion
    forms = {"make_live": SwitchForm}
    verbs = {
        "discard": (
            discard,
            gettext_lazy("The rehearsal was discarded. The leaderboard has not changed."),
        ),
        "make_live": (make_live, gettext_lazy("The new version is live.")),
    }
    previewed = ("make_live",)

    def open(self, **address: UUID) -> None:
        rows = ScoringVersion.objects.filter(competition=self.competition)
        self.version = get_object_or_404(rows, pk=address["version_id"])

    def do_rehearse(self) -> str:
        with waking(evaluate_next):
            rehearse(**self.who)
        return _("The rehearsal has started. Participants cannot see it.")

    def unknown(self) -> HttpResponse:
        return self.done()

    def context(self) -> dict[str, Any]:
        version, board = self.version, self.request.GET.get("board", "public")
        seen = preview(version, board, self.viewer)
        if board not in Board.values or seen is None:
            raise Http404
        every = self.request.GET.get("all") == "1"
        moves = [move for move in seen.moves if every or move.moves or move.changes]
        shown = lookups.page_of(self.request, moves, TEAMS_PAGE)
        causes = seen.causes_of(list(shown))
        failed = evaluation.failed_under(version)
        rehearsal = _("Rehearsal of %(name)s")
        switched = _("Changes by making %(name)s live")
        title = switched if seen.against.switched_at else rehearsal
        return {
            "version": version,
            "title": title % {"name": version.label},
            "live": seen.against.version,
            "board": board,
            "switched_at": seen.against.switched_at,
            "number": version.number or next_number(self.competition),
            "preview": seen,
            "lines": [(move, causes.get(move.team_id)) for move in shown],
            "page": shown.number,
            "pages": shown.paginator.num_pages,
            "every": every,
            "waiting": evaluation.unended(version),
            "failed": failed,
            "ids_changed": sum(row.failure == row.IDS_CHANGED for row in failed),
            "signatures": _compared(seen.against.version.signature, version.signature),
            "form": self.bound or SwitchForm(self.request.POST or None),
        }


def _compared(live: str, other: str) -> list[list[tuple[str, bool]]]:
    """Both signatures part by part, with whether the other one says something else."""
    ours, theirs = live.split("|"), other.split("|")
    pairs = ((ours, theirs), (theirs, ours))
    return [[(part, part not in rest) for part in parts] for parts, rest in pairs]
