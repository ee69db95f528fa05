"""What answers look like: one example for each schema that people read first."""

from typing import Any

from scoring.findings import Problem

_ID = "0f8c2a52-6f0e-4a53-9d9e-6d0b1c6f9a11"
_LIMITS = {
    "used_today": 2,
    "left_today": 10,
    "of_today": 12,
    "daily_limit": 12,
    "granted_today": 0,
    "total_used": 31,
    "total_left": None,
    "resets_at": "2026-12-01T15:00:00Z",
    "late": False,
    "checks_left": 58,
}
_MISSING = Problem(None, None, "missing_ids", {"count": 1, "shown": "test_17"}).to_dict()
_SIGNATURE = "rouge|f1|max over golds|sum|mecab-ko"
_SUBMISSION = {
    "id": _ID,
    "competition": "daily-dialogue",
    "file_name": "predictions.csv",
    "size": 98_304,
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "received_at": "2026-12-01T01:15:02Z",
    "submitted_by": "alice",
    "method_name": "KoBART",
    "note": "lr 3e-5",
    "state": "done",
    "is_late": False,
    "is_final": False,
    "excluded": None,
    "notices": [],
    "scores": {
        "public": {
            "total": 1.3042,
            "metrics": {"rouge1": 0.5312, "rouge2": 0.3107, "rougeL": 0.4623},
            "signature": _SIGNATURE,
        }
    },
    "url": f"/c/daily-dialogue/submissions/{_ID}",
}

EXAMPLES: dict[str, dict[str, Any]] = {
    "LimitsOut": _LIMITS,
    "FileProblem": _MISSING,
    "Checked": {
        "ok": False,
        "rows": 498,
        "problems": [_MISSING],
        "total_problems": 1,
        "notices": [],
        "encoding": None,
        "refusal": None,
        "same_as": None,
        "is_late": False,
        "preview": [],
        "limits": _LIMITS,
    },
    "SubmissionOut": _SUBMISSION,
    "Submitted": _SUBMISSION
    | {
        "limits": _LIMITS,
        "standing": {
            "is_best": True,
            "rank": 3,
            "rank_before": 5,
            "teams": 41,
            "difference": 0.0121,
            "gap_to_next": 0.0034,
            "gap_to_first": 0.041,
        },
    },
    "State": {
        "id": _ID,
        "state": "running",
        "stage": "cut",
        "rows_done": 312,
        "rows_total": 499,
        "attempt": 1,
        "place_in_queue": None,
        "expected_wait_seconds": None,
        "finished_at": None,
        "reference_id": None,
        "is_over": False,
    },
    "BoardOut": {
        "competition": "daily-dialogue",
        "board": "public",
        "state": "live",
        "version": 1,
        "signature": _SIGNATURE,
        "as_of": "2026-12-01T10:15:02+09:00",
        "standings_of": None,
        "teams": 41,
        "page": 1,
        "pages": 1,
        "columns": [
            {"key": "total", "label": "총점", "about": "세 지표의 합", "is_reference": False}
        ],
        "rows": [{"rank": 1, "team": "새벽", "total": 1.3452}],
        "own": {"rank": 3, "team": "햇살", "total": 1.3042},
        "facts": {},
    },
    "ProblemOut": {
        "type": "https://contest.example.org/api#invalid_file",
        "status": 422,
        "code": "invalid_file",
        "title": "The file cannot be accepted",
        "detail": "Nothing was kept and no attempt was used.",
        "next_step": "Mend the lines that are named, and check the file again: that is free.",
        "ko": {
            "title": "파일을 받을 수 없습니다",
            "detail": "저장하지 않았고 제출 횟수도 쓰지 않았습니다.",
            "next_step": "알려 드린 줄을 고쳐 다시 검사해 보세요. 검사는 무료입니다.",
        },
        "en": {
            "title": "The file cannot be accepted",
            "detail": "Nothing was kept and no attempt was used.",
            "next_step": "Mend the lines that are named, and check the file again: that is free.",
        },
        "problems": [_MISSING],
        "request": "3f2a9c1d5e7b4a60",
        "retry_after": None,
    },
}
