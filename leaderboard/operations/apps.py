"""What a process looks at and sets up when it starts: mistakes of an operator are found before
the first request, and long lists of values travel to the database as one.
"""

import json
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, ForeignObject
from django.db.models.fields.related_lookups import RelatedIn
from django.db.models.lookups import In
from django.db.models.sql.compiler import SQLCompiler

from leaderboard.operations import sentry
from leaderboard.operations.installation import broken, half_set
from scoring import tokenizers
from scoring.profile import Profile
from scoring.tokenizers.java import TokenizerUnavailable


class OperationsConfig(AppConfig):
    name = "leaderboard.operations"

    def ready(self) -> None:
        Field.register_lookup(LongIn)
        ForeignObject.register_lookup(LongRelatedIn)
        sentry.begin()
        for check in (scoring_times, default_analyzer, half_set):
            checks.register(check)


def visibility() -> float:
    """Seconds after which the broker delivers a task again that is still running."""
    broker: dict[str, Any] = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    return float(broker.get("visibility_timeout", "inf"))


def scoring_times(**kwargs: Any) -> list[CheckMessage]:
    """HEARTBEAT x 3 < LEASE and SOFT < HARD < visibility timeout, or work is done twice."""
    soft, hard = settings.CELERY_TASK_SOFT_TIME_LIMIT, settings.CELERY_TASK_TIME_LIMIT
    return broken(
        (
            settings.SCORING_HEARTBEAT_SECONDS * 3 < settings.SCORING_LEASE_SECONDS,
            "A healthy worker could lose its lease between two heartbeats.",
            "Keep SCORING_LEASE_SECONDS above three times SCORING_HEARTBEAT_SECONDS.",
            "leaderboard.E001",
        ),
        (
            soft < hard < visibility(),
            "The broker would deliver a task again while it is still running.",
            "Keep soft time limit < time limit < visibility timeout.",
            "leaderboard.E002",
        ),
    )


def default_analyzer(**kwargs: Any) -> list[CheckMessage]:
    """The engine of the default analyzer is the one its signature names."""
    try:
        tokenizers.signature(Profile().tokenizer)
    except TokenizerUnavailable as error:
        return broken((False, str(error), "", "leaderboard.E006"))
    return []


# --- Long lists ----------------------------------------------------------------------------------

# `pk__in=ids` is one parameter for each id, and PostgreSQL takes 65,535 of them, SQLite 32,766 in
# the usual build. Django cuts such lists for Oracle alone, and writes them itself where no code
# of ours does: `in_bulk`, `prefetch_related`, `delete`. Here a list of more than LONG values
# becomes an array (PostgreSQL) or a JSON text (SQLite), so no statement grows with an
# installation. Short lists stay as Django has them, and so do lists with an expression.
LONG = 1000


class LongIn(In[Any]):
    """`in` of a column."""

    def process_rhs(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper
    ) -> tuple[str, Any]:
        sql, params = super().process_rhs(compiler, connection)
        is_short = not self.rhs_is_direct_value() or len(params) <= LONG
        if is_short or sql != f"({', '.join(['%s'] * len(params))})":
            return sql, params
        if connection.vendor == "sqlite":
            return "(SELECT value FROM json_each(%s))", [json.dumps(params)]
        # Without a length, as Django's own arrays of an insert: it would cut values off.
        kind = (self.lhs.output_field.db_type(connection) or "").split("(")[0]
        return f"(SELECT unnest(%s::{kind}[]))", [list(params)]


class LongRelatedIn(LongIn, RelatedIn):
    """The same of a relation."""
