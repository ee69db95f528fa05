"""Golds are no data for participants: refused when added, when made live, in a contest file."""

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest

from leaderboard.actions.data_files import add_data_file, remove_data_file
from leaderboard.actions.versions import make_live, rehearse
from leaderboard.competitions.models import Competition, DataFile
from leaderboard.contest_file.check import plan
from leaderboard.contest_file.cloning import clone
from leaderboard.contest_file.export import package
from leaderboard.contest_file.import_competition import import_competition
from leaderboard.contest_file.packing import Archive, write_zip
from leaderboard.refusals import Refused
from leaderboard.submissions.queries import Upload
from tests.leaderboard import builders
from tests.leaderboard.builders import GOLDS, NOON, REVEALS, gold_csv
from tests.leaderboard.material import texts_csv
from tests.leaderboard.web.stage import DEV_GOLDS

pytestmark = pytest.mark.django_db
FIRST = {name: golds[0] for name, golds in GOLDS.items()}


def zipped(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("inside/golds.csv", data)
    return out.getvalue()


def rows(*lines: str) -> bytes:
    return "\n".join(lines).encode()


GIVING = {
    "the golds": gold_csv(),
    "summary1": texts_csv(FIRST, "summary1"),
    "one row": texts_csv(dict([next(iter(FIRST.items()))]), "text"),
    "more blanks": texts_csv({name: f"  {text} " for name, text in FIRST.items()}, "text"),
    "utf-16": texts_csv(FIRST, "text").decode("utf-8-sig").encode("utf-16"),
    "cp949": texts_csv(FIRST, "text").decode("utf-8-sig").encode("cp949"),
    "a blank before quotes": rows("id, x", *(f'{n}, "{text}"' for n, text in FIRST.items())),
    "an empty line first": rows("", "id;x", *(f"{name};{text}" for name, text in FIRST.items())),
    "a title above": rows("a, b", "id\tx", *(f"{name}\t{text}" for name, text in FIRST.items())),
    "a stray byte": texts_csv(FIRST, "text") + b"\xff,\xff\n",
    "without ids": rows("text", *FIRST.values()),
    "json": json.dumps(FIRST).encode(),
    "json rows": json.dumps([{"id": name, "x": text} for name, text in FIRST.items()]).encode(),
    "json lines": rows(*(json.dumps({"id": n, "x": list(golds)}) for n, golds in GOLDS.items())),
    "zip": zipped(gold_csv()),
}


def add(contest: Competition, data: bytes, at: Any = NOON) -> DataFile:
    olivia, upload = builders.user("olivia"), Upload("data.csv", data)
    return add_data_file(competition=contest, user=olivia, upload=upload, at=at)


@pytest.mark.parametrize("data", GIVING.values(), ids=GIVING.keys())
def test_a_file_with_golds_is_refused_until_the_results_are_open(data: bytes) -> None:
    contest = builders.open_competition()
    with pytest.raises(Refused) as refused:
        add(contest, data)
    assert refused.value.code == "golds_in_file"
    assert refused.value.status == 422
    assert next(iter(FIRST)) in refused.value.message("en")
    assert not any(text in refused.value.message("ko") for text in FIRST.values())
    assert add(contest, data, at=REVEALS).sha256 == Upload("", data).sha256


def test_golds_of_a_draft_are_refused_and_a_released_dev_set_is_not() -> None:
    contest = builders.open_competition()
    draft = {name: tuple(f"{text} 또" for text in golds) for name, golds in GOLDS.items()}
    builders.uploaded(contest, gold_csv(draft))
    with pytest.raises(Refused, match="golds_in_file"):
        add(contest, gold_csv(draft))
    builders.dev_set(contest, DEV_GOLDS)
    add(contest, gold_csv(DEV_GOLDS, None))


@pytest.mark.parametrize(
    "texts", [dict.fromkeys(GOLDS, "가: 안녕?\n나: 안녕."), {"train_1": next(iter(FIRST.values()))}]
)
def test_other_texts_of_these_ids_are_data_and_so_is_a_text_of_another_id(
    texts: Mapping[str, str],
) -> None:
    add(builders.open_competition(), texts_csv(texts, "dialogue"))


def test_a_version_is_not_made_live_while_a_file_holds_its_golds() -> None:
    contest, olivia = builders.open_competition(), builders.user("olivia")
    corrected = {name: tuple(f"{text} 또" for text in golds) for name, golds in GOLDS.items()}
    file = add(contest, gold_csv(corrected))
    version = builders.uploaded(contest, gold_csv(corrected))
    rehearse(version=version, user=olivia, at=NOON)
    with pytest.raises(Refused, match="golds_in_file"):
        make_live(version=version, user=olivia, at=NOON)
    version.refresh_from_db()
    assert version.state == "rehearsing"
    remove_data_file(data_file=file, user=olivia, at=NOON)
    make_live(version=version, user=olivia, at=NOON)


def test_no_clone_and_no_contest_file_carries_golds_on() -> None:
    contest, olivia = builders.open_competition(), builders.user("olivia")
    add(contest, gold_csv(), at=REVEALS)
    out = io.BytesIO()
    write_zip(package(contest, full=False), out)
    copied = clone(contest, slug="next", at=NOON).contest
    again = plan(Archive(out), slug="again").contest
    for found, at in ((copied, NOON), (again, NOON)):
        assert found is not None
        with pytest.raises(Refused, match="golds_in_file"):
            import_competition(contest=found, owner=olivia, asked_by=olivia, at=at)
    assert again is not None
    made = import_competition(contest=again, owner=olivia, asked_by=olivia, at=REVEALS)
    assert made.data_files.count() == 1


def test_a_clone_for_those_with_a_code_gets_a_new_one() -> None:
    contest, olivia = builders.open_competition(), builders.user("olivia")
    Competition.objects.update(registration="code", registration_code="TALK-2026")
    found = clone(Competition.objects.get(), slug="next", at=NOON).contest
    assert found is not None
    made = import_competition(contest=found, owner=olivia, asked_by=olivia, at=NOON)
    assert made.registration == "code"
    assert len(made.registration_code) == 12
    assert made.registration_code not in ("TALK-2026", contest.registration_code)
