"""One settings file: everything from the environment, nothing needed to start.

Each variable is described in `.env.example`. `BASE_URL=https://…` switches all of https on.
"""

import os
import secrets
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django_stubs_ext
from csp.constants import NONCE, NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from leaderboard import logs
from leaderboard.operations import database, store, variables
from leaderboard.operations.variables import Env, readable

BASE_DIR = Path(__file__).resolve().parent.parent

# Lets `class X(ModelAdmin[Y])` exist at run time as well as for the type checker.
django_stubs_ext.monkeypatch()

env = Env()
# The process's own environment wins over the file.
env.read_env(os.environ.get("ENV_FILE", BASE_DIR / ".env"))
variables.check()

DEBUG = env.bool("DEBUG", default=False)

# Everything that is kept lies under one folder, readable by its owner only: golds, scores, password
# hashes. Each process reads this file before it writes one, however it is started.
os.umask(0o077)
DATA_DIR = Path(env.str("DATA_DIR", default=str(BASE_DIR / "var"))).resolve()
with readable("DATA_DIR"):
    DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)


def _secret_key(file: Path) -> str:
    """The key in `file`, made by whoever comes first: several services start at once."""
    if not file.exists():
        beside = file.with_name(f".{file.name}.{os.getpid()}")
        beside.touch(mode=0o600)
        beside.write_text(secrets.token_urlsafe(64))
        with suppress(FileExistsError):
            os.link(beside, file)  # unlike a rename, fails when another process was faster
        beside.unlink()
    return file.read_text().strip()


SECRET_KEY = env.str("SECRET_KEY", default="") or _secret_key(DATA_DIR / "secret_key")
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])

# --- Address -------------------------------------------------------------------------------------

HOST = env.str("HOST", default="127.0.0.1")
PORT = env.int("PORT", default=8000)
BASE_URL = env.str("BASE_URL", default=f"http://127.0.0.1:{PORT}").rstrip("/")
with readable("BASE_URL"):
    _address = urlsplit(BASE_URL)
HTTPS = _address.scheme == "https"
ALLOWED_HOSTS = [
    *{_address.hostname or "", "127.0.0.1", "localhost", "[::1]"},
    *env.list("ALLOWED_HOSTS", default=[]),
]
CSRF_TRUSTED_ORIGINS = [f"{_address.scheme}://{_address.netloc}"]

SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
# Both bind other names than ours, for a year: only who owns the domain can promise it.
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("HSTS_SUBDOMAINS", default=False)
SECURE_HSTS_PRELOAD = env.bool("HSTS_PRELOAD", default=False)
# Only behind a proxy that sets the header itself: anybody else could claim https.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
    }
}

LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"

# Demo contests and accounts, for a first look; a server on the net starts empty.
DEMO = env.bool("DEMO", default=not HTTPS)

# --- Apps ----------------------------------------------------------------------------------------

INSTALLED_APPS = [
    # Above `web`, whose administration leaves its keys of living sessions out.
    "allauth.usersessions",
    "leaderboard.accounts",
    "leaderboard.audit",
    "leaderboard.outbox",
    "leaderboard.inbox",
    "leaderboard.competitions",
    "leaderboard.teams",
    "leaderboard.references",
    "leaderboard.submissions",
    "leaderboard.evaluation",
    "leaderboard.community",
    "leaderboard.insight",
    "leaderboard.judging",
    "leaderboard.kaggle",
    "leaderboard.boards",
    "leaderboard.contest_file",
    "leaderboard.operations",
    "leaderboard.demo",
    "leaderboard.worker",
    "leaderboard.web",
    "leaderboard.api",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "csp",
    "django_htmx",
    "ninja",  # its page of the API, with its own scripts
]

MIDDLEWARE = [
    "leaderboard.web.middleware.Received",  # above all that looks at the Host
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "leaderboard.api.middleware.Programs",
    "leaderboard.web.middleware.BeforeView",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "leaderboard.web.page_chrome.site",
            ],
        },
    }
]

# --- People --------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "leaderboard.accounts.tokens.MinimumLength"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
CSRF_FAILURE_VIEW = "leaderboard.web.errors.stale_form"
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
# Names and passwords only: no mail server is needed, and none is asked for.
ACCOUNT_ADAPTER = "leaderboard.accounts.sign_in.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
ACCOUNT_RATE_LIMITS = False  # they need a cache that all processes share: see accounts/sign_in.py
# So long nobody can take the name of an account that was closed.
CLOSED_NAME_DAYS = env.int("CLOSED_NAME_DAYS", default=90)
# Who may make a contest beside administrators: "flagged" accounts, or "anyone" who is signed in.
CONTEST_CREATORS = env.str("CONTEST_CREATORS", default="flagged")
# How many proxies stand in front; only their X-Forwarded-For is believed by the rate limits.
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXIES", default=0)

# --- Language and time ---------------------------------------------------------------------------

LANGUAGE_CODE = "ko"
LANGUAGES = [("ko", "한국어"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = env.str("TIME_ZONE", default="Asia/Seoul")

# --- Mail ----------------------------------------------------------------------------------------

# Without a server nothing is mailed, and nobody is asked for an address.
EMAIL_URL = env.str("EMAIL_URL", default="")
MAIL_ON = bool(EMAIL_URL)
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
if MAIL_ON:
    with readable("EMAIL_URL"):
        globals().update(env.email_url("EMAIL_URL"))
EMAIL_TIMEOUT = env.float("EMAIL_TIMEOUT", default=10)  # without a byte of the server
DEFAULT_FROM_EMAIL = env.str("MAIL_FROM", default=f"no-reply@{_address.hostname}")

# --- Database, files -----------------------------------------------------------------------------

# Whether a pooler hands each transaction to another connection, as PgBouncer in transaction mode.
DATABASE_POOLED = env.bool("DATABASE_POOLED", default=False)
with readable("DATABASE_URL"):
    _database = env.db_url("DATABASE_URL", default=f"sqlite:///{DATA_DIR}/db.sqlite3")
DATABASES = {
    "default": database.connection(
        _database,
        pooled=DATABASE_POOLED,
        prepared=env.bool("DATABASE_PREPARED_STATEMENTS", default=not DATABASE_POOLED),
    )
}

# Nothing is cached. The name is Django's; its default would keep pickles in each process's memory.
CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}


# Unset: folders under DATA_DIR. What several machines are to share lies in a bucket.
STORAGE_URL = env.str("STORAGE_URL", default="")
try:
    _places = store.places(STORAGE_URL, DATA_DIR)
except ImproperlyConfigured as error:  # a whole sentence, without key and secret
    raise SystemExit(str(error)) from None
STORAGES = {
    **_places,
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "leaderboard" / "static"]
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700
# A pasted prediction file arrives as a form field; `web.uploads` holds requests to less before.
DATA_UPLOAD_MAX_MEMORY_SIZE = 6 * 1024 * 1024
# Predictions stay in memory; the files of a larger body are on the disk (`web.uploads.Files`).
FILE_UPLOAD_MAX_MEMORY_SIZE = 6 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
DATA_UPLOAD_MAX_NUMBER_FILES = 10

# --- Scoring and its queue -----------------------------------------------------------------------

# The order HEARTBEAT x 3 < LEASE and SOFT < HARD < visibility is held by a system check.
SCORING_HEARTBEAT_SECONDS = env.float("SCORING_HEARTBEAT_SECONDS", default=10)
SCORING_LEASE_SECONDS = env.float("SCORING_LEASE_SECONDS", default=60)
SCORING_TEXT_SECONDS = env.float("SCORING_TEXT_SECONDS", default=15)
SCORING_MAX_ATTEMPTS = env.int("SCORING_MAX_ATTEMPTS", default=3)
SWEEP_SECONDS = env.float("SWEEP_SECONDS", default=15)
# What has waited this long was probably never woken for: the sweeper wakes again.
SWEEP_WAKE_AFTER_SECONDS = env.float("SWEEP_WAKE_AFTER_SECONDS", default=20)
# What organizers' webhooks may reach in a private network, as host:port; how long one may take.
WEBHOOK_ALLOWED_HOSTS = env.list("WEBHOOK_ALLOWED_HOSTS", default=[])
WEBHOOK_SECONDS = env.float("WEBHOOK_SECONDS", default=10)
# How long a mail or a webhook's message is listed after it was sent or given up.
MESSAGE_DAYS = env.int("MESSAGE_DAYS", default=30)
# How long a line stays in the logs under DATA_DIR/log.
LOG_DAYS = env.int("LOG_DAYS", default=30)

# --- What the operator sees ----------------------------------------------------------------------

METRICS_TOKEN = env.str("METRICS_TOKEN", default="")  # unset: there is no /metrics
# An alarm rings below so much free space, and above this share of failures in an hour.
ALARM_DISK_MB = env.int("ALARM_DISK_MB", default=1000)
ALARM_FAILED_SHARE = env.float("ALARM_FAILED_SHARE", default=0.1)
ALARM_WEBHOOK = env.str("ALARM_WEBHOOK", default="")
SENTRY_DSN = env.str("SENTRY_DSN", default="")

# --- Messages that wake workers ------------------------------------------------------------------

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="folder://localhost")
_key_prefix = env.str("CELERY_KEY_PREFIX", default="leaderboard:")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # the default gives up after 100
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {}
if CELERY_BROKER_URL.startswith("folder:"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {"folder": str(DATA_DIR / "queue"), "polling_interval": 0.05}
elif CELERY_BROKER_URL.startswith("redis"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "visibility_timeout": 600,
        "unacked_restore_interval": 1,
        "socket_connect_timeout": 2,
        "socket_timeout": 5,
        "socket_keepalive": True,
        "global_keyprefix": _key_prefix,
    }
CELERY_TASK_DEFAULT_QUEUE = "score"
CELERY_TASK_IGNORE_RESULT = True
# A message may come twice or never; the row in the database decides (evaluation/claim.py).
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_SOFT_TIME_LIMIT = 120
CELERY_TASK_TIME_LIMIT = 150
CELERY_TASK_PUBLISH_RETRY_POLICY = {
    "max_retries": 2,
    "interval_start": 0,
    "interval_step": 0.2,
    "interval_max": 0.5,
}
CELERY_WORKER_CONCURRENCY = env.int("WORKER_CONCURRENCY", default=2)
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 200
CELERY_WORKER_MAX_MEMORY_PER_CHILD = env.int("WORKER_MAX_MEMORY_KB", default=600_000)
CELERY_WORKER_LOST_WAIT = 2  # seconds until a dead child's message comes again; the default is 10
# A child that loads golds says nothing meanwhile; after the default of 4 s it would be killed.
CELERY_WORKER_PROC_ALIVE_TIMEOUT = 60
# Longer than any child needs to start: a message nobody took by then means a stuck parent.
WORKER_STUCK_SECONDS = env.float("WORKER_STUCK_SECONDS", default=90)
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 30
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# --- What `./run` starts -------------------------------------------------------------------------

# Name -> arguments of Python. Below, an optional part adds its own services, the ports of this
# machine that they need, by the variable that moves them, and pages to name in the greeting.
SERVICES = {
    "web": ["-m", "gunicorn", "leaderboard.wsgi"],
    "worker": [
        *("-m", "celery", "--quiet", "-A", "leaderboard", "worker"),
        *("--loglevel=INFO", "--without-gossip", "--without-mingle"),
    ],
    "sweeper": ["manage.py", "sweeper"],
}
LOOPBACK_PORTS: dict[str, int] = {}
GREETINGS: dict[str, str] = {}
SECRETS: dict[str, str] = {}  # what besides no log may show

# --- Settings of other apps ----------------------------------------------------------------------

# An app that may be left out reads the environment in a `settings` module of its own; what stands
# in a dict above is added to, all else is set.
for _app in INSTALLED_APPS:
    if _app.rpartition(".")[0] == "leaderboard" and find_spec(f"{_app}.settings"):
        for _name, _value in vars(import_module(f"{_app}.settings")).items():
            if _name.isupper():
                _known = globals().get(_name)
                globals()[_name] = {**_known, **_value} if isinstance(_known, dict) else _value

# --- Logs ----------------------------------------------------------------------------------------

_passwords: set[str] = {DATABASES["default"].get("PASSWORD") or ""} - {""}
for _name in ("DATABASE_URL", "CELERY_BROKER_URL", "EMAIL_URL", "STORAGE_URL"):
    # What reads DATABASE_URL takes a bare "[" in a password.
    with suppress(ValueError) if _name == "DATABASE_URL" else readable(_name):
        _passwords |= logs.passwords(env.str(_name, default=""))
LOGGING = logs.configuration(
    level=env.str("LOG_LEVEL", default="INFO"),
    secrets=[
        *(SECRET_KEY, *SECRET_KEY_FALLBACKS, METRICS_TOKEN, ALARM_WEBHOOK, SENTRY_DSN),
        *(*_passwords, *SECRETS.values()),
    ],
)
logs.configure()
