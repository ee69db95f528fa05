"""What a notice of a decision says, in both languages."""

from django.utils.translation import gettext_lazy as _

from leaderboard.texts import Said, Sentences


class News(Said):
    """What a decision says to those whom it concerns."""

    sentences = {
        "approved": Sentences(_("Your request to join was approved.")),
        "approved.reason": Sentences(_("Your request to join was approved. {reason}")),
        "asked": Sentences(_("Somebody asked to join: {username}")),
        "declined": Sentences(_("Your request to join was declined.")),
        "declined.reason": Sentences(_("Your request to join was declined. {reason}")),
        "declined_invitation": Sentences(_("{username} declined your invitation.")),
        "disqualified": Sentences(
            _("Your team was disqualified. It left the leaderboard and can no longer submit.")
        ),
        "entered": Sentences(_("{username} joined your team.")),
        "excluded": Sentences(
            _("An organizer excluded the submission {file} from the leaderboard.")
        ),
        "excluded.reason": Sentences(
            _("An organizer excluded the submission {file} from the leaderboard. Reason: {reason}")
        ),
        "failed": Sentences(_("Your attempt was given back.")),
        "file": Sentences(_("{file}:")),
        "file.others": Sentences(_("{file} ({username}):")),
        "granted": Sentences(_("You can submit {amount} more on {day}.")),
        "invited": Sentences(_("{username} invited you to the team {team}.")),
        "left": Sentences(_("{username} left your team.")),
        "new_captain": Sentences(_("{username} is now the captain of your team.")),
        "post.hidden": Sentences(_("An organizer hid your post in the forum.")),
        "merge_asked": Sentences(_("The team {team} asks your team to merge.")),
        "merge_declined": Sentences(_("The team {team} declined to merge.")),
        "merge_undone": Sentences(
            _("An organizer undid the merge: {team} and {into} are two teams again.")
        ),
        "merge_undone.finals": Sentences(
            _(
                "An organizer undid the merge: {team} and {into} are two teams again. The finals "
                "chosen before it are chosen again."
            )
        ),
        "merge_withdrawn": Sentences(_("The team {team} withdrew its merge request.")),
        "merged": Sentences(_("The team {team} is now part of {into}.")),
        "merged.finals": Sentences(
            _(
                "The team {team} is now part of {into}. The two teams had more than two finals "
                "together, so the choice was cleared. Choose again."
            )
        ),
        "put_back": Sentences(_("An organizer undid your assignment to the team {team}.")),
        "put_in_team": Sentences(_("An organizer assigned you to the team {team}.")),
        "put_into_yours": Sentences(_("People an organizer added to your team: {number}")),
        "reinstated": Sentences(
            _(
                "Your team is no longer disqualified. It is back on the "
                "leaderboard and can submit again."
            )
        ),
        "reason": Sentences(_("Reason: {reason}")),
        "refunded": Sentences(
            _("{username} withdrew the submission {file}. Its attempt was given back.")
        ),
        "removed": Sentences(_("The captain removed {username} from your team.")),
        "renamed": Sentences(_("An organizer renamed your team: {before} → {name}.")),
        "restored": Sentences(_("An organizer restored the submission {file} to the leaderboard.")),
        "scored": Sentences(_("public total {total}")),
        "thread.answer": Sentences(_("A question that you follow has an answer: {title}")),
        "thread.hidden": Sentences(_("An organizer hid your thread in the forum.")),
        "thread.inquiry": Sentences(_("Somebody sent the organizers a private inquiry.")),
        "thread.post": Sentences(_("New post in a thread that you follow: {title}")),
        "thread.report": Sentences(_("Somebody reported a post in the forum.")),
        "token_made": Sentences(
            _(
                "A new API token can run competitions in your name: {name}. If you did not create "
                "it, change your password. That revokes all your tokens."
            )
        ),
        "password_link": Sentences(
            _(
                "An administrator or an organizer created a new password link for this account. "
                "If you did not ask for it, contact them."
            )
        ),
        "unknown": Sentences(_("This notice can no longer be shown.")),
        "vote_begun": Sentences(
            _(
                "A vote to replace you as captain of the team {team} has begun. To stop it, sign "
                "in or submit a file."
            )
        ),
        "warned": Sentences(_("An organizer warned your team.")),
        "you_removed": Sentences(
            _("The captain removed you from the team {team}. You now have a team of your own.")
        ),
    }

    @property
    def kept(self) -> dict[str, object]:
        """As a notification's data keep it."""
        return {"news": self.key, "values": self.values}
