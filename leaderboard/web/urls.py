"""Addresses of the pages: stable, readable, the same in both languages.

Most pages of a contest say their own (`page.page`) when their modules are read here.
"""

from importlib import import_module
from pkgutil import iter_modules

from django.urls import include, path
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

from leaderboard.web import contest, desk
from leaderboard.web.account import inbox, settings
from leaderboard.web.contest import board, join, overview, submit
from leaderboard.web.desk.contest_file import ImportContest
from leaderboard.web.desk.settings import NewContest
from leaderboard.web.page import contest_pages

for package in (contest, desk):
    for module in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")
contest_pages += [
    path("submit", submit.submit, name="submit"),
    path("submit/check", submit.check, name="check"),
    path("submit/repaired", submit.repaired, name="repaired"),
    path("submissions.csv", board.submissions_csv, name="submissions_csv"),
    path("leaderboard", board.leaderboard, name="leaderboard"),
]

FORMER = {
    "distribution": "leaderboard",
    "team/looking": "team",
    "desk/regroup": "desk/enrol",
    "desk/silent": "desk/teams?only=silent",
    "desk/participants": "desk/teams",
    "desk/export": "desk/file",
    "desk/inquiries/<uuid:gone>/publish": "desk/forum",
}
"""Addresses of pages that are gone, and where they lead; who may read what is there, it decides."""
for former, now in FORMER.items():
    leads = require_safe(RedirectView.as_view(url=f"/c/%(slug)s/{now}"))
    contest_pages.append(path(former, leads, name=f"former {now}"))

urlpatterns = [
    path("", overview.home, name="home"),
    path("c/<slug:slug>/", include(contest_pages)),
    path("join/<slug:code>", join.join_by_code, name="join_by_code"),
    path("invitations/<uuid:invitation_id>", join.InvitedByName.as_view(), name="invitation"),
    path("inbox", inbox.Inbox.as_view(), name="inbox"),
    path("kept", overview.kept, name="kept"),
    path("status", overview.status, name="status"),
    path("status/faults", overview.doctor, name="doctor"),
    path("contests/new", NewContest.as_view(), name="new_contest"),
    path("contests/import", ImportContest.as_view(), name="import_contest"),
    path("settings", settings.OwnSettings.as_view(), name="settings"),
    path("settings/notices", inbox.Notices.as_view(), name="notices"),
    path("settings/tokens", settings.Tokens.as_view(), name="tokens"),
    path("settings/mail", inbox.ConfirmMail.as_view(), name="mail_confirm"),
    path("mail/stop", inbox.StopMail.as_view(), name="mail_stop"),
    path("settings/sessions", settings.OwnSettings.as_view("end_sessions"), name="end_sessions"),
    path("accounts/password/reset/", settings.lost_password, name="account_reset_password"),
    path("accounts/password/link", settings.NewPassword.as_view(), name="password_link"),
    path("accounts/close", settings.CloseAccount.as_view(), name="account_close"),
]
