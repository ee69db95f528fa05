"""The menus lead where the table of roles and addresses lets their readers go, and nowhere else."""

import pytest

from leaderboard.web.page_chrome import ENTRIES, SECTIONS, TABS, Entry, lower_row, upper_row
from tests.leaderboard.web.expectations import TABLE

ROLES = {"owner": "olivia", "editor": "eddie", "assistant": "ada"}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_is_shown_to_whom_its_page_answers(entry: Entry) -> None:
    may_open = {role for role, name in ROLES.items() if TABLE[entry.name].get[name] == "200"}
    assert set(entry.who) == may_open


@pytest.mark.parametrize("role", ROLES)
def test_the_two_rows_lead_to_every_page_of_a_role(role: str) -> None:
    own = [entry.name for entry in ENTRIES if role in entry.who]
    upper = [link.name for link in upper_row(role, "")]
    lower = [link.name for name in upper for link in lower_row(role, name)]
    assert sorted(own) == sorted({*upper, *lower})


def test_one_entry_is_open_and_its_section_with_it() -> None:
    assert [(link.name, link.current) for link in upper_row("owner", "desk_teams")][2] == (
        "desk_people",
        "true",
    )
    open_ones = [link.name for link in lower_row("owner", "desk_teams") if link.current == "page"]
    assert open_ones == ["desk_teams"]
    # The only page of a section stands in the upper row itself.
    assert upper_row("owner", "desk")[0].current == "page"
    assert lower_row("owner", "desk") == []
    assert [link.name for link in lower_row("assistant", "desk_forum")] == [
        "desk_announcements",
        "desk_forum",
    ]


def test_a_stranger_has_no_organizers_menu() -> None:
    assert upper_row(None, "desk") == []


def test_every_entry_belongs_to_a_section_and_has_an_address() -> None:
    assert {entry.section for entry in ENTRIES} == set(SECTIONS)
    assert {name for name, _label in TABS} <= set(TABLE)
