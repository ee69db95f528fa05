"""What a notice of a decision says to those whom it concerns, in both languages."""

from django.utils.translation import gettext_lazy as _

SENTENCES = {
    "approved": _("Your request to join was approved."),
    "approved.reason": _("Your request to join was approved. {reason}"),
    "asked": _("Somebody asked to join: {username}"),
    "declined": _("Your request to join was declined."),
    "declined.reason": _("Your request to join was declined. {reason}"),
    "declined_invitation": _("{username} declined your invitation."),
    "disqualified": _(
        "Your team was disqualified. It left the leaderboard and can no longer submit."
    ),
    "entered": _("{username} joined your team."),
    "excluded": _("An organizer excluded the submission {file} from the leaderboard."),
    "excluded.reason": _(
        "An organizer excluded the submission {file} from the leaderboard. Reason: {reason}"
    ),
    "failed": _("Your attempt was given back."),
    "file": _("{file}:"),
    "file.others": _("{file} ({username}):"),
    "granted": _("You can submit {amount} more on {day}."),
    "invited": _("{username} invited you to the team {team}."),
    "left": _("{username} left your team."),
    "new_captain": _("{username} is now the captain of your team."),
    "post.hidden": _("An organizer hid your post in the forum."),
    "merge_asked": _("The team {team} asks your team to merge."),
    "merge_declined": _("The team {team} declined to merge."),
    "merge_undone": _("An organizer undid the merge: {team} and {into} are two teams again."),
    "merge_undone.finals": _(
        "An organizer undid the merge: {team} and {into} are two teams again. The finals "
        "chosen before it are chosen again."
    ),
    "merge_withdrawn": _("The team {team} withdrew its merge request."),
    "merged": _("The team {team} is now part of {into}."),
    "merged.finals": _(
        "The team {team} is now part of {into}. The two teams had more than two finals "
        "together, so the choice was cleared. Choose again."
    ),
    "put_back": _("An organizer undid your assignment to the team {team}."),
    "put_in_team": _("An organizer assigned you to the team {team}."),
    "put_into_yours": _("People an organizer added to your team: {number}"),
    "reinstated": _(
        "Your team is no longer disqualified. It is back on the leaderboard and can submit again."
    ),
    "reason": _("Reason: {reason}"),
    "refunded": _("{username} withdrew the submission {file}. Its attempt was given back."),
    "removed": _("The captain removed {username} from your team."),
    "renamed": _("An organizer renamed your team: {before} → {name}."),
    "restored": _("An organizer restored the submission {file} to the leaderboard."),
    "scored": _("public total {total}"),
    "thread.answer": _("A question that you follow has an answer: {title}"),
    "thread.hidden": _("An organizer hid your thread in the forum."),
    "thread.inquiry": _("Somebody sent the organizers a private inquiry."),
    "thread.post": _("New post in a thread that you follow: {title}"),
    "thread.report": _("Somebody reported a post in the forum."),
    "token_made": _(
        "A new API token can run competitions in your name: {name}. If you did not create "
        "it, change your password. That revokes all your tokens."
    ),
    "password_link": _(
        "An administrator or an organizer created a new password link for this account. "
        "If you did not ask for it, contact them."
    ),
    "unknown": _("This notice can no longer be shown."),
    "vote_begun": _(
        "A vote to replace you as captain of the team {team} has begun. To stop it, sign "
        "in or submit a file."
    ),
    "warned": _("An organizer warned your team."),
    "you_removed": _(
        "The captain removed you from the team {team}. You now have a team of your own."
    ),
}


def as_news(key: str, **values: object) -> dict[str, object]:
    """The sentence of this key with its values, as a notification's data keep it."""
    return {"news": key, "values": values}
