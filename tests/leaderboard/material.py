"""What contests of the tests are made of: their times, golds and files."""

import csv
import io
from collections.abc import Mapping
from datetime import UTC, datetime

OPENS = datetime(2026, 11, 16, 1, 0, tzinfo=UTC)  # 10:00 in Seoul
NOON = datetime(2026, 11, 20, 3, 0, tzinfo=UTC)  # 12:00 in Seoul
CLOSES = datetime(2026, 12, 10, 10, 0, tzinfo=UTC)  # 19:00 in Seoul
REVEALS = datetime(2026, 12, 11, 1, 0, tzinfo=UTC)  # 10:00 in Seoul

GOLDS = {
    "talk_1": ("민수는 내일 도서관에서 지우를 만난다.", "두 사람은 도서관에서 보기로 한다."),
    "talk_2": ("손님은 물이 새는 주전자를 바꾸러 왔다.", "점원이 주전자를 교환해 준다."),
    "talk_4": ("의사는 매년 건강검진을 받으라고 권한다.", "환자는 검진을 예약하기로 한다."),
    "talk_5": ("지하철이 늦어 회의가 열 시로 밀렸다.", "팀장은 회의를 한 시간 미룬다."),
}

SPLITS = {"talk_1": "public", "talk_2": "private", "talk_4": "public", "talk_5": "private"}


def gold_csv(
    golds: Mapping[str, tuple[str, ...]] = GOLDS, splits: Mapping[str, str] | None = SPLITS
) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    widest = max(len(texts) for texts in golds.values())
    header = ["fname", *(f"summary{n + 1}" for n in range(widest))]
    writer.writerow(header + (["split"] if splits else []))
    for name, texts in golds.items():
        padded = [*texts, *[""] * (widest - len(texts))]
        writer.writerow([name, *padded, *([splits[name]] if splits else [])])
    return out.getvalue().encode()


def prediction_csv(texts: Mapping[str, str] | None = None) -> bytes:
    return texts_csv({name: golds[0] for name, golds in GOLDS.items()} | dict(texts or {}))


def texts_csv(rows: Mapping[str, str], column: str = "summary") -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["fname", column])
    writer.writerows(rows.items())
    return out.getvalue().encode()
