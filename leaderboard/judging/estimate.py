"""What judging would take before anything is asked: calls, tokens, money."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
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
# What is asked as items, by the name of the value that they become.
ITEMS = {"question": "questions", "content": "contents", "adherence": "instructions"}

Asked = Mapping[str, list[str]]  # the items of one dialogue, by that name


@lru_cache(maxsize=5_000)
def tokens(text: str) -> float:
    """About how many tokens a text is; no tokenizer of any model is at hand.

    >>> round(tokens("가나다라 abcd"), 2)
    4.35
    """
    latin = len(text.encode("ascii", "ignore"))
    return latin * LATIN + (len(text) - latin) * OTHER


class DryRun:
    """Adds up the calls of one config.

    `repeated` rows are answered by the store, `gated` ones need no call. `measured`: calls whose
    tokens are the mean of this config's answers.
    """

    rows = submissions = existing = repeated = gated = 0

    def __init__(
        self, config: JudgeConfig, examples: Iterable[str], pipeline: str | None = None
    ) -> None:
        self.config = config
        self.kinds: tuple[Call, ...] = PIPELINES[pipeline or config.pipeline].calls
        self.dialogues = dialogues(config, frozenset(examples))
        self.examples = frozenset(self.dialogues)
        self.items = _items(config)
        self.expected = _expected(config)
        built = config.built_dialogues.values_list("example_id", flat=True)
        makes = config.state in (JudgeConfig.State.DRAFT, JudgeConfig.State.REVIEWING)
        self.unbuilt = self.examples - set(built) if makes else frozenset()
        self.measured = _measured(config)
        self.by_call: dict[str, int] = {}
        self.before = self.after = 0.0  # tokens in and out
        spent = Reservation.objects.filter(config=config).count()
        self.calls_left = max(config.calls_in_all - spent, 0)

    def count(
        self, example_id: str, text: str, times: int = 1, without: Collection[str] = ()
    ) -> None:
        """All calls about one summary, but for those that have nothing to ask."""
        items = self.items_of(example_id)
        for call in self.kinds:
            names = set(call.skip_if_empty)
            asks_nothing = names <= set(ITEMS.values()) and not any(map(items.get, names))
            if call.id not in without and "reason" not in names and not (names and asks_nothing):
                self.ask(call, example_id, text, times)

    def items_of(self, example_id: str) -> Asked:
        """What is asked of a dialogue; where that is still to be made, what is expected."""
        if example_id in self.unbuilt:
            return self.expected
        return {**self.items.get("", {}), **self.items.get(example_id, {})}

    def ask(self, call: Call, example_id: str, text: str, times: int) -> None:
        if call.id in self.measured:
            before, after = self.measured[call.id]
        else:
            items, dialogue = self.items_of(example_id), self.dialogues[example_id]
            before = AROUND + _prompt_tokens(call.prompt, self.config.language)
            before += sum(_part(name, text, dialogue, items) for name in call.inputs.values())
            after = _answer_tokens(call, text, items)
        self.add(call, before, after, times)

    def add(self, call: Call, before: float, after: float, times: int) -> None:
        self.by_call[call.id] = self.by_call.get(call.id, 0) + times
        self.before += before * times
        self.after += after * times

    @property
    def calls(self) -> int:
        return sum(self.by_call.values())

    @property
    def input_tokens(self) -> int:
        return round(self.before)

    @property
    def output_tokens(self) -> int:
        return round(self.after)

    @property
    def micros(self) -> int:
        config = self.config
        whole = self.before * config.price_input + self.after * config.price_output
        return round(whole / 1_000_000)

    @property
    def fits(self) -> bool:
        return self.calls <= self.calls_left


def _part(name: str, text: str, dialogue: str, items: Asked) -> float:
    if name in ("summary", "dialogue"):
        return tokens(text if name == "summary" else dialogue)
    if name in ITEMS.values():
        return sum(ITEM + tokens(item) for item in items.get(name, ()))
    return 2 * tokens(text) + ITEM  # something an earlier call made of the summary


def _prompt_tokens(prompt_id: str, language: str) -> float:
    prompt = prompts.load(prompt_id, "ko" if language == "ko" else "en")
    return tokens(prompt.system) + tokens(prompt.frame)


def _answer_tokens(call: Call, text: str, items: Asked) -> float:
    names = set(ITEMS.values()) & set(call.inputs.values())
    number = sum(len(items.get(name, ())) for name in names)
    if text and not names:
        number = max(1, len(text) // CLAIM_CHARACTERS)
    return ANSWERED_ITEM * number if number else OPEN_ANSWER


def _items(config: JudgeConfig) -> dict[str, dict[str, list[str]]]:
    """What is asked, by dialogue (empty: of every one) and value name."""
    found: dict[str, dict[str, list[str]]] = {}
    rows = asked(config).filter(kind__in=ITEMS)
    for example_id, kind, text in rows.values_list("example_id", "kind", "text"):
        found.setdefault(example_id, {}).setdefault(ITEMS[kind], []).append(text)
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
        .filter(n__gte=ENOUGH_ANSWERS)
        .order_by()
    )
    return {row["call"]: (row["before"], row["after"]) for row in rows}


def dry_run(config: JudgeConfig, *, submissions: int, example_ids: Collection[str]) -> DryRun:
    """What judging so many of the newest submissions takes; a judged text costs nothing."""
    found = DryRun(config, example_ids)
    newest = Submission.objects.filter(
        team__competition=config.competition_id,
        team__kind=Team.Kind.PARTICIPANT,
        cancellation=None,
        exclusion=None,
    ).order_by("-received_at", "pk")
    chosen = list(newest.values_list("pk", flat=True)[:submissions])
    found.submissions, found.existing = submissions, len(chosen)
    seen, limit = set(_judged(config, found.examples)), length_limit(config)
    last: Mapping[str, str] = {}
    for _, last in texts_of(Submission.objects.filter(pk__in=chosen)):
        for example_id in found.examples & last.keys():
            found.rows += 1
            row = (example_id, last[example_id])
            if row in seen:
                found.repeated += 1
            elif evidence.gate(last[example_id], found.dialogues[example_id], limit):
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
    for call in found.kinds:
        if call.id == "S0" and instructed and "" not in built:
            found.add(call, 300, OPEN_ANSWER, instructed)
        elif call.id in ("S1", "S2") or (call.id == "S3" and instructed):
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


def _judged(config: JudgeConfig, examples: Collection[str]) -> Iterator[tuple[str, str]]:
    """Rows whose answers are stored: judged under this config, by whichever submission."""
    done = Judgment.objects.filter(
        judging__config=config,
        status__in=("scored", "content_failed", "not_applicable"),
        example_id__in=examples,
    )
    by_submission: dict[UUID, set[str]] = {}
    for submission, example_id in done.values_list("judging__submission", "example_id"):
        by_submission.setdefault(submission, set()).add(example_id)
    for submission, texts in texts_of(Submission.objects.filter(pk__in=list(by_submission))):
        for example_id in by_submission[submission] & texts.keys():
            yield example_id, texts[example_id]
