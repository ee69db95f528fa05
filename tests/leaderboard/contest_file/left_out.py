"""What of a contest is not in its file, and why."""

from leaderboard.contest_file import layout

BY_FILE = "the file itself says it"

FIELDS: dict[str, str] = {
    f"{table.model.__name__}.{name}": why
    for table in layout.TABLES
    for name, why in (
        ("id", "numbers the rows of one database"),
        ("competition", "every row of the file is of this contest"),
    )
    if name not in table.fields and layout.field_of(table.model, name)
} | {
    "Competition.state": "what was archived there may go on here",
    "Competition.reveal_told_at": "the inbox of another server",
    "Competition.imported_at": "each server's own",
    "Competition.shows_other_columns": "follows from tables that stay on their server",
    "Competition.registration_code": "a secret, like a password",
    "DataFile.size": BY_FILE,
    "DataFile.sha256": BY_FILE,
    "ReferenceSet.golds_sha256": BY_FILE,
    "ReferenceSet.rows": BY_FILE,
    "ReferenceSet.public_rows": BY_FILE,
    "ReferenceSet.private_rows": BY_FILE,
    "ReferenceSet.golds_min": BY_FILE,
    "ReferenceSet.golds_max": BY_FILE,
    "ReferenceSet.notices": BY_FILE,
    "ReferenceSet.oddities": BY_FILE,
    "ReferenceSet.file_names": "under `files`, with the bytes",
    "ReferenceSet.stored_as": "a place on one machine's disk; the bytes are under `files`",
    "DialogueSet.rows": BY_FILE,
    "DialogueSet.notices": "said of the file as it was first sent; the texts alone are kept",
    "ScoringVersion.self_check": "scores, of the golds themselves",
    "Team.skeleton": "follows from the name",
    "Team.sort_key": "follows from the name",
    "Membership.typed_email": "mail addresses",
    "Membership.listed_name": "names that a class list gave to one server",
    "Submission.size": BY_FILE,
    "Submission.sha256": BY_FILE,
    "Submission.notices": BY_FILE,
    "QuotaEntry.reason": "said as `reason_ko` and `reason_en`",
    "QuotaEntry.words": "said as `reason_ko` and `reason_en`",
    "Thread.last_post_at": "follows from the posts",
    "Thread.posts": "follows from the posts",
    "Thread.waiting_since": "follows from the posts",
    "Thread.answered": "follows from the posts",
    "Post.folded": "follows from the text",
    "Post.key": "of a form that one server gave out",
    "Announcement.edited_at": "points to the log, which stays on its server",
}

TABLES: dict[str, str] = {
    "AllowedEmail": "mail addresses",
    "Invitation": "ways in, like passwords",
    "Example": "read again from the files of its reference set",
    "Dialogue": "in the file of its dialogue set",
    "SetUse": "follows from versions and releases",
    "SubmissionText": "read again from the submission's file",
    "Evaluation": "made again; the worker scores",
    "SplitScore": "scores",
    "ExampleScores": "scores",
    "KeptFailure": "what a worker of this server could not make, until it tries again",
    "Switch": "what decisions on this server changed",
    "PostReport": "between who reported and the organizers who were there",
    "Subscription": "the inbox of another server",
    "Webhook": "an address and a secret of one server's organizers",
    "Standing": "follows from scores",
    "StandingDay": "follows from scores",
    "BoardBands": "follow from scores",
    "FileLift": "follows from scores",
    "FileLights": "follow from files and golds",
    "TeamSpread": "follows from scores",
    "Figures": "follow from scores, files and golds",
    "ClosingReport": "follows from scores",
}
