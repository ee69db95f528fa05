"""The random walk: any verb, with arguments that are drawn by their names.

A new verb is walked by itself; only an argument that no other verb has needs a line here.
"""

import logging
import random
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar
from uuid import uuid4

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet
from django.test import override_settings
from psycopg.errors import LockNotAvailable

from leaderboard.accounts.models import User
from leaderboard.actions.ending import archive
from leaderboard.actions.people import make_password_link
from leaderboard.actions.references import check_next_references
from leaderboard.actions.scoring import evaluate_next, fail
from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import Placement
from leaderboard.community.models import Announcement, Post, Thread, Webhook
from leaderboard.competitions.models import Competition, DataFile
from leaderboard.competitions.registration import newest_terms
from leaderboard.contest_file.cloning import clone
from leaderboard.contest_file.export import Damaged, export_competition, package
from leaderboard.contest_file.import_competition import import_competition
from leaderboard.evaluation.claim import LeaseLost, ask_missing, next_claim
from leaderboard.evaluation.models import Evaluation
from leaderboard.inbox.models import Notification
from leaderboard.references.models import ScoringVersion
from leaderboard.refusals import Refused
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import Invitation, JoinRequest, Merge, Team
from leaderboard.worker.sweep import STEPS, sweep
from tests.leaderboard import builders
from tests.leaderboard.builders import CLOSES, GOLDS, NOON, OPENS, REVEALS
from tests.leaderboard.verbs import asked, verbs

SLUG, SIDE = "walk", "side"
LONGER = 60  # seconds
PEOPLE = 24  # names that people have; who closed an account may sign up again
PASSWORD = "주전자-4821-도서관"  # that a link sets
OTHER = {**GOLDS, "talk_1": ("민수와 지우는 모레 서점에서 만난다.",), "talk_2": ("환불을 받았다.",)}
WORDS = sorted({word for golds in OTHER.values() for text in golds for word in text.split()})
# By the machine's clock this one would mistake the walk's moments: whoever scored something just
# now would have done so days ago, or never.
SWEPT = tuple((name, step) for name, step in STEPS if name != "stalled")
# Verbs that no process of the walk does by itself, and why.
LEFT_OUT = {
    **dict.fromkeys(("deciding", "deciding_in_team"), "the transaction of the others"),
    **dict.fromkeys(("rule_among", "accept_terms_due", "check_registration"), "part of others"),
    **dict.fromkeys(("announcing", "found_team", "finish", "tell_scored"), "part of others"),
    **dict.fromkeys(("member_of", "plain", "clean_team_name"), "reads"),
    **dict.fromkeys(("look", "check", "repair", "practise", "practise_row"), "counts a look"),
    **dict.fromkeys(("fail_exhausted", "announce_reveals"), "a step of the sweep"),
    **dict.fromkeys(("check_references", "check_references_at_once"), "as check_next_references"),
    **dict.fromkeys(("ask_for_mail", "confirm_mail", "stop_mail"), "refused without mail"),
    **dict.fromkeys(("choose_how_often", "make_token", "end_token"), "rows of the person's own"),
    **dict.fromkeys(("close_account_of", "export_account_of"), "as close_account"),
    "end_session": "deletes one row of the sign-in package",
    "delete_competition": "nothing would be left to walk in: actions/test_ending.py",
    # They would each be done once, before the others begin.
    **dict.fromkeys(("upload_dev_set", "release_dev_set"), "releases are for ever"),
    **dict.fromkeys(("upload_dialogues", "release_dialogues"), "releases are for ever"),
}
VERBS = {name: verb for name, verb in verbs().items() if name not in LEFT_OUT}
# Which rows a verb finds something to do with.
FIT: dict[str, dict[str, Any]] = {
    "exclude": {"exclusion": None},
    "restore": {"exclusion__isnull": False},
    "cancel": {"cancellation": None, "evaluations__state": "queued"},
    "reinstate": {"disqualified_at__isnull": False},
    "rehearse": {"state__in": ("draft", "retired")},
    "make_live": {"state": "rehearsing"},
    "discard": {"state__in": ("draft", "rehearsing")},
    "submit": {"captain__isnull": False, "competition__slug": SLUG},
    "accept_merge": {"state": "asked"},
    "mark_answer": {"opens": False, "thread__kind__in": Thread.ASKING},
    "unmark_answer": {"answered": True},
    # Who is no baseline may be gone by then, which a page finds out before.
    "rename_baseline": {"kind": "baseline"},
    "remove_baseline": {"kind": "baseline"},
    "restore_baseline": {"kind": "baseline"},
}
# No more of a kind: a submission is scored under each version, and everybody looks at baselines.
ROOM: dict[str, tuple[Any, int]] = {
    "upload_references": (ScoringVersion.objects, 8),
    "redraft": (ScoringVersion.objects, 8),
    "add_baseline": (Team.objects.filter(kind="baseline"), 4),
}


class Errors(logging.Handler):
    """What the product logs as an error counts as one: a worker catches everything.

    But for an alarm, which rings rightly: nobody scores while these processes walk.
    """

    def __init__(self, into: Counter[str]) -> None:
        super().__init__(logging.ERROR)
        self.into = into

    def emit(self, record: logging.LogRecord) -> None:
        found = record.msg if isinstance(record.msg, dict) else {"event": str(record.msg)}
        if found.get("event") == "alarm_begins":
            return
        self.into[f"logged {found.get('event')} {found.get('error')} {found.get('step', '')}"] += 1


class NothingThere(Exception):
    """No row that the verb could be about."""


class Walker:
    """Draws what to do next. A refusal is an answer; any other error is counted and shown.

    A step is a verb, or the method of its name; `WEIGHTS` says how often it is drawn. One that
    found nothing to do answers False.
    """

    VERBS: ClassVar[dict[str, Any]] = VERBS
    WEIGHTS: ClassVar[dict[str, int]] = {
        **dict.fromkeys(VERBS, 2),
        **{"submit": 30, "evaluate_next": 35, "choose_finals": 10, "exclude": 8, "restore": 6},
        **{"join": 20, "accept_terms": 12, "put_in_team": 15, "invite_person": 6, "accept": 15},
        **{"leave": 6, "appoint_captain": 6, "close_account": 8, "grant": 6, "resume": 6},
        **{"ask_to_merge": 14, "accept_merge": 14, "assign_teams": 8},
        **{"start_thread": 6, "reply": 10},
        **{"rehearse": 5, "make_live": 5, "change_registration": 4, "rename_team": 5},
        **dict.fromkeys(("pause", "archive", "change_terms", "upload_references"), 1),
        **{"sweep": 4, "look": 20, "export": 3, "clone": 1, "check_next_references": 2},
    }

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.done: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.traces: list[str] = []
        self.competition = Competition.objects.get(slug=SLUG)
        self.side = Competition.objects.get(slug=SIDE)
        self.olivia = User.objects.get(username="olivia")
        logging.getLogger().addHandler(Errors(self.errors))

    def walk(self, seconds: float, certain: Sequence[str] = ()) -> dict[str, Any]:
        """Every step once, in any order, then whatever is drawn, until the time is over.

        Those of `certain` that did nothing yet are drawn every other time; if need be for LONGER
        seconds more, when the other processes have ended and nobody takes what they wait for.
        """
        end = time.monotonic() + seconds
        names, weights = [*self.WEIGHTS], [*self.WEIGHTS.values()]
        first = self.dice.sample(names, len(names))
        missing = [*certain]
        while (now := time.monotonic()) < end or (missing and now < end + LONGER):
            if first:
                name = first.pop()
            elif missing and self.dice.random() < 0.5:
                name = self.dice.choice(missing)
            else:
                [name] = self.dice.choices(names, weights)
            self.step(name)
            missing = [name for name in missing if not self.done[name]]
        return {"done": self.done, "errors": self.errors, "traces": self.traces[:3]}

    def step(self, name: str) -> None:
        try:
            done = getattr(self, name)() if hasattr(self, name) else self.verb(name)
            if done is not False:
                self.done[name] += 1
        except NothingThere:
            pass
        except Refused as refused:
            self.done[f"refused {refused.code}"] += 1
        except ValidationError:
            self.done[f"invalid {name}"] += 1
        except Damaged:  # a data file that was removed meanwhile: the page says to do it again
            self.done[f"damaged {name}"] += 1
        except Exception as error:
            if isinstance(error, OperationalError) and isinstance(
                error.__cause__, LockNotAvailable
            ):
                self.done["busy"] += 1  # the page that says to come back in a few seconds
                return
            self.errors[f"{name}: {type(error).__name__} {str(error)[:80]}"] += 1
            self.traces.append(traceback.format_exc()[-3000:])

    def verb(self, name: str, **given: Any) -> None:
        """Do it with what is given, and all other arguments drawn."""
        if name in ROOM:
            rows, most = ROOM[name]
            if rows.filter(competition=self.competition).count() >= most:
                raise NothingThere
        verb = self.VERBS[name]
        for one in asked(verb, "terms"):
            if one not in given:
                given[one] = self.draw(one, name, given)
        verb(**given)

    # --- What is drawn ---------------------------------------------------------------------------

    def draw(self, one: str, name: str, given: dict[str, Any]) -> Any:
        """The argument `one` of the verb of this name, which has these others already."""
        if one in ("user", "at", "text", "name", "username", "upload", "submission_ids"):
            return getattr(self, f"some_{one}")(name, given)
        if (rows := self.rows().get(one)) is not None:
            found = self.one(rows.filter(**FIT.get(name, {})))
            if found is None:
                raise NothingThere
            return found.pk if name == "revoke" and one == "invitation" else found
        values = self.values(name, given)
        return values[one]()

    def rows(self) -> dict[str, QuerySet[Any]]:
        """The rows that an argument may be, by its name."""
        both = {"competition__in": (self.competition, self.side)}
        threads = Thread.objects.select_related("competition", "author")
        return {
            "team": Team.objects.filter(**both).select_related("captain", "competition"),
            "submission": Submission.objects.filter(
                team__competition=self.competition
            ).select_related("team__competition", "submitted_by"),
            "evaluation": Evaluation.objects.filter(state="failed").select_related("submission"),
            "version": self.competition.scoring_versions.select_related("competition"),
            "thread": threads,
            "inquiry": threads.filter(kind=Thread.Kind.INQUIRY),
            "post": Post.objects.select_related("author", "thread__competition", "thread__author"),
            "merge": Merge.objects.select_related(
                "competition", "survivor__captain", "absorbed__captain"
            ),
            "invitation": Invitation.objects.select_related(
                "team__competition", "invitee", "created_by"
            ),
            "request": JoinRequest.objects.select_related("competition"),
            "data_file": DataFile.objects.filter(**both).select_related("competition"),
            "announcement": Announcement.objects.select_related("competition"),
        }

    def values(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        """How other arguments are drawn, by their names."""
        dice, yes = self.dice, lambda: self.dice.random() < 0.6
        return {
            "competition": self.contest,
            "reason": lambda: "까닭",
            "key": lambda: str(uuid4()),
            "title": lambda: "제목",
            "kind": lambda: dice.choice(Thread.Kind.values),
            "ticked": yes,
            "role": lambda: dice.choice(["owner", "editor", "editor", "assistant"]),
            "registration": lambda: dice.choice(["open", "open", "open", "approval"]),
            "files": lambda: [Upload("golds.csv", builders.gold_csv(self.one([GOLDS, OTHER])))],
            "preset": lambda: dice.choice(["mean-sum", "max-sum"]),
            "tokenizer": lambda: "mecab-ko",
            "wanted": lambda: {"title": self.word()},
            # The freeze moved; it may still come.
            "dates": lambda: {"freezes_at": NOON + (CLOSES - NOON) * dice.random()},
            "number": lambda: self.terms(given),
            "terms": lambda: self.terms(given),
            "amount": lambda: 1,
            **dict.fromkeys(("held", "approve", "follows", "pinned", "locked"), yes),
            **dict.fromkeys(("description", "description_en", "note", "method_name"), self.word),
            "url": lambda: "https://hooks.example.org/one",  # which nobody serves
            "format": lambda: Webhook.Format.JSON,
            "language": lambda: User.Language.KOREAN,
            "events": lambda: list(Webhook.Event),
            "app": lambda: dice.sample(Notification.Kind.values, 5),
            **dict.fromkeys(("mail", "made_by"), lambda: None),
        }

    def some_at(self, name: str, given: dict[str, Any]) -> datetime:
        is_any = name in ("submit", "rehearse") or given.keys() & {"thread", "post", "inquiry"}
        return self.moment() if is_any else NOON

    def some_user(self, name: str, given: dict[str, Any]) -> User:
        """The owner, somebody whom it is about, or anybody."""
        about: list[User | None] = [self.person()]
        for one in given.values():
            match one:
                case Team():
                    about += [one.captain, self.one(User.objects.filter(memberships__team=one))]
                case Merge():
                    about += [one.survivor.captain, one.absorbed.captain]
                case Submission():
                    about.append(one.submitted_by)
                case Invitation():
                    about.append(one.invitee)
                case Thread():
                    about.append(one.author)
                case Post():
                    about += [one.author, one.thread.author]
        return self.dice.choice([self.olivia, *filter(None, about)])

    def some_text(self, name: str, given: dict[str, Any]) -> str:
        if name == "change_terms":
            return self.one(["", "", "데이터를 밖으로 내보내지 않는다."])
        if name != "assign_teams":
            return f"정해진 것을 알립니다. {self.dice.random()}"
        people = User.objects.filter(memberships__competition=given["competition"]).order_by("?")
        names = [*map(str, people[:3]), f"guest{self.dice.randrange(PEOPLE)}"]
        rows = (f"{name},조 {self.dice.randrange(4)}\n" for name in dict.fromkeys(names))
        return "".join(["username,team\n", *rows])

    def some_name(self, name: str, given: dict[str, Any]) -> str:
        """Often one that somebody has or is just taking."""
        if name == "ask_to_merge":
            return str(self.one(self.rows()["team"]).name)
        kind = "기준선" if "baseline" in name else "팀"
        return self.one([f"{kind} {self.dice.randrange(6)}", "탈퇴한 팀"])

    def some_username(self, name: str, given: dict[str, Any]) -> str:
        members = User.objects.filter(memberships__team=given.get("team"))
        return str(self.one([self.person(), self.one(members) or self.person()]).username)

    def some_upload(self, name: str, given: dict[str, Any]) -> Upload:
        if name == "add_data_file":
            return Upload(f"data{self.dice.randrange(6)}.csv", b"a,b\n")
        texts = {name: " ".join(self.dice.choices(WORDS, k=5)) for name in GOLDS}
        return Upload("predictions.csv", builders.prediction_csv(texts))

    def some_submission_ids(self, name: str, given: dict[str, Any]) -> list[Any]:
        own = Submission.objects.filter(team=given["team"], evaluations__state="done").distinct()
        keys = list(own.values_list("pk", flat=True))
        return self.dice.sample(keys, min(len(keys), self.dice.randrange(1, 3)))

    def terms(self, given: dict[str, Any]) -> int | None:
        about = given.get("competition") or given["invitation"].team.competition
        due = newest_terms(about)
        return due.number if due else None

    def word(self) -> str:
        return f"말 {self.dice.randrange(3)}"

    def moment(self) -> datetime:
        return OPENS + (CLOSES - OPENS) * self.dice.random()

    def one(self, rows: Any) -> Any:
        """One of these rows, or None."""
        return self.dice.choice(list(rows) or [None])

    def contest(self) -> Competition:
        """As it is now."""
        one = self.one([self.competition, self.competition, self.side])
        return Competition.objects.get(pk=one.pk)

    def person(self) -> User:
        """Anybody of those who come and go."""
        return builders.user(f"guest{self.dice.randrange(PEOPLE)}")

    def organizer(self) -> User:
        """Mostly the owner; else somebody who may have a role, or not."""
        return self.olivia if self.dice.random() < 0.8 else self.person()

    def submission(self, **where: Any) -> Submission | None:
        return self.one(self.rows()["submission"].filter(**where))

    # --- Steps that are more than one verb, or none ----------------------------------------------

    def evaluate_next(self) -> bool:
        return evaluate_next(now=lambda: NOON) is not None

    def fail(self) -> bool:
        """A scoring that falls over; for half of them it was the last attempt."""
        claim = next_claim(at=NOON)
        if claim is None:
            return False
        attempts = self.one([claim.attempt, settings.SCORING_MAX_ATTEMPTS])
        try:
            with override_settings(SCORING_MAX_ATTEMPTS=attempts):
                fail(claim=claim, failure="planted", at=NOON)
        except LeaseLost:
            return False
        return True

    def check_next_references(self) -> bool:
        return check_next_references()

    def make_live(self) -> None:
        ask_missing(at=CLOSES)  # as a sweep does: what was handed in meanwhile has to be scored too
        for _ in range(200):  # mostly it is refused while something waits
            if not self.evaluate_next():
                break
        self.verb("make_live", user=self.organizer(), accept_failed=True)

    def accept_merge(self) -> None:
        """Where nobody asks, this asks: on a slow machine no other step may come by in time."""
        if not Merge.objects.filter(state="asked").exists():
            self.verb("ask_to_merge")
        self.verb("accept_merge")

    def edit_competition(self) -> None:
        what = {"competition": self.contest(), "user": self.olivia}
        what["wanted"] = {"finals_rule": self.dice.choice(Competition.FinalsRule.values)}
        self.verb("edit_competition", at=NOON, **what)

    def close_account(self) -> None:
        person = self.person()
        own = f"{person.username}-secret"
        right = own if person.check_password(own) else PASSWORD
        self.verb("close_account", user=person, password=right)

    def use_password_link(self) -> None:
        token = make_password_link(user=self.person(), made_by=None, at=NOON)
        self.verb("use_password_link", token=token, password=PASSWORD)

    def archive(self) -> None:
        """For a moment, in which all else is refused."""
        who = {"competition": self.contest(), "user": self.olivia, "at": NOON}
        archive(archived=True, **who)
        archive(archived=False, **who)

    def create_competition(self) -> None:
        slug = f"new-{self.dice.randrange(4)}"
        dates = {"opens_at": OPENS, "closes_at": CLOSES, "reveals_at": REVEALS}
        VERBS["create_competition"](
            owner=builders.creator(), at=OPENS, slug=slug, title=slug, zone="Asia/Seoul", **dates
        )

    def export(self) -> None:
        export_competition(competition=self.competition, user=self.olivia, full=True, at=NOON)
        package(self.competition, full=True)

    def clone(self) -> None:
        found = clone(self.competition, slug=f"copy-{uuid4().hex[:8]}", at=NOON)
        assert found.contest is not None, found.problems
        import_competition(contest=found.contest, owner=self.olivia, asked_by=None, at=NOON)

    def sweep(self) -> None:
        """What the sweeper does, at whatever time."""
        sweep(self.moment(), SWEPT)

    def look(self) -> None:
        """The totals of a board, now or at a past instant, are those of its rows."""
        version = self.one(self.rows()["version"].filter(state__in=("live", "rehearsing")))
        board = self.dice.choice(Placement.Board.values)
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            instant = self.dice.choice([None, *builders.midnights(version.competition)])
            totals = standings_of(version, board, instant, "stands_until").values_list(
                "team", "printed"
            )
            rows = standings_of(version, board, instant).values_list("team", "printed")
            assert list(totals) == list(rows), "totals are not those of the rows"
