"""A closing report: the same twice, verified without the server, and a changed digit is found."""

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scoring import cli, predictions, references
from scoring.findings import Limits
from scoring.insight.closing.bundle import (
    GOLDS,
    OF_MANIFEST,
    PREDICTIONS,
    SCHEMA,
    WITHHELD,
    Edition,
    manifest,
    of_edition,
    sha256,
    small_files,
)
from scoring.insight.closing.report import render
from scoring.insight.closing.sheets import Sheet, StandingFile, written_files
from scoring.insight.closing.tables import tables
from scoring.insight.closing.verify import NoBundle, verify_bundle
from scoring.pipeline import prepare, score
from scoring.profile import Profile

ROWS = 120
CANARY = "카나리아"
SECRET = "둘이 같은 기숙사"
GOLD = "fname,split,summary1,summary2\n" + "".join(
    f"row_{n},{('public', 'private')[n % 2]},민수는 {n}시에 학교에 간다 {CANARY}{n},학교 {n}\n"
    for n in range(ROWS)
)
TEXTS = {
    "새벽": {f"row_{n}": f"민수는 {n}시에 학교에 간다" for n in range(ROWS)},
    "=아침": {f"row_{n}": "민수는 학교에 간다" if n % 3 else "눈이 온다" for n in range(ROWS)},
    "저녁<b>": {f"row_{n}": "눈이 온다" for n in range(ROWS)},
    "기준선": {f"row_{n}": "학교" for n in range(ROWS)},
}


def tables_of(files: Mapping[str, bytes]) -> dict[str, Sheet]:
    return {name: Sheet.read(data) for name, data in files.items() if name.endswith(".csv")}


def csv_of(texts: Mapping[str, str]) -> bytes:
    return (
        "fname,summary\n" + "".join(f"{name},{text}\n" for name, text in texts.items())
    ).encode()


def bundle(edition: Edition, teams: tuple[str, ...] = tuple(TEXTS)) -> dict[str, bytes]:
    """teams: their names, of as many files as there are."""
    return dict(_bundle(edition, teams))


@cache
def _bundle(edition: Edition, teams: tuple[str, ...]) -> dict[str, bytes]:
    golds = references.read([(GOLDS, GOLD.encode())], limits=Limits.unlimited())
    prepared = prepare(golds, Profile(tokenizer="whitespace"))
    by_team = dict(zip(teams, TEXTS.values(), strict=False))
    sent = {f"f{number}.csv": csv_of(texts) for number, texts in enumerate(by_team.values(), 1)}
    files = [
        StandingFile(
            name=name,
            team=team,
            ranked=team != "기준선",
            public=True,
            private=True,
            entries=2,
            received_at="2026-11-20T12:00",
            sha256=sha256(sent[name]),
            deviation=0.2 if team == "=아침" else None,
        )
        for team, name in zip(by_team, sent, strict=True)
    ]
    values = {
        name: score(predictions.read(data, golds.ids, Limits.unlimited()), prepared).examples
        for name, data in sent.items()
    }
    made = tables(files, values, prepared)
    found = {
        "files.csv": written_files(files),
        "entries.csv": Sheet(("day", "files"), (("2026-11-20", "8"),)),
        "decisions.csv": Sheet(("at", "reason"), (("2026-11-20", SECRET),)),
        **made,
    }
    every = small_files("대화 & 요약", found, golds.written())
    own = of_edition(edition, every)
    if edition == "organizers":
        own |= {f"{PREDICTIONS}{name}": data for name, data in sent.items()}
    hashes = {name: sha256(data) for name, data in own.items()}
    withheld = {name: sha256(data) for name, data in every.items() if name not in own}
    contest = {"slug": "talk", "title": "대화 & 요약"}
    described = manifest(edition, contest, prepared.profile, prepared.signature, hashes, withheld)
    return {**own, "manifest.json": described, OF_MANIFEST: sha256(described).encode()}


def packed(files: Mapping[str, bytes]) -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    out.seek(0)
    return out


def rehashed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """As somebody would who knows of the hashes."""
    said = json.loads(files["manifest.json"])
    said["files"] = {
        name: sha256(data)
        for name, data in files.items()
        if name not in ("manifest.json", OF_MANIFEST)
    }
    described = json.dumps(said).encode()
    return {**files, "manifest.json": described, OF_MANIFEST: sha256(described).encode()}


EDITIONS: tuple[Edition, ...] = ("public", "organizers")


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_bundle_is_the_same_twice_and_verified(edition: Edition) -> None:
    files = bundle(edition)
    assert files == _bundle.__wrapped__(edition, tuple(TEXTS))
    found = verify_bundle(packed(files))
    assert found.failed == ()
    assert found.edition == edition
    names = {check.name for check in found.checks if check.compared}
    assert {"hashes", "standings.csv", "shakeup.csv", "facts.csv", "report.html"} <= names
    assert ("scores.csv" in names) == (edition == "organizers")


CHANGES = [
    ("standings.csv", b"1.", b"2."),
    ("shakeup.csv", b",1,", b",2,"),
    ("facts.csv", b"public leaders,", b"public leaders,1"),
    ("gaps.csv", b",2,1,0.0", b",2,1,0.1"),
    ("report.html", b">1<", b">2<"),
    ("report.html", b'role="img', b'role="doc'),
    ("scores.csv", b",public,60,", b",public,61,"),
    (GOLDS, "3시".encode(), "4시".encode()),
    (f"{PREDICTIONS}f1.csv", "3시".encode(), "4시".encode()),
]


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_one_digit_changed_is_found(name: str, old: bytes, new: bytes) -> None:
    files = bundle("organizers")
    assert old in files[name]
    changed = {**files, name: files[name].replace(old, new, 1)}
    assert "hashes" in verify_bundle(packed(changed)).failed
    # Also by who hashes it again: it follows from golds and files.
    assert set(verify_bundle(packed(rehashed(changed))).failed) - {"hashes"}


def test_another_page_of_the_same_tables_has_another_schema() -> None:
    """Else this release would find a difference in what an older one made."""
    heads = {name: table.head for name, table in tables_of(bundle("public")).items()}
    cells = {"board": "private", "rank": "1", "private_rank": "1", "name": "private noise"}
    tables = {
        name: Sheet(head, (tuple(cells.get(column, "2") for column in head),))
        for name, head in heads.items()
    }
    facts = {"private noise": "0.050", "private leaders": "1"}
    tables["facts.csv"] = Sheet(("name", "value"), tuple(facts.items()))
    assert (SCHEMA, sha256(render("대화", tables))[:12]) == (12, "820458785425")


@pytest.mark.parametrize("edition", EDITIONS)
def test_no_digit_of_the_manifest_can_change(edition: Edition) -> None:
    files = bundle(edition)
    data = files["manifest.json"]
    [*_, last] = (place for place, byte in enumerate(data) if chr(byte).isdigit())
    digit = bytes([ord("0") + (data[last] - ord("0") + 1) % 10])
    changed = {**files, "manifest.json": data[:last] + digit + data[last + 1 :]}
    assert "manifest.json" in verify_bundle(packed(changed)).failed


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_fall_of_a_team_stands_beside_what_choosing_explains(edition: Edition) -> None:
    files = bundle(edition)
    # Only of the one team whose files were compared: 0.2 · 0.5642 / √60 = 0.0146.
    [row] = Sheet.read(files["gaps.csv"]).rows
    shaken = Sheet.read(files["shakeup.csv"])
    gap = float(dict(zip(shaken.column("team"), shaken.column("gap"), strict=True))["'=아침"])
    assert (row[:3], float(row[3]), row[4]) == (("'=아침", "2", "1"), gap, "-0.0146")
    assert float(row[5]) == pytest.approx(gap + 0.0146, abs=1e-9)
    page = files["report.html"].decode()
    assert "0.0146" in page
    assert "2026-11-20" in page


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("name", ["more.csv", "predictions/f9.csv", "entries.csv"])
def test_a_file_too_many_or_too_few_is_found_though_the_manifest_lists_it(
    edition: Edition, name: str
) -> None:
    files = dict(bundle(edition))
    if name in files:
        del files[name]
    else:
        files[name] = b"a,b\n"
    found = verify_bundle(packed(rehashed(files))).failed
    assert "hashes" not in found
    assert "files" in found


def tampered(edition: Edition, **changes: Callable[[str], str]) -> tuple[str, ...]:
    """The checks that fail after somebody changed tables, the page of them and every hash."""
    files = dict(bundle(edition))
    for name, change in changes.items():
        text = files[f"{name}.csv"].decode("utf-8-sig")
        files[f"{name}.csv"] = change(text).encode("utf-8-sig")
    sheets = {
        name: Sheet.read(data)
        for name, data in files.items()
        if name.endswith(".csv") and "/" not in name and name != GOLDS
    }
    files["report.html"] = render("대화 & 요약", sheets)
    return verify_bundle(packed(rehashed(files))).failed


def without(word: str) -> Callable[[str], str]:
    return lambda text: "".join(line for line in text.splitlines(True) if word not in line)


def test_the_winner_cannot_be_left_out_of_the_standings() -> None:
    left_out = without("새벽")
    assert "files.csv" in tampered("public", standings=left_out, shakeup=left_out)
    assert "files.csv" in tampered("public", files=left_out)


def test_a_file_whose_name_leads_out_of_its_folder_is_found() -> None:
    def led_out(text: str) -> str:
        return text.replace("f1.csv", "../f1.csv")

    assert tampered("public", files=led_out, standings=led_out) == ("files.csv",)


def test_nobody_adds_a_fact() -> None:
    assert "manifest.json" in tampered("public", facts=lambda text: text + "note,저녁\r\n")
    assert "manifest.json" in tampered("public", facts=lambda text: text + "public rows,9\r\n")


@pytest.mark.parametrize(
    "change",
    [
        {"withheld": {}},
        {"withheld": {GOLDS: "0" * 64}},
        {"withheld": dict.fromkeys(WITHHELD, "x")},
        {"signature": "rouge:r1.f1|v:1"},
    ],
)
def test_what_the_manifest_commits_to_cannot_be_left_out(change: dict[str, object]) -> None:
    files = dict(bundle("public"))
    described = json.dumps(json.loads(files["manifest.json"]) | change).encode()
    files |= {"manifest.json": described, OF_MANIFEST: sha256(described).encode()}
    assert verify_bundle(packed(files)).failed == ("manifest.json",)


def test_two_values_of_one_name_in_the_manifest_are_no_bundle() -> None:
    files = dict(bundle("public"))
    described = files["manifest.json"].replace(b"{", b'{"edition": "organizers",', 1)
    files |= {"manifest.json": described, OF_MANIFEST: sha256(described).encode()}
    with pytest.raises(NoBundle):
        verify_bundle(packed(files))


@pytest.mark.parametrize("edition", EDITIONS)
def test_of_one_team_nothing_is_said_of_noise_and_leaders(edition: Edition) -> None:
    files = bundle(edition, ("새벽",))
    facts = Sheet.read(files["facts.csv"]).pairs()
    for board in ("public", "private"):
        assert (facts[f"{board} noise"], facts[f"{board} leaders"]) == ("", "")
    assert verify_bundle(packed(files)).failed == ()
    said = files["facts.csv"].replace(b"public leaders,", b"public leaders,0")
    assert verify_bundle(packed(rehashed({**files, "facts.csv": said}))).failed


def test_the_report_draws_its_tables_without_scripts() -> None:
    page = bundle("public")["report.html"].decode()
    drawn = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(drawn) == 3
    for each in drawn:
        root = ElementTree.fromstring(each)
        named = [root.find(f".//*[@id='{one}']") for one in root.attrib["aria-labelledby"].split()]
        assert [one.tag for one in named if one is not None and one.text] == ["title", "desc"]
    shake, gap, ranges = drawn
    assert shake.count("<path") == ranges.count('class="a"') == 3
    assert gap.count('class="b"') == 1
    assert ">0</text>" in gap
    assert "V44" in gap, "the line where nothing was lost or gained"


def test_a_contest_with_nothing_to_draw_has_a_report() -> None:
    known = tables_of(bundle("public"))
    page = render("대화", {name: Sheet(table.head, ()) for name, table in known.items()})
    assert b"<svg" not in page
    assert b"Nothing to show" in page


def test_names_are_neither_formulas_nor_markup() -> None:
    files = bundle("public")
    assert Sheet.read(files["shakeup.csv"]).column("team") == ["새벽", "'=아침", "저녁<b>"]
    page = files["report.html"].decode()
    assert "저녁<b>" not in page
    assert "저녁&lt;b&gt;" in page
    assert "<script" not in page
    assert "대화 &amp; 요약" in page


@pytest.mark.parametrize("edition", EDITIONS)
def test_names_that_differ_in_a_mark_alone_are_two_teams(edition: Edition) -> None:
    files = bundle(edition, ("=아침", "'=아침", "'저녁"))
    assert Sheet.read(files["shakeup.csv"]).column("team") == ["'=아침", "''=아침", "'저녁"]
    assert verify_bundle(packed(files)).failed == ()


@pytest.mark.parametrize("data", [b"", b"PK", b"not a zip"])
def test_what_is_no_bundle_is_said(data: bytes) -> None:
    with pytest.raises(NoBundle):
        verify_bundle(io.BytesIO(data))
    with pytest.raises(NoBundle):
        verify_bundle(packed({"manifest.json": data}))


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["report.html", "manifest.json"])
def test_two_files_of_one_name_are_no_bundle(name: str) -> None:
    right = bundle("public")[name]
    # The wrong one first, the right one last, and the other way round.
    for first, second in ((b"other", right), (right, b"other")):
        twice = io.BytesIO()
        with zipfile.ZipFile(twice, "w") as archive:
            for each, data in bundle("public").items():
                for one in (first, second) if each == name else (data,):
                    archive.writestr(each, one)
        with pytest.raises(NoBundle, match="two files with the same name"):
            verify_bundle(twice)


def test_a_damaged_archive_is_no_bundle() -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", bytes(range(256)) * 40)
    data = whole.getvalue()
    for place in range(40, len(data) - 120, max(1, len(data) // 40)):
        damaged = data[:place] + bytes(byte ^ 0xFF for byte in data[place : place + 8])
        with pytest.raises(NoBundle):
            verify_bundle(io.BytesIO(damaged + data[place + 8 :]))


def test_more_than_a_report_can_hold_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> bytes:
        raise AssertionError("unpacked")

    monkeypatch.setattr(zipfile.ZipFile, "read", read)
    monkeypatch.setattr("scoring.insight.closing.verify.MOST_OF_ONE_FILE", 1_000_000)
    for zeros in (1_000_001, 1_900_000_000):
        whole = packed({"golds.csv": b"0"})
        told = (1).to_bytes(4, "little")  # the size, in the entry of the archive's list
        at = whole.getvalue().index(b"PK\x01\x02") + 24
        assert whole.getvalue()[at : at + 4] == told
        whole.getbuffer()[at : at + 4] = zeros.to_bytes(4, "little")
        with pytest.raises(NoBundle, match=r"^The bundle is too large"):
            verify_bundle(whole)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("facts.csv", b'name,value\r\nnoise,"0.1'),
        ("standings.csv", b"board,rank,best,worst,team,total\r\npublic,1,1,1,a,1e400\r\n"),
        ("report.html", b"<![ x ]]>"),
    ],
)
def test_what_a_file_cannot_say_is_a_difference(name: str, data: bytes) -> None:
    files = bundle("public")
    files[name] = data
    assert "hashes" in verify_bundle(packed(files)).failed


@pytest.mark.parametrize(
    ("edition", "part", "other"),
    [("public", "contest", {"slug": "talk", "title": None}), ("organizers", "profile", 1)],
)
def test_what_the_manifest_cannot_say_is_a_difference(
    edition: Edition, part: str, other: object
) -> None:
    assert verify_bundle(packed(with_part(bundle(edition), part, other))).failed


def with_part(files: Mapping[str, bytes], part: str, other: object) -> dict[str, bytes]:
    """With another part of the manifest, hashed as it should be."""
    described = json.dumps({**json.loads(files["manifest.json"]), part: other}).encode()
    return {**files, "manifest.json": described, OF_MANIFEST: sha256(described).encode()}


def test_the_command_says_what_it_cannot_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bundle.zip"
    cases: list[tuple[Edition, bytes, int]]
    cases = [("public", b"", 0), ("organizers", b"", 0), ("public", b"9", 1)]
    for edition, changed, code in cases:
        files = bundle(edition)
        files["standings.csv"] += changed
        path.write_bytes(packed(files).getvalue())
        assert cli.main(["verify-bundle", str(path), "--json"]) == code
        said = json.loads(capsys.readouterr().out)
        assert said["edition"] == edition
        assert bool(said["failed"]) == bool(code)
        assert said["unchecked"]
    assert cli.main(["verify-bundle", str(path)]) == 1
    assert "확인하지 못한 것" in capsys.readouterr().out


def test_cells_of_a_bundle_cannot_write_over_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, files = tmp_path / "bundle.zip", bundle("public")
    ranks = re.compile(rb"(public,1,)(\d+)")
    files["standings.csv"] = ranks.sub(b"\\1\x1b[2J\\2", files["standings.csv"], count=1)
    path.write_bytes(packed(rehashed(files)).getvalue())
    assert cli.main(["verify-bundle", str(path)]) == 1
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "\\x1b[2J" in said
