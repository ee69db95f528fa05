"""The judge's key is a secret like the others."""

from pathlib import Path

import pytest

from tests.leaderboard.operations.test_fuse_box import must_hide


@pytest.mark.faults
def test_the_key_stands_in_no_message_and_no_traceback(tmp_path: Path) -> None:
    secrets = {
        "JUDGE_BASE_URL": "https://judge.example.org/v1",
        "JUDGE_API_KEY": 'canary\\key"of-the-judge',
    }
    must_hide(tmp_path, secrets)
