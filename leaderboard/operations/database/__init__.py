"""How the database is spoken to: what `DATABASE_URL` leaves open, SQLite and PostgreSQL apart."""

from typing import Any

# One entry of Django's `DATABASES`: ENGINE, NAME, OPTIONS and so on.
Connection = dict[str, Any]

OWN_SQLITE = "leaderboard.operations.database"
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
POSTGRESQL = {"connect_timeout": 5, "application_name": "leaderboard"}
# In milliseconds. Sent with each new connection; behind a pooler they have to be the role's.
LIMITS = {
    "statement_timeout": 15_000,
    "lock_timeout": 5_000,
    "idle_in_transaction_session_timeout": 30_000,
}
# A statement that a connection prepared is planned for its values each time: a plan for any values
# goes through all files of all teams where this contest has none that waits.
PLANNED = {"plan_cache_mode": "force_custom_plan"}
# A page is the same dozen statements again and again; from the fifth time on a connection sends
# only their names and values. psycopg prepares nothing as long as values are pasted into the text.
PREPARED = {"server_side_binding": True, "prepare_threshold": 5}


def connection(from_url: Connection, *, pooled: bool, prepared: bool) -> Connection:
    """`from_url` (of `DATABASE_URL`) with our defaults; what the address itself says wins.

    The other two are for PostgreSQL alone. `pooled`: each transaction may meet another connection
    (PgBouncer in transaction mode), so nothing is left on one. `prepared` has to be off where the
    pooler knows no prepared statements (PgBouncer before 1.21).
    """
    theirs = from_url.get("OPTIONS", {})
    if from_url["ENGINE"] == "django.db.backends.sqlite3":
        return {**from_url, "ENGINE": OWN_SQLITE, "OPTIONS": {**SQLITE, **theirs}}
    limits = {
        "options": " ".join(f"-c {name}={value}" for name, value in (LIMITS | PLANNED).items())
    }
    ours = POSTGRESQL | ({} if pooled else limits) | (PREPARED if prepared else {})
    return {
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": pooled,
        **from_url,
        "OPTIONS": {**ours, **theirs},
    }
