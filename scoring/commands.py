"""What each command of the command line does: read, score, print."""

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from scoring import (
    comparison,
    exported,
    inputs,
    output,
    pipeline,
    predictions,
    references,
    side_by_side,
    tokenizers,
)
from scoring.explain import worked_example
from scoring.findings import InvalidFile, InvalidReferences, Limits
from scoring.formula import describe
from scoring.inputs import Unusable
from scoring.messages import _, say
from scoring.notebook import by_rouge_package
from scoring.pipeline import PreparedReferences, Report
from scoring.predictions import Predictions
from scoring.profile import PRESETS, Profile
from scoring.references import References
from scoring.signature import version_signature
from scoring.verify import Verification
from scoring.verify import verify as verify_report

FINE, OURS, INVALID_FILE = 0, 1, 2


class Scored(NamedTuple):
    """A predictions file with its numbers."""

    name: str
    read: Predictions
    report: Report


def score(asked: argparse.Namespace) -> int:
    """Numbers and signature of one file, or of several in a table."""
    golds = _golds(asked)
    prepared = _prepared(asked, golds)

    def one(path: str) -> Scored:
        read = _predictions(asked, golds, path)
        return Scored(inputs.shown(path), read, pipeline.score(read, prepared, _progress()))

    if len(asked.predictions) == 1:
        _, read, report = one(asked.predictions[0])
        if asked.json:
            print(output.report_json(report, golds.sha256, read.notices))
        else:
            print(output.report(report, read.notices, asked.language))
        return FINE
    found, refused = _each(asked, one)
    if asked.json:
        files = [
            {"file": one.name, **output.report_object(one.report, one.read.notices)}
            for one in found
        ]
        head = {"signature": prepared.signature, "gold_sha256": golds.sha256}
        print(output.json_text({**head, "files": [*files, *_refused_objects(refused)]}))
    else:
        if found:
            print(side_by_side.scores(found))
        _say_refused(asked, refused)
    return INVALID_FILE if refused else FINE


def check(asked: argparse.Namespace) -> int:
    """What is wrong with files; scores nothing."""
    golds = _golds(asked)
    if len(asked.predictions) == 1:
        read = _predictions(asked, golds, asked.predictions[0])
        if asked.json:
            print(output.json_text(output.accepted_object(read)))
        else:
            print(output.accepted(read, asked.language))
        return FINE

    def one(path: str) -> tuple[str, Predictions]:
        return inputs.shown(path), _predictions(asked, golds, path)

    found, refused = _each(asked, one)
    if asked.json:
        files = [{"file": name, **output.accepted_object(read)} for name, read in found]
        print(output.json_text({"files": [*files, *_refused_objects(refused)]}))
    else:
        for name, read in found:
            print(f"{name}: {output.accepted(read, asked.language)}")
        _say_refused(asked, refused)
    return INVALID_FILE if refused else FINE


def explain(asked: argparse.Namespace) -> int:
    """One row, token by token."""
    golds = _golds(asked)
    read = _predictions(asked, golds, asked.predictions)
    chosen = [example for example in golds.examples if example.example_id == asked.example_id]
    if not chosen:
        raise Unusable(_("No row {id!r} in {file}."), id=asked.example_id, file=asked.gold)
    chosen_profile = _profile(asked)
    text = read.texts[chosen[0].example_id]
    row = worked_example(chosen_profile, text, chosen[0].references, asked.language)
    if asked.json:
        signature = version_signature(
            chosen_profile, references_sha256=golds.sha256, ngolds=golds.ngolds
        )
        print(output.explanation_json(row, chosen[0].example_id, signature))
    else:
        print(output.explanation(row, asked.language))
    return FINE


def verify(asked: argparse.Namespace) -> int:
    """Everything again with packages that are not ours, and against the server's numbers."""
    golds, chosen = _golds(asked), _profile(asked)
    data = inputs.read(asked.predictions)
    read = _read(asked, golds, data)
    report = pipeline.score(read, _prepared(asked, golds), _progress())
    found = verify_report(read.texts, golds, chosen, report)
    if asked.against:
        try:
            sha256 = hashlib.sha256(data).hexdigest()
            against = exported.compare(inputs.read(asked.against), sha256, report)
        except exported.NotExported as error:
            raise Unusable("{file}: {why}", file=asked.against, why=error) from error
        found = Verification(found.rows, (*found.checks, against))
    if asked.json:
        print(output.verification_json(found, report.signature, golds.sha256))
    else:
        print(output.verification(found, asked.language))
    return OURS if found.failed else FINE


def compare(asked: argparse.Namespace) -> int:
    """The difference of two files, with its interval."""
    golds = _golds(asked)
    prepared = _prepared(asked, golds)
    first, second = (
        pipeline.score(_predictions(asked, golds, path), prepared, _progress())
        for path in asked.predictions
    )
    found = comparison.compare(first, second, golds, prepared.profile)
    names = [inputs.shown(path) for path in asked.predictions]
    if asked.json:
        print(side_by_side.comparison_json(names, found, first, golds.sha256))
    else:
        shown = side_by_side.comparison_text(names, found, prepared.signature, asked.language)
        print(shown)
    return FINE


def notebook(asked: argparse.Namespace) -> int:
    """Our numbers beside those of the PyPI package `rouge` over the same tokens."""
    golds = _golds(asked)
    prepared = _prepared(asked, golds)
    pairs = []
    for path in asked.predictions:
        read = _predictions(asked, golds, path)
        ours = pipeline.score(read, prepared, _progress())
        theirs = by_rouge_package(read.texts, golds, prepared.profile)
        pairs.append((inputs.shown(path), ours, theirs))
    if asked.json:
        print(side_by_side.notebook_json(pairs, golds.sha256))
    else:
        print(side_by_side.notebook(pairs, asked.language))
    return FINE


def tokenize(asked: argparse.Namespace) -> int:
    """Tokens joined by blanks."""
    print(" ".join(tokenizers.get(asked.tokenizer)(asked.text)))
    return FINE


def profile(asked: argparse.Namespace) -> int:
    """The formula of a profile in words, or its settings."""
    chosen = _profile(asked)
    if asked.json:
        print(json.dumps(chosen.to_dict(), ensure_ascii=False))
    else:
        print(output.formula(describe(chosen, language=asked.language)))
    return FINE


def say_refused(refused: InvalidFile, asked: argparse.Namespace) -> None:
    """Everything that is wrong with one file, or the golds'."""
    if getattr(asked, "json", False):
        print(output.json_text(output.refusal_object(refused)))
        return
    if isinstance(refused, InvalidReferences):
        print(say(asked.language, _("The golds:")))
    print(output.refusal(refused, asked.language))


def _profile(asked: argparse.Namespace) -> Profile:
    chosen = PRESETS.get(asked.profile) or _profile_file(asked.profile)
    return chosen.with_tokenizer(asked.tokenizer) if asked.tokenizer else chosen


def _profile_file(path: str) -> Profile:
    try:
        data = inputs.read(path)
    except Unusable as error:
        raise Unusable(
            _("{why} The presets are {presets}."), why=error, presets=", ".join(PRESETS)
        ) from None
    try:
        return Profile.from_dict(json.loads(data.decode("utf-8-sig")))
    except (ValueError, TypeError, AttributeError) as error:
        raise Unusable(_("{path}: no profile ({reason})."), path=path, reason=str(error)) from None


def _golds(asked: argparse.Namespace) -> References:
    paths = [asked.gold, *asked.more_golds]
    files = asked.predictions
    inputs.check_once([*paths, *([files] if isinstance(files, str) else files)])
    return references.read(
        [(inputs.shown(path), inputs.read(path)) for path in paths], limits=Limits.unlimited()
    )


def _prepared(asked: argparse.Namespace, golds: References) -> PreparedReferences:
    return pipeline.prepare(golds, _profile(asked), _progress())


def _predictions(asked: argparse.Namespace, golds: References, path: str) -> Predictions:
    return _read(asked, golds, inputs.read(path))


def _read(asked: argparse.Namespace, golds: References, data: bytes) -> Predictions:
    is_limited = getattr(asked, "limits", False)
    limits = Limits(max_cell=asked.max_cell) if is_limited else Limits.unlimited()
    return predictions.read(data, golds.ids, limits)


def _each(
    asked: argparse.Namespace, one: Callable[[str], Any]
) -> tuple[list[Any], list[tuple[str, InvalidFile]]]:
    """What becomes of each file; a refused one does not keep the others."""
    found, refused = [], []
    for path in asked.predictions:
        try:
            found.append(one(path))
        except InvalidFile as why:
            refused.append((inputs.shown(path), why))
    return found, refused


def _refused_objects(refused: Sequence[tuple[str, InvalidFile]]) -> list[dict[str, Any]]:
    return [{"file": name, **output.refusal_object(why)} for name, why in refused]


def _say_refused(asked: argparse.Namespace, refused: Sequence[tuple[str, InvalidFile]]) -> None:
    for name, why in refused:
        print(f"{name}:\n{output.refusal(why, asked.language)}")


def _progress() -> pipeline.Progress | None:
    return output.progress if sys.stderr.isatty() else None
