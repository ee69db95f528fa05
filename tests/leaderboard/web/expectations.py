"""Who gets what answer from which address: one row for every name of the URL list.

An outcome is a status (`200`) or, for a redirect, the name of the page it leads to (`→join`).
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.urls import resolve

from leaderboard.web.page_chrome import ENTRIES
from leaderboard.web.urls import FORMER
from tests.leaderboard.web.parts import parts
from tests.leaderboard.web.stage import EDITORS, OUTSIDERS, ROLES

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
MEMBERS = ("alice", "bob")
STAFF = ("ada", *EDITORS)
SIGNED_IN = tuple(role for role in ROLES if role != "visitor")
CREATORS = ("olivia", "sue")
LOGIN, SIGN_UP, JOIN = "→account_login", "→account_signup", "→join"

Answers = Mapping[str, str]


def answers(otherwise: str, **by_outcome: tuple[str, ...]) -> Answers:
    """`otherwise` for all, except for the roles named under another outcome.

    Keyword names are outcomes: `ok` is 200, `no` is 405, `forbidden` is 403, `login` is the way to
    sign in, `conflict` is 409, `invalid` is 422, `join` the way to join, and `to_<name>` leads to
    that page.
    """
    words = {
        "ok": "200",
        "no": "405",
        "forbidden": "403",
        "conflict": "409",
        "invalid": "422",
        "login": LOGIN,
        "sign_up": SIGN_UP,
        "join": JOIN,
    }
    found = dict.fromkeys(ROLES, otherwise)
    for word, roles in by_outcome.items():
        outcome = words.get(word) or f"→{word.removeprefix('to_')}"
        found.update(dict.fromkeys(roles, outcome))
    return found


def refused() -> Answers:
    """The method is not offered to anybody."""
    return answers("405")


VISITOR = ("visitor",)


@dataclass(frozen=True)
class Row:
    """What each role is answered, by method. HEAD is always as GET."""

    get: Answers
    post: Answers = field(default_factory=refused)
    put: Answers = field(default_factory=refused)
    # PATCH is answered as DELETE is, and so is OPTIONS unless a page tells what it takes.
    delete: Answers = field(default_factory=refused)
    options: Answers | None = None
    # What is answered before anybody looks whether the contest or the thing exists.
    before: tuple[str, ...] = ("405",)

    def expected(self, method: str, role: str) -> str:
        by_method = {
            "POST": self.post,
            "PUT": self.put,
            "PATCH": self.delete,
            "DELETE": self.delete,
            "OPTIONS": self.options or self.delete,
        }
        return by_method.get(method, self.get)[role]

    def expected_in_private(self, method: str, role: str) -> str:
        """Outsiders cannot tell a private contest from none: 404, or the same as for any slug."""
        open_to_all = self.expected(method, role)
        hidden = role in OUTSIDERS and open_to_all not in self.before
        return "404" if hidden else open_to_all


def expected_of_strange(outcome: str) -> str:
    """For another team's or contest's thing in place of one's own: success becomes 404."""
    return outcome if outcome in ("405", LOGIN, SIGN_UP, JOIN) else "404"


def login_first(get: Answers, post: Answers) -> Row:
    """A page behind `login_required`: a visitor is sent to sign in, whatever the method."""
    asked = answers("405", login=VISITOR)
    return Row(get, post, put=asked, delete=asked, before=("405", LOGIN))


# A visitor who wants to take part makes an account first, whatever the method.
NO_ACCOUNT = answers("405", sign_up=VISITOR)
JOINING = Row(
    get=answers("200", sign_up=VISITOR, to_data=MEMBERS),
    post=answers("→data", sign_up=VISITOR, forbidden=STAFF),
    put=NO_ACCOUNT,
    delete=NO_ACCOUNT,
    before=("405", SIGN_UP),
)
READABLE = Row(get=answers("200"))
FILES = Row(get=answers(JOIN, login=VISITOR, ok=(*MEMBERS, *STAFF)))
FORUM_READ = answers(JOIN, login=VISITOR, ok=(*MEMBERS, *STAFF))
OWN = Row(get=answers("404", ok=MEMBERS))
DESK_READ = answers("404", login=VISITOR, ok=EDITORS)
TEAM_READ = answers(JOIN, login=VISITOR, ok=MEMBERS)
HOME = "→home"
# allauth answers PUT like an empty POST: the form again, with its errors.
SIGNED_OUT_FORM = Row(
    get=answers(HOME, ok=VISITOR),
    post=answers(HOME),
    put=answers(HOME, ok=VISITOR),
    delete=answers(HOME, no=VISITOR),
    options=answers(HOME, ok=VISITOR),
)
PASSWORD_FORM = Row(
    get=answers("200", login=VISITOR),
    post=answers("200", login=VISITOR),
    put=answers("200", login=VISITOR),
    delete=answers("405", login=VISITOR),
    options=answers("200", login=VISITOR),
)

TABLE: dict[str, Row] = {
    "livez": READABLE,
    "readyz": READABLE,
    # Without its variable; with it for who has the token, whoever is signed in.
    "metrics": Row(get=answers("404")),
    "home": READABLE,
    "kept": READABLE,
    "api_docs": READABLE,
    "cli": READABLE,
    "inbox": login_first(get=answers("200", login=VISITOR), post=answers("→inbox", login=VISITOR)),
    "set_language": Row(
        get=answers(HOME), post=answers("→inbox"), put=answers(HOME), delete=answers(HOME)
    ),
    # Accounts.
    "account_signup": SIGNED_OUT_FORM,
    "account_login": SIGNED_OUT_FORM,
    "account_logout": Row(
        get=answers("200", to_home=VISITOR), post=answers(HOME), options=answers("200")
    ),
    "account_inactive": Row(get=answers("200"), options=answers("200")),
    "account_reauthenticate": PASSWORD_FORM,
    "account_change_password": PASSWORD_FORM,
    "account_reset_password": READABLE,
    "settings": login_first(
        get=answers("200", login=VISITOR), post=answers("→settings", login=VISITOR)
    ),
    "notices": login_first(
        get=answers("200", login=VISITOR), post=answers("→notices", login=VISITOR)
    ),
    # Without the token of a mail there is nothing.
    "mail_confirm": login_first(
        get=answers("404", login=VISITOR), post=answers("404", login=VISITOR)
    ),
    "mail_stop": Row(get=answers("404"), post=answers("404")),
    "tokens": login_first(get=answers("200", login=VISITOR), post=answers("200", login=VISITOR)),
    "end_sessions": login_first(
        get=answers("405", login=VISITOR), post=answers("→settings", login=VISITOR)
    ),
    # Olivia was allowed to make contests by the administrator.
    "new_contest": login_first(
        get=answers("403", login=VISITOR, ok=CREATORS),
        post=answers("403", login=VISITOR, to_desk=CREATORS),
    ),
    "import_contest": login_first(
        get=answers("403", login=VISITOR, ok=CREATORS),
        post=answers("403", login=VISITOR, ok=CREATORS),
    ),
    # Without the right password nothing is closed; without a token there is no link.
    "account_close": login_first(
        get=answers("200", login=VISITOR), post=answers("422", login=VISITOR)
    ),
    "password_link": Row(get=answers("404"), post=answers("404")),
    # A contest, as anybody sees it who may know of it.
    "overview": READABLE,
    "status": READABLE,
    "doctor": Row(get=answers("404", ok=("sue",))),
    "contest_status": READABLE,
    "leaderboard": READABLE,
    "leaderboard_csv": READABLE,
    "leaderboard_json": READABLE,
    # Before the reveal: who runs the contest, and nobody else.
    "reliability": READABLE,
    "shake_up": Row(get=answers("404", ok=EDITORS)),
    "shake_up_csv": Row(get=answers("404", ok=EDITORS)),
    "join": JOINING,
    # Who has the code may know of the contest, also if it is private.
    "join_by_code": JOINING,
    "terms": Row(get=answers("200"), post=answers(JOIN, login=VISITOR, to_data=MEMBERS)),
    "data": FILES,
    "sample": FILES,
    "data_file": FILES,
    "lab": Row(
        get=answers(JOIN, login=VISITOR, ok=(*MEMBERS, *STAFF)),
        post=answers(JOIN, login=VISITOR, ok=(*MEMBERS, *STAFF)),
    ),
    "dev_golds": FILES,
    "dev_dialogues": FILES,
    # A team's own.
    "submit": Row(get=TEAM_READ, post=answers(JOIN, login=VISITOR, to_submission=MEMBERS)),
    "repaired": Row(get=answers("→submit"), post=TEAM_READ, before=("405", "→submit")),
    "check": Row(get=answers("→submit"), post=TEAM_READ, before=("405", "→submit")),
    "submissions": Row(get=TEAM_READ),
    "submissions_csv": Row(get=TEAM_READ),
    "compare": Row(get=TEAM_READ),
    "ledger": Row(get=TEAM_READ),
    # For Alice, whose team has handed in.
    "invitation": login_first(
        get=answers("404", login=VISITOR, ok=("alice",)),
        post=answers("404", login=VISITOR, conflict=("alice",)),
    ),
    "team": Row(get=TEAM_READ, post=answers(JOIN, login=VISITOR, conflict=MEMBERS)),
    "team_invitations": Row(
        get=TEAM_READ, post=answers(JOIN, login=VISITOR, conflict=("alice",), forbidden=("bob",))
    ),
    "team_leave": Row(get=TEAM_READ, post=answers(JOIN, login=VISITOR, ok=MEMBERS)),
    "forum": Row(get=FORUM_READ),
    "new_thread": Row(
        get=FORUM_READ, post=answers(JOIN, login=VISITOR, to_thread=(*MEMBERS, *STAFF))
    ),
    "thread": Row(get=FORUM_READ, post=answers(JOIN, login=VISITOR, to_thread=(*MEMBERS, *STAFF))),
    "post": Row(get=FORUM_READ, post=answers(JOIN, login=VISITOR, to_thread=(*MEMBERS, *STAFF))),
    "team_merge": Row(
        get=TEAM_READ, post=answers(JOIN, login=VISITOR, ok=("alice",), forbidden=("bob",))
    ),
    "team_merge_question": Row(
        get=TEAM_READ,
        post=answers(JOIN, login=VISITOR, to_team_merge=("alice",), forbidden=("bob",)),
    ),
    "submission": OWN,
    "progress": OWN,
    "submission_file": OWN,
    "note": Row(get=refused(), post=answers("404", to_submission=MEMBERS)),
    "cancel": Row(get=refused(), post=answers("404", conflict=MEMBERS)),
    "final": Row(get=refused(), post=answers(JOIN, login=VISITOR, to_submissions=MEMBERS)),
    # The desk.
    "desk_golds": login_first(
        get=DESK_READ, post=answers("404", login=VISITOR, to_desk_golds=EDITORS)
    ),
    "desk_teams": login_first(
        get=DESK_READ, post=answers("404", login=VISITOR, to_desk_teams=EDITORS)
    ),
    "desk_people": login_first(
        get=DESK_READ, post=answers("404", login=VISITOR, to_desk_people=EDITORS)
    ),
    "desk_terms": login_first(
        get=DESK_READ, post=answers("404", login=VISITOR, to_desk_terms=EDITORS)
    ),
    # Appointing somebody, which owners alone may do.
    "desk_organizers": login_first(
        get=DESK_READ,
        post=answers("404", login=VISITOR, to_desk_organizers=("olivia",), forbidden=("eddie",)),
    ),
    "gold_changes": login_first(
        get=DESK_READ, post=answers("404", login=VISITOR, to_gold_changes=EDITORS)
    ),
    "desk_dev_set": login_first(
        get=DESK_READ, post=answers("404", login=VISITOR, to_desk_dev_set=EDITORS)
    ),
    "rehearsal": login_first(
        get=DESK_READ, post=answers("404", login=VISITOR, to_rehearsal=EDITORS)
    ),
    "desk_submissions": login_first(
        get=DESK_READ, post=answers("404", login=VISITOR, to_desk_submissions=EDITORS)
    ),
    "desk_submission": login_first(get=DESK_READ, post=answers("404", login=VISITOR, ok=EDITORS)),
    "desk_submission_file": login_first(get=DESK_READ, post=answers("405", login=VISITOR)),
    "desk_baselines": login_first(
        get=DESK_READ, post=answers("404", login=VISITOR, to_desk_baselines=EDITORS)
    ),
    "desk_export_zip": login_first(get=DESK_READ, post=answers("405", login=VISITOR)),
    # Golds leave with the file, so it is for owners alone.
    "desk_file": login_first(
        get=DESK_READ, post=answers("404", login=VISITOR, ok=("olivia",), forbidden=("eddie",))
    ),
    # Owners and administrators alone end a contest.
    "desk_ending": login_first(
        get=answers("404", login=VISITOR, ok=("olivia", "sue")),
        post=answers("404", login=VISITOR, ok=("olivia", "sue")),
    ),
    "desk_team": login_first(
        get=DESK_READ, post=answers("404", login=VISITOR, to_desk_team=EDITORS)
    ),
    "desk_settings": login_first(
        get=DESK_READ, post=answers("404", login=VISITOR, to_desk_settings=EDITORS)
    ),
    "desk_data": login_first(
        get=DESK_READ, post=answers("404", login=VISITOR, to_desk_data=EDITORS)
    ),
    "desk_participants_csv": login_first(get=DESK_READ, post=answers("405", login=VISITOR)),
    "desk_enrol": login_first(get=DESK_READ, post=answers("404", login=VISITOR, ok=EDITORS)),
    "desk_webhook": login_first(
        get=DESK_READ, post=answers("404", login=VISITOR, to_desk_webhook=EDITORS)
    ),
    # The first step of each shows what would be announced.
    "desk_schedule": login_first(get=DESK_READ, post=answers("404", login=VISITOR, ok=EDITORS)),
    "desk_announcements": login_first(
        get=answers("404", login=VISITOR, ok=STAFF), post=answers("404", login=VISITOR, ok=STAFF)
    ),
    "desk_forum": login_first(
        get=answers("404", login=VISITOR, ok=STAFF), post=answers("405", login=VISITOR)
    ),
    "make_live": login_first(
        get=answers("405", login=VISITOR),
        # The draft of a contest with a live version is rehearsed first: said on the page of golds.
        post=answers("404", login=VISITOR, conflict=EDITORS),
    ),
}

for _part in parts():
    TABLE.update(_part.table(sys.modules[__name__]))

# Addresses of pages that are gone lead on, whoever asks and whether there is such a contest.
for _former, _now in FORMER.items():
    _leads = answers(f"→{resolve(f'/c/talk/{_now}'.partition('?')[0]).view_name}")
    TABLE[f"former {_now}"] = Row(get=_leads, before=("405", _leads["visitor"]))

# A page of the organizers' menu that only shows something needs no row: this is its.
for entry in ENTRIES:
    TABLE.setdefault(entry.name, login_first(DESK_READ, answers("405", login=VISITOR)))

# --- The administrator's pages: one family ------------------------------------------------------

ADMIN = "admin:*"
API = "api:*"  # of programs, whose answers and methods are others: `tests.leaderboard.api`
# Tables whose rows are facts: even a superuser only reads them.
FACTS = (
    "announcement",
    "auditevent",
    "competition",
    "datafile",
    "evaluation",
    "merge",
    "message",
    "notification",
    "quotaentry",
    "scoringversion",
    "submission",
    "team",
    *(name for part in parts() for name in part.FACTS),
)


def expected_in_admin(name: str, method: str, role: str) -> tuple[str, ...]:
    """The outcomes that are right; a superuser's depend on the page, but never are an error."""
    if role != "sue":
        if name == "admin:login":
            return (LOGIN,) if role == "visitor" else ("403",)
        return ("→admin:index",) if name == "admin:logout" else ("→admin:login",)
    writes = name.endswith(("_add", "_delete")) or (method == "POST" and name.endswith("_change"))
    if writes and any(f"_{table}_" in name for table in FACTS):
        return ("403",)
    if name in ("admin:accounts_user_delete", "admin:autocomplete"):
        return ("403", "405")  # people close accounts; no form asks for completions
    return ("200", "404", "405", "→admin:")
