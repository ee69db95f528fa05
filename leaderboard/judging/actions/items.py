"""What submissions will be asked: organizers have it made, strike out, reword, add and approve."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import count
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from leaderboard.accounts.models import User
from leaderboard.judging.actions.configs import State, check_settings, deciding_on_config
from leaderboard.judging.actions.refusals import JudgeRefused
from leaderboard.judging.building import LONGEST_ITEM, carry
from leaderboard.judging.models import Artefact, JudgeConfig

Kind = Artefact.Kind
MOST_ITEMS = 60  # of one dialogue, or of all sections together
# Items that belong to a section rather than to a dialogue.
OF_SECTIONS = (Kind.RUBRIC, Kind.ADHERENCE)
_PREFIX = {Kind.QUESTION: "q", Kind.RUBRIC: "r", Kind.ADHERENCE: "a", Kind.CONTENT: "k"}


def counts(config: JudgeConfig) -> dict[str, int]:
    """How far the review is. `failed`: dialogues whose items could not be made. Two queries."""
    items = config.artefacts.aggregate(
        items=Count("pk"),
        kept=Count("pk", filter=Q(is_kept=True)),
        open=Count("pk", filter=Q(reviewed_by=None)),
    )
    return {**items, "failed": config.built_dialogues.exclude(failure="").count()}


def items_of(config: JudgeConfig, example_id: str) -> QuerySet[Artefact]:
    """The items of one dialogue, or with an empty id those of the sections."""
    rows = Artefact.objects.filter(config=config, example_id=example_id)
    return rows.select_related("section").order_by("kind", "pk")


def unbuilt(config: JudgeConfig, example_ids: Sequence[str]) -> list[str]:
    """Which of these dialogues nobody has tried to make items for; an empty id: the sections."""
    tried = set(config.built_dialogues.values_list("example_id", flat=True))
    return [example_id for example_id in example_ids if example_id not in tried]


def begin_judge_review(*, config_id: UUID, user: User, at: datetime) -> JudgeConfig:
    """From now on a worker makes what is missing; the settings stand. Raises Refused.

    A copy takes over the items that are still right. Said again, it lets those dialogues be tried
    once more whose items could not be made.
    """
    with deciding_on_config(config_id, user, at, [State.DRAFT, State.REVIEWING]) as decision:
        config = decision.config
        check_settings(config.competition, config)
        again = 0
        if config.state == State.DRAFT:
            config.carried_items = carry(config=config)
        else:
            failed = config.built_dialogues.exclude(failure="")
            half = config.artefacts.filter(reviewed_by=None)
            half.filter(example_id__in=failed.values("example_id")).delete()
            again, _ = failed.delete()
        config.state = State.REVIEWING
        config.save(update_fields=["state", "carried_items"])
        decision.log("judge.reviewing", again=again, carried=config.carried_items)
    return config


def review_artefacts(
    *,
    config_id: UUID,
    user: User,
    example_id: str,
    decisions: Sequence[Artefact] = (),
    added: Sequence[Artefact] = (),
    at: datetime,
) -> int:
    """Decide on the items of one dialogue (or, with an empty id, of the sections) and add some.

    `decisions` say by their ids what is kept, and its text; these count as reviewed. `added`: the
    organizer's, with a kind, and the rubric or section it belongs to. Returns how many were added
    or changed. Raises Refused.
    """
    with deciding_on_config(config_id, user, at, [State.REVIEWING]) as decision:
        config = decision.config
        code = _problem(decisions, added)
        if code:
            raise JudgeRefused(code, length=LONGEST_ITEM, items=MOST_ITEMS)
        if not all(_belongs(config, example_id, item) for item in added):
            raise JudgeRefused("unknown_place")
        items = {item.item_id: item for item in items_of(config, example_id)}
        changed = _decide(items, decisions, user)
        for item in added:
            prefix = _PREFIX[Kind(item.kind)]
            # An id that no model gives.
            item_id = next(f"{prefix}o{n}" for n in count(1) if f"{prefix}o{n}" not in items)
            items[item_id] = item
            item.config, item.example_id, item.item_id = config, example_id, item_id
            item.origin, item.reviewed_by = Artefact.Origin.ORGANIZER, user
            item.source_answer = True if item.kind == Kind.QUESTION else None
            item.save(force_insert=True)
        if changed or added:
            decision.record(
                "judge.items_reviewed",
                config.pk,
                after={"example": example_id, "changed": changed, "added": len(added)},
            )
    return changed + len(added)


def _problem(decisions: Sequence[Artefact], added: Sequence[Artefact]) -> str:
    texts = [*(one.text for one in decisions), *(one.text for one in added)]
    for text in texts:
        if not 0 < len(text) <= LONGEST_ITEM:
            return "item_length"
        if not text.replace("\n", " ").isprintable():
            return "item_characters"
    return "too_many_items" if len(texts) > MOST_ITEMS else ""


def _belongs(config: JudgeConfig, example_id: str, item: Artefact) -> bool:
    """Whether there is a place for the item: a section, a rubric, or a dialogue being built."""
    if item.kind in OF_SECTIONS:
        if example_id or item.section_id is None:
            return False
        return config.sections.filter(pk=item.section_id).exists()
    if not config.built_dialogues.filter(example_id=example_id).exclude(example_id="").exists():
        return False
    if item.kind == Kind.CONTENT:
        rubrics = config.artefacts.filter(kind=Kind.RUBRIC, item_id=item.rubric_id)
        return bool(item.rubric_id) and rubrics.exists()
    return item.kind == Kind.QUESTION


def _decide(items: Mapping[str, Artefact], decisions: Iterable[Artefact], user: User) -> int:
    """Keep, strike out or reword items; all of them count as reviewed. How many changed.

    What an organizer reworded is the organizer's, who answers for the source saying so.
    """
    changed = 0
    for decision in decisions:
        item = items.get(decision.item_id)
        if item is None:
            continue
        reworded = decision.text != item.text
        changed += reworded or decision.is_kept != item.is_kept
        item.is_kept, item.text, item.reviewed_by = decision.is_kept, decision.text, user
        if reworded:
            item.origin = Artefact.Origin.ORGANIZER
            item.source_answer = True if item.kind == Kind.QUESTION else item.source_answer
    wanted = ["is_kept", "text", "reviewed_by", "origin", "source_answer"]
    Artefact.objects.bulk_update(items.values(), wanted, batch_size=500)
    return changed


def approve_artefacts(*, config_id: UUID, user: User, at: datetime) -> int:
    with deciding_on_config(config_id, user, at, [State.REVIEWING]) as decision:
        config = decision.config
        approved = config.artefacts.filter(reviewed_by=None).update(reviewed_by=user)
        if approved:
            decision.record("judge.items_approved", config.pk, after={"items": approved})
    return approved
