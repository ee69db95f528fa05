"""What the judge's actions refuse, by code."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from leaderboard.actions.refusals import Refused
from leaderboard.texts import Sentences


class JudgeRefused(Refused):
    statuses: Mapping[int, str] = {
        404: "unknown_submission",
        422: """
            allowed_values bad_rater item_characters item_length long_instruction no_instruction
            number_of_sections same_name section_kind section_name too_much_to_label
            unknown_endpoint
        """,
        429: "judge_limit",
    }

    sentences: Mapping[str, Sentences] = {
        "allowed_values": Sentences(
            _(
                "A section with fixed values has 2 to {values} different ones of at most "
                "{value} characters; others have none."
            )
        ),
        "already_repeating": Sentences(
            _("A repeat of this config is under way already."), _("Wait for its end or stop it.")
        ),
        "asked_otherwise": Sentences(
            _(
                "This server judges by other prompts, rules or addresses now. The values of "
                "this config stay, and nothing more is judged under it."
            ),
            _("Go on in a new config, with the same items."),
        ),
        "bad_rater": Sentences(
            _("A rater's name has at most {longest} characters, none of them invisible.")
        ),
        "endpoint_gone": Sentences(
            _("The judge server “{endpoint}” is no longer set up."),
            _("Ask who runs the server to bring it back, or make a new config."),
        ),
        "excluded": Sentences(_("A submission that was taken off the boards is not judged.")),
        "item_characters": Sentences(_("An item contains invisible characters.")),
        "item_length": Sentences(
            _("An item has 1 to {length} characters. To strike it out clear its box.")
        ),
        "judge_chooses": Sentences(
            _("In this competition the submissions to judge are chosen without asking.")
        ),
        "judge_limit": Sentences(
            _("Your {submissions_per_team_day} judgings of today are used up."),
            _("Ask again tomorrow."),
        ),
        "late": Sentences(
            _("A submission of after the close stands on no board and is not judged.")
        ),
        "long_instruction": Sentences(_("An instruction has at most {instruction:,} characters.")),
        "no_dialogues": Sentences(
            _("No set holds the dialogues of all ids, and a judge has to read them."),
            _("Upload the dialogues of all live golds on the page ‘Dev set’."),
        ),
        "no_endpoint": Sentences(
            _("No judge model is connected to this server."),
            _("Ask who runs the server to set JUDGE_BASE_URL and JUDGE_API_KEY."),
        ),
        "no_instruction": Sentences(
            _("A section needs its instruction, unless it is one without.")
        ),
        "no_items": Sentences(
            _("The pipelines of published systems keep no verdict per item to compare."),
            _("Measure it under a config with the pipeline “shared”."),
        ),
        "no_judge": Sentences(_("This competition does not use a judge column now.")),
        "no_live_golds": Sentences(
            _("No golds are live yet, so it is not known which dialogues to judge."),
            _("Upload golds and make them live first."),
        ),
        "not_a_draft": Sentences(
            _("Of a judge config past its draft only prices, limits and policy can change."),
            _("To judge in another way make a new config."),
        ),
        "not_built": Sentences(
            _("{missing:,} dialogues have no items yet."),
            _("Wait until the judge worker has made them."),
        ),
        "not_frozen": Sentences(
            _("This config has not been frozen yet."), _("Review all items and freeze it first.")
        ),
        "not_repeating": Sentences(
            _("No repeat is under way."), _("Open the page again to see its state.")
        ),
        "not_reviewed": Sentences(
            _("{open:,} items have not been reviewed."),
            _("Save each dialogue, or approve the rest at once."),
        ),
        "not_scored": Sentences(_("Only a scored submission can be judged.")),
        "nothing_judged": Sentences(
            _("No submission has been judged under this config yet."),
            _("Upload labels of the same items once something is judged."),
        ),
        "nothing_to_label": Sentences(
            _(
                "There is nothing to label: no row of these submissions has been judged, or "
                "the pipeline asks no items."
            ),
            _("Come back once they are judged."),
        ),
        "nothing_to_repeat": Sentences(
            _("There is no judged submission that could be asked about again."),
            _("Choose a submission whose judging is complete."),
        ),
        "number_of_sections": Sentences(_("There are 1 to {sections} sections.")),
        "same_name": Sentences(_("Two sections have the same name.")),
        "section_kind": Sentences(_("A section is of an unknown kind.")),
        "section_name": Sentences(
            _("The name of a section has 1 to 60 characters, none of them invisible.")
        ),
        "some_failed": Sentences(
            _("The items of {failed:,} dialogues could not be made."),
            _("Have them made again, or confirm that these dialogues count as N/A."),
        ),
        "too_much_to_label": Sentences(
            _("The items of {summaries:,} summaries are too much for one file."),
            _("Choose fewer submissions or dialogues."),
        ),
        "unknown_endpoint": Sentences(_("That is not a server that the operator allows.")),
        "unknown_submission": Sentences(_("There is no such submission.")),
        "wrong_state": Sentences(
            # xgettext:no-python-brace-format  its Korean calls the state as the page does
            _("This cannot be done with a judge config that is {state}."),
            _("Open the page again to see its state."),
        ),
    }
