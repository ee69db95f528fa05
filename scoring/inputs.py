"""Files and standard input of the command line, and what is said when one cannot be read."""

import sys
from collections.abc import Sequence
from pathlib import Path

STANDARD_INPUT = "-"


class Unusable(ValueError):
    """An argument names something that is not there or cannot be used; written for people."""

    def __init__(self, message_ko: str, message_en: str) -> None:
        super().__init__(message_en)
        self.message_ko, self.message_en = message_ko, message_en

    def message(self, language: str) -> str:
        """The sentence in `ko` or `en`."""
        return self.message_ko if language == "ko" else self.message_en


def read(path: str) -> bytes:
    """The bytes of a file, or of standard input for `-`. Raises Unusable."""
    try:
        if path == STANDARD_INPUT:
            return sys.stdin.buffer.read()
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise Unusable(
            f"{path}: 그런 파일이 없습니다. 이름과 폴더를 확인해 주세요.",
            f"{path}: no such file. Check its name and folder.",
        ) from None
    except IsADirectoryError:
        raise Unusable(
            f"{path}: 폴더입니다. 그 안의 파일을 주세요.",
            f"{path}: a folder. Name a file in it.",
        ) from None
    except PermissionError:
        raise Unusable(
            f"{path}: 읽을 권한이 없습니다. 파일의 권한을 확인해 주세요.",
            f"{path}: you may not read it. Check its permissions.",
        ) from None
    except OSError as error:
        raise Unusable(
            f"{path}: 읽을 수 없습니다 ({error.strerror}).",
            f"{path}: cannot be read ({error.strerror}).",
        ) from None


def check_once(paths: Sequence[str]) -> None:
    """Standard input can be read only once. Raises Unusable."""
    if paths.count(STANDARD_INPUT) > 1:
        raise Unusable(
            "표준 입력(-)은 한 번만 쓸 수 있습니다. 다른 하나는 파일로 주세요.",
            "Standard input (-) can stand for one file only. Name the other one.",
        )


def shown(path: str) -> str:
    """How a file is named in a table or an answer."""
    return path if path == STANDARD_INPUT else Path(path).name
