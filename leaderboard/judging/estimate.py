"""What judging would take before anything is asked: calls, tokens, money."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from leaderboard.judging.call_costs import OPEN_ANSWER, CallCost, Costs
from leaderboard.judging.items import carrying
from leaderboard.judging.models import JudgeConfig, Judgment, Reservation
from leaderboard.submissions.intake import unpack
from leaderboard.submissions.models import Submission, SubmissionText
from leaderboard.teams.models import Team

CLAIMS = ("P1",)  # the call that is not repeated
UNWRITTEN = "가" * 100  # stands for a summary where there is none to go by


@dataclass(frozen=True)
class DryRun:
    """What would be spent. `repeated` rows are answered by the store, `gated` ones need no call.

    `existing` submissions were read; others up to `submissions` are taken to be new and as long.
    `measured`: tokens of these calls are what this config's own answers took.
    """

    submissions: int
    existing: int
    rows: int
    repeated: int
    gated: int
    by_call: tuple[CallCost, ...]
    micros: int
    measured: tuple[str, ...]
    calls_left: int

    @property
    def calls(self) -> int:
        return sum(one.calls for one in self.by_call)

    @property
    def input_tokens(self) -> int:
        return round(sum(one.input_tokens for one in self.by_call))

    @property
    def output_tokens(self) -> int:
        return round(sum(one.output_tokens for one in self.by_call))

    @property
    def fits(self) -> bool:
        """Whether the calls are within what the config may still spend in all."""
        return self.calls <= self.calls_left


def dry_run(config: JudgeConfig, *, submissions: int, example_ids: Collection[str]) -> DryRun:
    """What it takes to judge so many of the newest submissions, on these examples.

    A row costs nothing if its text was judged under this config, or comes twice.
    """
    costs = Costs(config, frozenset(example_ids))
    chosen = _newest(config, submissions)
    seen = set(_judged(config, costs.examples))
    rows = repeated = gated = 0
    last: dict[str, str] = {}
    for texts in _texts(chosen):
        last = texts
        for example_id in costs.examples & texts.keys():
            rows += 1
            row = (example_id, texts[example_id])
            if row in seen:
                repeated += 1
            elif costs.is_gated(*row):
                gated += 1
            else:
                seen.add(row)
                costs.count(*row)
    missing = max(submissions - len(chosen), 0)
    for example_id in costs.examples if missing else ():
        costs.count(example_id, last.get(example_id, UNWRITTEN), times=missing)
    spent = Reservation.objects.filter(config=config).count()
    return DryRun(
        submissions=submissions,
        existing=len(chosen),
        rows=rows + missing * len(costs.examples),
        repeated=repeated,
        gated=gated,
        by_call=tuple(one for one in costs.by_call.values() if one.calls),
        micros=costs.micros,
        measured=tuple(costs.measured),
        calls_left=max(config.calls_in_all - spent, 0),
    )


def building(config: JudgeConfig, *, example_ids: Collection[str]) -> DryRun:
    """What it takes to make the items of the dialogues that have none yet, nor take any over."""
    costs = Costs(config, frozenset(example_ids), pipeline="artefacts")
    built = carrying.spared(config)
    sections = 0 if "" in built else config.sections.exclude(instruction="").count()
    for call in costs.calls:
        if call.id == "S0":
            costs.add(call, 300 * sections, OPEN_ANSWER * sections, sections)
            continue
        for example_id in costs.examples - built:
            if call.id != "S3" or config.sections.exclude(instruction="").exists():
                costs.ask(call, example_id, "", 1)
    spent = Reservation.objects.filter(config=config).count()
    return DryRun(
        submissions=0,
        existing=0,
        rows=len(costs.examples - built),
        repeated=len(costs.examples & built),
        gated=0,
        by_call=tuple(one for one in costs.by_call.values() if one.calls),
        micros=costs.micros,
        measured=tuple(costs.measured),
        calls_left=max(config.calls_in_all - spent, 0),
    )


def repeating(config: JudgeConfig, *, texts: Mapping[str, str], times: int) -> DryRun:
    """What it takes to ask so often again about these summaries, whose claims are kept."""
    costs = Costs(config, frozenset(texts))
    for example_id in costs.examples:
        costs.count(example_id, texts[example_id], times, without=CLAIMS)
    spent = Reservation.objects.filter(config=config).count()
    return DryRun(
        submissions=1,
        existing=1,
        rows=len(costs.examples) * times,
        repeated=0,
        gated=0,
        by_call=tuple(one for one in costs.by_call.values() if one.calls),
        micros=costs.micros,
        measured=tuple(costs.measured),
        calls_left=max(config.calls_in_all - spent, 0),
    )


def _newest(config: JudgeConfig, number: int) -> list[Submission]:
    rows = Submission.objects.filter(
        team__competition=config.competition_id,
        team__kind=Team.Kind.PARTICIPANT,
        cancellation=None,
        exclusion=None,
    )
    return list(rows.order_by("-received_at", "pk")[:number])


def _texts(submissions: Sequence[Submission]) -> Iterator[dict[str, str]]:
    blobs = SubmissionText.objects.filter(submission__in=submissions)
    for blob in blobs.values_list("blob", flat=True).iterator(chunk_size=20):
        yield unpack(bytes(blob))


def _judged(config: JudgeConfig, examples: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Rows whose answers are stored: judged under this config, by whichever submission."""
    done = Judgment.objects.filter(
        judging__config=config, status__in=("scored", "content_failed", "not_applicable")
    )
    by_submission: dict[object, set[str]] = {}
    for submission, example_id in done.values_list("judging__submission", "example_id"):
        by_submission.setdefault(submission, set()).add(example_id)
    wanted = set(examples)
    blobs = SubmissionText.objects.filter(submission__in=list(by_submission))
    for submission, blob in blobs.values_list("submission", "blob").iterator(chunk_size=20):
        texts = unpack(bytes(blob))
        for example_id in by_submission[submission] & wanted & texts.keys():
            yield example_id, texts[example_id]
