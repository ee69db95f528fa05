"""How the database is spoken to: what `DATABASE_URL` leaves open, SQLite and PostgreSQL apart."""

from typing import Any

# One entry of Django's `DATABASES`: ENGINE, NAME, OPTIONS and so on.
Connection = dict[str, Any]

SQLITE = {
    # IMMEDIATE takes the write lock first: upgrading a read lock later cannot wait, it fails.
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    # FULL, because NORMAL may lose the last acknowledged upload when the power fails.
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
        "PRAGMA wal_autocheckpoint=1000; PRAGMA temp_store=MEMORY"
    ),
}
POSTGRESQL = {
    "connect_timeout": 5,
    "application_name": "leaderboard",
    "options": (
        "-c statement_timeout=15000 -c lock_timeout=5000 "
        "-c idle_in_transaction_session_timeout=30000"
    ),
}


def connection(from_url: Connection) -> Connection:
    """`from_url` (of `DATABASE_URL`) with our defaults; what the address itself says wins."""
    theirs = from_url.get("OPTIONS", {})
    if from_url["ENGINE"] == "django.db.backends.sqlite3":
        return {**from_url, "OPTIONS": {**SQLITE, **theirs}}
    return {
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        **from_url,
        "OPTIONS": {**POSTGRESQL, **theirs},
    }
