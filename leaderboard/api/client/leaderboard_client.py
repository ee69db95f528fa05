#!/usr/bin/env python3
"""Hand in to the contests of a leaderboard server, from a shell or from Python 3.8 or newer.

    python3 leaderboard_client.py login
    python3 leaderboard_client.py submit predictions.csv -m "lr 3e-5" --wait

    from leaderboard_client import submit
    result = submit(df, note="lr 3e-5")  # a DataFrame, {id: summary} or a path
    result.score, result.rank

This file is all there is to it: nothing needs to be installed. The token comes from
LEADERBOARD_TOKEN, a notebook's secrets, `login`, or a prompt; it is never printed.
LEADERBOARD_URL and LEADERBOARD_COMPETITION name the server and the contest.

Exit codes: 0 done, 1 used wrongly, 2 the file is not valid or was handed in before, 3 a limit is
reached, 4 no usable token, 5 the server cannot be reached or failed, 6 the contest says no (closed,
not joined, unknown), 130 interrupted.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":  # a csv.py or json.py that lies beside this file is somebody's own
    _file = globals().get("__file__", "")  # which `curl … | python3 -` has none of
    _around = {os.path.realpath(one) for one in (os.path.dirname(_file), "")}
    sys.path[:] = [one for one in sys.path if os.path.realpath(one) not in _around]

import argparse
import contextlib
import csv
import getpass
import hashlib
import html
import http.client
import importlib
import io
import json
import locale
import re
import shlex
import shutil
import ssl
import tempfile
import time
import unicodedata
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, NamedTuple, NoReturn, Sequence

__all__ = [
    *("submit", "validate", "score_dev", "leaderboard", "limits", "Result", "FreeCheck"),
    *("ClientError", "InvalidPredictions", "HandedInBefore", "LimitReached", "NotSignedIn"),
    *("ServerAway", "NotPossible"),
]

KOREAN_HELP = """\
리더보드 서버의 대회에 명령줄이나 Python 3.8 이상에서 제출합니다.

    python3 leaderboard_client.py login
    python3 leaderboard_client.py submit predictions.csv -m "lr 3e-5" --wait

    from leaderboard_client import submit
    result = submit(df, note="lr 3e-5")  # DataFrame, {id: 요약}, 또는 경로
    result.score, result.rank

이 파일 하나면 됩니다. 따로 설치할 것이 없습니다. 토큰은 LEADERBOARD_TOKEN, 노트북의 비밀 값,
`login`, 입력 순으로 찾으며 화면에 나오지 않습니다. 서버와 대회는 LEADERBOARD_URL과
LEADERBOARD_COMPETITION으로도 정합니다.

종료 코드: 0 됨, 1 잘못 썼음, 2 받을 수 없는 파일이거나 이미 낸 파일, 3 한도를 다 씀, 4 쓸 수 있는
토큰이 없음, 5 서버에 연결할 수 없거나 서버 장애, 6 대회가 받지 않음(마감, 미참가, 없는 대회),
130 중단함.
"""
WORDS = {  # of the server's codes
    **{"waiting": "대기", "running": "채점 중", "done": "완료"},
    **{"failed": "실패", "cancelled": "취소"},
    **{"live": "진행 중", "frozen": "고정됨", "provisional": "잠정", "final": "최종"},
    **{"prepare": "정답 준비", "cut": "형태소 나누기", "score": "점수 계산", "rank": "순위 반영"},
}
SERVER = ""  # a server that hands this file out writes its own address here
PAUSES = (1, 2, 4, 8, 15)  # seconds before asking again, when nobody answers
IMPATIENT = 2  # so many of them where somebody only looks
LONGEST_WAIT = 120  # a server that asks for more patience is told of instead
MOST_BYTES = 5_000_000  # of a file; the server does not even read a larger one
LONGEST_NAME = 240  # bytes of a file's name, below what systems take
MOST_ANSWERED = 50_000_000  # bytes, of what is not a file
CHUNK = 1 << 16
FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")  # also of East Asian spreadsheets
TEXTS = ("team", "fileName", "description", "status", "name")  # columns that may be cut short
SHORTEST = 8  # columns of a terminal that a text or an id keeps
EMOJI_JOINTS = "\u200d\ufe0f"
BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\uffa0"  # drawn as nothing
Json = Dict[str, Any]
_language = ""


# Errors: one class for each exit code.


class ClientError(Exception):
    """Why it was not done. `problem` is the server's own account of it, if there is one."""

    exit_code = 1

    def __init__(self, text: str, *, code: str = "", problem: Json | None = None) -> None:
        super().__init__(printable(text))
        self.code, self.problem = code, problem or {}
        in_json([self.as_json(), self.lines()], ensure_ascii=True)  # what cannot be told fails here

    def lines(self) -> list[str]:
        """All that is said of it."""
        left = self.problem.get("limits")
        return [*str(self).split("\n"), *([today(left)] if left else [])]

    def as_json(self) -> Json:
        return {**self.problem, "code": self.code, "detail": str(self), "exit": self.exit_code}

    @property
    def problems(self) -> list[Json]:
        return list(self.problem.get("problems", []))

    def __str__(self) -> str:
        """The sentence, and below it each problem of a file, each field of a request."""
        fields = (f"{one['where']}: {one['message']}" for one in self.problem.get("fields", []))
        below = (*map(problem_line, self.problems), *map(printable, fields))
        return "\n  ".join([super().__str__(), *below])

    def __repr__(self) -> str:
        return printable(f"{type(self).__name__}: {self}", keep="\n")


class InvalidPredictions(ClientError):
    """The file cannot be accepted; nothing was charged. `problems` says where and why."""

    exit_code = 2


class HandedInBefore(InvalidPredictions):
    """The team has handed in these very bytes before; `submission` is that one."""

    @property
    def submission(self) -> Json:
        return dict(self.problem["submission"])


class LimitReached(ClientError):
    """No more for now: attempts of the day or of the contest, waiting files, calls."""

    exit_code = 3


class NotSignedIn(ClientError):
    """No token, or one that cannot be used for this."""

    exit_code = 4


class ServerAway(ClientError):
    """The server cannot be reached, or failed."""

    exit_code = 5


class NotPossible(ClientError):
    """The contest says no: closed, paused, not joined, unknown."""

    exit_code = 6


@contextlib.contextmanager
def an_answer() -> Iterator[None]:
    """What cannot be taken apart as an answer of ours is told as that."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise not_ours() from None


def not_ours() -> ServerAway:
    text = said("This is not the answer of a leaderboard", "리더보드 서버의 답이 아닙니다")
    return ServerAway(text, code="not_a_leaderboard")


# Words, in the reader's language, and what a terminal may be shown of them.


def said(en: str, ko: str) -> str:
    return ko if language() == "ko" else en


def word(code: str) -> str:
    """What a state or a stage is called."""
    return said(code, WORDS.get(code, code))


def language() -> str:
    """`ko` or `en`: what --lang says, else the environment."""
    named = [os.getenv(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    spoken = next(filter(None, named), None) or locale.getlocale()[0] or ""
    return _language or ("ko" if spoken.lower().startswith("ko") else "en")


def _escaped(one: str) -> str:
    return one.encode("unicode_escape").decode()


def printable(text: Any, keep: str = "", escaped: Callable[[str], str] = _escaped) -> str:
    """The text without what moves a cursor, colours, hides or turns around what stands there.

    Whatever is shown goes through here, whoever wrote it.
    """
    text = str(text)

    def shown(found: Any) -> str:
        beside = text[found.start() - 1 : found.start()] + text[found.end() : found.end() + 1]
        hidden = found[0] not in keep and _is_hidden(found[0], beside)
        return escaped(found[0]) if hidden else str(found[0])

    return re.sub("[^ -~가-힣]", shown, text)


def _is_hidden(one: str, beside: str) -> bool:
    if one in EMOJI_JOINTS:
        return all(unicodedata.category(each) != "So" for each in beside)
    kind = unicodedata.category(one)
    blank = "\ufe00" <= one <= "\ufe0f" or "\U000e0100" <= one <= "\U000e01ef" or one in BLANK
    return blank or kind[0] == "C" or kind in ("Zl", "Zp")


def problem_line(problem: Json) -> str:
    """A cause with its lines and its id: `line 3, test_2: …`."""
    lines = problem.get("lines") or [problem["line"]] if problem.get("line") else []
    shown = ", ".join(map(str, lines[:10])) + (", …" if len(lines) > 10 else "")
    sentence = str(problem.get("message_" + language(), problem.get("code", "")))
    named = "lines" if len(lines) > 1 else "line"
    place = said(f"{named} {shown}", f"{shown}행") if lines else ""
    where = said(", ", " ").join(filter(None, [place, str(problem.get("id") or "")]))
    return printable(f"{where}: {sentence}" if where else sentence)


def clock(instant: Any) -> str:
    """An instant of the server in this machine's zone."""
    if not instant:
        return ""
    text = re.sub(r"\.\d+", "", str(instant)).replace("Z", "+00:00")
    return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M %z")


def today(left: Json) -> str:
    """What may still be handed in, which every answer says."""
    number, of, resets = left["left_today"], left["of_today"], clock(left["resets_at"])
    text = said(f"{number} of {of} left today", f"오늘 {of}회 중 {number}회 남음")
    if left["late"]:
        text += said(" of late files", "(마감 뒤 제출)")
    if left.get("total_left") is not None:
        number = left["total_left"]
        text += said(f", {number} in all", f", 모두 합쳐 {number}회")
    return printable(text + said(f"; the day changes at {resets}", f" · 날이 바뀌는 때: {resets}"))


def number(value: Any) -> str:
    """A score as boards print it."""
    return f"{value:.4f}" if isinstance(value, float) else "" if value is None else str(value)


def signed(value: float | None) -> str:
    """A difference: `-0.0042`."""
    return f"{value:+.4f}" if value else number(value)


def metric_label(key: str) -> str:
    return re.sub(r"^rouge(?=\w)", "ROUGE-", key)


# The server: one question and its answer, asked again where that does no harm.


class Answered(NamedTuple):
    status: int
    headers: Any
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body.decode("utf-8"))

    @property
    def is_whole(self) -> bool:
        """Whether it all came: urllib takes a head that was cut off for a whole one."""
        if self.status >= 300:
            length = self.headers.get("Content-Length") or self.headers.get("Transfer-Encoding")
            return self.status == 304 or length is not None
        try:
            return isinstance(self.json(), (dict, list))
        except (ValueError, RecursionError):
            return False


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect could carry the token to another host: it is told, not followed."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class Remote:
    """The API of one server, about one contest, as the person of a token."""

    def __init__(
        self,
        url: str,
        token: str = "",
        contest: str = "",
        *,
        pauses: Sequence[float] = PAUSES,
        sleep: Callable[[float], None] = time.sleep,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.url, self.contest = url.rstrip("/"), contest
        self.pauses, self.sleep, self.tell = pauses, sleep, tell
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirect)

    @property
    def has_token(self) -> bool:
        return bool(self._token)

    @property
    def token_page(self) -> str:
        return f"{self.url}/settings/tokens"

    def of_contest(self, rest: str = "") -> str:
        return f"/competitions/{urllib.parse.quote(self.contest, '', errors='replace')}{rest}"

    def get(self, path: str, **query: Any) -> Any:
        return self.ask("GET", path, query=query).json()

    def ask(self, method: str, path: str, **given: Any) -> Answered:
        """The answer, which is good or 304; `given` to `request`. Raises ClientError."""
        request = self.request(method, path, **given)
        looks = method == "GET" and not path.endswith("/state")
        pauses = self.pauses[:IMPATIENT] if looks else self.pauses
        return self.good(self.patiently(lambda: self._once(request), pauses), path)

    def good(self, answer: Answered, path: str) -> Answered:
        """The same. Raises ClientError for what is an error."""
        if answer.status < 300 or answer.status == 304:
            return answer
        with an_answer():
            raise self._failure(answer, path)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Json | None = None,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> urllib.request.Request:
        """Only to our own server, whatever an answer says: the token goes with it."""
        given = {name: one for name, one in (query or {}).items() if one}
        asked = urllib.parse.urlencode(given, errors="replace")
        place = urllib.parse.quote(path, "/%", errors="replace")  # with an id that was answered
        address = f"{self.url}/api/v1{place}" + (f"?{asked}" if asked else "")
        known = {"Accept-Language": language(), "User-Agent": "leaderboard-client/1"}
        if self._token:
            known["Authorization"] = f"Bearer {self._token}"
        return urllib.request.Request(  # noqa: S310  `_address` takes only http and https
            address, body, {**known, **(headers or {})}, method=method
        )

    def open(self, request: urllib.request.Request) -> Any:
        return self._opener.open(request, timeout=60)

    def patiently(self, once: Callable[[], Answered], pauses: Sequence[float]) -> Answered:
        """What it answers, asked again after growing pauses while nobody can, or it is too busy."""
        for pause in [*pauses, None]:
            try:
                answer = once()
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", error)
                if pause is None or isinstance(reason, ssl.SSLCertVerificationError):
                    text = said("The server cannot be reached", "서버에 연결할 수 없습니다")
                    where = f"{self.url} ({reason or type(error).__name__})"
                    raise ServerAway(f"{text}: {where}", code="unreachable") from None
                wait = pause
            else:
                if pause is None or not _is_busy(answer):
                    return answer
                wait = max(pause, retry_after(answer))
                if wait > LONGEST_WAIT:
                    return answer
            text = said("no answer yet, asking again in", "아직 답이 없어 다시 묻습니다, 초:")
            self.tell(f"{text} {wait:g}" + said(" s", ""))
            self.sleep(wait)
        raise AssertionError  # the last round answers or raises

    def _once(self, request: urllib.request.Request) -> Answered:
        """Raises OSError or HTTPException where the connection ended before the answer did."""
        try:
            with self.open(request) as answer:
                found = Answered(answer.status, answer.headers, _all_of(answer))
        except urllib.error.HTTPError as refused:
            with refused:
                found = Answered(refused.code, refused.headers, _all_of(refused))
        if not found.is_whole:
            raise ConnectionError(said("not the answer of a leaderboard", "리더보드의 답이 아님"))
        return found

    def _failure(self, answer: Answered, path: str) -> ClientError:
        if answer.status < 400:
            where = answer.headers.get("Location", "")
            text = said(
                "The server is elsewhere; name it with --server",
                "서버 주소가 다릅니다. --server로 알려 주세요",
            )
            return ServerAway(f"{text}: {where}", code="moved")
        found = problem_of(answer)
        if answer.status == 404 and path.startswith("/competitions/"):
            guess = self._unknown_contest()
            if guess is not None:
                return guess
        spoken = found.get(language()) or {}
        text = f"{spoken.get('detail', answer.status)} {spoken.get('next_step', '')}".strip()
        code = str(found.get("code", answer.status))
        kind = _kind(answer.status, code)
        if code == "invalid_file":
            text = spoken.get("title") or text
        if kind is ClientError:  # whose next step is to look at what stands below
            text = spoken.get("detail") or text
        if kind is NotSignedIn and code != "password_first":
            text += said(" Tokens are made here: ", " 토큰 만드는 곳: ") + self.token_page
        return kind(text, code=code, problem=found)

    def _unknown_contest(self) -> ClientError | None:
        """None if there is such a contest, so that something in it is missing."""
        known = [one["slug"] for one in self.get("/competitions")]
        if not self.contest or self.contest in known:
            return None
        text = said("There is no contest called", "이런 이름의 대회가 없습니다:")
        text += f" {self.contest}."
        near = get_close_matches(self.contest, known, 1)
        if near:
            text += said(f" Did you mean {near[0]}?", f" 혹시 {near[0]}?")
        elif known:
            text += said(" There are: ", " 있는 대회: ") + ", ".join(known)
        return NotPossible(text, code="unknown_contest", problem={"known": known, "meant": near})


def _all_of(answer: Any) -> bytes:
    """Raises ServerAway where it does not end, HTTPException where it ends too early."""
    found = b"".join(_chunks(answer, MOST_ANSWERED + 1))
    if len(found) > MOST_ANSWERED:
        raise not_ours()
    if getattr(answer, "length", None):
        raise http.client.IncompleteRead(found)
    return found


def _is_busy(answer: Answered) -> bool:
    if answer.status == 429:
        return bool(problem_of(answer).get("code") == "too_many_calls")
    return answer.status in (502, 503, 504)


def _kind(status: int, code: str) -> type[ClientError]:
    if status == 401 or code in ("token_scope", "password_first"):
        return NotSignedIn
    if status == 429 or is_limit(code):
        return LimitReached
    if code == "invalid_file" or status == 413:
        return InvalidPredictions
    if code == "invalid_request":
        return ClientError
    return ServerAway if status >= 500 else NotPossible


def is_limit(code: str) -> bool:
    return code.endswith("_limit") or code.startswith("too_many_")


def retry_after(answer: Answered, otherwise: float = 0) -> float:
    told = answer.headers.get("Retry-After", "")
    return float(told) if re.fullmatch("[0-9]+", told) else otherwise


def problem_of(answer: Answered) -> Json:
    """The problem (RFC 9457) of an error; empty for that of a proxy."""
    try:
        found = answer.json()
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


# What is handed in.


class Sending(NamedTuple):
    """A file as it goes over the wire."""

    name: str
    data: bytes

    def form(self, **fields: str) -> tuple[bytes, dict[str, str]]:
        """The body of a form with the file in it, and its Content-Type."""
        edge = uuid.uuid4().hex
        name = re.sub(r'[\x00-\x1f"\\]', "_", os.path.basename(self.name)) or "predictions.csv"
        parts = [
            f'--{edge}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{text}\r\n'
            for key, text in fields.items()
        ]
        head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        parts.append(f"{head}Content-Type: text/csv\r\n\r\n")
        body = (
            "".join(parts).encode("utf-8", "replace") + self.data + f"\r\n--{edge}--\r\n".encode()
        )
        return body, {"Content-Type": f"multipart/form-data; boundary={edge}"}


def as_file(source: Any) -> Sending:
    """A DataFrame, a Series or dict of id → summary, a list of dicts, or the path of a CSV."""
    if hasattr(source, "to_csv") and hasattr(source, "columns"):
        # An index with a name is a column; one without only numbers the rows.
        text = source.to_csv(index=source.index.name is not None, quoting=csv.QUOTE_ALL)
        file = Sending("predictions.csv", text.encode("utf-8"))
    elif isinstance(source, (str, os.PathLike)):
        file = Sending(os.fspath(source), _read(os.fspath(source)))
    else:
        rows = source.items() if hasattr(source, "items") else _of_dicts(source)
        out = io.StringIO()
        # Quoted whole: older Pythons leave a bare CR without quotes, and it then begins a row.
        lines = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
        lines.writerow(["fname", "summary"])
        lines.writerows([name, _cell(text)] for name, text in rows)
        file = Sending("predictions.csv", out.getvalue().encode("utf-8", "replace"))
    _refuse_large(len(file.data))
    return file


def _refuse_large(size: int) -> None:
    if size > MOST_BYTES:
        text = said(
            f"The file is too large: {size:,} bytes, and {MOST_BYTES:,} at most are taken.",
            f"파일이 너무 큽니다: {size:,}바이트. {MOST_BYTES:,}바이트까지 받습니다.",
        )
        raise InvalidPredictions(text, code="too_large")


def _of_dicts(source: Any) -> Iterator[tuple[Any, Any]]:
    """Ids and texts. Raises ClientError for what has no ids, such as a list of texts."""
    rows = list(source) if isinstance(source, (list, tuple)) else [source]
    for row in rows or [source]:
        if not (isinstance(row, dict) and {"fname", "summary"} <= row.keys()):
            text = said(
                "Each summary needs its id. Give a DataFrame, {id: summary}, the path of a CSV,"
                ' or a list of {"fname": …, "summary": …}; of two lists'
                " dict(zip(ids, summaries)). This is a",
                "요약마다 id가 있어야 합니다. DataFrame, {id: 요약}, CSV 경로나"
                ' {"fname": …, "summary": …}의 리스트를 주세요. 리스트가 둘이면'
                " dict(zip(ids, summaries))입니다. 받은 것:",
            )
            kind = type(source).__name__
            inside = f" of {type(row).__name__}" if row is not source else ""
            raise ClientError(f"{text} {kind}{inside}.", code="no_ids")
        yield row["fname"], row["summary"]


def _cell(value: Any) -> str:
    missing = value is None or value != value  # NaN
    return "" if missing else str(value)


def _read(path: str) -> bytes:
    with own_file(path), Path(path).expanduser().open("rb") as file:
        _refuse_large(os.fstat(file.fileno()).st_size)
        return file.read()


@contextlib.contextmanager
def own_file(path: Any) -> Iterator[None]:
    """What goes wrong with a file of this machine is told as that, not as the server's fault."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:  # also of `~nobody`, of a NUL
        text = said("A file on this machine cannot be used", "이 컴퓨터의 파일을 쓸 수 없습니다")
        reason = getattr(error, "strerror", None) or error
        raise ClientError(f"{text}: {path} ({reason})", code="own_file") from None


class FreeCheck:
    """What handing the file in would be answered now. Nothing was kept or charged.

    `same`: the team's submission of these very bytes, if there is one.
    """

    def __init__(self, data: Json, same: Json | None = None) -> None:
        self.data, self.same = data, same
        self.rows, self.notices = int(data["rows"]), list(data["notices"])
        self.left_today, self.is_late = int(data["limits"]["left_today"]), bool(data["is_late"])
        repr(self)  # what cannot be shown fails here

    def __repr__(self) -> str:
        notes = [problem_line(one) for one in self.notices]
        if self.is_late:
            notes.insert(0, what_late_means())
        rows = said(f"valid, {self.rows} rows", f"제출 가능, {self.rows}행")
        if self.same:
            notes.append(handed_in_before(self.same))
        return "\n".join([f"{rows} · {today(self.data['limits'])}", *notes])


def what_late_means() -> str:
    return said(
        "late: neither ranked nor counted among finals",
        "마감 뒤: 순위와 최종 제출에는 세지 않습니다",
    )


@an_answer()
def check(remote: Remote, file: Sending) -> FreeCheck:
    """The free look. Raises InvalidPredictions."""
    body, headers = file.form()
    path = remote.of_contest("/validate")
    found = remote.ask("POST", path, body=body, headers=headers).json()
    if found["problems"]:
        text = said("The file cannot be accepted", "이 파일은 받을 수 없습니다")
        raise InvalidPredictions(text, code="invalid_file", problem=found)
    return FreeCheck(found, same_file(remote, file) if found["same_as"] else None)


@an_answer()
def same_file(remote: Remote, file: Sending) -> Json | None:
    """The team's newest submission of these bytes whose attempt was not given back."""
    digest = hashlib.sha256(file.data).hexdigest()
    for page in pages(remote, remote.of_contest("/submissions")):
        for one in page["items"]:
            if one["sha256"] == digest and one["state"] not in ("cancelled", "failed"):
                return dict(one)
    return None


def handed_in_before(same: Json) -> str:
    score = number((same["scores"].get("public") or {}).get("total"))
    told = [same["id"], clock(same["received_at"]), score and said("score ", "점수 ") + score]
    text = said("This very file was handed in before: ", "똑같은 파일을 이미 제출했습니다: ")
    return printable(text + ", ".join(filter(None, told)))


@an_answer()
def refuse_same(remote: Remote, file: Sending, checked: FreeCheck | None, again: str) -> None:
    """Before an attempt is spent on a score that is known. `again`: how it is spent anyway."""
    same = checked.same if checked else same_file(remote, file)
    if same is None:
        return
    if checked:
        refuse(checked)
    text = handed_in_before(same) + said(
        f". Nothing was charged; {again} hands it in anyway.",
        f". 횟수는 쓰지 않았습니다. 그래도 내려면 {again}.",
    )
    raise HandedInBefore(text, code="same_file", problem={"submission": same})


@an_answer()
def refuse(checked: FreeCheck) -> None:
    """Raise what handing in would be refused with, whatever the file holds."""
    refusal = checked.data["refusal"]
    if refusal:
        kind = LimitReached if is_limit(refusal["code"]) else NotPossible
        text = "{detail} {next_step}".format(**refusal[language()]).strip()
        raise kind(text, code=refusal["code"], problem={"limits": checked.data["limits"]})


def hand_in(
    remote: Remote, file: Sending, *, note: str = "", method: str = "", key: str = ""
) -> Result:
    """Hand it in. Asked again with the same key it is the same submission, charged once."""
    key = key or uuid.uuid4().hex
    if not re.fullmatch("[ -~]+", key):
        text = said("A key has plain letters alone", "키는 영문자와 숫자로만 씁니다")
        raise ClientError(f"{text}: {key}", code="key_form")
    body, headers = file.form(note=note, method_name=method)
    headers["Idempotency-Key"] = key
    path = remote.of_contest("/submissions")
    try:
        found = remote.ask("POST", path, body=body, headers=headers).json()
    except ServerAway as error:
        text = said(
            "It may have arrived. Once more with the same key it is charged once:",
            "도착했을 수 있습니다. 같은 키로 다시 내면 한 번만 셉니다:",
        )
        raise ServerAway(
            f"{error} {text} --key {key}", code=error.code, problem={**error.problem, "key": key}
        ) from None
    return Result(remote, found)


def follow(remote: Remote, submission: str, tell: Callable[[Json], None]) -> Json:
    """The last state of a submission, asked for as often as the server likes; `tell` each new."""
    path, known = remote.of_contest(f"/submissions/{submission}/state"), ""
    while True:
        headers = {"If-None-Match": known} if known else {}
        answer = remote.ask("GET", path, headers=headers)
        if answer.status != 304:
            state: Json = answer.json()
            known = answer.headers.get("ETag", "")
            with an_answer():
                is_over, _ = state["is_over"], word(state["state"])
            tell(state)
            if is_over:
                return state
        remote.sleep(min(retry_after(answer, 3), LONGEST_WAIT))


class Result:
    """A submission: `score` and `parts` of the public board, `left_today`, and what it means.

    `rank` is that of this score among the `teams`, and the team's own where `is_best`. Elsewhere a
    better file keeps its place, or no board counts this one: `print(result)` says which.
    """

    def __init__(self, remote: Remote, data: Json) -> None:
        self._remote = remote
        self._take(data)

    @an_answer()
    def _take(self, data: Json) -> None:
        self.data = data
        public = data["scores"].get("public") or {}
        self.standing: Json = data.get("standing") or {}
        self.id, self.state, self.note = data["id"], data["state"], data["note"]
        self.is_late = bool(data["is_late"])
        self.score: float | None = public.get("total")
        self.parts: dict[str, float] = public.get("metrics", {})
        self.is_best: bool | None = self.standing.get("is_best")
        self.rank: int | None = self.standing.get("rank")
        self.teams: int | None = self.standing.get("teams")
        self.left_today = int(data["limits"]["left_today"])
        self.url = self._remote.url + data["url"]

    def wait(self, tell: Callable[[Json], None] = lambda state: None) -> Result:
        """Until it is scored. Raises ServerAway if that failed, NotPossible if it was cancelled."""
        over = follow(self._remote, self.id, tell)
        self._take(self._remote.get(self._remote.of_contest(f"/submissions/{self.id}")))
        if over["state"] == "failed":
            text = said(
                "Scoring failed on the server's side. The attempt was given back.",
                "서버 쪽 문제로 채점하지 못했습니다. 제출 횟수는 돌려받았습니다.",
            )
            raise ServerAway(f"{text} {over.get('reference_id') or ''}", code="scoring_failed")
        if over["state"] == "cancelled":
            text = said("It was cancelled.", "취소된 제출입니다.")
            raise NotPossible(text, code="cancelled")
        return self

    def facts(self) -> list[tuple[str, str]]:
        """What is shown of it, in order."""
        standing = self.standing
        to_next = standing.get("gap_to_next") if self.is_best else None
        shown = [
            (said("score", "점수"), number(self.score)),
            *((metric_label(key), number(value)) for key, value in self.parts.items()),
            self._place(),
            (said("to your best", "이전 최고와 차이"), signed(standing.get("difference"))),
            (said("to next rank", "앞 순위까지"), signed(to_next)),
            (said("state", "상태"), "" if self.state == "done" else word(self.state)),
            (said("note", "메모"), str(self.note)),
            (said("left today", "오늘 남은 횟수"), str(self.left_today)),
            (said("page", "페이지"), self.url),
        ]
        return [(name, printable(text)) for name, text in shown if text]

    def _place(self) -> tuple[str, str]:
        """The team's rank, if this file gives it, else why it does not."""
        alone, uncounted = f"{self.rank} / {self.teams}" if self.rank else "", self._uncounted()
        if self.is_best is not False and not uncounted:
            before = self.standing.get("rank_before")
            moved = said(f" (before: {before})", f" (이전 {before})") if before else ""
            return said("rank", "순위"), alone + moved
        if alone:
            alone = said(f"; this file alone: {alone}", f". 이 파일만으로는 {alone}")
        if uncounted:
            return said("rank", "순위"), uncounted + alone
        return said("your best", "최고 기록"), said("stays", "그대로입니다") + alone

    def _uncounted(self) -> str:
        """Why no board counts this file, whatever its score."""
        if self.data["excluded"] is not None:
            off = said("excluded from the leaderboard", "리더보드에서 제외된 제출입니다")
            return ": ".join(filter(None, [off, self.data["excluded"]]))
        if self.standing and self.rank is None:
            return said("none, the team is disqualified", "없음. 실격된 팀입니다")
        late = said("late, not ranked", "마감 뒤 제출이라 순위에 들지 않습니다")
        return late if self.is_late else ""

    def __repr__(self) -> str:
        return "\n".join(f"{pad(name, 16)} {text}" for name, text in self.facts())

    def _repr_html_(self) -> str:
        rows = (
            f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>"
            for name, text in self.facts()
        )
        return f"<table>{''.join(rows)}</table>"


# Whose token, which server, which contest.


def settings_file() -> Path:
    """Tokens by server, for this person's eyes only."""
    with own_file("~/.config"):  # where nobody has a home
        home = os.getenv("XDG_CONFIG_HOME") or Path.home() / ".config"
        return Path(home) / "leaderboard" / "tokens.json"


def kept() -> Json:
    try:
        found = json.loads(settings_file().read_text(encoding="utf-8"))
        server, tokens = str(found.get("server", "")), found.get("tokens", {})
        return {"server": server, "tokens": {at: as_token(one) for at, one in tokens.items()}}
    except (ClientError, OSError, ValueError, AttributeError, RecursionError):
        return {"server": "", "tokens": {}}  # `login` writes it anew


def keep(server: str, token: str) -> None:
    """Write it aside with mode 0600, then put it in place: nobody reads it half or before."""
    text = json.dumps({"server": server, "tokens": {**kept()["tokens"], server: token}})
    folder = settings_file().parent
    with own_file(settings_file()):
        folder.mkdir(0o700, parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=str(folder))  # its mode is 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(aside, settings_file())
        finally:
            with contextlib.suppress(OSError):
                os.unlink(aside)


def token_of(server: str) -> str:
    """What the environment says, else a notebook's secrets, else what `login` kept; or ''."""
    named = as_token(os.getenv("LEADERBOARD_TOKEN")) or as_token(_secret())
    return named or str(kept()["tokens"].get(server, ""))


def as_token(told: str | None) -> str:
    """Without what comes along when it is copied. Raises NotSignedIn, which does not show it."""
    token = (told or "").replace("\ufeff", "").strip()
    if not re.fullmatch("[!-~]*", token):
        text = said(
            "The token has letters that no token has; copy it again",
            "토큰에 있을 수 없는 글자가 있습니다. 다시 복사하세요",
        )
        raise NotSignedIn(text, code="token_form")
    return token


def _secret() -> str:
    """LEADERBOARD_TOKEN among the secrets of a notebook in Colab or on Kaggle; or ''."""
    for module, name in (("google.colab.userdata", "get"), ("kaggle_secrets", "get_secret")):
        try:
            found = importlib.import_module(module)
            place = found.UserSecretsClient() if module == "kaggle_secrets" else found
            return str(getattr(place, name)("LEADERBOARD_TOKEN") or "")
        except Exception:  # noqa: S112  not there, no such secret, not allowed: each has its own
            continue
    return ""


def _address(named: str | None) -> str:
    url = str(named or os.getenv("LEADERBOARD_URL") or SERVER or kept()["server"]).strip()
    if not url:
        text = said("Which server?", "어느 서버입니까?")
        raise ClientError(f"{text} --server https://… / LEADERBOARD_URL", code="no_server")
    if not _is_address(url):
        text = said(
            "A server begins with https:// or http://",
            "서버 주소는 https://나 http://로 시작합니다",
        )
        raise ClientError(f"{text}: {url}", code="no_server")
    return url.rstrip("/")


def _is_address(url: str) -> bool:
    try:
        parts = urllib.parse.urlsplit(url)
        (parts.hostname or "").encode("idna")  # as the system asks for it
        return bool(parts.hostname and parts.port != 0 and re.fullmatch("https?://[!-~]+", url))
    except ValueError:  # also of a port
        return False


def connect(
    server: str | None = None, competition: str | None = None, *, prompt: bool = False
) -> Remote:
    """The server and contest that were named, here or in the environment. Raises ClientError."""
    url = _address(server)
    token = token_of(url)
    if not token and prompt and ("ipykernel" in sys.modules or sys.stdin.isatty()):
        token = ask_token(Remote(url))
    return Remote(url, token, competition or os.getenv("LEADERBOARD_COMPETITION") or "")


def ask_token(remote: Remote) -> str:
    """By a prompt that shows nothing; of a pipe its first line."""
    if not sys.stdin.isatty() and "ipykernel" not in sys.modules:
        return as_token(sys.stdin.readline())
    return as_token(getpass.getpass(printable(said("Token", "토큰") + f" ({remote.token_page}): ")))


@an_answer()
def find_contest(remote: Remote) -> None:
    """Where none was named: the only open one, else the only one that takes late files."""
    if remote.contest:
        return
    known = [one for one in remote.get("/competitions") if not one["is_archived"]]
    open_ones = [one for one in known if one["phase"] == "open"]
    fitting = open_ones or [one for one in known if one["takes_files"]]
    if len(fitting) == 1:
        remote.contest = fitting[0]["slug"]
        remote.tell(said("contest: ", "대회: ") + remote.contest)
        return
    text = said("Which contest? Name it with -c", "어느 대회입니까? -c로 고르세요")
    names = ", ".join(one["slug"] for one in fitting or known)
    raise ClientError(f"{text} / LEADERBOARD_COMPETITION: {names}", code="no_contest")


def pages(remote: Remote, path: str, **query: Any) -> Iterator[Json]:
    """Each page of a list, to the end."""
    page, last = 1, 1
    while page <= last:
        found = remote.get(path, page=page, **query)
        yield found
        more = found.get("items") or found.get("rows")
        page, last = page + 1, found["pages"] if more else 0


# To be imported.


def submit(
    source: Any,
    note: str = "",
    *,
    method: str = "",
    competition: str | None = None,
    server: str | None = None,
    wait: bool = True,
    dry_run: bool = False,
    again: bool = False,
    key: str = "",
    tell: Callable[[Json], None] = lambda state: None,
) -> Any:
    """Check the file for free, hand it in, wait for its score: a Result.

    `source`: a DataFrame, a dict or Series of id → summary, a list of dicts with `fname` and
    `summary`, or a path. `dry_run`: only what would be answered, a FreeCheck. `again`: even if
    these very bytes were handed in before. `key`: of an attempt before, charged once. `tell` is
    called with each new state. Raises InvalidPredictions (nothing was charged), LimitReached,
    NotSignedIn, ServerAway, NotPossible.
    """
    remote, file = connect(server, competition, prompt=True), as_file(source)
    find_contest(remote)
    checked = look(remote, file, needed=dry_run)
    if not (again or key):
        refuse_same(remote, file, checked, "again=True")
    if dry_run:
        return checked
    result = hand_in(remote, file, note=note, method=method, key=key)
    return result.wait(tell) if wait else result


def look(remote: Remote, file: Sending, *, needed: bool) -> FreeCheck | None:
    """The check before handing in, with its refusal; None where no more checks are free."""
    try:
        checked = check(remote, file)
    except LimitReached as error:
        if needed or error.code != "too_many_checks":
            raise
        return None
    if needed:
        refuse(checked)
    return checked


def validate(source: Any, *, competition: str | None = None, server: str | None = None) -> Any:
    """Check a file for free: a FreeCheck. Raises InvalidPredictions, whose text says why."""
    remote, file = connect(server, competition, prompt=True), as_file(source)
    find_contest(remote)
    return check(remote, file)


def score_dev(source: Any, *, competition: str | None = None, server: str | None = None) -> Json:
    """Score a file against the released dev set, for free: `total`, `metrics`, `rows` …"""
    remote, file = connect(server, competition, prompt=True), as_file(source)
    find_contest(remote)
    return dev_score(remote, file)


def dev_score(remote: Remote, file: Sending) -> Json:
    body, headers = file.form()
    path = remote.of_contest("/score-dev")
    found: Json = remote.ask("POST", path, body=body, headers=headers).json()
    return found


def leaderboard(
    *, competition: str | None = None, server: str | None = None, **query: Any
) -> list[Json]:
    """All rows of the board: `pandas.DataFrame(leaderboard())`. `board`, `at`, `q`, `sort`.

    `mark` is `own`, `baseline` or empty.
    """
    remote = connect(server, competition)
    find_contest(remote)
    return flat(whole_board(remote, **query))


@an_answer()
def whole_board(remote: Remote, **query: Any) -> Json:
    """A board with the rows of all its pages."""
    found = list(pages(remote, remote.of_contest("/leaderboard"), **query))
    rows = [row for page in found for row in page["rows"]]
    return {**found[0], "rows": rows, "page": 1, "pages": 1}


@an_answer()
def flat(board: Json) -> list[Json]:
    """Its rows with metrics and further means beside the total, named as in the server's CSV."""
    own = board["own"] or {}
    found = []
    for row in board["rows"]:
        mark = "own" if row["team"] == own.get("team") else "" if row["rank"] else "baseline"
        line: Json = {"rank": row["rank"], "team": row["team"], "mark": mark}
        for name, value in row.items():
            if name == "metrics":
                line.update(value)
            elif isinstance(value, list):  # of whoever else gave rows a number
                for one in value:
                    line[f"{name}_{one['metric']}"] = one["mean"] or None
                    line[f"{name}_{one['metric']}_rows"] = f"{one['scored']}/{one['rows']}"
            else:
                line[name] = value
        found.append(line)
    return found


def limits(*, competition: str | None = None, server: str | None = None) -> Json:
    """What may still be handed in today: `left_today`, `resets_at`, `checks_left` …"""
    remote = connect(server, competition, prompt=True)
    find_contest(remote)
    found: Json = remote.get(remote.of_contest("/limits"))
    with an_answer():
        today(found)
    return found


# The command line.


class Screen:
    """Results on stdout, what goes on on stderr."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.json, self.csv = options.json, options.csv
        self.quiet = options.quiet or options.json
        self._bar = False

    def line(self, text: Any = "") -> None:
        if not self.json:
            self._put(text, sys.stdout)

    def note(self, text: Any) -> None:
        if not self.quiet:
            self.error(text)

    def error(self, text: Any) -> None:
        self._put(text, sys.stderr)

    def _put(self, text: Any, stream: Any) -> None:
        if self._bar:
            sys.stderr.write("\n")
            self._bar = False
        print(printable(text), file=stream, flush=stream is sys.stderr)

    def data(self, found: Any) -> None:
        """The answer as JSON, if that is wanted, in letters that the output can take."""
        if self.json:
            text = in_json(found, ensure_ascii=False)
            try:
                text.encode(sys.stdout.encoding or "utf-8")
            except UnicodeEncodeError:
                text = in_json(found, ensure_ascii=True)
            print(text)

    def table(self, heads: dict[str, str], rows: Sequence[Sequence[Any]]) -> None:
        """`heads`: the names that a CSV file has, and those for people."""
        if self.json:
            return
        if self.csv:
            cells = [[_csv_cell(cell) for cell in row] for row in [list(heads), *rows]]
            csv.writer(sys.stdout, lineterminator="\n").writerows(cells)
            return
        lines = [[printable(number(cell)) for cell in row] for row in [heads.values(), *rows]]
        if sys.stdout.isatty():
            lines = fitted(list(heads), lines, shutil.get_terminal_size().columns)
        widths = [max(map(width, column)) for column in zip(*lines)]
        for line in lines:
            print("  ".join(map(pad, line, widths)).rstrip())

    def state(self, state: Json) -> None:
        """How far a submission is: a bar on a terminal, else a line."""
        text = state_line(state)
        if self.quiet:
            return
        if not sys.stderr.isatty():
            self.note(text)
            return
        done, total = state["rows_done"], state["rows_total"] or 1
        filled = max(0, min(24, 24 * done // total))
        bar = "#" * filled + "." * (24 - filled)
        sys.stderr.write(f"\r\x1b[K[{bar}] {printable(text)}")
        sys.stderr.flush()
        self._bar = True


def state_line(state: Json) -> str:
    """`scoring, 312 / 499 rows`, or the place in the queue."""
    if state["state"] == "waiting":
        place, wait = state["place_in_queue"], state["expected_wait_seconds"]
        text = said("waiting", "대기 중")
        if place is not None:
            text += said(f", place {place} in the queue", f", 대기열 {place}번째")
        return text + ("" if wait is None else said(f", about {wait} s", f", 약 {wait}초"))
    if state["is_over"]:
        return word(state["state"])
    rows = f"{state['rows_done']} / {state['rows_total']}"
    return said(f"scoring, {rows} rows", f"채점 중, {rows}행") + f" ({word(state['stage'])})"


def in_json(found: Any, *, ensure_ascii: bool) -> str:
    text = json.dumps(found, ensure_ascii=ensure_ascii, indent=2)
    return printable(text, "\n", lambda one: json.dumps(one)[1:-1])


def _csv_cell(cell: Any) -> str:
    """Words that a spreadsheet would take for a formula are marked, as in the server's files."""
    text = printable(number(cell))
    bare = text.lstrip("'")
    starts = bare.startswith(FORMULA_STARTS) or bare.lstrip().startswith(FORMULA_STARTS)
    return "'" + text if isinstance(cell, str) and starts else text


def width(text: str) -> int:
    """In columns of a terminal: Korean letters take two, what stands on others none."""
    return sum(
        0
        if unicodedata.category(one) in ("Mn", "Me", "Cf") or "\u1160" <= one <= "\u11ff"
        else 2
        if unicodedata.east_asian_width(one) in "WF"
        else 1
        for one in text
    )


def fitted(names: Sequence[str], lines: list[list[str]], room: int) -> list[list[str]]:
    """A table no wider than that, if ids and the widest of `TEXTS` can make it so."""
    widths = [max(map(width, column)) for column in zip(*lines)]
    over = sum(widths) + 2 * (len(widths) - 1) - room
    if over > 0 and "ref" in names:
        place = names.index("ref")
        over -= max(widths[place] - SHORTEST, 0)
        lines = [
            [cell[:SHORTEST] if n == place else cell for n, cell in enumerate(line)]
            for line in lines
        ]
    texts = [place for place, name in enumerate(names) if name in TEXTS]
    while over > 0 and any(widths[place] > SHORTEST for place in texts):
        widths[max(texts, key=widths.__getitem__)] -= 1
        over -= 1
    return [[cut(*cell) for cell in zip(line, widths)] for line in lines]


def cut(text: str, columns: int) -> str:
    """Its beginning, with `…` for what does not fit."""
    if width(text) <= columns:
        return text
    while width(text) >= columns:
        text = text[:-1]
    return text + "…"


def pad(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def login(remote: Remote, options: argparse.Namespace, screen: Screen) -> None:
    """Ask for a token, try it, keep it with mode 0600."""
    token = as_token(os.getenv("LEADERBOARD_TOKEN")) or ask_token(remote)
    me = Remote(remote.url, token, tell=screen.note).get("/me")
    who, scope, end = me["username"], me["token"]["scope"], clock(me["token"]["expires_at"])
    keep(remote.url, token)
    screen.data(me)
    if not re.match(r"https:|http://(localhost|127\.|\[::1\])", remote.url):
        text = said(
            "Anybody on the way can read the token: http.",
            "http는 암호화되지 않아 중간에서 누구나 토큰을 읽을 수 있습니다.",
        )
        screen.note(text)
    screen.line(
        said(
            f"Signed in to {remote.url} as {who} ({scope}, until {end}).",
            f"로그인: {remote.url} · {who} ({scope}, 만료 {end})",
        )
    )


def validate_file(remote: Remote, options: argparse.Namespace, screen: Screen) -> None:
    """Check a file for free."""
    checked = check(remote, as_file(_named_file(options)))
    screen.data(checked.data)
    _say_checked(checked, screen)
    refusal = checked.data["refusal"]
    if refusal:
        screen.line("{detail} {next_step}".format(**refusal[language()]))


def submit_file(remote: Remote, options: argparse.Namespace, screen: Screen) -> None:
    """Hand a file in."""
    file = as_file(_named_file(options))
    checked = look(remote, file, needed=options.dry_run)
    if not (options.again or options.key):
        refuse_same(remote, file, checked, "--again")
    if checked is not None and options.dry_run:
        screen.data(checked.data)
        _say_checked(checked, screen)
        return
    for line in repr(checked).splitlines()[1:] if checked else ():
        screen.note(line)
    result = hand_in(remote, file, note=options.message, method=options.method, key=options.key)
    screen.note(said(f"handed in: {result.url}", f"제출함: {result.url}"))
    if options.wait:
        result.wait(screen.state)
    screen.data(result.data)
    for name, text in result.facts():
        screen.line(f"{pad(name, 16)} {text}")
    screen.line(today(result.data["limits"]))


def score_dev_file(remote: Remote, options: argparse.Namespace, screen: Screen) -> None:
    """A file against the dev set; as CSV each of its rows."""
    found = dev_score(remote, as_file(_named_file(options)))
    screen.data(found)
    for notice in found["notices"]:
        screen.note(problem_line(notice))
    if screen.csv:
        names = {name: name for name in ("id", "total", *found["metrics"])}
        rows = [[row["id"], row["total"], *row["metrics"].values()] for row in found["rows"]]
        screen.table(names, rows)
        return
    for name, value in {said("score", "점수"): found["total"], **found["metrics"]}.items():
        screen.line(f"{pad(metric_label(name), 16)} {number(value)}")
    if found["runs_left"] is not None:
        left = found["runs_left"]
        screen.line(said(f"{left} left this hour", f"이번 시간 {left}회 남음"))


def submissions(remote: Remote, options: argparse.Namespace, screen: Screen) -> None:
    """The team's submissions, the newest first."""
    found = list(pages(remote, remote.of_contest("/submissions")))
    rows = [row for page in found for row in page["items"]]
    screen.data({"items": rows, "count": len(rows), "limits": found[0]["limits"]})
    heads = {"ref": "ref", "fileName": said("fileName", "파일"), "date": said("date", "받은 때")}
    heads.update(description=said("description", "메모"), status=said("status", "상태"))
    heads.update(publicScore="publicScore", privateScore="privateScore")
    lines = [
        [
            *(row["id"], row["file_name"], clock(row["received_at"]), row["note"]),
            row["state"] if screen.csv else standing(row),
            *(row["scores"].get(board, {}).get("total") for board in ("public", "private")),
        ]
        for row in rows
    ]
    screen.table(heads, lines)
    _say_today(screen, found[0]["limits"])


def standing(row: Json) -> str:
    """The state of a submission, and what else decides whether it counts."""
    off = row["excluded"]
    told = [
        word(row["state"]),
        said("★ final", "★ 최종") if row["is_final"] else "",
        said("late", "마감 뒤") if row["is_late"] else "",
        "" if off is None else said("excluded", "리더보드에서 제외됨") + (off and f": {off}"),
    ]
    return ", ".join(filter(None, told))


def show_board(remote: Remote, options: argparse.Namespace, screen: Screen) -> None:
    """A board, with all its rows."""
    board = whole_board(remote, board=options.board, at=options.at)
    screen.data(board)
    screen.note(_board_caption(board))
    rows = flat(board)
    if not (rows or screen.csv):
        screen.line(said("No team has a score.", "점수를 받은 팀이 없습니다."))
    if not screen.csv:
        rows = [_range_as_one(row) for row in rows]
    names = list(dict.fromkeys(name for row in rows for name in row)) or ["rank", "team", "mark"]
    four = {"total", *(key for row in board["rows"] for key in row.get("metrics", ()))}
    cells = [[_board_cell(name, row.get(name), four, screen) for name in names] for row in rows]
    if rows or screen.csv:
        screen.table(_board_heads(board, names), cells)
    own = board["own"]
    if own and not screen.csv:
        screen.note(said("your team: ", "내 팀: ") + f"{own['rank'] or '-'}")
    _today_of(remote, screen)


def _board_caption(board: Json) -> str:
    """Which board it is: `Public leaderboard · version 2 · live · as of 2026-12-01 19:00`."""
    public = board["board"] == "public"
    name = said("Public leaderboard", "공개(Public) 리더보드")
    if not public:
        name = said("Private leaderboard", "비공개(Private) 리더보드")
    version = board["version"]
    numbered = "" if version is None else said(f"version {version}", f"버전 {version}")
    at = printable(board["standings_of"] or board["as_of"])[:16].replace("T", " ")
    of = said(f"as of {at}", f"{at} 기준")
    return " · ".join(filter(None, [name, numbered, word(board["state"]), of]))


def _range_as_one(row: Json) -> Json:
    """The two ranks of a range as the page has them: `1–3`."""
    found: Json = {}
    for name, value in row.items():
        if name == "best_rank":
            ends = [value, row.get("worst_rank")]
            found["range"] = "–".join(str(one) for one in dict.fromkeys(ends) if one is not None)
        elif name != "worst_rank":
            found[name] = value
    return found


def _board_heads(board: Json, names: Sequence[str]) -> dict[str, str]:
    labels = {one["key"].replace("-", "_"): one["label"] for one in board["columns"]}
    for key, name in (("last", "last_submission_at"), ("way", "way_percent")):
        labels[name] = labels.get(key, name)
    labels["lift_percent"] = labels.get("lift", "lift_percent")
    for name in names:  # how many rows have such a number
        if name.endswith("_rows"):
            labels[name] = labels.get(name[:-5], name[:-5]) + said(", rows", ", 행 수")
    known = {"rank": said("Rank", "순위"), "team": said("Team", "팀"), "mark": ""}
    return {name: known.get(name, labels.get(name, name)) for name in names}


def _board_cell(name: str, value: Any, four: set[str], screen: Screen) -> Any:
    """As the page prints it; a CSV file has the server's own values."""
    if isinstance(value, float) and name not in four:
        return str(value)
    if screen.csv or value in (None, ""):
        return value if screen.csv or name != "rank" else "-"
    if name in ("way_percent", "lift_percent"):
        return f"{value} %"
    if name == "mark":
        return said("your team", "내 팀") if value == "own" else said("baseline", "베이스라인")
    return value[:16].replace("T", " ") if name == "last_submission_at" else value


def show_limits(remote: Remote, options: argparse.Namespace, screen: Screen) -> None:
    """What may still be handed in."""
    found = remote.get(remote.of_contest("/limits"))
    screen.data(found)
    if screen.csv:
        screen.table({"limit": "", "value": ""}, list(found.items()))
    else:
        screen.line(today(found))
        left = found["checks_left"]
        screen.line(
            said(f"{left} free checks left this hour", f"이번 시간 무료 검사 {left}회 남음")
        )


def show_files(remote: Remote, options: argparse.Namespace, screen: Screen) -> None:
    """The files of the contest."""
    found = remote.get(remote.of_contest("/files"))
    screen.data(found)
    about = "description" if language() == "ko" else "description_en"
    rows = [[one["name"], one["size"], one[about] or one["description"]] for one in found]
    heads = {"name": said("name", "이름"), "size": said("size", "크기")}
    screen.table({**heads, "description": said("description", "설명")}, rows)
    _today_of(remote, screen)


def download(remote: Remote, options: argparse.Namespace, screen: Screen) -> None:
    """One file of the contest, or all of them."""
    found = remote.get(remote.of_contest("/files"))
    wanted = options.file or options.named
    chosen = [one for one in found if wanted in (None, one["name"])]
    if not chosen:
        text = said("There is no such file; there are", "그런 파일이 없습니다. 있는 파일")
        known = ", ".join(one["name"] for one in found)
        raise NotPossible(f"{text}: {known}", code="unknown_file")
    names = file_names([one["name"] for one in found])
    done: list[str] = []
    failed: list[ClientError] = []
    for one in chosen:
        try:
            with an_answer():
                target = Path(options.path, names[one["name"]])
                done.append(fetch(remote, one, target, force=options.force))
            screen.line(done[-1])
        except (NotSignedIn, LimitReached):
            raise
        except ClientError as error:
            if error.code == "unreachable":
                raise
            failed.append(error)
    if failed:
        for further in failed[1:]:
            screen.error(further)
        failed[0].problem["fetched"] = done
        raise failed[0]
    screen.data(done)
    _today_of(remote, screen)


def fetch(remote: Remote, file: Json, target: Path, *, force: bool) -> str:
    """Where it lies now, whole: written aside, then put in place. One of another content stays."""
    path, sha256 = remote.of_contest(f"/files/{file['id']}"), file["sha256"]
    aside = target.with_name(f".{uuid.uuid4().hex}")
    with own_file(target):
        if not force and _is_there(target, sha256):
            return str(target)
        target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with own_file(target), aside.open("xb") as out, an_answer():
            answer = remote.patiently(lambda: _go_on(remote, path, out, file), remote.pauses)
            remote.good(answer, path)
        with own_file(target):
            if _sha256(aside) == sha256:
                if force or not _is_there(target, sha256):
                    os.replace(aside, target)
                return str(target)
    finally:
        with contextlib.suppress(OSError):
            aside.unlink()
    text = said("It came damaged; try again", "받은 파일이 손상되었습니다. 다시 받으세요")
    raise ServerAway(f"{text}: {target}", code="damaged")


def _is_there(target: Path, sha256: str) -> bool:
    """Raises ClientError for another file of that name."""
    if not target.exists():
        return False
    if _sha256(target) == sha256:
        return True
    text = said("Another file is there; -o replaces it", "다른 파일이 이미 있습니다. -o로 바꿉니다")
    raise ClientError(f"{text}: {target}", code="file_exists")


def file_names(sent: Sequence[str]) -> dict[str, str]:
    """The name of each on this disk; a mark where two would become one, on any system."""
    alike: dict[str, list[str]] = {}
    for one in sent:
        name = unicodedata.normalize("NFC", file_name(one)).casefold()
        alike.setdefault(name, []).append(one)
    return {one: file_name(one, marked=len(same) > 1) for same in alike.values() for one in same}


def file_name(sent: str, *, marked: bool = False) -> str:
    """A name that every system takes, in no other folder; what is too long keeps its ending."""
    seen = printable(sent, escaped=lambda one: "_").encode("utf-8", "replace").decode()
    name = re.sub(r'[/\\:*?"<>|]', "_", seen).strip(". ") or "file"
    data = name.encode()
    if len(data) <= LONGEST_NAME and not marked:
        return name
    whole = str(sent).encode("utf-8", "replace")  # two long names may begin alike
    mark = f"~{hashlib.sha256(whole).hexdigest()[:8]}"
    ending = os.path.splitext(name)[1]
    ending = ending if len(ending.encode()) <= 20 else ""
    room = LONGEST_NAME - len(mark) - len(ending.encode())
    stem = data[: len(data) - len(ending.encode())][:room]
    return stem.decode("utf-8", "ignore") + mark + ending


def _go_on(remote: Remote, path: str, out: Any, file: Json) -> Answered:
    """Fetch what is missing of it. Raises HTTPException where the connection ends before."""
    begun = out.tell()
    headers = {"Range": f"bytes={begun}-", "If-Range": '"{sha256}"'.format(**file)}
    try:
        answer = remote.open(remote.request("GET", path, headers=headers if begun else {}))
    except urllib.error.HTTPError as refused:
        with refused:
            return Answered(refused.code, refused.headers, _all_of(refused))
    with answer, own_file(file["name"]):
        if answer.status != 206:
            out.seek(0)
            out.truncate()
        for chunk in _chunks(answer, file["size"] - out.tell()):
            out.write(chunk)
        if out.tell() < file["size"]:
            raise http.client.IncompleteRead(b"")
    return Answered(200, {}, b"")


def _chunks(answer: Any, most: int) -> Iterator[bytes]:
    """What comes. A connection that is cut is no fault of the file that it is written to."""
    while most > 0:
        try:
            chunk = answer.read(min(CHUNK, most))
        except OSError as error:
            raise http.client.HTTPException(str(error)) from None
        if not chunk:
            return
        most -= len(chunk)
        yield chunk


def _sha256(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        for chunk in iter(lambda: file.read(CHUNK), b""):
            found.update(chunk)
    return found.hexdigest()


def _named_file(options: argparse.Namespace) -> str:
    named = options.file or options.named
    if not named:
        raise ClientError(said("Which file?", "어느 파일입니까?"), code="no_file")
    return str(named)


def _say_checked(checked: FreeCheck, screen: Screen) -> None:
    for line in repr(checked).splitlines():
        screen.line(line)


def _today_of(remote: Remote, screen: Screen) -> None:
    """What is left today, for who takes part."""
    if remote.has_token and not screen.quiet:
        try:
            _say_today(screen, remote.get(remote.of_contest("/limits")))
        except NotPossible:
            return


def _say_today(screen: Screen, left: Json) -> None:
    (screen.note if screen.csv else screen.line)(today(left))


VERBS: dict[str, tuple[Callable[[Remote, argparse.Namespace, Screen], None], str, str]] = {
    "login": (login, "keep a token for a server", "서버의 토큰을 저장"),
    "validate": (validate_file, "check a file for free", "횟수를 쓰지 않고 파일 확인"),
    "submit": (submit_file, "hand a file in", "파일 제출"),
    "score-dev": (
        score_dev_file,
        "score a file against the dev set",
        "파일을 개발용(dev) 데이터로 채점",
    ),
    "submissions": (submissions, "your team's submissions", "우리 팀의 제출"),
    "leaderboard": (show_board, "a board, all of its rows", "리더보드의 모든 행"),
    "limits": (show_limits, "what may still be handed in", "남은 제출 횟수"),
    "files": (show_files, "the files of the contest", "대회 파일"),
    "download": (download, "fetch one of them, or all", "대회 파일 받기, 하나나 모두"),
}
WRONG_WORDS = (  # argparse's own sentences
    (r"the following arguments are required: (.*)", r"빠진 것: \1"),
    (r"unrecognized arguments: (.*)", r"모르는 옵션: \1"),
    (r"argument (.*): expected one argument", r"\1: 값이 필요합니다"),
    (
        r"argument (.*): invalid choice: (.*?) \(.*choose from (.*)\)",
        r"\1: 없는 값 \2. 있는 것: \3",
    ),
)


class Help(argparse.RawDescriptionHelpFormatter):
    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any = None) -> None:
        prefix = said("usage: ", "쓰는 법: ") if prefix is None else prefix
        super().add_usage(usage, actions, groups, prefix)


class VerbParser(argparse.ArgumentParser):
    """Exits with 1 where argparse exits with 2, which is a file that is not valid here."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given, add_help=False, formatter_class=Help)
        self._positionals.title = said("arguments", "인자")
        self._optionals.title = said("options", "옵션")
        self.say("-h", "--help", action="help", en="show this and exit", ko="이 도움말")

    def say(self, *names: str, en: str, ko: str, **given: Any) -> None:
        self.add_argument(*names, help=said(en, ko), **given)

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        if language() == "ko":
            for theirs, ours in WRONG_WORDS:
                message = re.sub(theirs, ours, message, flags=re.S)
        self.exit(1, printable(f"{self.prog}: {message}") + "\n")


def parser() -> argparse.ArgumentParser:
    whole = VerbParser(description=said(__doc__ or "", KOREAN_HELP), prog=as_typed())
    verbs = whole.add_subparsers(dest="verb", metavar=said("VERB", "동작"), required=True)
    made = {}
    for verb, (_, en, ko) in VERBS.items():
        made[verb] = verbs.add_parser(verb, help=said(en, ko), description=said(en, ko))
        _for_all(made[verb])
    for verb in ("validate", "submit", "score-dev", "download"):
        made[verb].add_argument("named", nargs="?", metavar="FILE")
        made[verb].say("-f", "--file", en="the same as FILE", ko="FILE과 같음")
    _for_submit(made["submit"])
    board, files = made["leaderboard"], made["download"]
    board.say("--board", choices=["public", "private"], en="which one", ko="어느 리더보드")
    board.say("--at", en="as of a past midnight: 2026-12-01", ko="지난 자정 기준: 2026-12-01")
    files.say("-p", "--path", default=".", en="the folder", ko="받을 폴더")
    files.say("-o", "--force", action="store_true", en="replace files", ko="있는 파일을 바꿈")
    return whole


def _for_all(verb: VerbParser) -> None:
    verb.say(
        *("-c", "--competition"),
        en="the contest; else LEADERBOARD_COMPETITION",
        ko="대회. 없으면 LEADERBOARD_COMPETITION",
    )
    verb.say("--server", en="its address; else LEADERBOARD_URL", ko="주소. 없으면 LEADERBOARD_URL")
    verb.say(
        "--json", action="store_true", en="the server's answer, as JSON", ko="서버의 답을 JSON으로"
    )
    verb.say("-v", "--csv", action="store_true", en="tables as CSV", ko="표를 CSV로")
    verb.say("-q", "--quiet", action="store_true", en="the result alone", ko="결과만")
    verb.say("--lang", choices=["ko", "en"], en="else as LANG says", ko="없으면 LANG대로")


def _for_submit(verb: VerbParser) -> None:
    yes: Json = {"action": "store_true"}
    verb.say("-m", "--message", default="", en="a note, up to 500 letters", ko="메모, 500자까지")
    verb.say("--method", default="", en="the name of the method", ko="방법 이름")
    verb.say("--wait", **yes, en="until it is scored", ko="채점이 끝날 때까지 기다림")
    verb.say("--dry-run", **yes, en="hand nothing in", ko="내지 않고 확인만")
    verb.say("--again", **yes, en="even the very same file", ko="똑같은 파일이라도 제출")
    verb.say(
        "--key",
        default="",
        en="of an attempt before: charged once",
        ko="앞선 시도의 키: 한 번만 셈",
    )


def _asked_language(words: Sequence[str]) -> str:
    """Of `--lang`, which the help is written in."""
    found = re.search(r"\0--lang[=\0](ko|en)\0", "\0" + "\0".join(words) + "\0")
    return found[1] if found else ""


def as_typed() -> str:
    """This command, as whoever ran it may type it again."""
    script = "leaderboard_client.py" if sys.argv[0] in ("", "-") else sys.argv[0]
    if script.endswith(".py"):
        return ("py " if os.name == "nt" else "python3 ") + shlex.quote(script)
    return shlex.quote(os.path.basename(script))  # pip installed it under this name


def main(words: Sequence[str] | None = None) -> int:
    """Do what the words say; the exit code."""
    global _language
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    _language = _asked_language(sys.argv[1:] if words is None else words)
    options = parser().parse_args(words)
    screen = Screen(options)
    try:
        with an_answer():
            remote = connect(options.server, options.competition)
            remote.tell = screen.note
            if options.verb != "login":
                find_contest(remote)
            VERBS[options.verb][0](remote, options, screen)
            sys.stdout.flush()
    except ClientError as error:
        return _tell_error(error, options, screen)
    except (KeyboardInterrupt, EOFError):
        text = said("Interrupted. What was handed in stays.", "중단했습니다. 낸 것은 그대로입니다.")
        screen.note(text)
        return 130
    except OSError as error:  # of the output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # which is `| head`, and has read enough
            text = said("The output cannot be written", "출력을 쓸 수 없습니다")
            screen.error(f"{text} ({error.strerror})")
            return ClientError.exit_code
    return 0


def _tell_error(error: ClientError, options: argparse.Namespace, screen: Screen) -> int:
    screen.data(error.as_json())
    if not screen.json:
        for line in error.lines():
            screen.error(line)
        if isinstance(error, NotSignedIn):
            if os.getenv("LEADERBOARD_TOKEN"):
                text = (
                    "LEADERBOARD_TOKEN is set and goes first: put the new token there, or unset it."
                )
                screen.error(
                    said(text, "LEADERBOARD_TOKEN이 먼저입니다. 새 토큰으로 바꾸거나 지우세요.")
                )
            named = f" --server {shlex.quote(options.server)}" if options.server else ""
            screen.error(said("Sign in: ", "로그인: ") + f"{as_typed()} login{named}")
    return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
