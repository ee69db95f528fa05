"""The particle that fits a Korean word: what follows a name, an id or a number in a sentence."""

# How a digit or a Latin letter ends, read aloud: 0 영, 1 일, 3 삼, 6 육, 7 칠, 8 팔; l 엘, r 알.
_CLOSED = frozenset("013678lmnrLMNR")
_ENDS_IN_L = frozenset("178lrLR")
_CLOSERS = " .\"')]’”"
_L = 8  # the place of ㄹ among the final consonants


def particle(word: str, closed: str, opened: str) -> str:
    """`closed` after a final consonant, `opened` after a vowel; 으로 becomes 로 after ㄹ too.

    Digits and Latin letters go by their sound.

    >>> particle("가나다", "이", "가"), particle("서울", "으로", "로"), particle("v3", "으로", "로")
    ('가', '로', '으로')
    """
    last = word.rstrip(_CLOSERS)[-1:]
    if "가" <= last <= "힣":
        final = (ord(last) - ord("가")) % 28
        is_closed, ends_in_l = final != 0, final == _L
    else:
        is_closed, ends_in_l = last in _CLOSED, last in _ENDS_IN_L
    return closed if is_closed and not (ends_in_l and closed == "으로") else opened


def josa(word: str, pair: str) -> str:
    """The word with the particle of the pair that fits it.

    >>> josa("alice", "이,가"), josa("두괄식", "을,를")
    ('alice가', '두괄식을')
    """
    return f"{word}{particle(word, *pair.split(',', 1))}"
