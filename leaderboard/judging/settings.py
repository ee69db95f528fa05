"""Settings of the judges, read from the environment: off without an address."""

import json

from leaderboard.operations import variables
from leaderboard.operations.variables import Env, Form, whole


def _endpoints(text: str) -> bool:
    found = json.loads(text or "{}")
    return isinstance(found, dict) and all(
        isinstance(one, dict) and {type(one.get("base_url")), *map(type, one.values())} == {str}
        for one in found.values()
    )


variables.check(
    {
        "FAKE_JUDGE_PORT": variables.PORT,
        "JUDGE": variables.one_of("fake"),
        "JUDGE_ALLOWED_HOSTS": variables.PRIVATE_HOSTS,
        "JUDGE_API_KEY": variables.TOKEN,
        "JUDGE_ATTEMPTS": whole(1, 100),
        "JUDGE_BACKOFF_SECONDS": variables.SECONDS,
        "JUDGE_BASE_URL": variables.ADDRESS,
        "JUDGE_CALL_SECONDS": variables.SECONDS,
        "JUDGE_CHUNK_SECONDS": variables.SECONDS,
        "JUDGE_CIRCUIT_FAILURES": whole(1, 10_000),
        "JUDGE_CIRCUIT_LONGEST_SECONDS": variables.SECONDS,
        "JUDGE_CIRCUIT_SECONDS": variables.SECONDS,
        "JUDGE_CONCURRENCY": whole(1, 1000),
        "JUDGE_CONNECT_SECONDS": variables.SECONDS,
        "JUDGE_ENDPOINTS": Form('JSON, {"name": {"base_url": "https://…"}}', _endpoints),
        "JUDGE_HEARTBEAT_SECONDS": variables.SECONDS,
        "JUDGE_LEASE_SECONDS": variables.SECONDS,
        "JUDGE_LONGEST_BACKOFF_SECONDS": variables.SECONDS,
        "JUDGE_READ_SECONDS": variables.SECONDS,
        "JUDGE_REQUEUE_SECONDS": variables.SECONDS,
        "JUDGE_WRITE_SECONDS": variables.SECONDS,
    }
)

env = Env()

# name -> {"base_url", "api_key", "identity"}; organizers choose among the names. `identity` stands
# for the address in hashes; give one where the address changes and what answers does not.
JUDGE_ENDPOINTS: dict[str, dict[str, str]] = env.json("JUDGE_ENDPOINTS", default={})
_judge, _key = env.str("JUDGE_BASE_URL", default=""), env.str("JUDGE_API_KEY", default="")
if _judge:
    JUDGE_ENDPOINTS["default"] = {"base_url": _judge, "api_key": _key}
# host:port of servers of the own network; all others need https and a public address.
JUDGE_ALLOWED_HOSTS = env.list("JUDGE_ALLOWED_HOSTS", default=[])
# `fake`: the launcher starts a fake judge on this machine, and the demo has a contest with one.
JUDGE = env.str("JUDGE", default="")
FAKE_JUDGE_PORT = env.int("FAKE_JUDGE_PORT", default=8199)
SERVICES: dict[str, list[str]] = {}
LOOPBACK_PORTS: dict[str, int] = {}
GREETINGS: dict[str, str] = {}
if JUDGE == "fake":
    _fake = f"127.0.0.1:{FAKE_JUDGE_PORT}"
    # The identity is not the address: the same judge at another port gives the same answers.
    JUDGE_ENDPOINTS["fake"] = {
        "base_url": f"http://{_fake}/v1",
        "api_key": "fake",
        "identity": "fake",
    }
    JUDGE_ALLOWED_HOSTS += [_fake]
    SERVICES["fake-judge"] = ["manage.py", "fake_judge", f"--port={FAKE_JUDGE_PORT}"]
    LOOPBACK_PORTS["FAKE_JUDGE_PORT"] = FAKE_JUDGE_PORT
    GREETINGS["Fake judge, its scores mean nothing"] = "/c/fake-judge/"
# One child, whose threads wait for the judge's server.
JUDGE_WORKER = [
    *("-m", "celery", "--quiet", "-A", "leaderboard", "worker"),
    *("--loglevel=INFO", "--without-gossip", "--without-mingle"),
    *("--queues=judge", "--concurrency=1", "--hostname=judge@%h"),
]
if JUDGE_ENDPOINTS:
    SERVICES["judge"] = JUDGE_WORKER
# Imported by the judge's worker when there is something to ask, and by nobody else.
JUDGE_CLIENT = "leaderboard.judging.client.connect"
JUDGE_CONCURRENCY = env.int("JUDGE_CONCURRENCY", default=8)  # calls at once, of one worker
JUDGE_CHUNK_SECONDS = env.float("JUDGE_CHUNK_SECONDS", default=90)
JUDGE_HEARTBEAT_SECONDS = env.float("JUDGE_HEARTBEAT_SECONDS", default=10)
JUDGE_LEASE_SECONDS = env.float("JUDGE_LEASE_SECONDS", default=60)
# Limits of the judge's task: a chunk and one call more, below the broker's visibility time-out.
JUDGE_SOFT_TIME_LIMIT, JUDGE_TIME_LIMIT = 240, 270
CELERY_TASK_ROUTES = {"leaderboard.judge_next": {"queue": "judge"}}
# One call: its attempts, the pauses between them, and the time for all of it.
JUDGE_ATTEMPTS = env.int("JUDGE_ATTEMPTS", default=5)
JUDGE_BACKOFF_SECONDS = env.float("JUDGE_BACKOFF_SECONDS", default=1)
JUDGE_LONGEST_BACKOFF_SECONDS = env.float("JUDGE_LONGEST_BACKOFF_SECONDS", default=60)
JUDGE_CALL_SECONDS = env.float("JUDGE_CALL_SECONDS", default=120)
JUDGE_CONNECT_SECONDS = env.float("JUDGE_CONNECT_SECONDS", default=5)
JUDGE_READ_SECONDS = env.float("JUDGE_READ_SECONDS", default=60)
JUDGE_WRITE_SECONDS = env.float("JUDGE_WRITE_SECONDS", default=10)
# A row that no attempt answered is asked again after this.
JUDGE_REQUEUE_SECONDS = env.float("JUDGE_REQUEUE_SECONDS", default=120)
JUDGE_CIRCUIT_FAILURES = env.int("JUDGE_CIRCUIT_FAILURES", default=10)
JUDGE_CIRCUIT_SECONDS = env.float("JUDGE_CIRCUIT_SECONDS", default=60)
JUDGE_CIRCUIT_LONGEST_SECONDS = env.float("JUDGE_CIRCUIT_LONGEST_SECONDS", default=1800)
SECRETS = {name: each.get("api_key", "") for name, each in JUDGE_ENDPOINTS.items()}
