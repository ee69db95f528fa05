"""What judging would take before anything is asked: calls, tokens, money."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Avg, Count

from leaderboard.judging.building import spared
from leaderboard.judging.identity import asked
from leaderboard.judging.judge import length_limit
from leaderboard.judging.models import JudgeConfig, Judgment, Reservation
from leaderboard.judging.plan import dialogues, makes_items
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import texts_of
from leaderboard.teams.models import Team
from scoring.judges import evidence, prompts
from scoring.judges.call_graph import Call
from scoring.judges.pipelines import PIPELINES

# Fewer answers of a call than this say little about the next; the texts are measured then.
ENOUGH_ANSWERS = 20
# Tokens a character, roughly, of today's tokenizers: Latin text and everything else.
LATIN, OTHER = 0.27, 0.75
AROUND = 60  # tokens of markers and keys around the material
ITEM = 15  # tokens of an item's id and keys
ANSWERED_ITEM = 60  # tokens of one verdict with its evidence and reason
OPEN_ANSWER = 400  # tokens where nothing says how many items come back
CLAIM_CHARACTERS = 30  # of a summary, for one claim
CLAIMS = ("P1",)  # the call that is not repeated
UNWRITTEN = "가" * 100  # stands for a summary where there is none to go by
EXPECTED_ITEM = "가" * 25  # stands for an item that is not made yet
CONTENTS = 5  # of a dialogue for one section, about
PARTS = ("summary", "dialogue", "questions", "contents", "instructions")


@dataclass
class CallCost:
    call: str
    calls: int = 0
    input_tokens: float = 0
    output_tokens: float = 0


Asked = Mapping[str, list[str]]  # the items of one dialogue, by the name of the value they become


def tokens(text: str) -> float:
    """About how many tokens a text is; no tokenizer of any model is at hand.

    >>> round(tokens("가나다라 abcd"), 2)
    4.35
    """
    latin = len(text.encode("ascii", "ignore"))
    return latin * LATIN + (len(text) - latin) * OTHER


class DryRun:
    """Adds up calls of one config; reads its dialogues, items and measured tokens once.

    `repeated` rows are answered by the store, `gated` ones need no call. `existing` submissions
    were read; others up to `submissions` are taken to be new and as long. `measured`: tokens of
    these calls are what this config's own answers took.
    """

    rows = submissions = existing = repeated = gated = 0

    def __init__(
        self, config: JudgeConfig, examples: Iterable[str], pipeline: str | None = None
    ) -> None:
        self.config = config
        self.kinds: tuple[Call, ...] = PIPELINES[pipeline or config.pipeline].calls
        self.dialogues = dialogues(config, frozenset(examples))
        self.examples = frozenset(self.dialogues)
        self.dialogue_tokens = {name: tokens(text) for name, text in self.dialogues.items()}
        self.items = _items(config)
        self.expected = _expected(config)
        built = config.built_dialogues.values_list("example_id", flat=True)
        makes = config.state in (JudgeConfig.State.DRAFT, JudgeConfig.State.REVIEWING)
        self.unbuilt = self.examples - set(built) if makes else frozenset()
        self.measured = _measured(config)
        self.costs = {call.id: CallCost(call.id) for call in self.kinds}
        self.system = {call.id: _prompt_tokens(call, config.language) for call in self.kinds}
        spent = Reservation.objects.filter(config=config).count()
        self.calls_left = max(config.calls_in_all - spent, 0)

    def count(
        self, example_id: str, text: str, times: int = 1, without: Collection[str] = ()
    ) -> None:
        for call in self.kinds:
            if call.id not in without and not self._is_skipped(call, example_id):
                self.ask(call, example_id, text, times)

    def _is_skipped(self, call: Call, example_id: str) -> bool:
        """As `walking.is_skipped`, of what is known before any answer."""
        names = call.skip_if_empty
        if "reason" in names:
            return True
        known = bool(names) and set(names) <= set(PARTS)
        return known and not any(self.items_of(example_id).get(name) for name in names)

    def items_of(self, example_id: str) -> Asked:
        """What is asked of a dialogue; where that is still to be made, what is expected."""
        if example_id in self.unbuilt:
            return self.expected
        return {**self.items.get("", {}), **self.items.get(example_id, {})}

    def ask(self, call: Call, example_id: str, text: str, times: int) -> None:
        if call.id in self.measured:
            before, after = self.measured[call.id]
        else:
            items = self.items_of(example_id)
            before = self.system[call.id] + sum(
                self._part(name, example_id, text, items) for name in call.inputs.values()
            )
            after = _answer_tokens(call, text, items)
        self.add(call, before * times, after * times, times)

    def _part(self, name: str, example_id: str, text: str, items: Asked) -> float:
        if name == "summary":
            return tokens(text)
        if name == "dialogue":
            return self.dialogue_tokens.get(example_id, 0)
        if name in PARTS:
            return sum(ITEM + tokens(item) for item in items.get(name, ()))
        return 2 * tokens(text) + ITEM  # something an earlier call made of the summary

    def add(self, call: Call, before: float, after: float, times: int) -> None:
        one = self.costs[call.id]
        one.calls += times
        one.input_tokens += before
        one.output_tokens += after

    @property
    def by_call(self) -> list[CallCost]:
        return [one for one in self.costs.values() if one.calls]

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
    def micros(self) -> int:
        prices = self.config.price_input, self.config.price_output
        costs = (
            one.input_tokens * prices[0] + one.output_tokens * prices[1] for one in self.by_call
        )
        return round(sum(costs) / 1_000_000)

    @property
    def fits(self) -> bool:
        return self.calls <= self.calls_left


def _prompt_tokens(call: Call, language: str) -> float:
    prompt = prompts.load(call.prompt, "ko" if language == "ko" else "en")
    return tokens(prompt.system) + tokens(prompt.frame) + AROUND


def _answer_tokens(call: Call, text: str, items: Asked) -> float:
    names = {"questions", "contents", "instructions"} & set(call.inputs.values())
    number = sum(len(items.get(name, ())) for name in names)
    if text and not names:
        number = max(1, len(text) // CLAIM_CHARACTERS)
    return ANSWERED_ITEM * number if number else OPEN_ANSWER


def _items(config: JudgeConfig) -> dict[str, dict[str, list[str]]]:
    """What is asked, by dialogue (empty: of every one) and value name."""
    names = {"question": "questions", "content": "contents", "adherence": "instructions"}
    found: dict[str, dict[str, list[str]]] = {}
    rows = asked(config).filter(kind__in=names)
    for example_id, kind, text in rows.values_list("example_id", "kind", "text"):
        found.setdefault(example_id, {}).setdefault(names[kind], []).append(text)
    return found


def _expected(config: JudgeConfig) -> Asked:
    """What a dialogue will be asked: the questions that are set, and each section's items."""
    free = len(list(filter(makes_items, config.sections.all())))
    return {
        "questions": [EXPECTED_ITEM] * config.questions_per_dialogue,
        "contents": [EXPECTED_ITEM] * CONTENTS * free,
        "instructions": [EXPECTED_ITEM] * free,
    }


def _measured(config: JudgeConfig) -> Mapping[str, tuple[float, float]]:
    rows = (
        Reservation.objects.filter(config=config, state=Reservation.State.ANSWERED)
        .values("call")
        .annotate(n=Count("pk"), before=Avg("input_tokens"), after=Avg("output_tokens"))
        .order_by()
    )
    return {
        row["call"]: (row["before"], row["after"]) for row in rows if row["n"] >= ENOUGH_ANSWERS
    }


def dry_run(config: JudgeConfig, *, submissions: int, example_ids: Collection[str]) -> DryRun:
    """What it takes to judge so many of the newest submissions, on these examples.

    A row costs nothing if its text was judged under this config, or comes twice.
    """
    found = DryRun(config, example_ids)
    chosen = _newest(config, submissions)
    found.submissions, found.existing = submissions, len(chosen)
    seen, limit = set(_judged(config, found.examples)), length_limit(config)
    last: dict[str, str] = {}
    for texts in _texts(chosen):
        last = texts
        for example_id in found.examples & texts.keys():
            found.rows += 1
            row = (example_id, texts[example_id])
            if row in seen:
                found.repeated += 1
            elif evidence.gate(texts[example_id], found.dialogues[example_id], limit):
                found.gated += 1
            else:
                seen.add(row)
                found.count(*row)
    missing = max(submissions - len(chosen), 0)
    for example_id in found.examples if missing else ():
        found.count(example_id, last.get(example_id, UNWRITTEN), times=missing)
    found.rows += missing * len(found.examples)
    return found


def building(config: JudgeConfig, *, example_ids: Collection[str]) -> DryRun:
    """What it takes to make the items of the dialogues that have none yet, nor take any over."""
    found = DryRun(config, example_ids, pipeline="artefacts")
    built = spared(config)
    instructed = config.sections.exclude(instruction="").count()
    sections = 0 if "" in built else instructed
    for call in found.kinds:
        if call.id == "S0":
            found.add(call, 300 * sections, OPEN_ANSWER * sections, sections)
        elif call.id != "S3" or instructed:
            for example_id in found.examples - built:
                found.ask(call, example_id, "", 1)
    found.rows, found.repeated = len(found.examples - built), len(found.examples & built)
    return found


def repeating(config: JudgeConfig, *, texts: Mapping[str, str], times: int) -> DryRun:
    """What it takes to ask so often again about these summaries, whose claims are kept."""
    found = DryRun(config, texts)
    for example_id in found.examples:
        found.count(example_id, texts[example_id], times, without=CLAIMS)
    found.submissions, found.existing, found.rows = 1, 1, len(found.examples) * times
    return found


def _newest(config: JudgeConfig, number: int) -> list[Submission]:
    rows = Submission.objects.filter(
        team__competition=config.competition_id,
        team__kind=Team.Kind.PARTICIPANT,
        cancellation=None,
        exclusion=None,
    )
    return list(rows.order_by("-received_at", "pk")[:number])


def _texts(submissions: Sequence[Submission]) -> Iterator[dict[str, str]]:
    rows = Submission.objects.filter(pk__in=[one.pk for one in submissions])
    return (found.texts for found in texts_of(rows))


def _judged(config: JudgeConfig, examples: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Rows whose answers are stored: judged under this config, by whichever submission."""
    done = Judgment.objects.filter(
        judging__config=config, status__in=("scored", "content_failed", "not_applicable")
    )
    by_submission: dict[UUID, set[str]] = {}
    for submission, example_id in done.values_list("judging__submission", "example_id"):
        by_submission.setdefault(submission, set()).add(example_id)
    wanted = set(examples)
    for submission, texts in texts_of(Submission.objects.filter(pk__in=list(by_submission))):
        for example_id in by_submission[submission] & wanted & texts.keys():
            yield example_id, texts[example_id]
