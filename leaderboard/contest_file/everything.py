"""Everything of a contest as one ZIP, for its owners and editors: read and packed, never written.

Entry names are ours; what a participant called a file stands in a cell. No golds: those are in the
contest as a file.
"""

import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import IO, Any

from leaderboard.boards.exports import board_csv, board_json
from leaderboard.boards.queries import whole
from leaderboard.boards.visibility import visible_boards
from leaderboard.boards.visit import Visit
from leaderboard.competitions.models import Competition
from leaderboard.contest_file import tables
from leaderboard.references.queries import versions
from leaderboard.submissions.models import Submission

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest a ZIP knows: equal contents give equal bytes
README = """\
{title} ({slug}), {at}

board-public, board-private   순위표 (사용 중인 채점 기준) · the boards under the live version
submissions.csv               모든 제출 · every submission
scores.csv                    모든 채점 기준의 점수와 서명 · scores under every version, signed
versions.json                 채점 기준 · the scoring versions
teams.csv, members.csv        팀과 팀원, 기준선 · teams, people, baselines
ledger.csv                    횟수 장부 · the quota ledger
finals.csv, exclusions.csv    최종 제출, 뺀 제출 · final choices, exclusions
audit.csv                     기록 · the log of decisions
files/                        보낸 그대로의 파일, 이름은 제출의 id · files as sent, named by id

정답은 들어 있지 않습니다. 대회 파일로 내보내면 들어갑니다.
No golds are in here. Export the contest as a file to have them.
"""


def everything(visit: Visit) -> IO[bytes]:
    """The ZIP in a temporary file that vanishes when it is closed, read from its beginning."""
    packed = tempfile.TemporaryFile()  # noqa: SIM115  whoever sends it closes it
    try:
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in _documents(visit):
                archive.writestr(_entry(name), data)
            missing = _pack_files(archive, visit.competition)
            if missing:
                archive.writestr(_entry("files/missing.txt"), "\n".join(missing) + "\n")
    except BaseException:
        packed.close()
        raise
    packed.seek(0)
    return packed


def _documents(visit: Visit) -> Iterator[tuple[str, bytes]]:
    competition, at = visit.competition, visit.at
    shown = at.astimezone(competition.zoneinfo).isoformat(timespec="seconds")
    title = tables.plain(competition.title)
    readme = README.format(title=title, slug=competition.slug, at=shown)
    yield "README.txt", readme.encode()
    for board in visible_boards(visit):
        page = whole(visit, board)
        if page is not None:
            yield f"board-{board}.csv", board_csv(page)
            yield f"board-{board}.json", _json(board_json(page))
    yield "submissions.csv", tables.submissions(competition, at)
    yield "scores.csv", tables.scores(visit)
    yield "versions.json", _json(_versions(competition))
    yield "teams.csv", tables.teams(competition, at)
    yield "members.csv", tables.members(competition, at)
    yield "ledger.csv", tables.ledger(competition, at)
    yield "finals.csv", tables.finals(competition, at)
    yield "exclusions.csv", tables.exclusions(competition, at)
    yield "audit.csv", tables.audit(competition, at)


def _versions(competition: Competition) -> list[dict[str, Any]]:
    zone = competition.zoneinfo

    def stamp(instant: datetime | None) -> str | None:
        return instant.astimezone(zone).isoformat(timespec="seconds") if instant else None

    return [
        {
            "version": version.number,
            "draft": version.draft_number,
            "state": version.state,
            "signature": version.signature,
            "profile": version.profile_settings,
            "golds": {
                "sha256": version.reference_set.sha256,
                "rows": version.reference_set.rows,
                "public_rows": version.reference_set.public_rows,
                "private_rows": version.reference_set.private_rows,
                "references_min": version.reference_set.golds_min,
                "references_max": version.reference_set.golds_max,
            },
            "created_at": stamp(version.created_at),
            "made_live_at": stamp(version.made_live_at),
        }
        for version in reversed(versions(competition))
    ]


def _pack_files(archive: zipfile.ZipFile, competition: Competition) -> list[str]:
    """Each file as it was sent; answers the ids of those that the storage does not have."""
    missing = []
    for submission in _handed_in(competition):
        try:
            with (
                submission.file.open("rb") as sent,
                archive.open(_entry(f"files/{submission.pk}.csv"), "w") as packed,
            ):
                shutil.copyfileobj(sent, packed)
        except FileNotFoundError:
            missing.append(str(submission.pk))
    return missing


def _handed_in(competition: Competition) -> Iterable[Submission]:
    rows = Submission.objects.filter(team__competition=competition).only("file", "received_at")
    return rows.order_by("received_at", "pk").iterator()


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    return entry


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()
