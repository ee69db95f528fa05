"""The command line. Exit codes: 0 fine, 2 invalid file, 1 ours."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from scoring import judge_cli, output, pipeline, predictions, references, tokenizers
from scoring.explain import explain
from scoring.formula import describe
from scoring.judges.failures import Refusal
from scoring.predictions import Predictions
from scoring.problems import InvalidFile, Limits
from scoring.profile import PRESETS, Profile
from scoring.references import References
from scoring.report import Report
from scoring.tokenizers import TokenizerUnavailable
from scoring.verify import VerifierMissing, verify

FINE, OURS, INVALID_FILE = 0, 1, 2


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    asked = _parser().parse_args(arguments)
    try:
        command: Callable[[argparse.Namespace], int] = asked.command
        return command(asked)
    except InvalidFile as refused:
        as_json = getattr(asked, "json", False)
        print(output.refusal_json(refused) if as_json else output.refusal(refused, asked.language))
        return INVALID_FILE
    except Refusal as refused:
        print(refused.message(asked.language), file=sys.stderr)
        return INVALID_FILE
    except (FileNotFoundError, IsADirectoryError, _Unusable) as error:
        print(error, file=sys.stderr)
        return INVALID_FILE
    except (TokenizerUnavailable, VerifierMissing) as error:
        print(error, file=sys.stderr)
        return OURS


class _Unusable(ValueError):
    """An argument names something that is not there."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m scoring",
        description="Score summaries as the server does: several golds, morphemes, ROUGE.",
        epilog="Exit codes: 0 fine, 2 invalid file, 1 ours.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command, summary in (
        ("score", _score, "print the numbers and the signature the server would give"),
        ("check", _check, "validate a file, score nothing"),
        ("explain", _explain, "show the tokens of one row and what matched"),
        ("verify", _verify, "recompute everything with the rouge-score package"),
    ):
        sub = _command(commands, name, command, summary)
        _file_arguments(sub)
        if name == "explain":
            sub.add_argument("--id", required=True, dest="example_id", help="the row, e.g. test_3")
        if name in ("score", "check"):
            sub.add_argument("--json", action="store_true", help="one JSON object, unrounded")
            sub.add_argument(
                "--limits",
                action=argparse.BooleanOptionalAction,
                default=name == "check",
                help="refuse what the server refuses for its size (check: the default)",
            )
            sub.add_argument(
                "--max-cell",
                type=int,
                default=Limits().max_cell,
                metavar="N",
                help="the contest's own limit on one summary, in characters (default %(default)s)",
            )
        if name != "check":
            _profile_options(sub)
    cut = _command(commands, "tokenize", _tokenize, "print tokens joined by blanks")
    cut.add_argument("text", metavar="TEXT")
    cut.add_argument("--tokenizer", choices=tokenizers.NAMES, default=Profile().tokenizer)
    show = _command(commands, "profile", _show_profile, "print the formula of a profile")
    show.add_argument("--show", action="store_true", help="print the formula (the default)")
    show.add_argument("--json", action="store_true", help="print the settings as JSON")
    _profile_options(show)
    judge_cli.arguments(_command(commands, "judge", judge_cli.run, judge_cli.SUMMARY))
    return parser


def _command(
    commands: Any, name: str, command: Callable[[argparse.Namespace], int], summary: str
) -> argparse.ArgumentParser:
    sub: argparse.ArgumentParser = commands.add_parser(name, help=summary, description=summary)
    sub.set_defaults(command=command)
    sub.add_argument("--language", choices=("ko", "en"), default="ko", help="of what is said")
    return sub


def _file_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", type=Path, metavar="GOLD", help="CSV: fname, summary1 … n")
    parser.add_argument("predictions", type=Path, metavar="PREDICTIONS", help="CSV: fname, summary")
    parser.add_argument(
        "--gold",
        dest="more_golds",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a further gold file with one summary column; may be repeated",
    )


def _profile_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--profile",
        default="max-sum",
        help=f"{', '.join(PRESETS)}, or a JSON file of settings (default max-sum)",
    )
    parser.add_argument("--tokenizer", choices=tokenizers.NAMES, help="instead of the profile's")


def _profile(asked: argparse.Namespace) -> Profile:
    if asked.profile in PRESETS:
        profile = PRESETS[asked.profile]
    elif not Path(asked.profile).is_file():
        raise _Unusable(f"no profile {asked.profile!r}; choose from {', '.join(PRESETS)} or a file")
    else:
        try:
            profile = Profile.from_dict(json.loads(Path(asked.profile).read_text("utf-8")))
        except (ValueError, TypeError, AttributeError) as error:
            raise _Unusable(f"{asked.profile}: {error}") from error
    return profile.with_tokenizer(asked.tokenizer) if asked.tokenizer else profile


def _golds(asked: argparse.Namespace) -> References:
    paths = [asked.gold, *asked.more_golds]
    return references.read(
        [(path.name, path.read_bytes()) for path in paths], limits=Limits.unlimited()
    )


def _predictions(asked: argparse.Namespace, golds: References) -> Predictions:
    is_limited = getattr(asked, "limits", False)
    limits = Limits(max_cell=asked.max_cell) if is_limited else Limits.unlimited()
    return predictions.read(asked.predictions.read_bytes(), golds.ids, limits)


def _scored(asked: argparse.Namespace) -> tuple[References, Predictions, Report]:
    golds = _golds(asked)
    read = _predictions(asked, golds)
    progress = output.progress if sys.stderr.isatty() else None
    prepared = pipeline.prepare(golds, _profile(asked), progress)
    return golds, read, pipeline.score(read, prepared, progress)


def _score(asked: argparse.Namespace) -> int:
    golds, read, report = _scored(asked)
    if asked.json:
        print(output.report_json(report, golds.sha256, read.notices))
    else:
        print(output.report(report, read.notices, asked.language))
    return FINE


def _check(asked: argparse.Namespace) -> int:
    read = _predictions(asked, _golds(asked))
    if asked.json:
        print(output.accepted_json(read))
    else:
        print(output.accepted(read, asked.language))
    return FINE


def _explain(asked: argparse.Namespace) -> int:
    golds = _golds(asked)
    read = _predictions(asked, golds)
    chosen = [example for example in golds.examples if example.example_id == asked.example_id]
    if not chosen:
        raise _Unusable(f"no row {asked.example_id!r} in {asked.gold}")
    row = explain(
        _profile(asked),
        read.texts[chosen[0].example_id],
        chosen[0].references,
        asked.language,
    )
    print(output.explanation(row, asked.language))
    return FINE


def _verify(asked: argparse.Namespace) -> int:
    golds, read, report = _scored(asked)
    found = verify(read.texts, golds, _profile(asked), report)
    print(output.verification(found, asked.language))
    return FINE if found.equal else OURS


def _tokenize(asked: argparse.Namespace) -> int:
    print(" ".join(tokenizers.get(asked.tokenizer)(asked.text)))
    return FINE


def _show_profile(asked: argparse.Namespace) -> int:
    profile = _profile(asked)
    if asked.json:
        print(json.dumps(profile.to_dict(), ensure_ascii=False))
    else:
        print(output.formula(describe(profile, language=asked.language)))
    return FINE
