"""What submissions will be asked: organizers have it made, strike out, reword and approve."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.judging.actions.configs import State, check_settings, deciding_on_config
from leaderboard.judging.building import LONGEST_ITEM, carry
from leaderboard.judging.models import Artefact, JudgeConfig
from leaderboard.refusals import Invalid

Kind = Artefact.Kind


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


def begin_judge_review(
    *, config_id: UUID, user: User, switches_on: bool = False, at: datetime
) -> JudgeConfig:
    """Let a worker make the missing items, again those that failed; a copy takes its items over.

    `switches_on`: the column is shown as soon as they are made (`running.switch_on_when_made`).
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
            again, _rows = failed.delete()
        config.state = State.REVIEWING
        config.switches_on |= switches_on
        config.save(update_fields=["state", "carried_items", "switches_on"])
        decision.log("judge.reviewing", again=again, carried=config.carried_items)
    return config


def review_artefacts(
    *, config_id: UUID, user: User, example_id: str, decisions: Sequence[Artefact], at: datetime
) -> int:
    """Keep, strike out or reword items of a dialogue (empty id: of the sections); how many changed.

    `decisions` name items by id and count as reviewed. A reworded item is the organizer's, who
    answers for the source saying so. Raises Refused.
    """
    with deciding_on_config(config_id, user, at, [State.REVIEWING]) as decision:
        config = decision.config
        for wanted in decisions:
            _refuse_item(wanted.text)
        items = {item.item_id: item for item in items_of(config, example_id)}
        changed = 0
        for wanted in decisions:
            if (item := items.get(wanted.item_id)) is None:
                continue
            reworded = wanted.text != item.text
            changed += reworded or wanted.is_kept != item.is_kept
            item.is_kept, item.text, item.reviewed_by = wanted.is_kept, wanted.text, user
            if reworded:
                item.origin = Artefact.Origin.ORGANIZER
                item.source_answer = True if item.kind == Kind.QUESTION else item.source_answer
        names = ["is_kept", "text", "reviewed_by", "origin", "source_answer"]
        Artefact.objects.bulk_update(items.values(), names, batch_size=500)
        if changed:
            after = {"example": example_id, "changed": changed}
            decision.record("judge.items_reviewed", config.pk, after=after)
    return changed


def _refuse_item(text: str) -> None:
    if not 0 < len(text) <= LONGEST_ITEM:
        raise Invalid(
            "item_length",
            _("An item has 1 to {length} characters. To remove it, clear its box."),
            length=LONGEST_ITEM,
        )
    if not text.replace("\n", " ").isprintable():
        raise Invalid("item_characters", _("An item contains invisible characters."))


def approve_artefacts(*, config_id: UUID, user: User, at: datetime) -> int:
    with deciding_on_config(config_id, user, at, [State.REVIEWING]) as decision:
        config = decision.config
        approved = config.artefacts.filter(reviewed_by=None).update(reviewed_by=user)
        if approved:
            decision.record("judge.items_approved", config.pk, after={"items": approved})
    return approved
