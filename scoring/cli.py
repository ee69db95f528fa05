"""The command line. Exit codes: 0 fine, 2 invalid file, 1 ours."""

import argparse
import platform
import sys
import unicodedata
from collections.abc import Callable, Sequence
from importlib import import_module, metadata
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any, get_args

import scoring
from scoring import commands, tokenizers
from scoring.commands import INVALID_FILE, OURS
from scoring.findings import InvalidFile, Limits
from scoring.insight import believable
from scoring.java import TokenizerUnavailable
from scoring.messages import Spoken
from scoring.metrics.metric import PackageMissing
from scoring.profile import PRESETS, Profile
from scoring.references import SPLITS
from scoring.signature import VERSION
from scoring.tags import Tags

_PACKAGES = ("python-mecab-ko", "python-mecab-ko-dic", "konlpy", "rouge-score")

# Packages that bring a command of their own: NAME, SUMMARY, arguments(parser), run(asked).
OTHERS: list[Any] = [
    import_module(f"{found.name}.cli")
    for found in iter_modules(scoring.__path__, "scoring.")
    if found.ispkg and find_spec(f"{found.name}.cli")
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
        ("compare", commands.compare, 2, "print the difference of two files and its interval"),
        ("bands", believable.bands, "+", "say which ranks would hold over other rows"),
        ("notebook", commands.notebook, "+", "print our numbers beside the package rouge's"),
        ("floors", believable.floors, 0, "print what anybody reaches, and what people reach"),
        ("lift", believable.lift, None, "print what a file's total loses on other rows"),
    ):
        sub = _command(subs, name, command, summary)
        _file_arguments(sub, files)
        sub.add_argument("--json", action="store_true", help="one JSON object, unrounded")
        if name == "explain":
            sub.add_argument("--id", required=True, dest="example_id", help="the row, e.g. test_3")
        if name == "floors":
            sub.add_argument("--dialogues", metavar="FILE", help="CSV: fname, dialogue")
        if name == "bands":
            sub.add_argument("--split", choices=("all", *SPLITS), default="all", help="whose rows")
        if name == "verify":
            sub.add_argument("--against", metavar="FILE", help="scores that the server exported")
        if name in ("score", "check"):
            _limit_options(sub, is_limited=name == "check")
        if name == "check":
            said = "the contest's own; one of them refuses long runs of a character"
            sub.add_argument("--tokenizer", choices=tokenizers.NAMES, help=said)
        else:
            _profile_options(sub)
    cut = _command(subs, "tokenize", commands.tokenize, "print tokens joined by blanks")
    cut.add_argument("text", metavar="TEXT")
    cut.add_argument("--tokenizer", choices=tokenizers.NAMES, default=Profile().tokenizer)
    _tags_option(cut, "keep")
    show = _command(subs, "profile", commands.profile, "print the formula of a profile")
    show.add_argument("--show", action="store_true", help="print the formula (the default)")
    show.add_argument("--json", action="store_true", help="print the settings as JSON")
    _profile_options(show)
    for other in OTHERS:
        other.arguments(_command(subs, other.NAME, other.run, other.SUMMARY))
    return parser


def _command(
    subs: Any, name: str, command: Callable[[argparse.Namespace], int], summary: str
) -> argparse.ArgumentParser:
    sub: argparse.ArgumentParser = subs.add_parser(name, help=summary, description=summary)
    sub.set_defaults(command=command)
    sub.add_argument("--language", choices=("ko", "en"), default="ko", help="of what is said")
    return sub


def _file_arguments(parser: argparse.ArgumentParser, files: str | int | None) -> None:
    parser.add_argument(
        "gold", metavar="GOLD", help="CSV: fname, summary1 … n; - reads it from standard input"
    )
    if files == 0:
        parser.set_defaults(predictions=[])
    else:
        parser.add_argument(
            "predictions",
            metavar="PREDICTIONS",
            nargs=files,
            help="CSV: fname, summary; - as above",
        )
    parser.add_argument(
        "--gold",
        dest="more_golds",
        action="append",
        default=[],
        metavar="FILE",
        help="a further gold file with one summary column; may be repeated",
    )


def _limit_options(parser: argparse.ArgumentParser, *, is_limited: bool) -> None:
    parser.add_argument(
        "--limits",
        action=argparse.BooleanOptionalAction,
        default=is_limited,
        help="refuse what the server refuses for its size (check: the default)",
    )
    parser.add_argument(
        "--max-cell",
        type=int,
        default=Limits().max_cell,
        metavar="N",
        help="the contest's own limit on one summary, in characters (default %(default)s)",
    )


def _profile_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--profile",
        default="max-sum",
        help=f"{', '.join(PRESETS)}, or a JSON file of settings (default max-sum)",
    )
    parser.add_argument("--tokenizer", choices=tokenizers.NAMES, help="instead of the profile's")
    _tags_option(parser)


def _tags_option(parser: argparse.ArgumentParser, default: Tags | None = None) -> None:
    said = "speaker tags: as the tokenizer cuts them, one token each, or none"
    parser.add_argument("--tags", choices=get_args(Tags), default=default, help=said)
