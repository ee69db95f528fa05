"""Sentences of the scoring package: English in the code, Korean in its own catalogue."""

import json
from string import Formatter

import pytest

from scoring import messages
from scoring.findings import Findings


def fields(text: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_are_filled_in_with_the_same_values() -> None:
    known = {key: text for key, text in messages._KOREAN._catalog.items() if key}
    assert len(known) > 100
    assert [key for key, text in known.items() if fields(key) != fields(text)] == []
    assert set(messages.TEXTS.values()) <= known.keys()


@pytest.mark.parametrize("variable", ["LANGUAGE", "LC_ALL", "LANG"])
def test_the_language_is_told_and_not_asked_of_the_environment(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "ko")
    assert messages.say("en", "The references:") == "The references:"
    monkeypatch.setenv(variable, "en")
    assert messages.say("ko", "The references:") == "정답 파일:"


def test_a_kept_remark_says_the_same_after_a_turn_through_json() -> None:
    findings = Findings()
    for line in range(2, 10):
        findings.notice("blank_line", line=line)
    (notice,) = findings.notices()
    kept = json.loads(json.dumps(notice.kept()))
    assert messages.write(kept["code"], kept["values"], "ko") == notice.message("ko")
    assert notice.message("ko") == "빈 줄은 건너뛰었습니다 (8곳: 2, 3, 4, 5, 6 …줄)."
    assert notice.message("en") == "Blank line skipped (8 places: lines 2, 3, 4, 5, 6 …)."
