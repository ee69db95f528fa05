"""What a file would be worth, before anything is spent: the validator's answer and the dev lab."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.accounts.rate_limits import Limit, count
from leaderboard.actions.submissions import MAX_FILE, no_live_version, read_upload, refusal_now
from leaderboard.competitions.models import Competition
from leaderboard.competitions.registration import terms_due
from leaderboard.competitions.schedule import is_late
from leaderboard.evaluation.run import is_cheap, prepared_references
from leaderboard.references.models import Example, ReferenceSet
from leaderboard.references.queries import (
    expected_ids,
    live_version,
    practice_examples,
    released_dialogues,
    released_set,
)
from leaderboard.refusals import Refused
from leaderboard.submissions.ledger import Allowance, allowance
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload, of_team
from leaderboard.teams.models import Team
from leaderboard.texts import reader_language
from scoring.explain import WorkedExample, worked_example
from scoring.findings import InvalidSubmission, Limits, Notice, Problem
from scoring.pipeline import SplitReport, score
from scoring.predictions import Predictions, read
from scoring.predictions.repair import Repair
from scoring.predictions.repair import repair as repair_file
from scoring.profile import Profile
from scoring.tokenizers import available

PREVIEW_ROWS = 3
OTHER_CONTESTS = 5  # each reads the whole file once more
# A check costs nothing but the server's time. Handing in never waits for it.
CHECKS = Limit(
    "too_many_checks",
    60,
    timedelta(hours=1),
    _("This team has used all {most} checks for this hour."),
    _("You can submit without a check. You can check again in {minutes} min."),
)


@dataclass(frozen=True)
class Verdict:
    """What `submit` would say to this file now. Nothing was kept or charged.

    `fits`: another contest of the person, where the file would be taken.
    """

    ok: bool
    predictions_rows: int
    problems: tuple[Problem, ...]
    total_problems: int
    notices: tuple[Notice, ...]
    encoding: str | None
    refusal: Refused | None
    same_as: Submission | None
    allowance: Allowance
    preview: tuple[tuple[str, str], ...]
    is_late: bool
    fits: Competition | None = None


def check(*, team: Team, user: User, upload: Upload, at: datetime) -> Verdict:
    """`look`, counted. Raises Refused when the team's checks of the hour are used."""
    count(CHECKS, team.pk, at)
    return look(team=team, user=user, upload=upload, at=at)


def look(*, team: Team, user: User, upload: Upload, at: datetime) -> Verdict:
    """The one validator's answer with the team's allowance; what the file holds never raises."""
    predictions: Predictions | None = None
    invalid: InvalidSubmission | None = None
    allowed = allowance(team, team.competition, at)
    refusal = refusal_now(team, user, at, allowed)
    try:
        predictions, _version = read_upload(team.competition, upload)
    except InvalidSubmission as problems:
        invalid = problems
    except Refused as refused:
        refusal = refusal or refused
    found = predictions or invalid
    return Verdict(
        ok=predictions is not None and refusal is None,
        predictions_rows=found.rows if found else 0,
        problems=tuple(invalid.problems) if invalid else (),
        total_problems=invalid.total if invalid else 0,
        notices=tuple(found.notices) if found else (),
        encoding=predictions.encoding if predictions else None,
        refusal=refusal,
        same_as=of_team(team).filter(sha256=upload.sha256).first(),
        allowance=allowed,
        preview=tuple(list(predictions.texts.items())[:PREVIEW_ROWS]) if predictions else (),
        is_late=is_late(team.competition, at),
        fits=_other_contest(team, user, upload, at)
        if invalid and any(problem.code == "unknown_id" for problem in invalid.problems)
        else None,
    )


def _other_contest(team: Team, user: User, upload: Upload, at: datetime) -> Competition | None:
    """The newest of the person's other contests whose ids these are. Only of those that have begun
    and whose terms they accepted: the ids of any other are not theirs to know."""
    joined = Competition.objects.filter(pk__in=user.memberships.values("competition"))
    others = joined.filter(opens_at__lte=at).exclude(pk=team.competition_id)
    for other in others.order_by("-opens_at")[:OTHER_CONTESTS]:
        with suppress(InvalidSubmission, Refused):
            read_upload(other, upload)
            if terms_due(user, other) is None:
                return other
    return None


def repair(*, team: Team, upload: Upload, at: datetime) -> Repair:
    """The file repaired where that needs no guess; it counts as a check. Raises Refused."""
    count(CHECKS, team.pk, at)
    competition = team.competition
    if (version := live_version(competition)) is None:
        raise no_live_version()
    return repair_file(upload.data, expected_ids(version), limits_of(competition))


WORST = 20
# Of its own: whoever practises can still have a file checked before handing it in.
LAB_RUNS = Limit(
    "too_many_lab_runs",
    120,
    timedelta(hours=1),
    _("This team has used all {most} dev runs for this hour."),
    _("Try again in {minutes} min. You can score on the command line now."),
)


@dataclass(frozen=True)
class PracticeRow:
    """One row token by token. `place` counts from the lowest value; None for a row alone."""

    example_id: str
    topic: str
    place: int | None
    worked: WorkedExample
    dialogue: str | None


@dataclass(frozen=True)
class Practice:
    """A file scored against the dev set. `values`: each row's metrics and its total, in order.

    texts: of the file, by row. known: the tokens of those that were cut.
    """

    reference_set: ReferenceSet
    texts: Mapping[str, str]
    known: dict[str, tuple[str, ...]]

    report: SplitReport
    profile: Profile
    notices: tuple[Notice, ...]
    values: Mapping[str, tuple[tuple[float, ...], float]]
    rows: tuple[PracticeRow, ...]


def limits_of(competition: Competition) -> Limits:
    """What one file of the contest may hold."""
    return Limits(max_bytes=MAX_FILE, max_cell=competition.max_cell)


def practise(
    *,
    competition: Competition,
    team: Team | None,
    data: bytes,
    at: datetime,
) -> Practice:
    """Score a whole file; its lowest rows are explained.

    Without quota, but so many an hour; organizers without a team as often as they like.
    Raises InvalidSubmission with all problems, or Refused.
    """
    reference_set, profile, examples = _practising(competition, team, at)
    predictions = read(data, tuple(examples), limits_of(competition))
    known: dict[str, tuple[str, ...]] = {}
    prepared = prepared_references(reference_set.pk, profile)
    report = score(predictions, prepared, known=known)
    values = {
        example_id: (tuple(row), profile.total(tuple(row)))
        for example_id, row in zip(report.example_ids, report.examples.tolist(), strict=True)
    }
    lowest = sorted(values, key=lambda example_id: values[example_id][1])
    dialogues = released_dialogues(competition, examples)
    return Practice(
        reference_set=reference_set,
        texts=predictions.texts,
        known=known,
        report=report.splits["all"],
        profile=profile,
        notices=predictions.notices,
        values=values,
        rows=tuple(
            _practice_row(
                profile,
                examples[example_id],
                predictions.texts[example_id],
                dialogues,
                place,
            )
            for place, example_id in enumerate(lowest[:WORST], start=1)
        ),
    )


def _practising(
    competition: Competition, team: Team | None, at: datetime
) -> tuple[ReferenceSet, Profile, dict[str, Example]]:
    """What there is to practise on, once the run is counted. Raises Refused."""
    reference_set, profile = practice_of(competition)
    if team is not None:
        count(LAB_RUNS, team.pk, at)
    return reference_set, profile, {row.example_id: row for row in practice_examples(reference_set)}


def practise_row(
    *,
    competition: Competition,
    team: Team | None,
    example_id: str,
    text: str,
    at: datetime,
) -> PracticeRow | None:
    """One text against one row; None if the dev set has no such row. Raises Refused."""
    _set, profile, examples = _practising(competition, team, at)
    if example_id not in examples:
        return None
    dialogues = released_dialogues(competition, [example_id])
    text = text[: competition.max_cell]
    return _practice_row(profile, examples[example_id], text, dialogues)


def practice_example(competition: Competition) -> PracticeRow | None:
    """The first row with the beginning of one reference and the end of another, to look at before
    somebody tries their own. Nothing is counted. Raises Refused."""
    reference_set, profile = practice_of(competition)
    if not (examples := practice_examples(reference_set)):
        return None
    first = examples[0]
    other = (*first.references[1:], examples[-1].references[0])[0]
    begins, ends = first.references[0].split(), other.split()
    text = " ".join((*begins[: len(begins) // 2], *ends[len(ends) // 2 :]))
    return _practice_row(profile, first, text, {})


def _practice_row(
    profile: Profile,
    example: Example,
    text: str,
    dialogues: Mapping[str, str],
    place: int | None = None,
) -> PracticeRow:
    return PracticeRow(
        example_id=example.example_id,
        topic=example.topic,
        place=place,
        worked=worked_example(profile, text, example.references, reader_language()),
        dialogue=dialogues.get(example.example_id),
    )


def practice_of(competition: Competition) -> tuple[ReferenceSet, Profile]:
    """What there is to practise on: the released set under the live profile. Raises Refused."""
    reference_set = released_set(competition)
    if reference_set is None:
        raise Refused(
            "no_dev_set",
            _("This competition has no released dev set yet."),
            _("Once the organizer releases one, you can score against it here."),
        )
    if (version := live_version(competition)) is None:
        raise no_live_version()
    profile = version.profile()
    if not is_cheap(profile) or not available(profile.tokenizer):
        raise Refused(
            "analyzer_elsewhere",
            _("The analyzer {analyzer} runs on the scoring workers only, not here."),
            _(
                "Download the dev references and score on the command "
                "line. The scores are the same."
            ),
            analyzer=profile.tokenizer,
        )
    return reference_set, profile
