"""A scoring version from its draft to the board: rehearsed, made live, or given up."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from uuid import uuid4

from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.actions.data_files import refuse_golds
from leaderboard.actions.decisions import (
    announcing,
    deciding,
    in_both,
    refuse_all_but_editors,
    refuse_unasked,
    refuse_unseen,
)
from leaderboard.actions.references import draft, profile_of
from leaderboard.actions.scoring import tell_scored
from leaderboard.audit.log import KINDS
from leaderboard.boards.rehearsal import keep_moves
from leaderboard.boards.standings import place_scored
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import Phase, phase, refusal
from leaderboard.competitions.storage import StoreAway, store_away
from leaderboard.evaluation.claim import ask_under
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.evaluation.queries import failed_under, unended
from leaderboard.references.given_away import golds_of
from leaderboard.references.models import ReferenceSet, ScoringVersion, SetUse, gold_storage
from leaderboard.references.queries import live_version, next_number
from leaderboard.refusals import Refused
from leaderboard.teams.models import sort_key

KINDS |= {
    "version.rehearsing": _("Rehearsed a scoring version"),
    "version.drafted": _("Drafted a version with the same references"),
    "version.discarded": _("Discarded a draft or a rehearsal"),
    "version.made_live": _("Made a scoring version live"),
}

State = ScoringVersion.State
NAMED = 10  # so many teams are named in a refusal; the rehearsal's page lists all
AFTER_SWITCH: list[Callable[[Competition], object]] = []
"""What apps above do when other golds go live under a running contest, in the same transaction."""

live_exists = partial(
    Refused,
    "live_exists",
    _("v{live} is live and cannot be replaced directly."),
    _("Rehearse it first to see which ranks change."),
)


def redraft(
    *,
    version: ScoringVersion,
    user: User,
    preset: str,
    tokenizer: str,
    beside: Sequence[str] = (),
    tags: str = "keep",
    tag_forms: Sequence[str] = (),
    at: datetime,
) -> ScoringVersion:
    """A draft with the same golds; with the same profile, its signature names the packages of now.
    Raises Refused."""
    with deciding(version.competition, user, at) as decision:
        profile = profile_of(preset, tokenizer, beside, tags, tag_forms)
        made = draft(decision, _now(version).reference_set, profile)
        decision.record("version.drafted", made.pk, before=version.signed, after=made.signed)
    return made


def rehearse(*, version: ScoringVersion, user: User, at: datetime) -> int:
    """Draft or retired to rehearsing; answers how many evaluations were queued. Raises Refused.

    Nothing that a participant sees changes. From now on every new submission is scored under the
    live version and under this one. A file that lacks ids of this version's golds ends as failed.
    """
    with deciding(version.competition, user, at) as decision:
        if live_version(decision.competition) is None:
            raise Refused(
                "nothing_live", _("No version is live yet, so this one can be made live directly.")
            )
        able = (State.DRAFT, State.RETIRED)
        rows = ScoringVersion.objects.filter(pk=version.pk, state__in=able)
        if not rows.update(state=State.REHEARSING):
            raise Refused("not_to_rehearse", _("Only a draft or a retired version can rehearse."))
        queued = ask_under(version, at=at)
        place_scored(version=version)
        decision.record("version.rehearsing", version.pk, after=version.signed)
    return queued


def make_live(
    *,
    version: ScoringVersion,
    user: User,
    accept_failed: bool = False,
    reason: str = "",
    seen: str | None = None,
    at: datetime,
) -> ScoringVersion:
    """The first version: draft to live. A later one: rehearsing to live, in one transaction.

    A later version is refused while any submission lacks an ended evaluation under it, and while
    some ended without a score unless `accept_failed`. Everybody reads the reason. Raises Refused,
    also while a file for participants holds the version's golds.
    """
    refuse_all_but_editors(version.competition, user)
    _refuse_released(version, at)
    with deciding(version.competition, user, at) as decision:
        live = live_version(decision.competition)
        if live is None:
            happens = _("Submissions are scored with it. Replacing it later needs a rehearsal.")
            if refusal(decision.competition, at) is None:
                happens = _(
                    "Submissions open now and are scored with it. Replacing it needs a rehearsal."
                )
            refuse_unasked(seen, happens, (), version.pk)
            if not _promote(version, State.DRAFT, at):
                raise Refused("not_a_draft", _("Only a draft can be made live."))
            place_scored(version=version)
            version.refresh_from_db()
        else:
            _refuse_unready(version, live, accept_failed)
            said = _switched(live, version, reason)
            refuse_unseen(announcing(decision.competition, "live", said, version.pk, at=at), seen)
            keep_moves(version=version, live=live, at=at)
            # The other order would break the constraint of one live version.
            ScoringVersion.objects.filter(pk=live.pk).update(state=State.RETIRED, retired_at=at)
            if not _promote(version, State.REHEARSING, at):
                raise live_exists(live=live.number)
            version.refresh_from_db()
            # A scoring that ends after the switch is nobody's news; the one of the rehearsal is.
            unfinished = Evaluation.objects.filter(
                scoring_version=live, state__in=("queued", "running")
            )
            scores = SplitScore.objects.filter(
                evaluation__scoring_version=version,
                evaluation__submission__in=unfinished.values("submission"),
                split="public",
            )
            of = "evaluation__submission__"
            for score in scores.select_related(f"{of}team__competition", f"{of}submitted_by"):
                file = score.evaluation.submission
                tell_scored(team=file.team, submission=file, total=score.total, at=at)
            for follow in AFTER_SWITCH:
                follow(decision.competition)
            decision.announce(said)
        decision.record(
            "version.made_live",
            version.pk,
            before=live.signed if live else None,
            after={**version.signed, "draft": version.draft_number},
            reason=reason,
        )
    return version


def _promote(version: ScoringVersion, before: str, at: datetime) -> bool:
    """Make it live, with a public number unless it has one; False if its state is another."""
    number = Coalesce(F("number"), Value(next_number(version.competition)))
    rows = ScoringVersion.objects.filter(pk=version.pk, state=before)
    return rows.update(state=State.LIVE, made_live_at=at, number=number) == 1


def _refuse_released(version: ScoringVersion, at: datetime) -> None:
    """Looked at before the lock: files may be large. Who adds one later is asked about this set."""
    if phase(version.competition, at) is Phase.REVEALED:
        return
    golds = golds_of(ReferenceSet.objects.filter(pk=version.reference_set_id))
    for data_file in version.competition.data_files.all():
        try:
            with data_file.file.open("rb") as file:
                data = file.read()
        except StoreAway as error:
            raise store_away() from error
        except FileNotFoundError:  # so nobody reads it
            continue
        refuse_golds(data_file.name, data, golds)


def _switched(live: ScoringVersion, version: ScoringVersion, reason: str) -> tuple[str, str]:
    """What changes, why, and how many submissions lose their score."""
    said = [
        in_both(
            _(
                "The scoring version has changed: v{live} → v{version}. All submissions were "
                "rescored; submission times did not change."
            ),
            live=live.number,
            version=version.number or next_number(version.competition),
        )
    ]
    if reason:
        said.append(in_both(_("Reason: {reason}"), reason=reason))
    if lost := len(failed_under(version)):
        text = _("{lost} submissions cannot be scored under it and have no score.")
        said.append(in_both(text, lost=lost))
    ko, en = zip(*said, strict=True)
    return " ".join(ko), " ".join(en)


def _refuse_unready(version: ScoringVersion, live: ScoringVersion, accept_failed: bool) -> None:
    if _now(version).state != State.REHEARSING:
        raise live_exists(live=live.number)
    if waiting := unended(version):
        raise Refused(
            "rehearsal_runs",
            _("{waiting} submissions are still waiting for their rehearsal."),
            _("Make it live when all are done."),
            waiting=waiting,
            retry_after=10,
        )
    if not accept_failed and (failed := failed_under(version)):
        named = sorted({row.submission.team.name for row in failed}, key=sort_key)
        names = ", ".join(named[:NAMED]) + (" …" if len(named) > NAMED else "")
        raise Refused(
            "rehearsal_failed",
            _("{count} submissions could not be scored under the new version: {names}."),
            _("They would have no score. Confirm that and try again."),
            count=len(failed),
            names=names,
        )


def discard(*, version: ScoringVersion, user: User, at: datetime) -> None:
    """Delete a draft, with golds that no other version has; retire a rehearsing one. Raises
    Refused."""
    with deciding(version.competition, user, at) as decision:
        rows = ScoringVersion.objects.filter(pk=version.pk)
        found = rows.select_related("reference_set").first()
        if found is not None and found.state == State.DRAFT:
            rows.delete()
            _free(found.reference_set)
        elif rows.filter(state=State.REHEARSING).update(state=State.RETIRED):
            # What runs ends without a side effect. Marked first: a deletion by state looks for its
            # rows before, and would take away what a worker claimed and scored since.
            waiting, mark = Evaluation.objects.filter(scoring_version=version), uuid4()
            waiting.filter(state=Evaluation.State.QUEUED).update(owner=mark)
            waiting.filter(owner=mark).delete()
        else:
            raise Refused(
                "not_to_discard", _("Only a draft or a rehearsing version can be discarded.")
            )
        decision.record("version.discarded", version.pk, after=version.signed)


def _free(golds: ReferenceSet) -> None:
    """Golds that no version of the contest has any more go, and may be released from then on."""
    others = ScoringVersion.objects.filter(competition=golds.competition_id)
    if not others.filter(reference_set__golds_sha256=golds.golds_sha256).exists():
        uses = SetUse.objects.filter(use=SetUse.Kind.SCORED, competition=golds.competition_id)
        uses.filter(golds_sha256=golds.golds_sha256).delete()
    if not others.filter(reference_set=golds).exists():
        golds.delete()
        for name in golds.stored_as:
            transaction.on_commit(partial(gold_storage().delete, name), robust=True)


def _now(version: ScoringVersion) -> ScoringVersion:
    """The version as it is under the contest's lock. Raises Refused for a draft that somebody
    discarded after this request had found it."""
    found = ScoringVersion.objects.filter(pk=version.pk).select_related("reference_set").first()
    if found is None:
        raise Refused(
            "version_gone",
            _("This draft has just been discarded."),
            _("Open the list of versions again."),
        )
    return found
