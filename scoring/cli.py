"""The command line. Exit codes: 0 fine, 2 invalid file, 1 ours."""

import argparse
import platform
import sys
import unicodedata
from collections.abc import Callable, Sequence
from importlib import import_module, metadata
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

import scoring
from scoring import tokenizers
from scoring.command_line import commands
from scoring.command_line.commands import (
    INVALID_FILE,
    OURS,
    Command,
    file_arguments,
    limit_options,
    profile_options,
    tags_option,
)
from scoring.findings import InvalidFile
from scoring.messages import Spoken
from scoring.metrics.metric import PackageMissing
from scoring.profile import Profile
from scoring.signature import VERSION
from scoring.tokenizers.java import TokenizerUnavailable

_PACKAGES = ("python-mecab-ko", "python-mecab-ko-dic", "konlpy", "rouge-score")

# Packages that bring commands of their own: name, summary, arguments(parser), run(asked).
OTHERS: list[Command] = [
    command
    for found in iter_modules(scoring.__path__, "scoring.")
    if found.ispkg and find_spec(f"{found.name}.cli")
    for command in import_module(f"{found.name}.cli").COMMANDS
]


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    asked = _parser().parse_args(arguments)
    try:
        command: Callable[[argparse.Namespace], int] = asked.command
        return command(asked)
    except InvalidFile as refused:
        commands.say_refused(refused, asked)
        return INVALID_FILE
    except Spoken as unusable:
        print(unusable.message(asked.language), file=sys.stderr)
        return INVALID_FILE
    except (TokenizerUnavailable, PackageMissing) as error:
        print(error, file=sys.stderr)
        return OURS


class _Version(argparse.Action):
    """Says what numbers depend on: our code, the packages, Unicode. One line, then the end."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        packages = ", ".join(f"{name} {metadata.version(name)}" for name in _PACKAGES)
        tables = f"Unicode {unicodedata.unidata_version}, Python {platform.python_version()}"
        print(f"scoring v{VERSION} ({packages}, {tables})")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m scoring",
        description="Score summaries as the server does: several golds, morphemes, ROUGE.",
        epilog="Exit codes: 0 fine, 2 invalid file, 1 ours.",
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, help="print what numbers depend on, and end"
    )
    subs = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command, files, summary in (
        ("score", commands.score, "+", "print the numbers and the signature of the server"),
        ("check", commands.check, "+", "validate files, score nothing"),
        ("explain", commands.explain, None, "show the tokens of one row and what matched"),
        ("verify", commands.verify, None, "recompute everything with packages not ours"),
        ("notebook", commands.notebook, "+", "print our numbers beside the package rouge's"),
    ):
        sub = _command(subs, name, command, summary)
        file_arguments(sub, files)
        sub.add_argument("--json", action="store_true", help="one JSON object, unrounded")
        if name == "explain":
            sub.add_argument("--id", required=True, dest="example_id", help="the row, e.g. test_3")
        if name == "verify":
            sub.add_argument("--against", metavar="FILE", help="scores that the server exported")
        if name in ("score", "check"):
            limit_options(sub, is_limited=name == "check")
        if name == "check":
            said = "the contest's own; one of them refuses long runs of a character"
            sub.add_argument("--tokenizer", choices=tokenizers.NAMES, help=said)
        else:
            profile_options(sub)
    cut = _command(subs, "tokenize", commands.tokenize, "print tokens joined by blanks")
    cut.add_argument("text", metavar="TEXT")
    cut.add_argument("--tokenizer", choices=tokenizers.NAMES, default=Profile().tokenizer)
    tags_option(cut, "keep")
    show = _command(subs, "profile", commands.profile, "print the formula of a profile")
    show.add_argument("--show", action="store_true", help="print the formula (the default)")
    show.add_argument("--json", action="store_true", help="print the settings as JSON")
    profile_options(show)
    for other in OTHERS:
        other.arguments(_command(subs, other.name, other.run, other.summary))
    return parser


def _command(
    subs: Any, name: str, command: Callable[[argparse.Namespace], int], summary: str
) -> argparse.ArgumentParser:
    sub: argparse.ArgumentParser = subs.add_parser(name, help=summary, description=summary)
    sub.set_defaults(command=command)
    sub.add_argument("--language", choices=("ko", "en"), default="ko", help="of what is said")
    return sub
