"""What the judge's tests begin with."""

import pytest
from django.conf import LazySettings

from tests.leaderboard.judging import configs


@pytest.fixture
def connected_judge(settings: LazySettings) -> None:
    """The operator gave an address."""
    configs.connect(settings)


@pytest.fixture
def quick_judge(settings: LazySettings, connected_judge: None) -> None:
    """And nothing that failed is waited for."""
    settings.JUDGE_BACKOFF_SECONDS = 0.001
    settings.JUDGE_REQUEUE_SECONDS = 3600
