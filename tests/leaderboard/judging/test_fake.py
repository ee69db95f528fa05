"""The fake judge answers every call of every pipeline, and every fault is seen on a socket."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from leaderboard.judging.fake.server import FakeJudge
from scoring.judges import prompts, walking
from scoring.judges.call_graph import Call, Pipeline
from scoring.judges.pipelines import PIPELINES
from scoring.judges.records import Question, Rubric, SourceContent
from scoring.judges.schemas import SCHEMAS
from tests.judging.server import MODEL, TAG, ask, control, log, request, running, send
from tests.servers import wait_for

DIALOGUE = "민수: 내일 세 시에 도서관에서 보자.\n지우: 좋아. 빌린 책을 돌려줄게."
SUMMARY = "민수와 지우는 내일 도서관에서 만난다. 지우는 책을 돌려준다."
CLAIMS = {"dialogue": DIALOGUE, "claims": [{"id": "c1", "point": "지우는 책을 돌려준다."}]}
COVER = {
    "summary": SUMMARY,
    "questions": [{"id": "q1", "question": "'빌린 책을 돌려줄게.'라는 내용이 나오는가?"}],
    "rubrics": [],
}


@pytest.fixture(scope="module")
def server() -> Iterator[FakeJudge]:
    with running() as judge:
        yield judge


@pytest.fixture
def judge(server: FakeJudge) -> Iterator[FakeJudge]:
    """Undisturbed, with an empty log."""
    clean: dict[str, Any] = {"faults": [], "delay": 0, "slow": 0.4}
    control(server.port, **clean, forget=True)
    yield server
    control(server.port, **clean)


def fits(value: Any, form: Mapping[str, Any]) -> bool:
    """Whether a value has the form, of the few that the schemas use."""
    kinds = form["type"] if isinstance(form["type"], list) else [form["type"]]
    if value is None:
        return "null" in kinds
    if isinstance(value, dict):
        names = form.get("properties", {})
        return value.keys() == names.keys() and all(fits(value[n], names[n]) for n in names)
    if isinstance(value, list):
        return "array" in kinds and all(fits(one, form["items"]) for one in value)
    if isinstance(value, bool):
        return "boolean" in kinds
    return "string" in kinds and value in form.get("enum", [value])


def walk(judge: FakeJudge, pipeline: Pipeline, **given: Any) -> Any:
    """Every call of a pipeline over the socket; the values it ends with."""

    def answered(call: Call, values: Any) -> Any:
        material = walking.material(call, values)
        messages = prompts.build(prompts.load(call.prompt, "ko"), material, TAG)
        body = {"model": MODEL, "messages": list(messages)}  # the mode without any answer form
        heard = send(judge.port, "POST", "/v1/chat/completions", json.dumps(body).encode())
        assert heard.status == 200, heard.body
        assert fits(heard.answer, SCHEMAS[call.schema].body), (call.schema, heard.answer)
        return heard.answer

    values: Any = walking.given(**given)
    for call in pipeline.calls:
        skipped = walking.is_skipped(call, values)
        answer = call.skipped if skipped else answered(call, values)
        values = walking.with_answer(values, call, answer)
    return values


@pytest.mark.parametrize("name", [name for name in PIPELINES if name != "artefacts"])
def test_every_call_gets_an_answer_of_its_form(judge: FakeJudge, name: str) -> None:
    rubric = Rubric("r1", "결과", "무엇을 하기로 했는지 쓴다.", "결과를 썼는가?")
    values = walk(
        judge,
        PIPELINES[name],
        summary=SUMMARY,
        dialogue=DIALOGUE,
        questions=[Question("q1", COVER["questions"][0]["question"])],
        rubrics=[rubric],
        contents=[SourceContent("s1", "r1", "지우가 책을 돌려주기로 한다.")],
        section="결과",
        instruction="무엇을 하기로 했는지 쓴다.",
        reason=True,
    )
    assert log(judge.port)["requests"] == len(PIPELINES[name].calls)
    assert not [key for key in walking.given() if key not in values]


def test_the_same_question_gets_the_same_answer_and_is_counted(judge: FakeJudge) -> None:
    first, second = (ask(judge, "cover", COVER) for _ in range(2))
    assert first.body == second.body
    assert first.answer["answers"][0]["answered"] is True
    assert first.json()["model"] == MODEL
    assert first.json()["usage"]["completion_tokens"] > 0
    # What was sent is counted a moment after it was read.
    found = wait_for(lambda: (now := log(judge.port))["in_flight"] == 0 and now, 20, "counted")
    assert (found["requests"], found["answered"], found["in_flight"]) == (2, 2, 0)
    assert list(found["asked_by_key"].values()) == [2]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/completions", request("cover", COVER)),
        ("/v1/chat/completions", b"no json"),
        ("/v1/chat/completions", request("cover", COVER).replace(b"You find out", b"You guess")),
    ],
    ids=["path", "no-json", "rules"],
)
def test_what_is_unknown_is_answered_501(judge: FakeJudge, path: str, body: bytes) -> None:
    assert send(judge.port, "POST", path, body).status == 501
    assert log(judge.port)["unknown"] == 1


def test_a_plan_is_used_up_in_order_and_by_schema(judge: FakeJudge) -> None:
    plan = [{"fault": "500", "times": 2}, {"fault": "401", "schema": "cover"}]
    control(judge.port, faults=plan)
    asked = [("verify", CLAIMS), ("verify", CLAIMS), ("verify", CLAIMS), ("cover", COVER)]
    assert [ask(judge, *one).status for one in asked] == [500, 500, 200, 401]
    for wrong in ({"fault": "none"}, {"fault": "500", "times": 0}, {"what": 1}):
        assert control(judge.port, faults=[wrong]).status == 400
