"""Settings of the tests: everything in a temporary folder, the database in a file.

pytest-django reads this before conftest.py. The file lets a real worker process, started by a
fixture, open the same test database; SQLite's default for tests lives in one process's memory.
"""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

# Each commit waits until a disk has it, thousands of them in a run, and what tests write nobody
# needs after the machine's end: memory will do, where there is plenty and programs may lie in it.
_memory = Path("/dev/shm")
if (
    "TMPDIR" not in os.environ
    and os.access(_memory, os.W_OK)
    and not os.statvfs(_memory).f_flag & os.ST_NOEXEC
    and shutil.disk_usage(_memory).free > 8 << 30
):
    os.environ["TMPDIR"] = str(_memory)
    tempfile.tempdir = None

_made = tempfile.mkdtemp(prefix="leaderboard-tests-")
atexit.register(shutil.rmtree, _made, ignore_errors=True)

# A developer's own .env and variables must not decide what a test sees.
for _name in (
    "BASE_URL",
    "PORT",
    "SECRET_KEY",
    "CELERY_BROKER_URL",
    "STORAGE_URL",
    "DEBUG",
    "JUDGE",
    "JUDGE_BASE_URL",
    "PYTHONDONTWRITEBYTECODE",
):
    os.environ.pop(_name, None)
# Hundreds of processes are started, and each would compile everything anew.
sys.dont_write_bytecode = False
(Path(_made) / "static").mkdir()  # whitenoise warns about a missing one
os.environ["ENV_FILE"] = os.devnull
os.environ["DATA_DIR"] = _made
os.environ["DATABASE_URL"] = os.environ.get("TEST_DATABASE_URL", f"sqlite:///{_made}/db.sqlite3")
os.environ.setdefault("LOG_LEVEL", "WARNING")
# Playwright keeps an event loop in the thread of the tests as long as its browser is open; tests of
# the database that come after it in the same process are no less synchronous for that.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

from leaderboard.settings import *  # noqa: E402, F403
from leaderboard.settings import DATA_DIR, DATABASES, STORAGES  # noqa: E402

if os.environ["DATABASE_URL"].startswith("sqlite"):
    DATABASES["default"]["TEST"] = {"NAME": str(Path(DATA_DIR) / "test.sqlite3")}
elif "TEST_DATABASE_TEMPLATE" in os.environ:  # a database that is migrated already
    DATABASES["default"]["TEST"] = {"TEMPLATE": os.environ["TEST_DATABASE_TEMPLATE"]}

PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.MD5PasswordHasher",
    "django.contrib.auth.hashers.Argon2PasswordHasher",  # reads passwords that are printed once
]
STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
