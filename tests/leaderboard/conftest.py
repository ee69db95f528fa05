"""What every test beside the database begins with."""

from collections.abc import Iterator

import pytest
from django.db import connection

from tests.lock_order import LockOrder


@pytest.fixture(autouse=True)
def locks_in_order() -> Iterator[None]:
    """On PostgreSQL every transaction keeps to the order of locks."""
    with connection.execute_wrapper(LockOrder()):
        yield
