"""What of a contest's judging is not in its file, and why."""

TABLES = {
    **dict.fromkeys(
        ("JudgeConfig", "Section", "Artefact", "BuiltDialogue", "Build", "AgreementReport"),
        "a judge column belongs to the server whose operator gave the judge's address",
    ),
    **dict.fromkeys(("Circuit", "Reservation", "Budget"), "of one server's judge"),
    **dict.fromkeys(
        ("StoredCall", "Judging", "Judgment", "ColumnValue", "Answerer", "Repeat"),
        "scores of a judge",
    ),
}
