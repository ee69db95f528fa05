"""The page of measurements: a long run writes its own tables anew, and no word of anybody's."""

import re
from pathlib import Path

from benchmarks.long import REPORT, STEPS, report

MARK = re.compile(r"<!-- long: (\w+) -->\n(.*?)\n<!-- long ends -->", re.DOTALL)


def test_a_report_replaces_its_tables_and_nothing_else(tmp_path: Path) -> None:
    page, kept = tmp_path / "measured.md", REPORT.read_text(encoding="utf-8")
    page.write_text(kept, encoding="utf-8")
    folder = tmp_path / "abc1234"
    folder.mkdir()
    tables = {step.name: folder / f"{step.name}.txt" for step in STEPS}
    for name, table in tables.items():
        table.write_text(f"a new table of {name}\n[2026-01-01 noise]\n", encoding="utf-8")
    for _ in range(2):  # a second time changes nothing more
        report(tables, "abc1234", page)
        written = page.read_text(encoding="utf-8")
        assert written.startswith(MARK.split(kept)[0])
        assert MARK.sub("", written).startswith(MARK.sub("", kept).rstrip())
        found = dict(MARK.findall(written))
        assert found.keys() == tables.keys()
        for name, table in found.items():
            assert f"\n```\na new table of {name}\n```" in table
            assert table.startswith("At commit abc1234, Python 3.")
    assert written.count("a new table") == len(STEPS)


def test_the_page_marks_each_table_once() -> None:
    marked = [name for name, _ in MARK.findall(REPORT.read_text(encoding="utf-8"))]
    assert len(marked) == len(set(marked))
    assert set(marked) <= {step.name for step in STEPS}
