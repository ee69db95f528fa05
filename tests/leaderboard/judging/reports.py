"""The report of people against a judge as it is kept, its parts by name."""

import json
from types import SimpleNamespace
from typing import Any

from leaderboard.judging import agreement_report

NONE = SimpleNamespace(value=None, low=None, high=None)  # an estimate that is not defined


def report(*given: Any, **options: Any) -> Any:
    kept = json.dumps(agreement_report.report(*given, **options), allow_nan=False)
    return json.loads(kept, object_hook=lambda found: SimpleNamespace(**found))
