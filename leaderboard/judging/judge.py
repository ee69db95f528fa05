"""The rows of one judging: which are open, what is asked about each, what is kept of it."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from leaderboard.judging import signs
from leaderboard.judging.asking import claim as claims
from leaderboard.judging.asking.budget import Payer
from leaderboard.judging.asking.claim import Claimed
from leaderboard.judging.asking.walk import Walk
from leaderboard.judging.counting import DECLINED, blocked, count, length_limit
from leaderboard.judging.models import Judging, Judgment
from leaderboard.judging.plan import dialogues, items, rows_of
from scoring.judges import evidence
from scoring.judges.pipelines import PIPELINES
from scoring.judges.records import Status

# Statuses with which a row will be taken up again.
OPEN = (Status.PENDING, Status.INFRA_ERROR, Status.SKIPPED_BUDGET)


class JudgingWork:
    """See `chunk.Work`. Reads everything that the rows need once."""

    def __init__(self, claim: Claimed) -> None:
        rows = Judging.objects.select_related(
            "config__competition", "config__dialogue_set", "submission__team"
        )
        self.judging = rows.get(pk=claim.pk)
        self.claim, self.config = claim, self.judging.config
        self.payer = Payer(self.config, claim.owner, self.judging, self.judging.submission.team_id)
        self.texts = rows_of(self.judging)
        self.dialogues = dialogues(self.config, self.texts.keys())
        self.items = items(self.config)
        self.affected: set[UUID] = set()  # other judgings whose rows changed
        self._blocked = set(
            Judgment.objects.filter(
                judging__config=self.config, status=Status.SOURCE_BLOCKED
            ).values_list("example_id", flat=True)
        )

    def walks(self) -> Iterator[Walk]:
        """Rows that were never judged, then those that nobody answered."""
        known = dict(self.judging.judgments.values_list("example_id", "status"))
        fresh = [each for each in self.texts if each not in known]
        unanswered = [each for each in self.texts if known.get(each) in OPEN]
        for example_id in (*fresh, *unanswered):
            yield self._walk(example_id)

    def _walk(self, example_id: str) -> Walk:
        summary, dialogue = self.texts[example_id], self.dialogues[example_id]
        scope = ""
        if not self.config.is_shared:
            scope = f"{self.judging.pk}:{self.judging.round}:{example_id}"
        walk = Walk(
            example_id,
            PIPELINES[self.config.pipeline],
            self.items[example_id].given(summary=summary, dialogue=dialogue, **self._options),
            scope,
        )
        is_barred = evidence.gate(summary, dialogue, length_limit(self.config)) is not None
        if is_barred or example_id in self._blocked:
            walk.over.update(call.id for call in walk.pipeline.calls)
        return walk

    @property
    def _options(self) -> dict[str, str]:
        """What Google's own graph is told of the section; a text has one there."""
        section = self.config.sections.exclude(kind="prebuilt").first()
        if section is None or self.config.is_shared:
            return {}
        return {
            "section": section.name,
            "instruction": section.instruction,
            "kind": section.kind,
        }

    def prepare(self, walks: Sequence[Walk]) -> list[Judgment]:
        """Count rows that are over."""
        return [self._counted(walk) for walk in walks]

    def _counted(self, walk: Walk) -> Judgment:
        is_blocked = walk.example_id in self._blocked
        if is_blocked:
            for call in walk.pipeline.calls:
                walk.stop(call, Status.SOURCE_BLOCKED, Status.SOURCE_BLOCKED.value)
        counted = count(self.config, walk)
        return Judgment(
            judging=self.judging,
            example_id=walk.example_id,
            status=Status.SOURCE_BLOCKED.value if is_blocked else counted.status,
            results=blocked(counted.results) if is_blocked else counted.results,
            flags=[*counted.flags, *signs.row_flags(walk.values)],
            call_keys={call: each.key for call, each in walk.answers.items()},
        )

    def save(self, prepared: Sequence[Judgment]) -> None:
        """Keep rows and say how far it is; in the transaction of the chunk, which holds the fence.

        Raises JudgingLost.
        """
        Judgment.objects.bulk_create(
            prepared,
            update_conflicts=True,
            unique_fields=["judging", "example_id"],
            update_fields=["status", "results", "flags", "call_keys"],
            batch_size=500,
        )
        for each in prepared:
            if DECLINED in each.flags:
                self._block_if_others_met_it(each.example_id)
        done = self.done()
        if claims.fenced(self.claim).update(rows=len(self.texts), rows_done=done) != 1:
            raise claims.JudgingLost(str(self.claim.pk))

    def done(self) -> int:
        """How many of the planned rows need nothing more."""
        rows = self.judging.judgments.filter(example_id__in=self.texts)
        return rows.exclude(status__in=OPEN).count()

    def _block_if_others_met_it(self, example_id: str) -> None:
        """A dialogue that judges will not speak about counts for nobody.

        One team's text may provoke a refusal; that two teams' do, and most of those asked, says
        that it is the dialogue.
        """
        rows = list(
            Judgment.objects.filter(
                judging__config=self.config, example_id=example_id
            ).select_related("judging__submission")
        )
        asked = [row for row in rows if row.call_keys or DECLINED in row.flags]
        teams = {row.judging.submission.team_id for row in asked}
        declined = {row.judging.submission.team_id for row in asked if DECLINED in row.flags}
        if len(declined) < 2 or 2 * len(declined) <= len(teams):
            return
        for row in rows:
            row.status, row.results = Status.SOURCE_BLOCKED.value, blocked(row.results)
            self.affected.add(row.judging_id)
        Judgment.objects.bulk_update(rows, ["status", "results"], batch_size=500)
        self._blocked.add(example_id)
