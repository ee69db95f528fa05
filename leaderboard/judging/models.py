"""Tables of the judge columns. None can touch a rank; none is read when a file comes in.

Nothing in the database holds their rows to those of other apps: where this app is taken out, a
contest can still be deleted.
"""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.competitions.models import Competition
from leaderboard.references.models import DialogueSet
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from scoring.judges.call_graph import family_of


class Unnamed(models.Model):
    """Rows that are met under what they belong to, on no page by a name of their own."""

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return str(self.pk)


class Leased(Unnamed):
    """Taken by one worker at a time; see `claim`. Every change is fenced by (owner, attempt)."""

    attempt = models.PositiveIntegerField(default=0)
    owner = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    not_before = models.DateTimeField(null=True)
    # Why it waits: one of `claim.PAUSES`, or nothing.
    paused = models.CharField(_("Reason for the pause"), max_length=20, blank=True)

    class Meta:
        abstract = True


class JudgeConfig(models.Model):
    """How one judge column is made: draft → reviewing → frozen → active → retired.

    After freezing only limits, prices, policy and state change.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        REVIEWING = "reviewing", _("In review")
        FROZEN = "frozen", _("Pinned")
        ACTIVE = "active", _("Live")
        RETIRED = "retired", _("Retired")

    class Policy(models.TextChoices):
        ON_DEMAND = "on_demand", _("Submissions that teams ask for")
        BEST = "best", _("Each team's best submission")
        FINALS = "finals", _("Finals")

    class Structured(models.TextChoices):
        JSON_SCHEMA = "json_schema", "json_schema"
        JSON_OBJECT = "json_object", "json_object"
        PROMPT = "prompt", _("Prompt only")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(
        Competition, models.PROTECT, related_name="judge_configs", db_constraint=False
    )
    number = models.PositiveIntegerField(_("Number"))
    label = models.CharField(_("Label"), max_length=40)
    state = models.CharField(_("State"), max_length=10, choices=State.choices, default=State.DRAFT)
    # `shared`, `shared:3` or `faithful:<system>`: see scoring.judges.pipelines.
    pipeline = models.CharField(_("Pipeline"), max_length=30, default="shared")
    dialogue_set = models.ForeignKey(
        DialogueSet, models.PROTECT, related_name="+", db_constraint=False
    )
    language = models.CharField(_("Prompt language"), max_length=2, default="en")

    # A name of settings.JUDGE_ENDPOINTS: organizers never type an address or a key.
    endpoint = models.CharField(_("Server"), max_length=40)
    model = models.CharField(_("Model"), max_length=120)
    # temperature, top_p, seed, max_tokens, reasoning_effort, token_param; null: not sent.
    sampling = models.JSONField(_("Sampling parameters"), default=dict)
    structured = models.CharField(
        _("Answer format"),
        max_length=12,
        choices=Structured.choices,
        default=Structured.JSON_SCHEMA,
    )
    questions_per_dialogue = models.PositiveSmallIntegerField(
        _("Questions per dialogue"), default=5
    )
    longest_summary = models.PositiveIntegerField(_("Longest summary, in characters"), default=1000)
    longest_share = models.FloatField(_("Longest summary, as a share of the dialogue"), default=0.8)

    # 0: every row. Otherwise the same rows for all submissions, drawn by the seed; see `sample`.
    sample_rows = models.PositiveIntegerField(_("Rows to judge"), default=0)
    sample_seed = models.BigIntegerField(default=0)

    policy = models.CharField(
        _("What is judged"), max_length=10, choices=Policy.choices, default=Policy.ON_DEMAND
    )
    price_input = models.PositiveIntegerField(
        _("Price of a million input tokens, in millionths"), default=0
    )
    price_output = models.PositiveIntegerField(
        _("Price of a million output tokens, in millionths"), default=0
    )
    currency = models.CharField(_("Currency"), max_length=3, default="USD")
    calls_per_submission = models.PositiveIntegerField(_("Calls per submission"), default=10_000)
    calls_per_team_day = models.PositiveIntegerField(_("Calls per team and day"), default=20_000)
    calls_in_all = models.PositiveIntegerField(_("Limit of calls in total"), default=100_000)
    # Millionths of the currency; 0: money is not limited, calls are.
    micros_per_submission = models.PositiveBigIntegerField(default=0)
    micros_per_team_day = models.PositiveBigIntegerField(default=0)
    micros_in_all = models.PositiveBigIntegerField(default=0)
    # Metrics and systems whose values are columns of the leaderboard; none: `board.ON_BOARD`.
    systems = models.JSONField(_("Columns"), default=list, blank=True)
    switches_on = models.BooleanField(default=False)  # as soon as its items are made
    submissions_per_team_day = models.PositiveSmallIntegerField(
        _("Judged submissions per team and day"), default=3
    )

    # Whose settings it began with, and how many items came along when its review began.
    copied_from = models.ForeignKey(
        "self", models.SET_NULL, null=True, related_name="+", verbose_name=_("Made from")
    )
    carried_items = models.PositiveIntegerField(_("Items taken over"), default=0)

    artefact_hash = models.CharField(max_length=64, blank=True)
    config_hash = models.CharField(max_length=64, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_constraint=False
    )
    created_at = models.DateTimeField(_("Created"))
    frozen_at = models.DateTimeField(_("Frozen at"), null=True)
    retired_at = models.DateTimeField(_("Retired at"), null=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["competition", "number"], name="one_judge_config_per_number"
            ),
            models.UniqueConstraint(
                fields=["competition"],
                condition=models.Q(state="active"),
                name="one_active_judge_config",
            ),
        ]
        verbose_name = _("Judge config")

    def __str__(self) -> str:
        return f"{self.label} j{self.number}"

    @property
    def is_shared(self) -> bool:
        """Whether it has our own metrics, rather than one published system's call by call."""
        return family_of(self.pipeline) == "shared"


class Circuit(models.Model):
    """Whether a config's server is asked at all: closed, or open until an instant."""

    config = models.OneToOneField(
        JudgeConfig, models.CASCADE, primary_key=True, related_name="circuit"
    )
    failures = models.PositiveIntegerField(default=0)
    openings = models.PositiveIntegerField(default=0)
    open_until = models.DateTimeField(null=True)
    # One worker is trying a single call; `open_until` is then the end of its time for it.
    is_probing = models.BooleanField(default=False)
    # A configuration failure (401, unknown model …) opens it until an organizer acts.
    reason = models.CharField(max_length=80, blank=True)

    def __str__(self) -> str:
        return f"{self.config_id} {self.open_until or ''}"


class AgreementReport(Unnamed):
    """How far a config agrees with human labels, with the labels' file and the config's hash."""

    config = models.ForeignKey(JudgeConfig, models.CASCADE, related_name="agreement_reports")
    config_hash = models.CharField(max_length=64)
    file_name = models.CharField(max_length=120)
    sha256 = models.CharField(max_length=64)
    labels = models.JSONField()
    numbers = models.JSONField()
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_constraint=False
    )
    uploaded_at = models.DateTimeField()

    class Meta:
        ordering = ["-uploaded_at", "pk"]


class Section(Unnamed):
    """What a summary, or a part of it, was asked to be; adherence and completeness come of it."""

    class Kind(models.TextChoices):
        FREE = "free", _("Free text")
        CATEGORICAL = "categorical", _("One of a fixed set of values")
        PREBUILT = "prebuilt", _("No instruction")

    config = models.ForeignKey(JudgeConfig, models.CASCADE, related_name="sections")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=60)
    kind = models.CharField(max_length=11, choices=Kind.choices, default=Kind.FREE)
    instruction = models.TextField(blank=True)
    allowed_values = models.JSONField(default=list)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["config", "name"], name="one_section_per_name")
        ]


class Artefact(Unnamed):
    """One thing that submissions are asked; judges echo its `item_id`. Frozen with its config."""

    class Kind(models.TextChoices):
        QUESTION = "question", _("Question")
        RUBRIC = "rubric", _("Completeness rubric")
        ADHERENCE = "adherence", _("Adherence rubric")
        CONTENT = "content", _("Dialogue content")

    class Origin(models.TextChoices):
        GENERATED = "generated", _("Made by the model")
        ORGANIZER = "organizer", _("Written by the organizer")

    config = models.ForeignKey(JudgeConfig, models.CASCADE, related_name="artefacts")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    item_id = models.CharField(max_length=40)
    example_id = models.CharField(max_length=200, blank=True)  # blank: of a section
    section = models.ForeignKey(Section, models.CASCADE, null=True, related_name="artefacts")
    rubric_id = models.CharField(max_length=40, blank=True)  # of a content: what it belongs to
    text = models.TextField()
    origin = models.CharField(max_length=9, choices=Origin.choices, default=Origin.GENERATED)
    # Questions that the source does not answer, and what an organizer struck out, are not asked.
    source_answer = models.BooleanField(null=True)
    is_kept = models.BooleanField(default=True)
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        related_name="+",
        db_constraint=False,
    )

    class Meta:
        ordering = ["example_id", "kind", "item_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["config", "example_id", "item_id"], name="one_artefact_per_id"
            )
        ]


class BuiltDialogue(Unnamed):
    """A dialogue whose artefacts are there, or whose making failed and why."""

    config = models.ForeignKey(JudgeConfig, models.CASCADE, related_name="built_dialogues")
    example_id = models.CharField(max_length=200, blank=True)  # blank: the sections' own items
    failure = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["config", "example_id"], name="built_once")]


class Build(Leased):
    """The lease of the worker that makes a config's artefacts; made when the first one comes."""

    config = models.OneToOneField(
        JudgeConfig, models.CASCADE, primary_key=True, related_name="build"
    )


class Judging(Leased):
    """One submission under one config on one board: waiting → running → … → complete.

    Every change is a conditional update, fenced by (owner, attempt).
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        RUNNING = "running", pgettext_lazy("state", "Judging")
        COMPLETE = "complete", _("Done")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    config = models.ForeignKey(JudgeConfig, models.PROTECT, related_name="judgings")
    submission = models.ForeignKey(
        Submission, models.PROTECT, related_name="+", db_constraint=False
    )
    board = models.CharField(max_length=7)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        related_name="+",
        db_constraint=False,
    )
    requested_at = models.DateTimeField()
    # The team's day of the contest that a request is counted in.
    day = models.DateField()
    rows = models.PositiveIntegerField(default=0)
    rows_done = models.PositiveIntegerField(default=0)
    # Raised when an organizer has it judged anew: a faithful pipeline then asks again.
    round = models.PositiveSmallIntegerField(default=0)
    # Of the whole submission, for organizers: see `injection`.
    flags = models.JSONField(default=list)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["config", "submission", "board"], name="judged_once_per_board"
            )
        ]
        indexes = [models.Index(fields=["state", "requested_at"])]

    def __str__(self) -> str:
        return f"{self.submission_id} {self.state}"


class Judgment(Unnamed):
    """What came of one row: every metric's result, its flags, and where its answers are kept."""

    judging = models.ForeignKey(Judging, models.CASCADE, related_name="judgments")
    example_id = models.CharField(max_length=200)
    # scoring.judges.records.Status: the row's worst; each metric has its own in `results`.
    status = models.CharField(max_length=16)
    results = models.JSONField(default=dict)
    flags = models.JSONField(default=list)
    call_keys = models.JSONField(default=dict)  # id of the call in its pipeline: key of its answer

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judging", "example_id"], name="one_judgment_per_row")
        ]


class ColumnValue(Unnamed):
    """The mean of one metric over the rows of one judging, recomputed from them; read by boards."""

    judging = models.ForeignKey(Judging, models.CASCADE, related_name="values")
    metric = models.CharField(max_length=20)
    mean = models.FloatField(null=True)  # None: no row has a score
    scored = models.PositiveIntegerField()
    rows = models.PositiveIntegerField()
    low = models.FloatField(null=True)  # 95 % interval of the mean
    high = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judging", "metric"], name="one_value_per_metric")
        ]


class Answerer(Unnamed):
    """Which model, as its server called it, gave how many of the answers that one judging uses."""

    judging = models.ForeignKey(Judging, models.CASCADE, related_name="answerers")
    model = models.CharField(max_length=120)
    fingerprint = models.CharField(max_length=120, blank=True)
    answers = models.PositiveIntegerField()
    first_at = models.DateTimeField()  # when the first of these answers was stored
    last_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["judging", "model", "fingerprint"], name="one_answerer_per_judging"
            )
        ]


class Repeat(Leased):
    """Some rows of one judging asked again: waiting → complete or stopped; see `repeating`."""

    class State(models.TextChoices):
        WAITING = "waiting", _("Measuring")
        COMPLETE = "complete", _("Done")
        STOPPED = "stopped", _("Stopped")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    config = models.ForeignKey(JudgeConfig, models.PROTECT, related_name="repeats")
    config_hash = models.CharField(max_length=64)
    judging = models.ForeignKey(Judging, models.PROTECT, related_name="+")
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    # In the plan's order: [example id, key of the answer that holds its claims].
    rows = models.JSONField()
    # Answers to each item in all: the stored one and so many less one. One more is asked with the
    # items in another order.
    samples = models.PositiveSmallIntegerField()
    # Pass → example id → {"items": kind → item id → verdict}; the stored answers are pass "0".
    said = models.JSONField()
    done = models.PositiveIntegerField(default=0)
    numbers = models.JSONField(default=dict)
    begun_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_constraint=False
    )
    begun_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-begun_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["config"], condition=models.Q(state="waiting"), name="one_repeat_at_a_time"
            )
        ]

    @property
    def to_do(self) -> int:
        """How many rows are asked in all, each as often as it is."""
        return len(self.rows) * self.samples


class StoredCall(Unnamed):
    """An answer under the hash of everything that was asked. The first one wins; never edited.

    It holds participants' text: for owners and editors only. Unusable answers are never stored.
    """

    key = models.CharField(primary_key=True, max_length=64)
    competition = models.ForeignKey(
        Competition, models.CASCADE, related_name="+", db_constraint=False
    )
    body = models.TextField()
    answer = models.JSONField()
    model = models.CharField(max_length=120)
    fingerprint = models.CharField(max_length=120, blank=True)
    input_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    latency_ms = models.PositiveIntegerField()
    created_at = models.DateTimeField()


class Reservation(models.Model):
    """One attempt to call, paid for before it is made and settled afterwards."""

    class State(models.TextChoices):
        OPEN = "open", _("Calling")
        ANSWERED = "answered", _("Answer stored")
        REFUSED = "refused", _("Unusable answer")
        FAILED = "failed", _("No answer")
        UNSETTLED = "unsettled", _("End unknown")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    config = models.ForeignKey(JudgeConfig, models.PROTECT, related_name="reservations")
    judging = models.ForeignKey(Judging, models.PROTECT, null=True, related_name="reservations")
    repeat = models.ForeignKey(Repeat, models.PROTECT, null=True, related_name="reservations")
    team = models.ForeignKey(Team, models.PROTECT, null=True, related_name="+", db_constraint=False)
    day = models.DateField()
    call_key = models.CharField(max_length=64)
    example_id = models.CharField(max_length=200, blank=True)
    call = models.CharField(max_length=40)  # id of the call in its pipeline
    state = models.CharField(max_length=9, choices=State.choices, default=State.OPEN)
    outcome = models.CharField(max_length=40, blank=True)
    owner = models.UUIDField(null=True)
    estimate = models.PositiveBigIntegerField()
    micros = models.PositiveBigIntegerField()
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    made_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["config", "state"]),
            models.Index(fields=["config", "team", "day"]),
        ]

    def __str__(self) -> str:
        return f"{self.call} {self.state}"


class Budget(Unnamed):
    """Counters that a reservation raises in one conditional update; `scope` says whose."""

    config = models.ForeignKey(JudgeConfig, models.CASCADE, related_name="budgets")
    # "all", "judging:<uuid>", "team:<uuid>:<date>"
    scope = models.CharField(max_length=70)
    calls = models.PositiveIntegerField(default=0)
    micros = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["config", "scope"], name="one_budget_per_scope")
        ]
