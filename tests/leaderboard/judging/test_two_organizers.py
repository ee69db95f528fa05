"""Two organizers change a judge column's sections, or review its items, at once."""

import pytest
from django.test import Client

from tests.leaderboard.judging import configs
from tests.leaderboard.judging.pages import judge_page
from tests.leaderboard.web.forms_of import forms_of
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db


def opened(client: Client, where: str, verb: str) -> dict[str, str]:
    """The form of this verb, as it stands on the page."""
    for form in forms_of(client.get(where).text, where):
        if ("verb", verb, "") in form.buttons:
            return {**form.fields, "verb": verb}
    raise LookupError(verb)


@pytest.fixture
def olivia(connected_judge: None) -> Client:
    return browser("olivia")


def test_a_section_that_another_one_wrote_stays(olivia: Client) -> None:
    contest = running()
    configs.dialogues(contest)
    config = configs.created(contest)
    where = judge_page(config)
    hers, his = opened(olivia, where, "sections"), opened(olivia, where, "sections")
    his |= {"section0-name": "요약", "section0-instruction": "한 문장으로"}
    assert olivia.post(where, his).status_code == 302
    hers |= {"section1-name": "머리말", "section1-instruction": "두 낱말로"}
    assert olivia.post(where, hers).status_code == 302
    sections = [(one.name, one.instruction) for one in config.sections.all()]
    assert sections == [("요약", "한 문장으로"), ("머리말", "두 낱말로")]
    clash = his | {"section0-instruction": "세 문장으로"}
    answer = olivia.post(where, clash)
    assert answer.status_code == 422
    assert "한 문장으로" in answer.text
    assert "세 문장으로" in answer.text
    assert config.sections.get(name="요약").instruction == "한 문장으로"


def test_a_review_of_another_one_stays(olivia: Client) -> None:
    config = configs.built(running())
    where = f"{judge_page(config, '/items')}?page=2"
    hers, his = opened(olivia, where, "save"), opened(olivia, where, "save")
    first, second = sorted(name for name in hers if name.startswith("text-"))[:2]
    assert olivia.post(where, his | {first: "만나는가?"}).status_code == 302
    assert olivia.post(where, hers | {second: "어디인가?"}).status_code == 302
    example = {"example_id": hers["example"]}
    texts = set(config.artefacts.filter(**example).values_list("text", flat=True))
    assert {"만나는가?", "어디인가?"} <= texts
    answer = olivia.post(where, hers | {first: "언제인가?"})
    assert answer.status_code == 422
    assert "언제인가?" in answer.text
    assert config.artefacts.filter(**example, text="만나는가?").exists()
