"""Addresses of the pages: stable, readable, the same in both languages."""

from django.urls import include, path

from leaderboard.web.views import (
    account,
    board,
    contests,
    data,
    desk,
    desk_announcements,
    desk_audit,
    desk_schedule,
    desk_submissions,
    exports,
    inbox,
    ledger,
    rehearsal,
    status,
    submissions,
    submit,
)

contest = [
    path("", contests.overview, name="overview"),
    path("join", contests.join, name="join"),
    path("status", status.contest_status, name="contest_status"),
    path("data", data.data, name="data"),
    path("data/sample_submission.csv", data.sample, name="sample"),
    path("data/<uuid:file_id>", data.download, name="data_file"),
    path("submit", submit.submit, name="submit"),
    path("submit/check", submit.check, name="check"),
    path("submit/repaired", submit.repaired, name="repaired"),
    path("submissions", submissions.submissions, name="submissions"),
    path("submissions/<uuid:submission_id>", submissions.submission, name="submission"),
    path("submissions/<uuid:submission_id>/progress", submissions.progress, name="progress"),
    path("submissions/<uuid:submission_id>/file", submissions.file, name="submission_file"),
    path("submissions/<uuid:submission_id>/note", submissions.note, name="note"),
    path("submissions/<uuid:submission_id>/cancel", submissions.cancel, name="cancel"),
    path("submissions/finals", submissions.finals, name="finals"),
    path("submissions.csv", exports.submissions_csv, name="submissions_csv"),
    path("ledger", ledger.ledger, name="ledger"),
    path("leaderboard", board.leaderboard, name="leaderboard"),
    path("leaderboard.csv", exports.leaderboard_csv, name="leaderboard_csv"),
    path("leaderboard.json", exports.leaderboard_json, name="leaderboard_json"),
    path("desk/", desk.desk, name="desk"),
    path("desk/golds", desk.golds, name="desk_golds"),
    path("desk/golds/<uuid:version_id>/make-live", desk.make_live, name="make_live"),
    path("desk/golds/<uuid:version_id>/rehearsal", rehearsal.rehearsal, name="rehearsal"),
    path("desk/teams", desk.desk_teams, name="desk_teams"),
    path("desk/submissions", desk_submissions.desk_submissions, name="desk_submissions"),
    path(
        "desk/submissions/<uuid:any_submission_id>",
        desk_submissions.desk_submission,
        name="desk_submission",
    ),
    path(
        "desk/submissions/<uuid:any_submission_id>/file",
        desk_submissions.desk_submission_file,
        name="desk_submission_file",
    ),
    path("desk/audit", desk_audit.desk_audit, name="desk_audit"),
    path("desk/schedule", desk_schedule.desk_schedule, name="desk_schedule"),
    path("desk/announcements", desk_announcements.desk_announcements, name="desk_announcements"),
]

urlpatterns = [
    path("", contests.home, name="home"),
    path("c/<slug:slug>/", include(contest)),
    path("inbox", inbox.inbox, name="inbox"),
    path("status", status.status, name="status"),
    path("accounts/password/reset/", account.lost_password, name="account_reset_password"),
]
