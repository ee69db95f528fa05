"""The names of our variables, and what each may hold."""

import ipaddress
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import environ
from django.core.exceptions import ImproperlyConfigured


class Form(NamedTuple):
    """What a variable may hold: in words, and a question that answers no or raises otherwise."""

    words: str
    fits: Callable[[str], object]


def number(least: float, most: float, *, whole: bool = False) -> Form:
    """Both bounds are allowed."""
    kind: type[float] = int if whole else float
    words = f"{'a whole number' if whole else 'a number'} from {least} to {most}"
    return Form(words, lambda text: least <= kind(text) <= most)


whole = partial(number, whole=True)


def one_of(*values: str) -> Form:
    return Form(f"one of {', '.join(values)}", ("", *values).__contains__)


def shaped(pattern: str, words: str) -> Form:
    """A text that this regular expression matches whole, or an empty one, which means unset."""
    return Form(words, re.compile(f"(?:{pattern})?").fullmatch)


def each(pattern: str, words: str) -> Form:
    """The same of each part of a list that commas separate."""
    return shaped(f"(?:{pattern})(?:,(?:{pattern}))*,?", f"{words}, separated by commas")


def _networks(text: str) -> bool:
    return all(ipaddress.ip_network(one) for one in text.split(",") if one.strip() not in ("", "*"))


_SAID = {*environ.Env.BOOLEAN_TRUE_STRINGS, "0", "false", "off", "no", "n", ""}
SWITCH = Form("1 or 0", lambda text: text.lower() in _SAID)
PORT = whole(0, 65535)  # 0: any free one
SECONDS = number(0.01, 86400)
DAYS = whole(1, 36500)
ADDRESS = shaped(r"https?://[^\s/?#@]+(?:[/?#]\S*)?", "an address, https://…")
PRIVATE_HOSTS = each(r"(?:[\w.-]+|\[[\da-fA-F:]+\]):\d+", "host:port of each")
TOKEN = shaped("[!-~]+", "letters, digits and signs of ASCII without a blank")
TEXT = Form("any text", lambda text: True)

# Every variable of the core; an optional part adds its own by `check` when its settings are read.
FORMS: dict[str, Form] = {
    "ALARM_DISK_MB": whole(0, 10**12),
    "ALARM_FAILED_SHARE": number(0, 1),
    "ALARM_WEBHOOK": ADDRESS,
    "ALLOWED_HOSTS": each(
        r"\*|[\w.-]+|\[[\da-fA-F:]+\]", "names of hosts without https:// and port"
    ),
    "BASE_URL": ADDRESS,
    "CELERY_BROKER_URL": shaped(
        r"(?:folder|rediss?|sentinel|amqps?)://\S+", "redis://…, rediss://…, amqp://… or folder://…"
    ),
    "CELERY_KEY_PREFIX": TEXT,
    "CLOSED_NAME_DAYS": whole(0, 36500),
    "CONTEST_CREATORS": one_of("flagged", "anyone"),
    "DATABASE_POOLED": SWITCH,
    "DATABASE_PREPARED_STATEMENTS": SWITCH,
    "DATABASE_URL": shaped(
        r"(?:postgres(?:ql)?|p(?:g|)sql|sqlite)://.*", "postgres://… or sqlite:///…"
    ),
    "DATA_DIR": Form("a folder that can be made and written", lambda text: True),
    "DEBUG": SWITCH,
    "DEMO": SWITCH,
    "EMAIL_TIMEOUT": SECONDS,
    "EMAIL_URL": shaped(
        r"smtp(?:s|\+tls|\+ssl)?://[^\s/]+\S*|(?:console|file|memory|dummy)mail://\S*",
        "smtp+tls://…, smtp+ssl://… or smtp://host:25",
    ),
    "ENV_FILE": Form("a file that is there", os.path.exists),
    "FORWARDED_ALLOW_IPS": Form("addresses or networks, separated by commas, or *", _networks),
    "HOST": shaped(r"[\w.:\[\]-]+", "an address of this machine, such as 0.0.0.0"),
    "HSTS_PRELOAD": SWITCH,
    "HSTS_SUBDOMAINS": SWITCH,
    "LOG_DAYS": DAYS,
    "LOG_LEVEL": one_of("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"),
    "MAIL_FROM": shaped(r"[^\r\n]*[^@\s<]+@[^@\s>]+>?", "a mail address"),
    "MESSAGE_DAYS": DAYS,
    "METRICS_TOKEN": TOKEN,
    "PORT": PORT,
    "SCORING_HEARTBEAT_SECONDS": SECONDS,
    "SCORING_LEASE_SECONDS": SECONDS,
    "SCORING_MAX_ATTEMPTS": whole(1, 100),
    "SCORING_TEXT_SECONDS": number(1, 100),  # below the limit of a task
    "SECRET_KEY": TEXT,
    "SECRET_KEY_FALLBACKS": TEXT,
    "SENTRY_DSN": shaped(r"https?://[^\s@/]+@[^\s@/]+/(?:\S*/)?\d+/?", "https://key@host/number"),
    "STORAGE_URL": shaped(r"(?:s3|file)://\S+", "s3://key:secret@bucket?… or file:///folder"),
    "SWEEP_SECONDS": number(0.01, 3600),
    "SWEEP_WAKE_AFTER_SECONDS": number(0, 86400),
    "TIME_ZONE": Form("a name such as Asia/Seoul", ZoneInfo),
    "TRUSTED_PROXIES": whole(0, 10),
    "WEBHOOK_ALLOWED_HOSTS": PRIVATE_HOSTS,
    "WEBHOOK_SECONDS": SECONDS,
    "WEB_THREADS": whole(1, 256),
    "WEB_WORKERS": whole(1, 64),
    "WORKER_CONCURRENCY": whole(1, 256),
    "WORKER_MAX_MEMORY_KB": whole(100_000, 10**9),
    "WORKER_STUCK_SECONDS": number(1, 86400),
}


def check(forms: Mapping[str, Form] = FORMS) -> None:
    """End the process where variables hold what they cannot, with a line for each."""
    FORMS.update(forms)
    if wrong := list(_refused(forms)):
        raise SystemExit("\n".join(wrong))


def _refused(forms: Mapping[str, Form]) -> Iterator[str]:
    for name, form in forms.items():
        text = os.environ.get(name)
        if text is None or text.startswith("$"):  # which `Env` takes for another variable's name
            continue
        try:
            with readable(name, form.words):
                if not form.fits(text):
                    raise ValueError
        except SystemExit as refused:
            yield str(refused)


@contextmanager
def readable(name: str, words: str = "") -> Iterator[None]:
    """End the process with one line where what the variable holds is not what it may hold.

    The value is not shown: it may be a password.
    """
    try:
        yield
    except (ValueError, LookupError, OSError, ImproperlyConfigured):
        words = words or FORMS.get(name, TEXT).words
        raise SystemExit(f"{name} has to be {words}: see docs/operating.md.") from None


class Env(environ.Env):
    """A reader of the environment."""

    def get_value(self, var: str, *args: Any, **kwargs: Any) -> Any:
        with readable(var):
            return super().get_value(var, *args, **kwargs)
