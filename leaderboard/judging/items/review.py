"""What an organizer does to the items that every submission will be asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from leaderboard.accounts.models import User
from leaderboard.judging.models import Artefact, BuiltDialogue, JudgeConfig

Kind = Artefact.Kind
LONGEST_ITEM = 500
MOST_ITEMS = 60  # of one dialogue, or of all sections together
# Items that belong to a section rather than to a dialogue.
OF_SECTIONS = (Kind.RUBRIC, Kind.ADHERENCE)
_PREFIX = {Kind.QUESTION: "q", Kind.RUBRIC: "r", Kind.ADHERENCE: "a", Kind.CONTENT: "k"}


@dataclass(frozen=True)
class Decision:
    """What becomes of one item."""

    item_id: str
    kept: bool
    text: str


@dataclass(frozen=True)
class NewItem:
    """One that the organizer adds. `rubric_id`: of a content. `section_id`: of a section's."""

    kind: str
    text: str
    rubric_id: str = ""
    section_id: int | None = None


@dataclass(frozen=True)
class ReviewCounts:
    """How far the review is. `failed`: dialogues whose items could not be made."""

    built: int
    failed: int
    items: int
    kept: int
    reviewed: int

    @property
    def open(self) -> int:
        return self.items - self.reviewed


def counts(config: JudgeConfig) -> ReviewCounts:
    """Two queries."""
    built = BuiltDialogue.objects.filter(config=config).aggregate(
        built=Count("pk"), failed=Count("pk", filter=~Q(failure=""))
    )
    items = Artefact.objects.filter(config=config).aggregate(
        items=Count("pk"),
        kept=Count("pk", filter=Q(is_kept=True)),
        reviewed=Count("pk", filter=Q(reviewed_by__isnull=False)),
    )
    return ReviewCounts(**built, **items)


def items_of(config: JudgeConfig, example_id: str) -> QuerySet[Artefact]:
    """The items of one dialogue, or with an empty id those of the sections."""
    rows = Artefact.objects.filter(config=config, example_id=example_id)
    return rows.select_related("section").order_by("kind", "pk")


def item_problem(decisions: Sequence[Decision], added: Sequence[NewItem]) -> str:
    """A code for a text that cannot be asked, or an empty string."""
    texts = [one.text for one in decisions] + [one.text for one in added]
    for text in texts:
        if not 0 < len(text) <= LONGEST_ITEM:
            return "item_length"
        if not text.replace("\n", " ").isprintable():
            return "item_characters"
    return "too_many_items" if len(texts) > MOST_ITEMS else ""


def decide(
    *, config: JudgeConfig, example_id: str, decisions: Iterable[Decision], user: User
) -> int:
    """Keep, strike out or reword items; all of them count as reviewed. How many changed.

    What an organizer reworded is the organizer's, who answers for the source saying so.
    """
    items = {item.item_id: item for item in items_of(config, example_id)}
    changed = 0
    for decision in decisions:
        item = items.get(decision.item_id)
        if item is None:
            continue
        reworded = decision.text != item.text
        changed += reworded or decision.kept != item.is_kept
        item.is_kept, item.text, item.reviewed_by = decision.kept, decision.text, user
        if reworded:
            item.origin = Artefact.Origin.ORGANIZER
            item.source_answer = True if item.kind == Kind.QUESTION else item.source_answer
    wanted = ["is_kept", "text", "reviewed_by", "origin", "source_answer"]
    Artefact.objects.bulk_update(items.values(), wanted, batch_size=500)
    return changed


def add(
    *, config: JudgeConfig, example_id: str, items: Iterable[NewItem], user: User
) -> list[Artefact]:
    """Add an organizer's own items, already reviewed, under ids that no model gives."""
    taken = set(items_of(config, example_id).values_list("item_id", flat=True))
    made: list[Artefact] = []
    for item in items:
        item_id = _free(_PREFIX[Kind(item.kind)], taken)
        taken.add(item_id)
        made.append(
            Artefact(
                config=config,
                kind=item.kind,
                item_id=item_id,
                example_id=example_id,
                section_id=item.section_id,
                rubric_id=item.rubric_id,
                text=item.text,
                origin=Artefact.Origin.ORGANIZER,
                source_answer=True if item.kind == Kind.QUESTION else None,
                reviewed_by=user,
            )
        )
    return Artefact.objects.bulk_create(made, batch_size=500)


def _free(prefix: str, taken: Iterable[str]) -> str:
    number = 1
    while f"{prefix}o{number}" in taken:
        number += 1
    return f"{prefix}o{number}"


def approve_all(*, config: JudgeConfig, user: User) -> int:
    """Count everything that nobody has looked at as reviewed; how many."""
    return Artefact.objects.filter(config=config, reviewed_by=None).update(reviewed_by=user)


def strike_orphans(*, config: JudgeConfig) -> int:
    """Do not ask for contents whose rubric is struck out; how many."""
    struck = Artefact.objects.filter(config=config, kind=Kind.RUBRIC, is_kept=False)
    contents = Artefact.objects.filter(config=config, kind=Kind.CONTENT, is_kept=True)
    return contents.filter(rubric_id__in=struck.values("item_id")).update(is_kept=False)


def usable(config: JudgeConfig) -> Mapping[str, int]:
    """How many items of each kind would be asked."""
    rows = Artefact.objects.filter(config=config, is_kept=True).exclude(source_answer=False)
    return dict(rows.values_list("kind").annotate(n=Count("pk")).order_by())


def forget_failures(*, config: JudgeConfig) -> int:
    """Let dialogues be tried again whose items could not be made; how many."""
    failed = BuiltDialogue.objects.filter(config=config).exclude(failure="")
    half = Artefact.objects.filter(config=config, reviewed_by=None)
    half.filter(example_id__in=failed.values("example_id")).delete()
    return failed.delete()[0]


def unbuilt(config: JudgeConfig, example_ids: Sequence[str]) -> list[str]:
    """Which of these dialogues nobody has tried to make items for; an empty id: the sections."""
    tried = set(config.built_dialogues.values_list("example_id", flat=True))
    return [example_id for example_id in example_ids if example_id not in tried]
