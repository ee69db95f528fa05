"""What every test beside the database begins with."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import connection
from django.utils import translation

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
