"""Addresses of the pages: stable, readable, the same in both languages.

Organizers' pages say their own (`desk.page.desk_page`) when their modules are read here.
"""

from importlib import import_module
from pkgutil import iter_modules

from django.urls import include, path

from leaderboard.web import desk
from leaderboard.web.account import settings as account_settings
from leaderboard.web.contest import (
    board,
    distribution,
    join,
    lab,
    shake_up,
    submit,
)
from leaderboard.web.contest import board as exports
from leaderboard.web.contest import data as contest_data
from leaderboard.web.contest import overview as contest_overview
from leaderboard.web.contest import submissions as contest_submissions
from leaderboard.web.desk import rehearsal
from leaderboard.web.desk.contest_file import import_contest
from leaderboard.web.desk.settings import new_contest
from leaderboard.web.page import desk_pages

contest = [
    path("", contest_overview.overview, name="overview"),
    path("join", join.join, name="join"),
    path("terms", join.terms, name="terms"),
    path("status", contest_overview.contest_status, name="contest_status"),
    path("data", contest_data.data, name="data"),
    path("data/sample_submission.csv", contest_data.sample, name="sample"),
    path("data/<uuid:file_id>", contest_data.download, name="data_file"),
    path("lab", lab.lab, name="lab"),
    path("lab/dev_golds.csv", lab.dev_golds, name="dev_golds"),
    path("lab/dev_dialogues.csv", lab.dev_dialogues, name="dev_dialogues"),
    path("submit", submit.submit, name="submit"),
    path("submit/check", submit.check, name="check"),
    path("submit/repaired", submit.repaired, name="repaired"),
    path("submissions", contest_submissions.submissions, name="submissions"),
    path("submissions/<uuid:submission_id>", contest_submissions.submission, name="submission"),
    path(
        "submissions/<uuid:submission_id>/progress", contest_submissions.progress, name="progress"
    ),
    path("submissions/<uuid:submission_id>/file", contest_submissions.file, name="submission_file"),
    path("submissions/<uuid:submission_id>/note", contest_submissions.note, name="note"),
    path("submissions/<uuid:submission_id>/cancel", contest_submissions.cancel, name="cancel"),
    path("submissions/compare", contest_submissions.compare, name="compare"),
    path("submissions/finals", contest_submissions.finals, name="finals"),
    path("submissions.csv", exports.submissions_csv, name="submissions_csv"),
    path("ledger", contest_submissions.ledger, name="ledger"),
    path("team", join.team, name="team"),
    path("leaderboard", board.leaderboard, name="leaderboard"),
    path("leaderboard.csv", exports.leaderboard_csv, name="leaderboard_csv"),
    path("leaderboard.json", exports.leaderboard_json, name="leaderboard_json"),
    path("distribution", distribution.distribution, name="distribution"),
    path("shake-up", shake_up.shake_up, name="shake_up"),
    path("shake-up.csv", shake_up.shake_up_csv, name="shake_up_csv"),
    path("desk/golds/<uuid:version_id>/rehearsal", rehearsal.rehearsal, name="rehearsal"),
    path(
        "desk/golds/<uuid:version_id>/rehearsal/submissions",
        rehearsal.rehearsed_submissions,
        name="rehearsed_submissions",
    ),
    path(
        "desk/golds/<uuid:version_id>/rehearsal/<uuid:any_submission_id>",
        rehearsal.rehearsed_submission,
        name="rehearsed_submission",
    ),
]

for module in iter_modules(desk.__path__):
    import_module(f"{desk.__name__}.{module.name}")
contest += desk_pages

urlpatterns = [
    path("", contest_overview.home, name="home"),
    path("c/<slug:slug>/", include(contest)),
    path("join/<slug:code>", join.join_by_code, name="join_by_code"),
    path("inbox", account_settings.inbox, name="inbox"),
    path("status", contest_overview.status, name="status"),
    path("contests/new", new_contest, name="new_contest"),
    path("contests/import", import_contest, name="import_contest"),
    path("settings", account_settings.settings_page, name="settings"),
    path("settings/sessions", account_settings.end_sessions, name="end_sessions"),
    path("accounts/password/reset/", account_settings.lost_password, name="account_reset_password"),
    path("accounts/password/link", account_settings.password_link, name="password_link"),
    path("accounts/close", account_settings.close, name="account_close"),
]
