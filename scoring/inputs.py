"""Files and standard input of the command line, and what is said when one cannot be read."""

import sys
from collections.abc import Sequence
from pathlib import Path

from scoring.messages import Spoken, _

STANDARD_INPUT = "-"


class Unusable(Spoken, ValueError):
    """An argument names something that is not there or cannot be used; written for people."""


def read(path: str) -> bytes:
    """The bytes of a file, or of standard input for `-`. Raises Unusable."""
    try:
        if path == STANDARD_INPUT:
            return sys.stdin.buffer.read()
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise Unusable(_("{path}: no such file. Check its name and folder."), path=path) from None
    except IsADirectoryError:
        raise Unusable(_("{path}: a folder. Name a file in it."), path=path) from None
    except PermissionError:
        raise Unusable(
            _("{path}: you may not read it. Check its permissions."), path=path
        ) from None
    except OSError as error:
        raise Unusable(
            _("{path}: cannot be read ({reason})."), path=path, reason=error.strerror
        ) from None


def check_once(paths: Sequence[str]) -> None:
    """Standard input can be read only once. Raises Unusable."""
    if paths.count(STANDARD_INPUT) > 1:
        raise Unusable(_("Standard input (-) can stand for one file only. Name the other one."))


def shown(path: str) -> str:
    """How a file is named in a table or an answer."""
    return path if path == STANDARD_INPUT else Path(path).name
