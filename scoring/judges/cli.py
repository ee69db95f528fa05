"""`python -m scoring judge`: what a system makes of given answers. No model is called."""

import argparse
import json

from scoring.command_line.commands import Command, read_input
from scoring.judges import parsing, systems
from scoring.judges.parsing import InvalidRecords
from scoring.messages import _


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--system", required=True, choices=systems.NAMES, metavar="SYSTEM",
                        help=", ".join(systems.NAMES))  # fmt: skip
    parser.add_argument("records", metavar="RECORDS", help="a JSON file, or - for standard input")


def run(asked: argparse.Namespace) -> int:
    """Print one JSON object with `score`, null for N/A, and its parts."""
    result = systems.score(asked.system, _value(read_input(asked.records)))
    print(json.dumps(result, ensure_ascii=False))
    return 0


def _value(data: bytes) -> object:
    try:
        return parsing.parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidRecords(
            _("Not UTF-8 at position {position}."), position=error.start
        ) from error
    except parsing.Malformed as malformed:
        raise InvalidRecords(
            _("Not exactly one valid JSON value ({code})."), code=malformed.code
        ) from malformed


COMMANDS = (
    Command(
        "judge", "score the answers of a language model as a named system does", arguments, run
    ),
)
