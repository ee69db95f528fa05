"""What every test beside the database begins with."""

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    """Attempts are limited per address for minutes, and all tests of a process share one."""
    cache.clear()
