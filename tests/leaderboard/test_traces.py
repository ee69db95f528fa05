"""What the log says of our own mistakes: which line made them, and no word of anybody's."""

import io
import json
import logging
import threading
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest
import structlog
from billiard.einfo import ExceptionInfo
from celery import Celery
from celery.utils.dispatch import Signal
from django.test import Client
from structlog.stdlib import ProcessorFormatter

from leaderboard import logs
from leaderboard.actions.scoring import evaluate_next
from leaderboard.evaluation.models import Evaluation
from leaderboard.web.contest import overview
from scoring import pipeline
from tests.leaderboard.builders import hand_in, open_competition, team
from tests.leaderboard.material import NOON

WORDS = "민수는 도서관에서 비밀을 말했다"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What stands in the log of a process, as it stands there."""
    given = logs.configuration(level="INFO")["formatters"]["json"]
    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(ProcessorFormatter(**{n: v for n, v in given.items() if n != "()"}))
    logging.root.addHandler(handler)
    yield handler.stream
    logging.root.removeHandler(handler)


def fall(*_: object, **__: object) -> NoReturn:
    text = WORDS
    try:
        raise KeyError(text)
    except KeyError as error:
        raise ValueError(f"cannot read {text}") from error


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    """All of them, without a word of what was said."""
    said = log.getvalue()
    assert said
    for word in WORDS.split():
        assert word not in said
        assert repr(word)[1:-1] not in said
    return [json.loads(line) for line in said.splitlines()]


@pytest.mark.django_db
def test_a_file_that_breaks_scoring_is_told_by_lines_of_code(
    log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = hand_in(team(open_competition(), "alice"), {"talk_1": WORDS})

    def cut(texts: object, *_: object, **__: object) -> NoReturn:
        raise ValueError(f"unexpected: {texts}")

    monkeypatch.setattr(pipeline, "_cut", cut)
    assert evaluate_next(now=lambda: NOON) is not None
    (failed,) = [line for line in lines(log) if line["event"] == "scoring_failed"]
    assert failed["error"] == "ValueError"
    assert failed["submission"] == str(given.pk)
    assert failed["attempt"] == 1
    assert [place.rpartition(":")[0] for place in failed["where"]] == [
        "leaderboard/actions/scoring.py",
        "leaderboard/evaluation/run.py",
        "scoring/pipeline.py",
        "tests/leaderboard/test_traces.py",
    ]
    assert all(place.rpartition(":")[2].isdigit() for place in failed["where"])
    assert Evaluation.objects.get().state == "queued"


def test_celery_says_no_more_of_a_task_that_fell(log: io.StringIO) -> None:
    app = Celery("one", set_as_current=False)
    app.task(fall, name="fall", shared=False).apply()
    (line,) = (each for each in lines(log) if each["level"] == "error")
    assert (line["error"], line["logger"]) == ("ValueError", "celery.app.trace")
    assert "Task fall[" in line["event"]
    assert "raised unexpected: ValueError" in line["event"]
    assert [each["error"] for each in line["because"]] == ["KeyError"]
    assert line["where"][-1].startswith("tests/leaderboard/test_traces.py:")


def test_nor_of_a_signal_s_receiver_and_of_a_child(log: io.StringIO) -> None:
    signal = Signal(name="signal")
    signal.connect(fall)
    signal.send(sender=None)
    try:
        fall()
    except ValueError as error:
        worker = logging.getLogger("celery.worker.request")
        worker.error("Task handler raised error: %r", error, exc_info=True)
        worker.error("Task %s %s", "one", ExceptionInfo())
        worker.error("%(text)s", {"text": str(ExceptionInfo().traceback)})
        worker.error(error)
    assert len(lines(log)) == 5


@pytest.mark.django_db
def test_nor_does_a_page_that_fell(log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "load", fall)
    answer = Client(raise_request_exception=False).get("/status")
    assert answer.status_code == 500
    (line,) = (each for each in lines(log) if each["level"] == "error")
    assert line["event"] == "Internal Server Error: /status"
    assert "leaderboard/web/contest/overview.py" in str(line["where"])


def test_nor_do_gunicorn_our_own_lines_and_a_thread(
    log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        fall()
    except ValueError:
        logging.getLogger("gunicorn.error").exception("Error handling request %s", "/c/talk/")
        structlog.get_logger("leaderboard.x").exception("fell", submission="an-id")
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    logs.log_uncaught()
    thread = threading.Thread(target=fall)
    thread.start()
    thread.join()
    first, second, third = lines(log)
    assert first["event"] == "Error handling request /c/talk/"
    assert (second["event"], second["submission"]) == ("fell", "an-id")
    assert third["event"] == "thread_ended"
    for line in (first, second, third):
        assert line["where"][-1].startswith("tests/leaderboard/test_traces.py:")


def test_what_speaks_of_no_error_is_said_as_it_is(log: io.StringIO) -> None:
    logging.getLogger("other").warning("%s of %d: %s%%", "one", 2, 50)
    logging.getLogger("other").warning("100% of it")
    logging.getLogger("other").warning("%(a)s", {"a": 1})
    assert [line["event"] for line in lines(log)] == ["one of 2: 50%", "100% of it", "1"]
