"""Speaker tags: cut like everything else, one token each, or none."""

import json

import pytest

from scoring.explain import worked_example
from scoring.formula import describe
from scoring.messages import Language
from scoring.pipeline import prepare, score
from scoring.profile import Profile, preset_of
from scoring.references import ReferenceRow, References
from scoring.signature import version_signature
from scoring.tokenizers.tags import MOST_CHARACTERS, Tags
from scoring.verify import verify

TEXT = "#Person1#은 #Person22#에게 화자3의 집을 묻는다."
SET = References.from_examples(
    [
        ReferenceRow("a", (TEXT, "#Person1#가 #Person2#를 만난다.")),
        ReferenceRow("b", ("#Person2#의 차는 노란색이다.", "차가 노랗다.")),
    ]
)
GIVEN = {"a": "#Person1#은 #Person2#에게 길을 묻는다.", "b": "#Person1#"}


def cut(tags: Tags, text: str = TEXT, **settings: object) -> list[str]:
    return list(Profile.from_dict({"tags": tags, **settings}).analyzer()(text))


def test_a_tag_is_four_tokens_one_or_none() -> None:
    assert cut("keep", "#Person1#은") == ["#", "Person", "1", "#", "은"]
    assert cut("atomic") == [
        *["#Person1#", "은", "#Person22#", "에게", "화자", "3", "의", "집", "을", "묻", "는다", "."]
    ]
    assert cut("drop") == [token for token in cut("atomic") if "#" not in token]
    assert cut("drop", "#Person1# ") == []
    assert cut("drop", "#Person#은 #Persona1#", tokenizer="whitespace") == [
        "#Person#은",
        "#Persona1#",
    ]


def test_a_contest_names_tags_of_its_own() -> None:
    named = {"tag_forms": ["화자*", "화자*호", "#Person*#"], "tokenizer": "whitespace"}
    assert cut("atomic", "화자12호는 화자3을 #Person1#과", **named) == [
        *["화자12호", "는", "화자3", "을", "#Person1#", "과"]
    ]
    assert Profile.from_dict({"tags": "drop", **named}).tag_forms == ("화자*", "화자*호")
    nfd = "\u1112\u116a\u110c\u1161*"
    assert Profile(tags="drop", tag_forms=(nfd,)).tag_forms == ("화자*",)


@pytest.mark.parametrize("form", ["*", "가", "가**", "가 *", "가1*", "가|*", "가*" * 12])
def test_a_form_that_would_be_slow_or_muddled_is_refused(form: str) -> None:
    with pytest.raises(ValueError, match="a tag is written like"):
        Profile(tags="drop", tag_forms=(form,))
    assert len("가*" * 12) > MOST_CHARACTERS


def test_no_text_is_slow_to_search() -> None:
    chosen = Profile(tokenizer="whitespace", tags="drop", tag_forms=("#P*", "#Person1a*"))
    assert len(chosen.analyzer()("#Person" + "1" * 300_000)) == 1
    assert len(chosen.analyzer()("#Person" * 100_000)) == 1


def test_what_kept_tags_before_is_as_it_was() -> None:
    sha = "0" * 64
    assert Profile(tags="keep", tag_forms=("화자*",)) == Profile()
    assert not {"tags", "tag_forms"} & Profile().to_dict().keys()
    assert "tags" not in version_signature(Profile(), references_sha256=sha, ngolds=(3, 3))
    own = Profile(tags="drop", tag_forms=("화자*",))
    line = version_signature(own, references_sha256=sha, ngolds=(3, 3))
    assert "|tags:drop+화자*|norm:" in line
    assert Profile.from_dict(json.loads(json.dumps(own.to_dict()))) == own
    assert preset_of(own) == "max-sum"
    assert own.analyzer().signature != Profile().analyzer().signature


@pytest.mark.parametrize("tags", ["keep", "atomic", "drop"])
def test_numbers_are_those_of_other_packages_over_the_same_tokens(tags: Tags) -> None:
    chosen = Profile(tags=tags, tag_forms=("화자*",))
    report = score(GIVEN, prepare(SET, chosen))
    found = verify(GIVEN, SET, chosen, report)
    assert (found.failed, found.largest) == ((), 0.0)
    assert report.blank_ids == (("b",) if tags == "drop" else ())
    row = worked_example(chosen, GIVEN["a"], SET.examples[0].references)
    assert row.row_value == chosen.total(report.examples[0].tolist())


@pytest.mark.parametrize(
    ("language", "said", "setting"),
    [
        ("en", "Speaker tags such as #Person1#, 화자1 do not count.", "not counted (drop)"),
        ("ko", "#Person1#, 화자1 같은 화자 태그는 세지 않습니다.", "세지 않음 (drop)"),
    ],
)
def test_the_formula_says_what_becomes_of_tags(language: Language, said: str, setting: str) -> None:
    words = describe(Profile(tags="drop", tag_forms=("화자*",)), language=language)
    assert said in words.explanation
    assert setting in dict(words.settings).values()
    kept = describe(Profile(), language=language)
    assert len(kept.settings) == len(words.settings) - 1
    assert "#Person1#" not in kept.explanation
