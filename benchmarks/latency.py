"""`python -m benchmarks.latency`: from a POST to a rank, on the default stack with a warm worker.

Real parts over loopback: gunicorn, SQLite, the folder broker, one Celery worker. A signed-in member
uploads a file of 499 rows through the form, 20 times with another prediction each; the clock runs
until the team's standing holds the new submission.
"""

import contextlib
import csv
import http.cookiejar
import io
import json
import re
import sqlite3
import statistics
import subprocess
import sys
import time
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from benchmarks import material
from tests.servers import ROOT
from tests.stack import Stack

ROWS = 499
UPLOADS = 20
SHIPPED_TIMES = {
    "SCORING_LEASE_SECONDS": "60",
    "SCORING_HEARTBEAT_SECONDS": "10",
    "SWEEP_SECONDS": "15",
    "SWEEP_UNRUNG_SECONDS": "20",
}
_PREPARE = f"""
from datetime import timedelta
from django.utils import timezone
from benchmarks import material
from tests.leaderboard import builders
now = timezone.now()
contest = builders.competition(
    "latency", opens_at=now - timedelta(days=1), closes_at=now + timedelta(days=1),
    reveals_at=now + timedelta(days=2), daily_limit=1000,
)
stuff = material.make({ROWS})
golds = {{example.example_id: example.references for example in stuff.references.examples}}
splits = {{example.example_id: example.split for example in stuff.references.examples}}
builders.live(contest, builders.gold_csv(golds, splits))
builders.team(contest, "alice")
"""


@dataclass(frozen=True)
class Road:
    """One upload's way, in milliseconds from the moment the POST was sent."""

    accepted: float
    claimed: float
    ranked: float


class Member:
    """Alice's browser, as far as a form needs one."""

    def __init__(self, url: str) -> None:
        self._url = url
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener = urllib.request.build_opener(jar, _StayHere())

    def sign_in(self) -> None:
        token = self._token("/accounts/login/")
        form = {"csrfmiddlewaretoken": token, "login": "alice", "password": "alice-secret"}
        self._post("/accounts/login/", urllib.parse.urlencode(form).encode())

    def form(self, path: str) -> str:
        return self._token(path)

    def upload(self, path: str, token: str, file: bytes) -> str:
        """Hand a file in; answers the id of the submission that the page redirects to."""
        edge = uuid.uuid4().hex
        fields = {"csrfmiddlewaretoken": token, "key": str(uuid.uuid4())}
        parts = [
            f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in fields.items()
        ]
        head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="p.csv"\r\n'
        parts += [
            head.encode(),
            b"Content-Type: text/csv\r\n\r\n",
            file,
            f"\r\n--{edge}--".encode(),
        ]
        kind = f"multipart/form-data; boundary={edge}"
        return self._post(path, b"".join(parts), kind).rsplit("/", 1)[-1]

    def _token(self, path: str) -> str:
        with self._opener.open(self._url + path) as page:
            found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.read().decode())
        if found is None:
            raise RuntimeError(f"no form on {path}")
        return found[1]

    def _post(self, path: str, body: bytes, kind: str = "application/x-www-form-urlencoded") -> str:
        request = urllib.request.Request(
            self._url + path, body, {"Content-Type": kind, "Referer": self._url + path}
        )
        with self._opener.open(request) as answer:
            if answer.status != 302:
                raise RuntimeError(f"{path} answered {answer.status}")
            return str(answer.headers["Location"])


class _StayHere(urllib.request.HTTPRedirectHandler):
    """A redirect is the answer: following it would count a page that nobody waits for."""

    def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:
        return fp


def one(member: Member, database: sqlite3.Connection, file: bytes) -> Road:
    """Upload once and watch the standing."""
    token = member.form("/c/latency/submit")
    sent = time.time()
    submission = member.upload("/c/latency/submit", token, file)
    accepted = time.time()
    claimed = ranked = 0.0
    while not ranked:
        row = database.execute(
            "SELECT started_at, finished_at FROM evaluation_evaluation WHERE submission_id = ?",
            (submission.replace("-", ""),),
        ).fetchone()
        if row is not None and row[1] is not None:
            ranked = time.time()
            claimed = datetime.fromisoformat(f"{row[0]}+00:00").timestamp()
        else:
            time.sleep(0.002)
    return Road(*((moment - sent) * 1000 for moment in (accepted, claimed, ranked)))


def files() -> list[bytes]:
    """Predictions that differ, so that every upload is cut and scored anew."""
    texts = material.make(ROWS).predictions
    made = []
    for number in range(UPLOADS + 1):
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(("fname", "summary"))
        writer.writerows((name, f"{text} {number}번째") for name, text in texts.items())
        made.append(out.getvalue().encode())
    return made


def main() -> int:
    """Print the medians of the stages; the goal is 300 ms from accepted to ranked."""
    with Stack(env=SHIPPED_TIMES) as stack:
        subprocess.run(
            [sys.executable, "manage.py", "shell", "-v", "0", "-c", _PREPARE],
            cwd=ROOT,
            env=stack.env,
            check=True,
        )
        member = Member(stack.url)
        member.sign_in()
        url = f"file:{stack.folder}/db.sqlite3?mode=ro"
        with contextlib.closing(sqlite3.connect(url, uri=True, timeout=20)) as database:
            roads = [one(member, database, file) for file in files()][1:]  # the first one warms up
    waits = [road.ranked - road.accepted for road in roads]
    print(f"POST accepted to ranked, {len(roads)} uploads of {ROWS} rows, default stack")
    for name, values in {
        "POST sent to accepted": [road.accepted for road in roads],
        "accepted to claimed": [road.claimed - road.accepted for road in roads],
        "claimed to ranked": [road.ranked - road.claimed for road in roads],
        "accepted to ranked": waits,
    }.items():
        print(f"  {name:22} median {statistics.median(values):6.0f} ms, max {max(values):6.0f} ms")
    met = statistics.median(waits) <= 300
    print(json.dumps({"median_ms": round(statistics.median(waits), 1), "goal_ms": 300, "met": met}))
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
