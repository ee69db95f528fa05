"""The desk's golds: upload, what the checks say, all versions, what differs, rehearsing one.

Of a rehearsal: start it, look who moves and why, make it live or not. The same pages tell
afterwards who moved.
"""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.actions.references import check_references_at_once, upload_references
from leaderboard.actions.versions import discard, make_live, redraft, rehearse
from leaderboard.boards.rehearsal import baselines, preview, was_switched
from leaderboard.boards.visibility import Board, Viewer
from leaderboard.celery import waking
from leaderboard.evaluation import queries as evaluation
from leaderboard.evaluation.claim import is_supported
from leaderboard.evaluation.failures import kept_failures
from leaderboard.references import queries as references
from leaderboard.references.changes import Changes, changes, setting_changes
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import next_number
from leaderboard.web import fragments, lookups
from leaderboard.web.desk.overview import FAILURES
from leaderboard.web.forms import (
    ProfileForm,
    RedraftForm,
    SwitchForm,
    beside_choices,
    preset_choices,
    tag_choices,
    tokenizer_choices,
)
from leaderboard.web.lookups import WebRequest
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import SCORING, Entry
from leaderboard.web.uploads import ORGANIZER_BYTES
from leaderboard.worker.tasks import check_references, evaluate_next

State = ScoringVersion.State
CHANGES_PAGE = 50


@page("desk/golds/<uuid:version_id>/make-live", "make_live", does="make_live")
@page("desk/golds", "desk_golds", Entry(SCORING, gettext_lazy("Golds and scoring"), 10))
class ReferencesPage(DeskPage):
    """`/c/<slug>/desk/golds`: upload golds, read what the checks say, see all versions."""

    template = "desk/references.html"
    default = "upload"
    forms = {"upload": ProfileForm}
    upload_bytes = ORGANIZER_BYTES
    brings = {"upload": "files"}

    def do_upload(self) -> str:
        version = upload_references(files=self.files, **self.typed(), **self.who)
        _compute(version)
        said = _("The golds were checked and kept: %(name)s. Nothing has changed yet.")
        return said % {"name": version.label}

    def do_redraft(self) -> HttpResponse | str:
        form = RedraftForm(self.request.POST)
        if not form.is_valid():
            return self.wrong(_("Choose a scoring version, a preset and a tokenizer."))
        version = self._version(form.cleaned_data.pop("version"))
        made = redraft(version=version, user=self.user, at=self.at, **form.cleaned_data)
        _compute(made)
        said = _("Made with the golds of %(old)s: %(name)s. Nothing has changed yet.")
        return said % {"old": version.label, "name": made.label}

    def do_check(self) -> None:
        if not _compute(self._version(self.key("version"))):
            said = _("A scoring worker is checking them. Reload in a little while.")
            messages.info(self.request, said)

    def do_discard(self) -> str:
        version = self._version(self.key("version"))
        discard(version=version, user=self.user, at=self.at)
        return _("Discarded: %(name)s. The board is as it was.") % {"name": version.label}

    def open(self, **address: UUID) -> None:
        self.named = address

    def address(self) -> str:
        return reverse("desk_golds", args=[self.competition.slug])

    def post_make_live(self) -> str:
        """The first version of a contest, without rehearsal."""
        version = self._version(self.named["version_id"])
        make_live(version=version, user=self.user, at=self.at)
        return _("%(name)s is live. Submissions are open now.") % {"name": version.label}

    def context(self) -> dict[str, Any]:
        versions = references.versions(self.competition)
        proposed = references.proposed(self.competition)
        return {
            "form": self.form("upload", initial=proposed),
            "lines": _lines(self.request, versions, self.viewer),
            "has_live": any(version.is_live for version in versions),
            "number": references.next_number(self.competition),
            "again": RedraftForm(
                self.request.POST if self.verb == "redraft" else None, initial=proposed
            ),
            "presets": preset_choices(),
            "tokenizers": tokenizer_choices(),
            "metrics": beside_choices(),
            "tag_modes": tag_choices(),
            "limit": ORGANIZER_BYTES,
        }

    def _version(self, key: UUID) -> ScoringVersion:
        return get_object_or_404(ScoringVersion, competition=self.competition, pk=key)


@page("desk/golds/<uuid:version_id>/changes", "gold_changes")
class ReferenceChanges(DeskPage):
    """`/c/<slug>/desk/golds/<id>/changes?from=1`: the texts of two versions side by side."""

    tab = "desk_golds"
    template = "desk/reference_changes.html"

    def open(self, **address: UUID) -> None:
        versions = references.versions(self.competition)
        found = next((one for one in versions if one.pk == address["version_id"]), None)
        if found is None:
            raise Http404
        self.version = found
        self.others = [one for one in versions if one.pk != found.pk]

    def context(self) -> dict[str, Any]:
        other = _compared_with(self.request.GET.get("from", ""), self.version, self.others)
        golds = self.version.reference_set_id
        found = changes(other.reference_set_id, golds) if other else Changes()
        return {
            "version": self.version,
            "other": other,
            "others": self.others,
            "changes": found,
            "page": lookups.page_of(self.request, found.rows, CHANGES_PAGE),
        }


def _compared_with(
    asked: str, version: ScoringVersion, others: list[ScoringVersion]
) -> ScoringVersion | None:
    """The version that the address asks for; else the live one, else the one before."""
    if asked:
        found = next((one for one in others if str(one.draft_number) == asked), None)
        if found is None:
            raise Http404
        return found
    live = next((one for one in others if one.is_live), None)
    return live or next((one for one in others if one.draft_number < version.draft_number), None)


def _compute(version: ScoringVersion) -> bool:
    """The golds' own figures, now or by a worker; True if they are there."""
    if is_supported(version) and check_references_at_once(version=version):
        return True
    with waking(check_references):  # the version itself was committed before
        return version.self_check is not None


def _lines(
    request: WebRequest, versions: list[ScoringVersion], viewer: Viewer
) -> list[dict[str, Any]]:
    """The versions of the list."""
    live = next((version for version in versions if version.is_live), None)
    by_version = baselines(versions, viewer)
    switched = was_switched(versions)
    failures = list(kept_failures(versions))
    lines = []
    for version in versions:
        other = live if version.state in (State.DRAFT, State.REHEARSING) else None
        golds = version.reference_set_id
        check = version.self_check or {"totals": (), "full_mark": 0.0}
        full_mark = f"{check['full_mark']:.4f}"
        lines.append(
            {
                "version": version,
                # While it may still become live.
                "against_live": changes(other.reference_set_id, golds) if other else None,
                "changed": setting_changes(other, version) if other else (),
                # It was made live in another's place, and who moved can be read.
                "switched": version.pk in switched,
                "baselines": by_version.get(version.pk, []),
                "supported": is_supported(version),
                "fragments": [make(request, version) for make in fragments.VERSION],
                # Whole texts to an analyzer that a version made now gives line by line.
                "older_reading": version.state != State.RETIRED
                and version.profile().reading == "whole",
                # Each column of references, submitted itself, gets the full mark as printed.
                "is_full": all(f"{total:.4f}" == full_mark for total in check["totals"]),
                "failures": [
                    (one, FAILURES.get(one.code, one.code))
                    for one in failures
                    if one.scoring_version_id == version.pk
                ],
            }
        )
    return lines


TEAMS_PAGE = 50


@page("desk/golds/<uuid:version_id>/rehearsal", "rehearsal")
class Rehearsal(DeskPage):
    """`/c/<slug>/desk/golds/<id>/rehearsal`: the effect first, its cause second, then the gate."""

    tab = "desk_golds"
    template = "desk/rehearsal.html"
    version: ScoringVersion
    forms = {"make_live": SwitchForm}
    verbs = {
        "discard": (
            discard,
            gettext_lazy("The rehearsal was discarded. The leaderboard is as it was."),
        ),
        "make_live": (make_live, gettext_lazy("The new version is live and was announced.")),
    }

    def open(self, **address: UUID) -> None:
        rows = ScoringVersion.objects.filter(competition=self.competition)
        self.version = get_object_or_404(rows, pk=address["version_id"])

    @property
    def who(self) -> dict[str, Any]:
        return {"version": self.version, "user": self.user, "at": self.at}

    def do_rehearse(self) -> str:
        with waking(evaluate_next):
            rehearse(**self.who)
        return _("The rehearsal has begun. Participants see nothing of it.")

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
        switched = _("What making %(name)s live changed")
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
