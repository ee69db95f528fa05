"""Announcements of the organizers and of the schedule itself; threads and posts of everybody; the
outgoing webhook of a contest.
"""

import re
import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.teams.models import Team

# With what only begins like a link, too: looked at once, a line takes linear time.
_LINK = re.compile(r"!?\[([^\]\n]*)(?:\](?:\([^)\n]*(\))?)?)?")
_MARK = re.compile(r"^ {0,3}(?:#{1,6}|>|[*+-])\s+|\*\*|__|~~|`+", re.M)


def plain(text: str) -> str:
    """The words of a text in Markdown, where there is room for a line of it.

    >>> plain("## 마감\\n- **내일** [규칙](https://a.kr/x) 참고")
    '마감\\n내일 규칙 참고'
    """
    return _MARK.sub("", _LINK.sub(lambda found: found[1] if found[2] else found[0], text))


class Announcement(models.Model):
    """One announcement. A correction is marked (`edited_at`); the log keeps the words of before."""

    class Audience(models.TextChoices):
        ALL = "all", pgettext_lazy("audience", "Everybody")
        NO_SUBMISSION = "no_submission", _("Teams without a submission")
        TEAMS = "teams", _("Chosen teams")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="announcements")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("Author")
    )
    at = models.DateTimeField(_("Time"))
    edited_at = models.DateTimeField(_("edited at"), null=True)
    text = models.TextField(_("Content"), max_length=2000)
    text_en = models.TextField(_("Text (English)"), max_length=2000, blank=True)
    audience = models.CharField(
        _("Recipient"), max_length=13, choices=Audience.choices, default=Audience.ALL
    )
    teams = models.ManyToManyField(Team, blank=True, related_name="announcements")
    pinned = models.BooleanField(_("Pin to the top"), default=False)

    class Meta:
        ordering = ["-pinned", "-at", "pk"]
        indexes = [models.Index(fields=["competition", "-at"])]
        verbose_name = _("Announcement")
        verbose_name_plural = _("Announcement")

    def __str__(self) -> str:
        return self.text[:40]


class Thread(models.Model):
    """One question, talk, piece of code or inquiry (문의) of a contest's forum (게시판).

    An inquiry is between its author and the organizers. `last_post_at`, `posts`, `answered`,
    `waiting_since` and `deleted_at` follow from the posts: `forum.settle` writes them. The row is
    what is locked by whoever writes in the thread.
    """

    class Kind(models.TextChoices):
        QUESTION = "question", pgettext_lazy("thread", "Question")
        TALK = "talk", pgettext_lazy("thread", "Talk")
        CODE = "code", pgettext_lazy("thread", "Code sharing")
        INQUIRY = "inquiry", pgettext_lazy("thread", "Private inquiry")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="threads")
    kind = models.CharField(_("Kind"), max_length=8, choices=Kind.choices)
    # Empty where its author took it back and others had written.
    title = models.CharField(_("Title"), max_length=150, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("Author")
    )
    created_at = models.DateTimeField(_("Created"))
    last_post_at = models.DateTimeField(_("Last post"))
    posts = models.PositiveIntegerField(_("Posts"), default=0)
    # Since when its author waits for an answer; None: nobody does.
    waiting_since = models.DateTimeField(_("Waiting since"), null=True)
    answered = models.BooleanField(_("Answered"), default=False)
    pinned_at = models.DateTimeField(_("Pinned at"), null=True)
    locked_at = models.DateTimeField(_("Locked at"), null=True)
    hidden_at = models.DateTimeField(_("Hidden at"), null=True)
    hide_reason = models.CharField(_("Reason"), max_length=300, blank=True)
    # Since when its opening post is taken back and nothing else can be read but by organizers.
    deleted_at = models.DateTimeField(_("Deleted at"), null=True)

    ASKING = (Kind.QUESTION, Kind.INQUIRY)

    class Meta:
        ordering = ["-last_post_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(hidden_at__isnull=True) | ~models.Q(hide_reason=""),
                name="thread_hidden_for_a_reason",
            ),
            models.CheckConstraint(
                condition=models.Q(answered=False, waiting_since__isnull=True)
                | models.Q(kind__in=("question", "inquiry")),
                name="only_what_asks_is_answered",
            ),
        ]
        indexes = [
            models.Index(fields=["competition", "-last_post_at", "id"], name="threads_in_order"),
            models.Index(
                fields=["competition", "pinned_at"],
                condition=models.Q(pinned_at__isnull=False),
                name="pinned_threads",
            ),
            models.Index(
                fields=["competition", "waiting_since"],
                condition=models.Q(waiting_since__isnull=False),
                name="waiting_threads",
            ),
        ]
        verbose_name = _("Thread")
        verbose_name_plural = _("Thread")

    def __str__(self) -> str:
        return self.title

    @property
    def asks(self) -> bool:
        """Whether one of its posts may be its answer."""
        return self.kind in self.ASKING

    @property
    def replies(self) -> int:
        return max(0, self.posts - 1)


class Post(models.Model):
    """What somebody wrote in a thread. Taken back, it has no words: its versions keep them."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Its thread's: search reads a contest's posts in the order in which they lie.
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="+")
    thread = models.ForeignKey(Thread, models.CASCADE, related_name="all_posts")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("Author")
    )
    opens = models.BooleanField(_("Opens the thread"), default=False)
    # The answer to the thread's question, as its author or an organizer says.
    answers = models.BooleanField(_("Answers the question"), default=False)
    # As it was when it was written: an answer stays the organizers'.
    by_organizer = models.BooleanField(_("Organizer"), default=False)
    at = models.DateTimeField(_("Time"))
    # Of the form and the words that came in it: sent twice, they are one post. May be empty.
    key = models.CharField(_("Idempotency key"), max_length=64, blank=True)
    edited_at = models.DateTimeField(_("edited at"), null=True)
    # What search reads; before the text, which may be long, so that it is near.
    folded = models.TextField(editable=False, blank=True)
    text = models.TextField(_("Content"), max_length=20_000, blank=True)
    hidden_at = models.DateTimeField(_("Hidden at"), null=True)
    hide_reason = models.CharField(_("Reason"), max_length=300, blank=True)
    deleted_at = models.DateTimeField(_("Deleted at"), null=True)

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["thread"], condition=models.Q(opens=True), name="one_opening_post"
            ),
            models.UniqueConstraint(
                fields=["thread"], condition=models.Q(answers=True), name="one_answer"
            ),
            models.UniqueConstraint(
                fields=["author", "key"], condition=~models.Q(key=""), name="one_post_per_key"
            ),
            models.CheckConstraint(
                condition=models.Q(answers=False)
                | models.Q(opens=False, hidden_at__isnull=True, deleted_at__isnull=True),
                name="answer_that_is_read",
            ),
            models.CheckConstraint(
                condition=models.Q(hidden_at__isnull=True) | ~models.Q(hide_reason=""),
                name="post_hidden_for_a_reason",
            ),
            models.CheckConstraint(
                condition=models.Q(deleted_at__isnull=True) | models.Q(text="", folded=""),
                name="deleted_post_has_no_words",
            ),
        ]
        indexes = [
            models.Index(fields=["thread", "at", "id"], name="posts_in_order"),
            models.Index(fields=["competition", "at"], name="posts_of_a_contest"),
        ]
        verbose_name = _("Post")
        verbose_name_plural = _("Post")

    def __str__(self) -> str:
        return self.text[:40]


class PostReport(models.Model):
    """Somebody says that a post breaks the rules; open until an organizer settles it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Its post's, so that the open ones of a contest are found without walking all posts.
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="+")
    post = models.ForeignKey(Post, models.CASCADE, related_name="reports")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    at = models.DateTimeField(_("Time"))
    reason = models.CharField(_("Reason"), max_length=300)
    settled_at = models.DateTimeField(_("Settled at"), null=True)

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["post", "user"], name="one_report_per_person")
        ]
        indexes = [
            models.Index(
                fields=["competition", "at"],
                condition=models.Q(settled_at=None),
                name="open_reports",
            )
        ]
        verbose_name = _("Report")
        verbose_name_plural = _("Report")

    def __str__(self) -> str:
        return self.reason[:40]


class Subscription(models.Model):
    """Somebody follows a thread: new posts and its answer are told to them."""

    thread = models.ForeignKey(Thread, models.CASCADE, related_name="subscriptions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["thread", "user"], name="one_subscription_per_person")
        ]
        verbose_name = _("Subscription")
        verbose_name_plural = _("Subscription")

    def __str__(self) -> str:
        return f"{self.user} → {self.thread}"


class Webhook(models.Model):
    """Where a contest's organizers want to read of it. The address is a secret of theirs."""

    class Format(models.TextChoices):
        SLACK = "slack", "Slack"
        DISCORD = "discord", "Discord"
        MATTERMOST = "mattermost", "Mattermost"
        JSON = "json", _("JSON, for a program")

    class Event(models.TextChoices):
        FAILED = "submission.failed", _("A submission could not be scored")
        ASKED = "question.asked", _("A question in the forum")
        INQUIRY = "inquiry.asked", _("A private inquiry")
        REPORTED = "post.reported", _("A post was reported")
        REQUESTED = "join.requested", _("Somebody asks to join")
        ANNOUNCED = "announced", _("An announcement")
        REVEALED = "revealed", _("The results were revealed")

    TEST = "test"  # what it says when somebody tries it: no event

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.OneToOneField(Competition, models.CASCADE, related_name="webhook")
    url = models.CharField(_("Address"), max_length=500)
    format = models.CharField(_("Format"), max_length=10, choices=Format.choices)
    language = models.CharField(_("Language"), max_length=2, choices=User.Language.choices)
    events = models.JSONField(_("Events"), default=list)
    # Signs what is sent, so it is kept as it is.
    secret = models.CharField(max_length=60)

    class Meta:
        verbose_name = pgettext_lazy("outgoing", "Webhook")
        verbose_name_plural = pgettext_lazy("outgoing", "Webhook")

    def __str__(self) -> str:
        return f"{self.competition_id} {self.format}"

    @property
    def lane(self) -> str:
        """Of its messages in the outbox."""
        return f"webhook:{self.pk}"
