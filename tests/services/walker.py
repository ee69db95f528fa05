"""What every part of the random walk shares: dice, picks, and what counts as an error."""

import logging
import random
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.db import OperationalError
from psycopg.errors import LockNotAvailable

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition
from leaderboard.contest_file.export import Damaged
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Membership, Team
from tests.leaderboard import builders
from tests.leaderboard.builders import CLOSES, OPENS

SLUG, SIDE = "walk", "side"
LONGER = 60  # seconds
PEOPLE = 24  # names that people have; who closed an account may sign up again


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


class Walker:
    """Draws what to do next. A refusal is an answer; any other error is counted and shown.

    A step is a method named after its action; `WEIGHTS` says how often it is drawn. One that found
    nothing to do answers False.
    """

    WEIGHTS: ClassVar[dict[str, int]] = {}

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
            if getattr(self, name)() is not False:
                self.done[name] += 1
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

    def moment(self) -> datetime:
        return OPENS + (CLOSES - OPENS) * self.dice.random()

    def soon(self) -> datetime:
        """A moment that most of what was handed in comes after."""
        return OPENS + timedelta(hours=1) * self.dice.random()

    def one(self, rows: Any) -> Any:
        """One of these rows, or None."""
        return self.dice.choice(list(rows) or [None])

    def contest(self) -> Competition:
        return self.one([self.competition, self.competition, self.side])

    def person(self) -> User:
        """Anybody of those who come and go."""
        return builders.user(f"guest{self.dice.randrange(PEOPLE)}")

    def organizer(self) -> User:
        """Mostly the owner; else somebody who may have a role, or not."""
        return self.olivia if self.dice.random() < 0.8 else self.person()

    def team(self, **where: Any) -> Team | None:
        teams = Team.objects.filter(competition__in=(self.competition, self.side), **where)
        return self.one(teams.select_related("captain", "competition").order_by("pk"))

    def membership(self) -> Membership | None:
        found = Membership.objects.filter(competition__in=(self.competition, self.side))
        return self.one(found.select_related("team__competition", "user"))

    def member(self, team: Team) -> User | None:
        return self.one(User.objects.filter(memberships__team=team))

    def submission(self, **where: Any) -> Submission | None:
        found = Submission.objects.filter(team__competition=self.competition, **where)
        return self.one(found.select_related("team__competition", "submitted_by"))

    def version(self, *states: str) -> ScoringVersion | None:
        found = ScoringVersion.objects.filter(competition=self.competition, state__in=states)
        return self.one(found.select_related("competition"))
