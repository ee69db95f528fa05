"""How many tokens the calls of a config take, from its texts or from its own answers so far."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from django.db.models import Avg, Count

from leaderboard.judging.models import Artefact, JudgeConfig, Reservation
from leaderboard.references.models import Dialogue
from scoring import characters
from scoring.judges import prompts
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
PARTS = ("summary", "dialogue", "questions", "contents", "instructions")


@dataclass
class CallCost:
    """One kind of call: how many, and their tokens."""

    call: str
    calls: int = 0
    input_tokens: float = 0
    output_tokens: float = 0


@dataclass
class _Asked:
    """The items of one dialogue, by the name of the value they become."""

    texts: dict[str, list[str]] = field(default_factory=dict)

    def tokens(self, name: str) -> float:
        return sum(ITEM + tokens(text) for text in self.texts.get(name, ()))

    def number(self, name: str) -> int:
        return len(self.texts.get(name, ()))


def tokens(text: str) -> float:
    """About how many tokens a text is; no tokenizer of any model is at hand.

    >>> round(tokens("가나다라 abcd"), 2)
    4.35
    """
    latin = len(text.encode("ascii", "ignore"))
    return latin * LATIN + (len(text) - latin) * OTHER


class Costs:
    """Adds up calls of one config; reads its dialogues, items and measured tokens once."""

    def __init__(
        self, config: JudgeConfig, examples: frozenset[str], pipeline: str | None = None
    ) -> None:
        self.config = config
        self.calls: tuple[Call, ...] = PIPELINES[pipeline or config.pipeline].calls
        self.dialogues = dict(
            Dialogue.objects.filter(
                dialogue_set=config.dialogue_set_id, example_id__in=examples
            ).values_list("example_id", "text")
        )
        self.examples = frozenset(self.dialogues)
        self.dialogue_tokens = {name: tokens(text) for name, text in self.dialogues.items()}
        self.items = _items(config)
        self.measured = _measured(config)
        self.by_call = {call.id: CallCost(call.id) for call in self.calls}
        self.system = {call.id: _prompt_tokens(call, config.language) for call in self.calls}

    def is_gated(self, example_id: str, text: str) -> bool:
        """Whether the summary is blank or too long, so that no call is made."""
        longest = max(
            self.config.longest_summary,
            self.config.longest_share * len(self.dialogues[example_id]),
        )
        return characters.is_blank(text) or len(text) > longest

    def count(
        self, example_id: str, text: str, times: int = 1, without: Collection[str] = ()
    ) -> None:
        """Every call that this row needs, but for some."""
        for call in self.calls:
            if call.id not in without and not self._is_skipped(call, example_id):
                self.ask(call, example_id, text, times)

    def _is_skipped(self, call: Call, example_id: str) -> bool:
        """As `walking.is_skipped`, of what is known before any answer."""
        names = call.skip_if_empty
        if "reason" in names:
            return True
        known = bool(names) and set(names) <= set(PARTS)
        return known and not any(self.items_of(example_id).number(name) for name in names)

    def items_of(self, example_id: str) -> _Asked:
        asked = _Asked(dict(self.items.get("", {})))
        asked.texts.update(self.items.get(example_id, {}))
        return asked

    def ask(self, call: Call, example_id: str, text: str, times: int) -> None:
        """One call of this kind for a row, so often."""
        if call.id in self.measured:
            before, after = self.measured[call.id]
        else:
            asked = self.items_of(example_id)
            before = self.system[call.id] + sum(
                self._part(name, example_id, text, asked) for name in call.inputs.values()
            )
            after = _answer_tokens(call, text, asked)
        self.add(call, before * times, after * times, times)

    def _part(self, name: str, example_id: str, text: str, asked: _Asked) -> float:
        if name == "summary":
            return tokens(text)
        if name == "dialogue":
            return self.dialogue_tokens.get(example_id, 0)
        if name in PARTS:
            return asked.tokens(name)
        return 2 * tokens(text) + ITEM  # something an earlier call made of the summary

    def add(self, call: Call, before: float, after: float, times: int) -> None:
        one = self.by_call[call.id]
        one.calls += times
        one.input_tokens += before
        one.output_tokens += after

    @property
    def micros(self) -> int:
        """In millionths of the currency; prices are for a million tokens."""
        return round(
            sum(
                one.input_tokens * self.config.price_input
                + one.output_tokens * self.config.price_output
                for one in self.by_call.values()
            )
            / 1_000_000
        )


def _prompt_tokens(call: Call, language: str) -> float:
    prompt = prompts.load(call.prompt, "ko" if language == "ko" else "en")
    return tokens(prompt.system) + tokens(prompt.frame) + AROUND


def _answer_tokens(call: Call, text: str, asked: _Asked) -> float:
    names = set(call.inputs.values())
    number = sum(asked.number(name) for name in names & {"questions", "contents", "instructions"})
    if not number and text and not names & {"questions", "contents", "instructions"}:
        number = max(1, len(text) // CLAIM_CHARACTERS)
    return ANSWERED_ITEM * number if number else OPEN_ANSWER


def _items(config: JudgeConfig) -> dict[str, dict[str, list[str]]]:
    """What is asked, by dialogue (empty: of every one) and value name."""
    names = {"question": "questions", "content": "contents", "adherence": "instructions"}
    rows = Artefact.objects.filter(config=config, is_kept=True, kind__in=names)
    found: dict[str, dict[str, list[str]]] = {}
    for example_id, kind, text in rows.exclude(source_answer=False).values_list(
        "example_id", "kind", "text"
    ):
        found.setdefault(example_id, {}).setdefault(names[kind], []).append(text)
    return found


def _measured(config: JudgeConfig) -> Mapping[str, tuple[float, float]]:
    """Mean tokens (in, out) of the calls that were answered often enough."""
    rows = (
        Reservation.objects.filter(config=config, state=Reservation.State.ANSWERED)
        .values("call")
        .annotate(n=Count("pk"), before=Avg("input_tokens"), after=Avg("output_tokens"))
        .order_by()
    )
    return {
        row["call"]: (row["before"], row["after"]) for row in rows if row["n"] >= ENOUGH_ANSWERS
    }
