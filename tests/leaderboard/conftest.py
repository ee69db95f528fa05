"""What every test beside the database begins with."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import connection
from django.utils import translation

from leaderboard.evaluation import claim
from tests.lock_order import LockOrder


@pytest.fixture(autouse=True)
def locks_in_order() -> Iterator[None]:
    """On PostgreSQL every transaction keeps to the order of locks."""
    with connection.execute_wrapper(LockOrder()):
        yield


@pytest.fixture(autouse=True)
def default_language() -> Iterator[None]:
    """A request that was answered in another language leaves it behind in the thread."""
    with translation.override(settings.LANGUAGE_CODE):
        yield


@pytest.fixture(autouse=True)
def nothing_known_of_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builders give a version the same key in every test: what one test found out is forgotten."""
    monkeypatch.setattr(claim, "_supported", {})
