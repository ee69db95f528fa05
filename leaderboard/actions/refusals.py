"""A refusal is for the person who asked: what happened, why, and what to do next."""

from collections.abc import Mapping
from datetime import datetime
from math import ceil
from typing import Self

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.accounts.names import NameProblem
from leaderboard.accounts.rate_limits import Limit, Use, take
from leaderboard.competitions.schedule import ScheduleRefusal
from leaderboard.texts import Said, Sentences

# What other packages say no to: programs are told of these codes, too.
Cause = ScheduleRefusal | NameProblem


class Refused(Said, Exception):
    """The action was not done and nothing was spent. Never holds a gold text or a traceback.

    `retry_after` is in seconds.
    """

    # What HTTP status an entry point answers with: those of these keys, else 409.
    statuses: Mapping[int, str] = {
        401: "no_token token_unusable",
        403: """
            account_closed archived approval_needed closed.enrol closed.finals closed.held
            closed.join closed.revealed closed.team closed.waiting disqualified
            disqualified.forum disqualified.merge disqualified.team full_file
            not_a_creator not_a_member not_an_administrator not_an_editor
            not_an_owner not_captain not_in_forum not_joined not_on_list not_open
            not_the_author organizer password_first paused paused.reason teams_fixed terms
            token_scope wrong_code
        """,
        404: """
            invitation_unusable link_unusable mail_link_unusable no_webhook
            not_an_organizer unknown_file
            unknown_invitation unknown_person unknown_person.member unknown_person.team
            unknown_post unknown_request unknown_session unknown_submission unknown_team
            unknown_thread unknown_token board_ahead board_held
        """,
        422: """
            amount code_form code_missing code_taken date_in_the_past
            date_in_the_past.new dates_in_order day dev_set_too_large
            dialogues_missing emails_invalid empty_file freeze_while_open
            golds_in_file golds_in_file.live golds_released golds_score
            key_form key_reused made_by_the_server
            merge_self merges_end_before_closing no_file no_file.golds no_file.sent no_golds_yet
            nothing_changes other_address post_length reason_length terms_language
            terms_length text_length title_length token_form too_many_emails
            too_many_finals unknown_audience
            unknown_audience.empty unknown_audience.teams unknown_kind unknown_profile
            unknown_registration unknown_role webhook_address
            webhook_address.https webhook_address.port webhook_address.private
            wrong_password
        """,
        429: """
            daily_limit too_many_calls too_many_checks too_many_lab_runs too_many_posts
            too_many_previews too_many_refused too_many_reports too_many_searches
            too_many_threads too_many_tries too_many_waiting total_limit
        """,
        503: "store_away store_away.data_file",
        507: "storage_full storage_full.data_file",
    }

    sentences: Mapping[str, Sentences] = {
        "account_closed": Sentences(_("This account is suspended or closed.")),
        "address_used": Sentences(
            _("Another account has already joined with this mail address."),
            _("If that account is not yours, tell the organizer."),
        ),
        "already_disqualified": Sentences(_("This team is disqualified already.")),
        "already_excluded": Sentences(_("This submission is off the boards already.")),
        "already_excluded.baseline": Sentences(_("This baseline is off the boards already.")),
        "already_hidden": Sentences(_("This is hidden already.")),
        "already_released": Sentences(_("This set is already released.")),
        "already_released.dialogues": Sentences(_("These dialogues are already released.")),
        "amount": Sentences(_("Between 1 and {most_granted} submissions can be granted.")),
        "analyzer_elsewhere": Sentences(
            _("The analyzer {analyzer} runs on the scoring workers only, not here."),
            _("Download the dev golds and score on the command line: the numbers are equal."),
        ),
        "approval_needed": Sentences(
            _("You can take part once an organizer approves."), _("Ask to join first.")
        ),
        "approved": Sentences(
            _("This person was approved and takes part already."),
            _("Use the page “Teams” instead."),
        ),
        "baseline": Sentences(_("A baseline is not a participating team.")),
        "board_ahead": Sentences(
            _("The private board opens at {opens}."), _("Ask for the public one until then.")
        ),
        "board_held": Sentences(
            _("The private board opens once the results are verified."),
            _("Ask for the public one until then."),
        ),
        "changed.account": Sentences(
            _("The name belongs to another account than the one you looked at."), _("Look again.")
        ),
        "changed.people": Sentences(
            _("People or teams have changed meanwhile. Nothing was done."),
            _("The list was read again; look at it below."),
        ),
        "closed.enrol": Sentences(
            pgettext_lazy("enrol", "This competition has closed; nobody can join any more."),
            _("Move the close on the schedule first."),
        ),
        "closed.finals": Sentences(
            _("Finals can be chosen until {closed}."),
            _("What was chosen until then counts; without a choice, the best public one."),
        ),
        "closed.grant": Sentences(
            _("The competition has closed, so a grant could not be used."),
            _("Extend the close on the schedule first."),
        ),
        "closed.join": Sentences(
            _("This competition has closed; nobody can join any more."),
            _("The ranks are on the leaderboard; running contests are on the list."),
        ),
        "closed.team": Sentences(
            _("This competition has closed, so teams stay as they are."),
            _("The ranks are on the leaderboard."),
        ),
        "code_form": Sentences(_("A code has 6 to 40 letters, digits and hyphens.")),
        "code_missing": Sentences(_("Write the code.")),
        "code_taken": Sentences(_("Another competition uses this code. Choose another one.")),
        "contest_full": Sentences(
            _("The files of one competition may have 2 GB in all."),
            _("Remove a file that is not needed first."),
        ),
        "daily_limit": Sentences(
            _("All of today's submissions are used."), _("The next slot opens at {opens}.")
        ),
        "date_in_the_past": Sentences(
            _("A date that has passed, or would have, cannot be set: {date}.")
        ),
        "date_in_the_past.new": Sentences(_("The close must lie in the future.")),
        "dates_in_order": Sentences(_("The dates must come in order: opening, close, reveal.")),
        "day": Sentences(_("It could not be used on that day. Choose from: {first}{until}")),
        "dev_set_too_large": Sentences(_("A dev set has at most {max_dev_rows:,} rows.")),
        "dialogues_missing": Sentences(
            _("{count:,} ids have no dialogue: {named}."),
            _("Every id of the set needs its dialogue."),
        ),
        "disqualified": Sentences(
            _("A disqualified team cannot submit. Reason: {reason}"),
            _("Tell the organizer if you see it otherwise. What you handed in is kept."),
        ),
        "disqualified.merge": Sentences(
            _("{team} is disqualified, so it cannot merge."),
            _("Tell the organizer if you see it otherwise."),
        ),
        "disqualified.team": Sentences(
            _("A disqualified team stays as it is."),
            _("Tell the organizer if you see it otherwise."),
        ),
        "disqualified.forum": Sentences(
            _("A disqualified team writes nothing in the forum."),
            _("You can still send the organizers a private inquiry."),
        ),
        "emails_invalid": Sentences(
            _("Nothing was saved: {count} lines are no mail address. {shown}")
        ),
        "empty_file": Sentences(_("The file is empty.")),
        "freeze_while_open": Sentences(_("The freeze must lie between opening and close.")),
        "full_file": Sentences(
            _("A file with people and submissions can be imported by the administrator only."),
            _("Use a file that was exported without people, or ask the administrator."),
        ),
        "golds_in_file": Sentences(
            _("{name} holds golds that score this competition. Ids: {found}"),
            _("Participants read what is uploaded here, so upload it without golds."),
        ),
        "golds_in_file.live": Sentences(
            _("The data file {name} holds golds of this version. Ids: {found}"),
            _("Participants can read it. An owner removes it on the page “Data files” first."),
        ),
        "golds_released": Sentences(
            _("Ids or golds also stand in the released dev set: {found}."),
            _("What participants can read cannot score them. Upload without these rows."),
        ),
        "golds_score": Sentences(
            _("Ids or texts also stand in golds that are used for scoring: {found}."),
            _("Golds that any version scores with are never released. Leave these rows out."),
        ),
        "in_team": Sentences(
            _(
                "You are in another team of this competition, and it has used submissions or has "
                "other members."
            ),
            _(
                "Ask both captains to merge the teams; from a team of several that has used no "
                "attempt, you can also leave first."
            ),
        ),
        "in_team.already": Sentences(_("This person is in your team already.")),
        "inactive": Sentences(
            _("This account is suspended or closed."), _("If it is suspended, activate it first.")
        ),
        "invitation_unusable": Sentences(
            _(
                "This invitation cannot be used. It does not exist, was used, taken back or has "
                "run out, or the team takes nobody any more."
            ),
            _("Ask the person who sent it for a new one."),
        ),
        "invited_already": Sentences(
            _("This person was asked already."),
            _("Wait for the answer. Who declined can still come by a link that you send."),
        ),
        "hide_the_thread": Sentences(
            _("This is a thread's first post."), _("Hide the whole thread instead.")
        ),
        "inquiry_of_organizer": Sentences(
            _("An inquiry is for participants who ask the organizers."),
            _("To tell some teams something, announce it to them."),
        ),
        "key_form": Sentences(
            _("An Idempotency-Key has 1 to {most} visible ASCII characters, without blanks."),
            _("Send another one, such as a new UUID for each file."),
        ),
        "key_reused": Sentences(
            _("This idempotency key was used with another file."),
            _("A program sends a new key with each file. Open the submit page again and retry."),
        ),
        "last_administrator": Sentences(
            _("You are this server's only administrator."),
            _("Appoint another administrator first."),
        ),
        "last_owner": Sentences(
            _("The last owner keeps the role."), _("Make somebody else an owner first.")
        ),
        "last_owner.account": Sentences(
            _("You are the only owner of: {names}."), _("Make somebody else an owner of it first.")
        ),
        "late_final": Sentences(
            _("A late submission is not ranked, so it cannot be chosen as a final."),
            _("Choose among those handed in before the close."),
        ),
        "link_unusable": Sentences(
            _(
                "This link cannot be used. It was used already, 24 hours have passed, or the "
                "password was changed meanwhile."
            ),
            _("Ask the administrator for a new link."),
        ),
        "live_exists": Sentences(
            _("v{live} is live and cannot be replaced directly."),
            _("Rehearse first and look who moves."),
        ),
        "look_first": Sentences(_("Look first at what would change: it is not what you saw.")),
        "made_by_the_server": Sentences(_("The server makes {name} itself, from the real ids.")),
        "mail_link_unusable": Sentences(
            _(
                "This link cannot be used. It was used already, 24 hours have passed, or it is "
                "another account's."
            ),
            _("Ask for a new one under Settings, Notices."),
        ),
        "member": Sentences(_("You take part in this competition already.")),
        "merge_asked": Sentences(
            _("Your team has asked that team already."),
            _("Wait for the answer, or take the question back."),
        ),
        "merge_gone": Sentences(
            _("This question was answered or taken back, or one of the teams is none any more."),
            _("Open the page again."),
        ),
        "merge_people": Sentences(
            _(
                "Together you would be {together} people ({survivor} + {absorbed}); a team has at "
                "most {most}."
            ),
            _("Somebody would have to leave first."),
        ),
        "merge_self": Sentences(
            _("This is your own team."), _("Write the name of the team to merge with.")
        ),
        "merge_today": Sentences(
            _(
                "Together the two teams have used {together} submissions today ({survivor} + "
                "{absorbed}); one team has {most}."
            ),
            _("Merge after the contest's next midnight."),
        ),
        "merge_today.shared": Sentences(
            _(
                "Together the two teams have used {together} submissions today ({survivor} + "
                "{absorbed} − {shared} counted twice); one team has {most}."
            ),
            _("Merge after the contest's next midnight."),
        ),
        "merge_total": Sentences(
            _(
                "Together the two teams have used {together} submissions of this competition "
                "({survivor} + {absorbed}); one team has {most}."
            ),
            _("Two teams that have used so many cannot become one."),
        ),
        "merge_total.shared": Sentences(
            _(
                "Together the two teams have used {together} submissions of this competition "
                "({survivor} + {absorbed} − {shared} counted twice); one team has {most}."
            ),
            _("Two teams that have used so many cannot become one."),
        ),
        "merged_team": Sentences(
            _("This team is a part of {into} now."),
            _("Decide about that team."),
        ),
        "merges_end_before_closing": Sentences(_("Team merging must end before the close.")),
        "name_taken": Sentences(
            _("A team or a baseline already has this name or one that looks like it."),
            _("Choose another name."),
        ),
        "name_taken.file": Sentences(
            _("There is a file of this name: {name}"),
            _("Remove that file first, or upload under another name."),
        ),
        "no_answer": Sentences(_("This post cannot be the answer to the question.")),
        "no_approval_needed": Sentences(
            _("This competition is joined without waiting for approval."),
            _("Open the join page again."),
        ),
        "no_dev_set": Sentences(
            _("This competition has no released dev set yet."),
            _("Once the organizer releases one, you can score against it here."),
        ),
        "no_file": Sentences(_("There is no file."), _("Please choose a file.")),
        "no_file.golds": Sentences(
            _("There is no file in the request."),
            _("Send one or more in the field “files” of a form (multipart/form-data)."),
        ),
        "no_file.sent": Sentences(
            _("There is no file in the request."),
            _("Send it in the field “file” of a form, or as the body with the type text/csv."),
        ),
        "no_golds_yet": Sentences(
            _("There are no golds and no dev set yet that these dialogues could belong to."),
            _("Upload golds or a dev set first."),
        ),
        "no_live_version": Sentences(
            _("There are no live golds yet, so nothing can be submitted."),
            _("Submissions open once the organizer makes the golds live."),
        ),
        "no_webhook": Sentences(
            _("This competition has no webhook."), _("Write its address first.")
        ),
        "not_a_baseline": Sentences(_("This is a team that takes part, not a baseline.")),
        "not_a_creator": Sentences(
            _("This account may not make competitions."),
            _("Ask the administrator for the right to make one."),
        ),
        "no_mail_server": Sentences(_("This server sends no mail.")),
        "not_a_draft": Sentences(_("Only a draft can be made live.")),
        "not_joined": Sentences(
            _("You do not take part in this competition."), _("Join it on its page first.")
        ),
        "not_a_member": Sentences(_("You are not a member of this team.")),
        "not_an_administrator": Sentences(_("Only an administrator may do this.")),
        "not_an_editor": Sentences(_("Only owners and editors of this competition may do this.")),
        "not_an_organizer": Sentences(_("There is no organizer of that name.")),
        "not_an_owner": Sentences(_("Only owners of this competition may do this.")),
        "not_captain": Sentences(
            _("Only the captain of the team may do this."), _("Ask your captain.")
        ),
        "not_disqualified": Sentences(_("This team is not disqualified.")),
        "not_excluded": Sentences(_("This submission is not off the boards.")),
        "not_excluded.baseline": Sentences(_("This baseline is not off the boards.")),
        "not_failed": Sentences(
            _("This is no failure that can be scored again."),
            _("To score finished ones anew, rehearse a version."),
        ),
        "not_hidden": Sentences(_("This is not hidden.")),
        "not_in_forum": Sentences(
            _("Those who take part write in the forum, and the organizers."),
            _("Join the competition first."),
        ),
        "not_on_list": Sentences(
            _("This mail address is not on the list of participants."),
            _("Ask the organizer which address they have of you."),
        ),
        "not_scored": Sentences(_("Only a scored submission can be chosen.")),
        "not_the_author": Sentences(_("Only who wrote it may do this.")),
        "not_to_discard": Sentences(_("Only a draft or a rehearsing version can be discarded.")),
        "not_to_rehearse": Sentences(_("Only a draft or a retired version can rehearse.")),
        "not_to_report": Sentences(_("This post cannot be reported.")),
        "not_waiting": Sentences(
            _("Scoring has begun, so this can no longer be cancelled."),
            _("Please wait for the result."),
        ),
        "not_written": Sentences(
            _("An address or id was taken meanwhile, or rows contradict each other."),
            _("Check the file again."),
        ),
        "nothing_changes": Sentences(_("Nothing was changed.")),
        "nothing_live": Sentences(
            _("No version is live yet, so this one can be made live directly.")
        ),
        "nothing_reported": Sentences(_("Nothing is reported of this post.")),
        "nothing_to_do": Sentences(_("Everybody on the list is in that team already.")),
        "organizer": Sentences(_("Organizers of a competition cannot take part in it.")),
        "participant": Sentences(_("Who takes part in a competition cannot help to run it.")),
        "other_address": Sentences(
            _("This is not the address of this competition, which is {address}."),
            _("Nothing was deleted."),
        ),
        "post_hidden": Sentences(
            _("An organizer hid this, so it stays as it is."),
            _("Send the organizers a private inquiry if you see it otherwise."),
        ),
        "post_length": Sentences(_("A post has 1 to {length:,} characters.")),
        "reason_length": Sentences(_("Give a reason of 1 to {length} characters.")),
        "rehearsal_failed": Sentences(
            _("{count} submissions could not be scored under the new version: {names}."),
            _("They would have no score. Confirm that and try again."),
        ),
        "rehearsal_runs": Sentences(
            _("{waiting} submissions still wait for their rehearsal."),
            _("Make it live when all have ended."),
        ),
        "revealed": Sentences(_("A result that was revealed cannot be hidden again.")),
        "revealed.cancel": Sentences(
            _("The results are open, so this submission cannot be withdrawn any more."),
        ),
        "revealed.rule": Sentences(
            _("After the reveal, the rule of the private rank cannot change.")
        ),
        "same_dialogues": Sentences(_("The same dialogues are already here.")),
        "slug_taken": Sentences(
            _("Another competition has just taken this address."), _("Choose another address.")
        ),
        "storage_full": Sentences(
            _("The server's storage is full, so the file was not taken. No attempt was used."),
            _("Please try again in a little while."),
        ),
        "storage_full.data_file": Sentences(
            _("The server's storage is full, so the file was not taken."),
            _("Tell the administrator."),
        ),
        "store_away": Sentences(
            _("The server's file store does not answer. The file was not taken, no attempt used."),
            _("Please try again in a little while."),
        ),
        "store_away.data_file": Sentences(
            _("The server's file store does not answer, so the file was not taken."),
            _("Please try again in a little while."),
        ),
        "team_full": Sentences(
            _("A team has at most {most} people."), _("Somebody would have to leave first.")
        ),
        "too_many_invitations": Sentences(
            _("A team has at most {most} invitations open at a time."),
            _("Take one back, or wait until one ends."),
        ),
        "team_of_one": Sentences(
            _("You are alone in your team, so there is nobody to leave."),
            _("To come into another team, accept its captain's invitation."),
        ),
        "teams_changed": Sentences(_("Your team has just changed."), _("Try again.")),
        "teams_fixed": Sentences(
            _("The last day to change teams has passed."), _("The schedule names the date.")
        ),
        "teams_changed.forum": Sentences(_("You have just written in a forum."), _("Try again.")),
        "terms": Sentences(
            _("You have not accepted the terms of this competition yet (version {version})."),
            _("Read and accept them on the page “Terms”."),
        ),
        "terms_changed": Sentences(
            _("The terms changed while you were reading."),
            _("Read the new wording and agree again."),
        ),
        "terms_language": Sentences(_("English terms need the Korean ones beside them.")),
        "terms_length": Sentences(_("Terms have at most {terms_length} characters.")),
        "text_length": Sentences(_("An announcement has 1 to {length} characters.")),
        "thread_deleted": Sentences(
            _("Nothing is left of this thread: what was written in it was deleted or hidden.")
        ),
        "thread_locked": Sentences(
            _("An organizer has locked this thread."), _("Start a new one instead.")
        ),
        "title_length": Sentences(_("A title has 1 to {length} characters.")),
        "too_many_checks": Sentences(
            _("This team has used its {most} checks an hour."),
            _("You can submit without a check. Checks are back in {minutes} min."),
        ),
        "too_many_emails": Sentences(_("The list holds at most {most} addresses.")),
        "too_many_finals": Sentences(
            _("At most {finals} submissions can be chosen."), _("Remove one of them first.")
        ),
        "too_many_lab_runs": Sentences(
            _("This team has used its {most} dev runs an hour."),
            _("You can go on in {minutes} min, and on the command line at once."),
        ),
        "too_many_posts": Sentences(
            _("You wrote {most} posts in a short time."), _("You can go on in {minutes} min.")
        ),
        "too_many_previews": Sentences(
            _("You looked at {most} previews in a short time."),
            _("You can look again in {minutes} min, and send what you wrote at once."),
        ),
        "too_many_refused": Sentences(
            _("{most} submissions of this team were refused within the hour."),
            _("You can go on in {minutes} min. No attempt was used."),
        ),
        "too_many_reports": Sentences(
            _("You reported {most} posts within the hour."), _("You can go on in {minutes} min.")
        ),
        "too_many_searches": Sentences(
            _("There were {most} searches in a short time."),
            _("You can search again in {minutes} min, and read the forum without one at once."),
        ),
        "too_many_threads": Sentences(
            _("You started {most} threads within the hour."), _("You can go on in {minutes} min.")
        ),
        "too_many_tries": Sentences(
            _("That were too many tries in a short time."), _("You can go on in {minutes} min.")
        ),
        "too_many_waiting": Sentences(
            _("{max_waiting} submissions of this team still wait to be scored."),
            _("Try again when one of them is done. No attempt was used."),
        ),
        "total_limit": Sentences(_("All {used} submissions of this competition are used.")),
        "unknown_audience": Sentences(_("Choose the teams that are to read it.")),
        "unknown_audience.empty": Sentences(
            _("There is nobody whom this would reach."),
            _("Choose another recipient, or teams that have members."),
        ),
        "unknown_audience.teams": Sentences(
            _("You chose teams, but the recipient is “{audience}”."),
            _("Make the recipient “{chosen}”, or take the choice of teams back."),
        ),
        "unknown_file": Sentences(_("There is no such file. It may just have been removed.")),
        "unknown_invitation": Sentences(
            _("There is no such invitation, or it has ended."), _("Open the page again.")
        ),
        "unknown_kind": Sentences(_("Choose what kind of thread it is.")),
        "unknown_person": Sentences(
            _("There is no account of that name."), _("They have to sign up first.")
        ),
        "unknown_person.member": Sentences(_("There is no other member of that name.")),
        "unknown_person.team": Sentences(_("There is no participant of that name.")),
        "unknown_post": Sentences(_("There is no such post. It may just have been deleted.")),
        "unknown_profile": Sentences(_("There is no such preset or tokenizer.")),
        "unknown_registration": Sentences(_("There is no such way of joining.")),
        "unknown_request": Sentences(
            _("There is no such request. The person may have closed the account.")
        ),
        "unknown_role": Sentences(_("There is no such role.")),
        "unknown_session": Sentences(_("That session has ended already.")),
        "unknown_submission": Sentences(_("This is not a submission of this team.")),
        "token_form": Sentences(_("There is no such scope, or no such time until it expires.")),
        "token_scope": Sentences(
            _("The token is only for: {scope}. This needs: {needed}."),
            _("Make another token in the settings."),
        ),
        "token_unusable": Sentences(
            _("The token is unknown, has expired or was revoked."),
            _("Make another token in the settings."),
        ),
        "too_many_calls": Sentences(
            _("This was asked more than {most} times in a short time."),
            _("You can go on in {minutes} min."),
        ),
        "too_many_tokens": Sentences(
            _("You have {most} tokens that can be used, and may have no more."),
            _("Revoke one that you do not need any more."),
        ),
        "no_token": Sentences(
            _("This needs a token."),
            _("Make one in the settings and send it as “Authorization: Bearer …”."),
        ),
        "password_first": Sentences(
            _("This account's password has been seen by somebody else."),
            _("Sign in on the site and choose another one first."),
        ),
        "unknown_token": Sentences(_("You have no such token.")),
        "unknown_team": Sentences(_("There is no such team.")),
        "unknown_thread": Sentences(_("There is no such thread. It may just have been hidden.")),
        "version_gone": Sentences(
            _("This draft has just been discarded and is gone."),
            _("Open the list of scoring versions anew."),
        ),
        "webhook_address": Sentences(
            _("This is no web address that can be called."),
            _("Copy it from the page that made the webhook; it begins with https://."),
        ),
        "webhook_address.https": Sentences(
            _("The address must begin with https://."),
            _("Others could read what is sent. Of a server of your own, ask the administrator."),
        ),
        "webhook_address.port": Sentences(
            _("Only the ports 443 and 8443 can be called."),
            _("Of a server of your own, ask the administrator."),
        ),
        "webhook_address.private": Sentences(
            _("This address lies in a private network."),
            _("Of a server of your own, ask the administrator."),
        ),
        "wrong_code": Sentences(
            _("This is not the competition's code."),
            _("Check the code that the organizer gave you."),
        ),
        "wrong_password": Sentences(_("The password is not right.")),
    }

    def __init__(self, key: str, *, retry_after: int | None = None, **values: object) -> None:
        Said.__init__(self, key, **values)
        Exception.__init__(self, self.code)
        self.retry_after = retry_after
        self._of = ""

    @property
    def status(self) -> int:
        found = (status for status, keys in self.statuses.items() if self.key in keys.split())
        return next(found, 409)

    @classmethod
    def because(cls, cause: Said, *, of: str = "") -> Self:
        """What another package says no to, in its words; `of` names one of several things."""
        refused = cls(cause.key)
        refused.values, refused.sentences, refused._of = cause.values, cause.sentences, of
        return refused

    def message(self, language: str) -> str:
        """What happened, in `ko` or `en`."""
        said = super().message(language)
        return f"{self._of}: {said}" if self._of else said


def too_many_tries(wait: int) -> Refused:
    """For somebody who guesses; `wait` is in seconds."""
    minutes = ceil(wait / 60)
    return Refused("too_many_tries", minutes=minutes, retry_after=wait)


def too_often(limit: Limit, wait: int) -> Refused:
    """For a team that did something as often as `limit` lets it; `wait` is in seconds."""
    minutes = ceil(wait / 60)
    return Refused(limit.kind, most=limit.most, minutes=minutes, retry_after=wait)


def count(limit: Limit, key: str, at: datetime) -> None:
    """One more of what `limit` bounds for this key. Raises Refused where it was too often."""
    if wait := take(Use(limit, key), at=at):
        raise too_often(limit, wait)
