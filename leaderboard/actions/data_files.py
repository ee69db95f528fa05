"""Files that participants may download: added, described, removed."""

import uuid
from datetime import datetime
from functools import partial

from django.db import IntegrityError, transaction
from django.db.models import Max, Sum
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import deciding, refuse_all_but_editors, refuse_all_but_owners
from leaderboard.audit.log import KINDS
from leaderboard.competitions.models import Competition, DataFile, data_storage
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.competitions.storage import stored
from leaderboard.references.given_away import HiddenGolds, golds_of
from leaderboard.references.models import ReferenceSet
from leaderboard.refusals import Invalid, Refused, Unknown
from leaderboard.submissions.queries import Upload, clean_name

KINDS |= {
    "data_file.added": _("Added a data file"),
    "data_file.removed": _("Removed a data file"),
    "data_file.described": _("Changed a data file's description"),
}

# Made anew for everybody from the real ids; a file of that name would be taken for it.
MADE_BY_THE_SERVER = "sample_submission.csv"
SHOWN = 5  # ids of a refusal
CONTEST_BYTES = 2_000_000_000  # of all files of one contest

file_name_taken = partial(
    Refused,
    "name_taken",
    _("A file with this name already exists: {name}"),
    _("Remove that file first, or upload under another name."),
)


def add_data_file(
    *,
    competition: Competition,
    user: User,
    upload: Upload,
    description: str = "",
    description_en: str = "",
    at: datetime,
) -> DataFile:
    """Keep the bytes under a random name with hash and size, last in order. Raises Refused.

    Before the results are open, golds that score anybody are no data for participants.
    """
    refuse_all_but_editors(competition, user)
    name = clean_name(upload.name)
    _check(competition, name, upload)
    if phase(competition, at) is not Phase.REVEALED:
        # Of every set that scores, did or may: all but those to practise on.
        sets = ReferenceSet.objects.filter(competition=competition)
        scoring = sets.exclude(public_rows=0, private_rows=0)
        refuse_golds(name, upload.data, golds_of(scoring))
    try:
        with (
            stored(data_storage(), str(uuid.uuid4()), upload.data) as kept,
            deciding(competition, user, at) as decision,
        ):
            files = decision.competition.data_files
            last = files.aggregate(last=Max("position"))["last"]
            data_file = files.create(
                name=name,
                description=description,
                description_en=description_en,
                file=kept,
                size=len(upload.data),
                sha256=upload.sha256,
                position=0 if last is None else last + 1,
            )
            decision.record("data_file.added", data_file.pk, after=_printable(data_file))
    except IntegrityError:
        raise file_name_taken(name=name) from None
    return data_file


def _check(competition: Competition, name: str, upload: Upload) -> None:
    if not upload.data:
        raise Invalid("empty_file", _("The file is empty."))
    if name == MADE_BY_THE_SERVER:
        raise Invalid(
            "made_by_the_server", _("The server creates {name} from the real ids."), name=name
        )
    if competition.data_files.filter(name=name).exists():
        raise file_name_taken(name=name)
    kept = competition.data_files.aggregate(kept=Sum("size"))["kept"] or 0
    if kept + len(upload.data) > CONTEST_BYTES:
        raise Refused(
            "contest_full",
            _("The files of one competition can total 2 GB."),
            _("Remove a file that is not needed first."),
        )


def refuse_golds(name: str, data: bytes, golds: HiddenGolds) -> None:
    """Raises Refused, with ids and no text, for a file that gives golds away."""
    if found := golds.given_away_by(data):
        shown = ", ".join(found[:SHOWN]) + (" …" if len(found) > SHOWN else "")
        raise Invalid(
            "golds_in_file",
            _("{name} has references that score this competition. Ids: {found}"),
            _("Participants can read data files. Keep these references out of them."),
            name=name,
            found=shown,
        )


def describe_data_file(
    *, data_file: DataFile, user: User, description: str, description_en: str, at: datetime
) -> None:
    """The bytes and the name stay as they are. Raises Refused."""
    with deciding(data_file.competition, user, at) as decision:
        locked = DataFile.objects.filter(pk=data_file.pk).first()
        if locked is None:
            raise Unknown(
                "unknown_file", _("There is no such file. It may just have been removed.")
            )
        before = {"description": locked.description, "description_en": locked.description_en}
        after = {"description": description, "description_en": description_en}
        if before == after:
            return
        DataFile.objects.filter(pk=locked.pk).update(**after)
        decision.record(
            "data_file.described",
            locked.pk,
            before={"name": locked.name, **before},
            after={"name": locked.name, **after},
        )


def remove_data_file(*, data_file: DataFile, user: User, at: datetime) -> None:
    """Delete the file; the log keeps its name, size and hash. For owners. Raises Refused."""
    with deciding(data_file.competition, user, at, refuse=refuse_all_but_owners) as decision:
        gone, _rows = DataFile.objects.filter(pk=data_file.pk).delete()
        if not gone:
            return
        decision.record("data_file.removed", data_file.pk, before=_printable(data_file))
        # Only when the row is gone for good, so that no row ever points at nothing.
        stored = str(data_file.file.name)
        transaction.on_commit(lambda: data_storage().delete(stored), robust=True)


def _printable(data_file: DataFile) -> dict[str, object]:
    return {"name": data_file.name, "size": data_file.size, "sha256": data_file.sha256}
