"""What hostile people write in every field of a contest, in a real browser: nothing runs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Error, Page, Route

from tests.browser.conftest import Demo, Windows
from tests.browser.every_page import name_of, path_of
from tests.browser.payloads import PAYLOADS
from tests.browser.test_hostile_posts import ALIVE, LISTEN
from tests.leaderboard.material import texts_csv
from tests.stack import Stack

pytestmark = pytest.mark.browser

CONTEST = "/c/talk"
MARK = re.compile(r"zz(\d+)x(\d+)zz")
PAGED = re.compile(r"[?&]page=\d+$").search
PEOPLE = (None, "bob", "charlie", "olivia")

# --- Which fields --------------------------------------------------------------------------------

OURS = "the product writes it: a code, a hash, a number, a place"
FORUM = "test_hostile_posts.py writes it, through the actions"
MAIL = "a mail address; AllowedEmail.email is one and is shown"
NOT_WRITTEN = {
    **dict.fromkeys(
        (
            *("User.password", "HeldName.skeleton_hmac", "PasswordLink.token_sha256"),
            *("PasswordLink.password_hmac", "RateCount.key", "AuditEvent.kind"),
            "ApiToken.digest",
            *("Notification.competition_slug", "MailAddress.token_sha256", "Mail.notices"),
            *("Mail.failure", "DataFile.file", "DataFile.sha256", "Invitation.code_sha256"),
            *("Regrouping.moves", "ReferenceSet.sha256", "ReferenceSet.golds_sha256"),
            *("ReferenceSet.stored_as", "ReferenceSet.notices", "ReferenceSet.oddities"),
            "ReferenceSet.split_seed",
            *("Example.split", "ScoringVersion.signature", "ScoringVersion.self_check"),
            *("SetUse.golds_sha256", "DialogueSet.sha256", "DialogueSet.notices"),
            *("Submission.file", "Submission.sha256", "Submission.notices", "Evaluation.stage"),
            *("Evaluation.failure", "KeptFailure.code", "SplitScore.split", "SplitScore.metrics"),
            *("SplitScore.signature", "KeptTokens.tokenizer", "Worker.name", "Worker.queue"),
            *("Worker.version", "Alarm.kind", "Alarm.fault", "Alarm.values", "Backup.failure"),
            *("Webhook.secret", "Delivery.event", "Delivery.failure", "Standing.metrics"),
            *("Switch.moves", "StandingDay.metrics", "ScoringVersion.profile_settings"),
            *("BoardBands.stamp", "BoardBands.signature", "BoardBands.facts"),
            *("Figures.taken", "Figures.lights", "Figures.shake_up"),
            *("FileLift.signature", "FileLights.signature", "FileLights.found"),
            *("ClosingReport.stamp", "ClosingReport.public", "ClosingReport.organizers"),
            *("ClosingReport.public_sha256", "ClosingReport.organizers_sha256"),
        ),
        OURS,
    ),
    **dict.fromkeys(
        (
            *("Thread.title", "Thread.hide_reason", "Post.text", "Post.folded"),
            *("Post.hide_reason", "PostVersion.title", "PostVersion.text", "PostReport.reason"),
        ),
        FORUM,
    ),
    **dict.fromkeys(("User.email", "MailAddress.address", "Membership.typed_email"), MAIL),
    "User.first_name": "no form has it and no page shows it",
    "User.last_name": "no form has it and no page shows it",
    "Competition.slug": "letters, digits and hyphens",
    "Competition.registration_code": "letters, digits and hyphens",
    "Competition.zone": "one of a list",
    "Competition.preset": "one of a list",
    "Competition.tokenizer": "one of a list",
    "Webhook.events": "of a list",
    "DialogueSet.file_name": "shown by an app that may be left out",
    "ApiToken.name": "its own person alone reads it: test_tokens.py",
    "Submission.key": "shown to nobody",
    "Post.key": "shown to nobody",
}
# Written and derived of what is shown.
NOT_SHOWN = {
    "User.skeleton",
    "Team.skeleton",
    "Team.sort_key",
    "Standing.sort_key",
    "Dialogue.example_id",
}


# --- The walk ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stage:
    """The product with the contest; `made` is what its builder says."""

    demo: Demo
    made: dict[str, Any]


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with Stack(only=("web",)) as stack:
        made = stack.drive("browser.hostile")
        yield Stage(Demo(stack, {name: f"{name}-secret" for name in PEOPLE if name}), made)


@pytest.fixture
def windows(chromium: Browser, stage: Stage) -> Iterator[Windows]:
    opened = Windows(chromium, stage.demo)
    yield opened
    opened.close()
    assert opened.foreign_requests() == []
    assert opened.complaints == []


class Look:
    """Opens pages; remembers what was alive on them and which payloads they showed."""

    def __init__(self, windows: Windows, who: str | None, language: str = "ko") -> None:
        self.page: Page = windows.open(who=who, language=language)
        self.page.add_init_script(LISTEN)
        self.page.on("dialog", self._asked)
        self.alive: list[str] = []
        self.seen: set[tuple[str, str]] = set()
        self.opened: set[str] = set()

    def _asked(self, dialog: Dialog) -> None:
        self.alive.append(dialog.message)
        dialog.dismiss()

    def at(self, *addresses: str) -> None:
        for address in addresses:
            answer = self.page.goto(address, wait_until="domcontentloaded")
            assert answer is not None
            if answer.status >= 500:
                self.alive.append(f"{address}: {answer.status}")
            self.here()

    def here(self) -> None:
        self.alive += [f"{self.page.url}: {thing}" for thing in self.page.evaluate(ALIVE)]
        self.seen |= set(MARK.findall(self.page.content()))

    def everywhere(self, begin: str) -> None:
        """From there wherever links lead: one page of each name, lists to their end."""
        waiting, known = [begin], {begin}
        while waiting:
            address = waiting.pop(0)
            name = name_of(address)
            if name is None or "logout" in address or (name in self.opened and not PAGED(address)):
                continue
            self.opened.add(name)
            try:
                self.at(address)
            except Error as error:
                if "Download is starting" not in str(error):
                    raise
                continue
            links = self.page.locator("a[href]").evaluate_all(
                "all => all.filter((one) => one.host === location.host).map((one) => one.href)"
            )
            found = dict.fromkeys(map(path_of, links))
            waiting += [link for link in found if link not in known]
            known |= found.keys()

    def in_the_lab(self, ids: list[str]) -> None:
        """What a file of the dev set shows, and each row alone that the file's page left out."""
        self.page.goto(f"{CONTEST}/lab")
        texts = {name: PAYLOADS[number % len(PAYLOADS)] for number, name in enumerate(ids)}
        name, data = "<script>xss()</script>.csv", texts_csv(texts)
        self.page.set_input_files(
            "#lab_file", files=[{"name": name, "mimeType": "text/csv", "buffer": data}]
        )
        self.page.click("button[value=file]")
        self.page.wait_for_selector(".one-row")
        self.seen |= set(MARK.findall(str(self.page.locator("main").text_content())))
        self.here()


def test_nothing_runs_that_somebody_writes_in_a_contest(windows: Windows, stage: Stage) -> None:
    made, looks = stage.made, [Look(windows, who) for who in PEOPLE]
    for look in looks:
        look.everywhere(f"{CONTEST}/")
    olivia, english = looks[-1], Look(windows, "olivia", "en")
    olivia.everywhere("/")
    olivia.at(*(f"{CONTEST}/desk/teams/{team}" for team in made["teams"]))
    olivia.at(*(f"{CONTEST}/desk/submissions/{file}" for file in made["files"]))
    olivia.in_the_lab(made["dev_ids"])
    english.at(*(f"{CONTEST}/{path}" for path in ("", "terms", "data")))
    english.at(*(f"/c/{slug}/{page}" for slug in made["contests"] for page in ("", "desk/webhook")))
    looks.append(english)
    assert [thing for look in looks for thing in look.alive] == []
    seen = set().union(*(look.seen for look in looks))
    unseen = {
        f"{name}: {PAYLOADS[number]}"
        for place, name in enumerate(made["names"])
        for number in made["held"][name]
        if (str(place), str(number)) not in seen and name not in NOT_SHOWN
    }
    assert unseen == set()


@pytest.mark.parametrize(
    ("who", "part", "names"),
    [
        ("charlie", "/invitations/", ("Team.name", "User.username")),
        # A stranger does not read who invites where the name may be a student number.
        pytest.param(None, "/join/", ("Team.name",), marks=pytest.mark.slow),
    ],
)
def test_nothing_runs_where_a_hostile_team_invites(
    windows: Windows, stage: Stage, who: str | None, part: str, names: tuple[str, ...]
) -> None:
    every = [str(number) for number in range(len(PAYLOADS))]
    look = Look(windows, who)
    look.at(*(way for way in stage.made["ways"] if way.startswith(part)))
    assert look.alive == []
    for name in names:
        place = str(stage.made["names"].index(name))
        assert {(place, number) for number in every} <= look.seen, (part, name)


def test_every_field_that_somebody_fills_is_hostile(stage: Stage) -> None:
    every = list(range(len(PAYLOADS)))
    written = {name for name, numbers in stage.made["held"].items() if numbers == every}
    assert set(stage.made["names"]) - written - NOT_SHOWN == NOT_WRITTEN.keys()


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(one, marks=() if one.startswith("<img src=x") else pytest.mark.slow)
        for one in PAYLOADS
        if re.match("<(script>xss|img src=x|iframe src)", one)
    ],
)
def test_what_is_not_escaped_is_found(windows: Windows, stage: Stage, payload: str) -> None:
    look = Look(windows, None)

    def plant(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("</main>", f"{payload}</main>"))

    look.page.route(f"**{CONTEST}/leaderboard", plant)
    look.at(f"{CONTEST}/leaderboard")
    assert look.alive != []
    windows.complaints.clear()  # the browser's own word on it
    windows.requests.clear()
