"""What the benchmarks put into a stack's database, run as a process of its own.

python -m benchmarks.filled contest 30 10 499    # 30 teams with a file a day for 10 days
python -m benchmarks.filled golds 499            # prints the id of a draft with five other golds
python -m benchmarks.filled files 499 FOLDER     # writes three more prediction files there
python -m benchmarks.filled rush 2000 499        # another contest; a session key for each person
"""

import csv
import io
import os
import random
import sys
from datetime import timedelta
from importlib import import_module
from pathlib import Path

import django

# Who imports a function of here, as a benchmark that is started by hand, has named no settings.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import (  # noqa: E402
    BACKEND_SESSION_KEY,
    HASH_SESSION_KEY,
    SESSION_KEY,
)
from django.contrib.auth.hashers import make_password  # noqa: E402
from django.utils import timezone  # noqa: E402

from benchmarks import material  # noqa: E402
from leaderboard.accounts.models import User  # noqa: E402
from leaderboard.actions.references import upload_references  # noqa: E402
from leaderboard.competitions.models import Competition  # noqa: E402
from leaderboard.submissions.queries import Upload  # noqa: E402
from tests.leaderboard import builders  # noqa: E402

SLUG = "rehearsal"
CHANGED = 5


def predictions(rows: int, seed: int) -> bytes:
    """A file of its own: a third of the words of each prediction are drawn anew."""
    dice = random.Random(seed)
    words = material.words()
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("fname", "summary"))
    for name, text in material.make(rows).predictions.items():
        kept = [word if dice.random() < 0.67 else dice.choice(words) for word in text.split()]
        writer.writerow((name, " ".join(kept)))
    return out.getvalue().encode()


def golds(rows: int, changed: int = 0) -> bytes:
    """The golds of the material; in the first `changed` rows the words stand the other way."""
    texts = {}
    for number, example in enumerate(material.make(rows).references.examples):
        turned = number < changed
        texts[example.example_id] = tuple(
            " ".join(reversed(text.split())) if turned else text for text in example.references
        )
    splits = {name: ("public", "private")[number % 2] for number, name in enumerate(texts)}
    return builders.gold_csv(texts, splits)


def contest(teams: str, days: str, rows: str) -> None:
    """A contest that has run for `days`; each team has handed in one file on each of them."""
    now = timezone.now()
    made = builders.competition(
        SLUG,
        opens_at=now - timedelta(days=int(days) + 1),
        closes_at=now + timedelta(days=1),
        reveals_at=now + timedelta(days=2),
        max_waiting=1000,
    )
    builders.live(made, golds(int(rows)))
    by = [builders.team(made, "alice" if n == 0 else f"person{n}") for n in range(int(teams))]
    for n in range(int(teams) * int(days)):
        day, place = divmod(n, int(teams))
        at = now - timedelta(days=int(days) - day, seconds=int(teams) - place)
        builders.hand_in(by[place], at=at, data=predictions(int(rows), n))


def draft(rows: str) -> None:
    """Print the id of a version whose first golds differ."""
    version = upload_references(
        competition=Competition.objects.get(slug=SLUG),
        user=builders.user("olivia"),
        files=[Upload("golds.csv", golds(int(rows), CHANGED))],
        preset="max-sum",
        tokenizer="mecab-ko",
        at=timezone.now(),
    )
    print(version.pk)


def files(rows: str, folder: str) -> None:
    """Write prediction files that nobody has handed in yet, and print their names."""
    for seed in range(3):
        file = Path(folder, f"upload-{seed}.csv")
        file.write_bytes(predictions(int(rows), 1_000_000 + seed))
        print(file)


def rush(people: str, rows: str) -> None:
    """A live contest with teams of one who are signed in; prints a session key a line.

    Passwords are hashed once for all: signing in is measured elsewhere.
    """
    now = timezone.now()
    made = builders.competition(
        "rush",
        opens_at=now - timedelta(days=1),
        closes_at=now + timedelta(days=1),
        reveals_at=now + timedelta(days=2),
        daily_limit=1000,
    )
    builders.live(made, golds(int(rows)))
    names = [f"person{n}" for n in range(int(people))]
    one = make_password("purple-otter-9")
    User.objects.bulk_create([User(username=name, password=one) for name in names], batch_size=500)
    store = import_module(settings.SESSION_ENGINE).SessionStore
    for name in names:
        builders.team(made, name)
        user = User.objects.get(username=name)
        session = store()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.create()
        print(session.session_key)


COMMANDS = {"contest": contest, "golds": draft, "files": files, "rush": rush}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
