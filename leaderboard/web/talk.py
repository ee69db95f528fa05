"""A dialogue's text as turns, to be shown as a conversation."""

import re
from dataclasses import dataclass

_SPEAKER = re.compile(r"\s*([^:\n]{1,40}?)\s*:\s*(.*)")


@dataclass(frozen=True)
class Turn:
    """What one speaker said; the speaker is empty where the line names none."""

    speaker: str
    text: str


def turns(dialogue: str) -> tuple[Turn, ...]:
    """One turn a line, the speaker before its first colon.

    >>> turns("가: 안녕\\n(웃음)")
    (Turn(speaker='가', text='안녕'), Turn(speaker='', text='(웃음)'))
    """
    found = []
    for line in dialogue.split("\n"):
        said = _SPEAKER.fullmatch(line)
        if said:
            found.append(Turn(said[1], said[2]))
        elif line.strip():
            found.append(Turn("", line.strip()))
    return tuple(found)
