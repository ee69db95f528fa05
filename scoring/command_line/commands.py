"""The commands of the command line: arguments that several share, and what each does."""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from scoring import pipeline, predictions, references, tokenizers
from scoring.command_line import output
from scoring.explain import worked_example
from scoring.findings import InvalidFile, InvalidReferences, Limits
from scoring.formula import describe
from scoring.messages import Spoken, _, say
from scoring.pipeline import PreparedReferences, Report
from scoring.predictions import Predictions
from scoring.profile import PRESETS, Profile
from scoring.references import References
from scoring.signature import version_signature
from scoring.tokenizers import TimeLimit, Tokenizer, java, tags
from scoring.tokenizers.tags import Tags
from scoring.verify import Verification, exported
from scoring.verify import verify as verify_report
from scoring.verify.notebook import by_rouge_package

FINE, OURS, INVALID_FILE = 0, 1, 2


STANDARD_INPUT = "-"


def file_arguments(parser: argparse.ArgumentParser, files: str | int | None) -> None:
    """Golds, and how many predictions files: none for 0, one for None."""
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


def limit_options(parser: argparse.ArgumentParser, *, is_limited: bool) -> None:
    """Whether a file is refused for its size."""
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


def profile_options(parser: argparse.ArgumentParser) -> None:
    """The settings of a profile."""
    parser.add_argument(
        "--profile",
        default="max-sum",
        help=f"{', '.join(PRESETS)}, or a JSON file of settings (default max-sum)",
    )
    parser.add_argument("--tokenizer", choices=tokenizers.NAMES, help="instead of the profile's")
    tags_option(parser)


def tags_option(parser: argparse.ArgumentParser, default: Tags | None = None) -> None:
    """What becomes of speaker tags."""
    said = "speaker tags: as the tokenizer cuts them, one token each, or none"
    parser.add_argument("--tags", choices=get_args(Tags), default=default, help=said)


class Command(NamedTuple):
    """What a package adds to the command line, in `COMMANDS` of its `cli`."""

    name: str
    summary: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


class Unusable(Spoken, ValueError):
    """An argument names something that is not there or cannot be used; written for people."""


def read_input(path: str) -> bytes:
    """The bytes of a file, or of standard input for `-`. Raises Unusable."""
    try:
        if path == STANDARD_INPUT:
            return sys.stdin.buffer.read()
        return Path(path).read_bytes()
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


class Scored(NamedTuple):
    """A predictions file with its numbers."""

    name: str
    read: Predictions
    report: Report


def score(asked: argparse.Namespace) -> int:
    """Numbers and signature of one file, or of several in a table."""
    golds = read_golds(asked)
    prepared = prepare_golds(asked, golds)
    head = {"signature": prepared.signature, "gold_sha256": golds.sha256}
    if len(asked.predictions) == 1:
        _name, read, report = score_file(asked, prepared, asked.predictions[0])
        text = output.report(report, read.notices, asked.language)
        return answer(asked, head | output.report_object(report, read.notices), text)
    found, refused = each(asked, lambda path: score_file(asked, prepared, path))
    files = [
        {"file": name, **output.report_object(report, read.notices)} for name, read, report in found
    ]
    return answer_several(asked, head, files, [output.scores(found)] if found else [], refused)


def check(asked: argparse.Namespace) -> int:
    """What is wrong with files; scores nothing."""
    golds = read_golds(asked)
    if len(asked.predictions) == 1:
        read = read_predictions(asked, golds, asked.predictions[0])
        return answer(asked, output.checked_object(read), output.accepted(read, asked.language))

    def one(path: str) -> tuple[str, Predictions]:
        return shown(path), read_predictions(asked, golds, path)

    found, refused = each(asked, one)
    files = [{"file": name, **output.checked_object(read)} for name, read in found]
    lines = [f"{name}: {output.accepted(read, asked.language)}" for name, read in found]
    return answer_several(asked, {}, files, lines, refused)


def explain(asked: argparse.Namespace) -> int:
    """One row, token by token."""
    golds = read_golds(asked)
    read = read_predictions(asked, golds, asked.predictions)
    row = next((one for one in golds.examples if one.example_id == asked.example_id), None)
    if row is None:
        raise Unusable(_("No row {id!r} in {file}."), id=asked.example_id, file=asked.gold)
    chosen = _profile(asked)
    text = read.texts[row.example_id]
    worked = worked_example(chosen, text, row.references, asked.language)
    signature = version_signature(chosen, references_sha256=golds.sha256, ngolds=golds.ngolds)
    described = output.explanation_object(worked, row.example_id, signature)
    return answer(asked, described, output.explanation(worked, asked.language))


def verify(asked: argparse.Namespace) -> int:
    """Everything again with packages that are not ours, and against the server's numbers."""
    golds, chosen = read_golds(asked), _profile(asked)
    data = read_input(asked.predictions)
    read = _read(asked, golds, data)
    report = pipeline.score(read, prepare_golds(asked, golds), progress())
    found = verify_report(read.texts, golds, chosen, report)
    if asked.against:
        try:
            sha256 = hashlib.sha256(data).hexdigest()
            against = exported.compare(read_input(asked.against), sha256, report)
        except exported.NotExported as error:
            raise Unusable("{file}: {why}", file=asked.against, why=error) from error
        found = Verification(found.rows, (*found.checks, against))
    described = output.verification_object(found, report.signature, golds.sha256)
    answer(asked, described, output.verification(found, asked.language))
    return OURS if found.failed else FINE


def notebook(asked: argparse.Namespace) -> int:
    """Our numbers beside those of the PyPI package `rouge` over the same tokens."""
    golds = read_golds(asked)
    prepared = prepare_golds(asked, golds)
    pairs = []
    for path in asked.predictions:
        read = read_predictions(asked, golds, path)
        ours = pipeline.score(read, prepared, progress())
        theirs = by_rouge_package(read.texts, golds, prepared.profile)
        pairs.append((shown(path), ours, theirs))
    described = output.notebook_object(pairs, golds.sha256)
    return answer(asked, described, output.notebook(pairs, asked.language))


def tokenize(asked: argparse.Namespace) -> int:
    """Tokens joined by blanks."""
    cut = _limited(asked, tags.tokenizer_of(tokenizers.get(asked.tokenizer), asked.tags))
    print(" ".join(cut(asked.text)))
    return FINE


def profile(asked: argparse.Namespace) -> int:
    """The formula of a profile in words, or its settings."""
    chosen = _profile(asked)
    text = output.formula(describe(chosen, language=asked.language))
    return answer(asked, chosen.to_dict(), text)


def say_refused(refused: InvalidFile, asked: argparse.Namespace) -> None:
    """Everything that is wrong with one file, or the golds'."""
    head = (
        [say(asked.language, _("The references:"))]
        if isinstance(refused, InvalidReferences)
        else []
    )
    text = "\n".join([*head, output.refusal(refused, asked.language)])
    answer(asked, output.checked_object(refused), text)


def answer(asked: argparse.Namespace, described: Mapping[str, Any], text: str) -> int:
    """One JSON object or text; a number that JSON does not know is an error."""
    is_json = getattr(asked, "json", False)
    if is_json:
        told = json.dumps(described, ensure_ascii=False, allow_nan=False)
        # Half a character, as a hostile name may have one, is written as JSON's own escape.
        text = told.encode(errors="backslashreplace").decode()
    print(text)
    return FINE


def answer_several(
    asked: argparse.Namespace,
    head: Mapping[str, Any],
    files: Sequence[Mapping[str, Any]],
    lines: Sequence[str],
    refused: Sequence[tuple[str, InvalidFile]],
) -> int:
    """What was found of some files, and why the others were refused."""
    others = [{"file": name, **output.checked_object(why)} for name, why in refused]
    said = [f"{name}:\n{output.refusal(why, asked.language)}" for name, why in refused]
    answer(asked, {**head, "files": [*files, *others]}, "\n".join([*lines, *said]))
    return INVALID_FILE if refused else FINE


def _profile(asked: argparse.Namespace) -> Profile:
    path = asked.profile
    try:
        chosen = PRESETS.get(path)
        if chosen is None:
            chosen = Profile.from_dict(json.loads(read_input(path).decode("utf-8-sig")))
    except Unusable as error:
        presets = ", ".join(PRESETS)
        raise Unusable(_("{why} The presets are {presets}."), why=error, presets=presets) from None
    except (ValueError, TypeError, AttributeError) as error:
        raise Unusable(_("{path}: no profile ({reason})."), path=path, reason=str(error)) from None
    chosen = chosen.with_tokenizer(asked.tokenizer) if asked.tokenizer else chosen
    return chosen.with_tags(asked.tags, chosen.tag_forms) if asked.tags else chosen


def read_golds(asked: argparse.Namespace) -> References:
    """The golds that the arguments name. Raises Unusable or InvalidReferences."""
    paths = [asked.gold, *asked.more_golds]
    files = asked.predictions
    check_once([*paths, *([files] if isinstance(files, str) else files)])
    return references.read(
        [(shown(path), read_input(path)) for path in paths], limits=_limits(asked)
    )


def prepare_golds(asked: argparse.Namespace, golds: References) -> PreparedReferences:
    """The golds under the profile that the arguments name."""
    chosen = _profile(asked)
    return pipeline.prepare(golds, chosen, progress(), _limited(asked, chosen.analyzer()))


TEXT_SECONDS = 60  # that an analyzer may take for one text


def _limited(asked: argparse.Namespace, tokenizer: Tokenizer) -> Tokenizer:
    """The tokenizer; one that runs on Java ends the command where it needs too long for a text."""
    if tokenizer.name not in java.NAMES:
        return tokenizer

    def over(text: str) -> None:
        said = _("The tokenizer did not finish this text in {seconds} s: {text}")
        start = text if len(text) < 80 else f"{text[:80]}…"
        print(say(asked.language, said, seconds=TEXT_SECONDS, text=start), file=sys.stderr)
        sys.stderr.flush()
        os._exit(OURS)  # nothing else ends a call into Java

    limit = TimeLimit(TEXT_SECONDS, over)
    limit.start()
    return limit.timed(tokenizer)


def score_file(asked: argparse.Namespace, prepared: PreparedReferences, path: str) -> Scored:
    """One file and its numbers. Raises Unusable or InvalidFile."""
    read = read_predictions(asked, prepared.references, path)
    return Scored(shown(path), read, pipeline.score(read, prepared, progress()))


def read_predictions(asked: argparse.Namespace, golds: References, path: str) -> Predictions:
    """One file for these golds. Raises Unusable or InvalidFile."""
    return _read(asked, golds, read_input(path))


def _read(asked: argparse.Namespace, golds: References, data: bytes) -> Predictions:
    is_limited = getattr(asked, "limits", False)
    limits = _limits(asked)
    if is_limited:
        most = tokenizers.max_repeat(asked.tokenizer or Profile().tokenizer)
        limits = Limits(max_cell=asked.max_cell, max_repeat=most)
    return predictions.read(data, golds.ids, limits)


def _limits(asked: argparse.Namespace) -> Limits:
    """None. `verify` reads a file as a server does that took it before."""
    return Limits.unlimited(taken=asked.command is verify)


def each(
    asked: argparse.Namespace, one: Callable[[str], Any]
) -> tuple[list[Any], list[tuple[str, InvalidFile]]]:
    """What becomes of each file; a refused one does not keep the others."""
    found, refused = [], []
    for path in asked.predictions:
        try:
            found.append(one(path))
        except InvalidFile as why:
            refused.append((shown(path), why))
    return found, refused


def progress() -> pipeline.Progress | None:
    """What tells of progress, where somebody looks on."""
    return output.progress if sys.stderr.isatty() else None
