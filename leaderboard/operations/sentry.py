"""Errors to Sentry, where SENTRY_DSN is set: what went wrong where, and nothing that anybody wrote.

What leaves is listed here; all else of an event stays, however much a later version of the package
puts into it. A message may quote a participant's text, a reference or a score, and so may a
variable, an address or a form: of an exception leave its type and the lines of our code.
"""

from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, SuspiciousOperation
from structlog.contextvars import get_contextvars

from leaderboard.operations.installation import version

EVENT = ("event_id", "timestamp", "platform", "level", "logger", "release", "server_name", "sdk")
FRAME = ("filename", "module", "function", "lineno", "in_app", "context_line")
# Of a line of our own log, beside its name.
TAGS = ("request", "evaluation", "submission", "attempt", "mail", "delivery", "alarm", "step")
SPOKEN = ("error", "code", "failure")  # names of classes and codes


def begin() -> None:
    """Send errors from now on, of this process and of those that it forks."""
    if not settings.SENTRY_DSN:
        return
    try:
        import sentry_sdk
        from sentry_sdk.integrations.celery import CeleryIntegration
        from sentry_sdk.integrations.django import DjangoIntegration
    except ImportError:
        raise ImproperlyConfigured(
            "SENTRY_DSN needs a package: pip install -r requirements-prod.txt"
        ) from None
    sentry_sdk.init(
        dsn=settings.SENTRY_DSN,
        release=version(),
        send_default_pii=False,
        max_request_body_size="never",
        include_local_variables=False,
        max_breadcrumbs=0,
        auto_session_tracking=False,
        ignore_errors=[SuspiciousOperation],  # a stranger could send thousands of them
        auto_enabling_integrations=False,  # each would change another package at run time
        integrations=[DjangoIntegration(), CeleryIntegration()],
        before_send=bare,
    )


def bare(event: Any, hint: Any) -> Any:
    """The event with what may leave."""
    kept = {name: event[name] for name in EVENT if name in event}
    # Django's route, and not the address, in which codes stand.
    if event.get("transaction_info", {}).get("source") in ("route", "task"):
        kept["transaction"] = event["transaction"]
    tags = {name: value for name, value in get_contextvars().items() if name in TAGS}
    record = hint.get("log_record")
    if record is not None:
        ours = record.msg if isinstance(record.msg, dict) else {}
        tags |= {name: ours[name] for name in (*TAGS, *SPOKEN) if name in ours}
        if "where" in ours:
            kept["extra"] = {"where": ours["where"]}
        kept["message"] = str(ours.get("event") or f"a line of {record.name}")
    kept["tags"] = {name: str(value) for name, value in tags.items()}
    if "exception" in event:
        kept["exception"] = {"values": [_bare(one) for one in event["exception"]["values"]]}
    return kept


def _bare(exception: Any) -> Any:
    frames = (exception.get("stacktrace") or {}).get("frames", [])
    return {
        "type": exception.get("type"),
        "module": exception.get("module"),
        "stacktrace": {
            "frames": [{name: one[name] for name in FRAME if name in one} for one in frames]
        },
    }
