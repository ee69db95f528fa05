"""What a notice of a decision says, in both languages."""

from django.utils.translation import gettext_lazy as _

from leaderboard.texts import Said, Sentences


class News(Said):
    """What a decision says to those whom it concerns."""

    sentences = {
        "approved": Sentences(_("You were let in.")),
        "approved.reason": Sentences(_("You were let in. {reason}")),
        "asked": Sentences(_("Somebody asked to join: {username}")),
        "declined": Sentences(_("Your request to join was declined.")),
        "declined.reason": Sentences(_("Your request to join was declined. {reason}")),
        "declined_invitation": Sentences(_("{username} declined your invitation.")),
        "disqualified": Sentences(
            _("Your team was disqualified. It is off the boards and cannot submit any more.")
        ),
        "entered": Sentences(_("{username} joined your team.")),
        "excluded": Sentences(_("An organizer took the submission {file} off the boards.")),
        "excluded.reason": Sentences(
            _("An organizer took the submission {file} off the boards. Reason: {reason}")
        ),
        "failed": Sentences(_("Your attempt was given back.")),
        "file": Sentences(_("{file}:")),
        "file.others": Sentences(_("{file} ({username}):")),
        "granted": Sentences(_("You may submit {amount} more on {day}.")),
        "invited": Sentences(_("{username} asks you into the team {team}.")),
        "left": Sentences(_("{username} left your team.")),
        "new_captain": Sentences(_("{username} leads your team now.")),
        "post.hidden": Sentences(_("An organizer hid what you wrote in the forum.")),
        "merge_asked": Sentences(_("The team {team} asks yours to become a part of it.")),
        "merge_declined": Sentences(_("The team {team} does not want to merge.")),
        "merge_undone": Sentences(
            _("An organizer undid the merge: {team} and {into} are two teams again.")
        ),
        "merge_undone.finals": Sentences(
            _(
                "An organizer undid the merge: {team} and {into} are two teams again. The finals "
                "chosen before it are chosen again."
            )
        ),
        "merge_withdrawn": Sentences(_("The team {team} does not ask yours to merge any more.")),
        "merged": Sentences(_("The team {team} is a part of {into} now.")),
        "merged.finals": Sentences(
            _(
                "The team {team} is a part of {into} now. More than two finals were chosen "
                "together, so none is chosen any more: choose again."
            )
        ),
        "put_back": Sentences(_("An organizer took back that you were put into the team {team}.")),
        "put_in_team": Sentences(_("An organizer put you into the team {team}.")),
        "put_into_yours": Sentences(_("People whom an organizer put into your team: {number}")),
        "reinstated": Sentences(
            _("Your team is no longer disqualified. It is on the boards and may submit again.")
        ),
        "reason": Sentences(_("Reason: {reason}")),
        "refunded": Sentences(
            _("{username} took the submission {file} back. Its attempt was given back.")
        ),
        "removed": Sentences(_("The captain removed {username} from your team.")),
        "renamed": Sentences(
            _("An organizer renamed your team {before}: it is called {name} now.")
        ),
        "restored": Sentences(_("An organizer put the submission {file} back on the boards.")),
        "scored": Sentences(_("public total {total}")),
        "thread.answer": Sentences(_("A question that you follow has an answer: {title}")),
        "thread.hidden": Sentences(_("An organizer hid your thread in the forum.")),
        "thread.inquiry": Sentences(_("Somebody sent the organizers a private inquiry.")),
        "thread.post": Sentences(_("There is something new in a thread that you follow: {title}")),
        "thread.report": Sentences(_("Somebody reported a post in the forum.")),
        "token_made": Sentences(
            _(
                "A new API token may run competitions in your name: {name}. If you did not make "
                "it, change your password. That revokes all your tokens."
            )
        ),
        "password_link": Sentences(
            _(
                "An administrator or an organizer made a link to a new password for this account. "
                "If you did not ask for it, ask them why."
            )
        ),
        "unknown": Sentences(_("What happened cannot be shown here any more.")),
        "vote_begun": Sentences(
            _(
                "In your team {team} a vote began on who leads it instead of you. "
                "To stop it, sign in or hand something in."
            )
        ),
        "warned": Sentences(_("An organizer warned your team.")),
        "you_removed": Sentences(
            _("The captain removed you from the team {team}. You are in a team of your own now.")
        ),
    }

    @property
    def kept(self) -> dict[str, object]:
        """As a notification's data keep it."""
        return {"news": self.key, "values": self.values}
