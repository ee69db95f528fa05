"""What submissions will be asked: organizers have it made, strike out, reword, add and approve."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from leaderboard.accounts.models import User
from leaderboard.judging.actions.configs import (
    State,
    check_settings,
    deciding_on_config,
)
from leaderboard.judging.actions.refusals import JudgeRefused
from leaderboard.judging.drafting import ConfigSettings
from leaderboard.judging.items import review
from leaderboard.judging.items.carrying import carry
from leaderboard.judging.items.review import (
    LONGEST_ITEM,
    MOST_ITEMS,
    Decision,
    NewItem,
    forget_failures,
)
from leaderboard.judging.models import Artefact, JudgeConfig


def begin_judge_review(*, config_id: UUID, user: User, at: datetime) -> JudgeConfig:
    """From now on a worker makes what is missing; the settings stand. Raises Refused.

    A copy takes over the items that are still right. Said again, it lets those dialogues be tried
    once more whose items could not be made.
    """
    with deciding_on_config(config_id, user, at, [State.DRAFT, State.REVIEWING]) as decision:
        config = decision.config
        check_settings(config.competition, ConfigSettings.of(config))
        again = 0
        if config.state == State.DRAFT:
            config.carried_items = carry(config=config)
        else:
            again = forget_failures(config=config)
        config.state = State.REVIEWING
        config.save(update_fields=["state", "carried_items"])
        decision.record(
            "judge.reviewing",
            config.pk,
            after={"judge": str(config), "again": again, "carried": config.carried_items},
        )
    return config


Kind = Artefact.Kind


def review_artefacts(
    *,
    config_id: UUID,
    user: User,
    example_id: str,
    decisions: Sequence[Decision] = (),
    added: Sequence[NewItem] = (),
    at: datetime,
) -> int:
    """Decide on the items of one dialogue (or, with an empty id, of the sections) and add some.

    Items decided on count as reviewed. Returns how many were added or changed. Raises Refused.
    """
    with deciding_on_config(config_id, user, at, [State.REVIEWING]) as decision:
        config = decision.config
        code = review.item_problem(decisions, added)
        if code:
            raise JudgeRefused(code, length=LONGEST_ITEM, items=MOST_ITEMS)
        if not all(_belongs(config, example_id, item) for item in added):
            raise JudgeRefused("unknown_place")
        changed = review.decide(
            config=config, example_id=example_id, decisions=decisions, user=user
        )
        made = review.add(config=config, example_id=example_id, items=added, user=user)
        if changed or made:
            decision.record(
                "judge.items_reviewed",
                config.pk,
                after={"example": example_id, "changed": changed, "added": len(made)},
            )
    return changed + len(made)


def approve_artefacts(*, config_id: UUID, user: User, at: datetime) -> int:
    """Count every item as reviewed that nobody has looked at; how many. Raises Refused."""
    with deciding_on_config(config_id, user, at, [State.REVIEWING]) as decision:
        config = decision.config
        approved = review.approve_all(config=config, user=user)
        if approved:
            decision.record(
                "judge.items_approved",
                config.pk,
                after={"items": approved},
            )
    return approved


def _belongs(config: JudgeConfig, example_id: str, item: NewItem) -> bool:
    """Whether there is a place for the item: a section, a rubric, or a dialogue being built."""
    if item.kind in review.OF_SECTIONS:
        if example_id or item.section_id is None:
            return False
        return config.sections.filter(pk=item.section_id).exists()
    if not config.built_dialogues.filter(example_id=example_id).exclude(example_id="").exists():
        return False
    if item.kind == Kind.CONTENT:
        rubrics = config.artefacts.filter(kind=Kind.RUBRIC, item_id=item.rubric_id)
        return bool(item.rubric_id) and rubrics.exists()
    return item.kind == Kind.QUESTION
