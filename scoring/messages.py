"""Every sentence a file check can say: English here, Korean in the package's own catalogue.

A message may hold numbers, ids and column names of the participant's own file. It never holds a
gold, and never text that only the organizer's files contain.
"""

import gettext
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

Language = Literal["ko", "en"]
# A text within another: its code and its values. Both JSON and a set can hold it.
Part = tuple[str, tuple[tuple[str, object], ...]]

# Named, so that gettext does not ask the environment which language it is.
_KOREAN = gettext.translation("scoring", Path(__file__).parent / "locale", ["ko"])


def _(english: str) -> str:
    """Mark a text for the catalogue."""
    return english


class Spoken(Exception):
    """What is written for people, said in their language when it is shown."""

    def __init__(self, english: str, **values: object) -> None:
        super().__init__(say("en", english, **values))
        self._english, self._values = english, values

    def message(self, language: Language) -> str:
        """The sentence."""
        return say(language, self._english, **self._values)


class Word(str):
    """Text that takes the particle of a pair: `{found:을,를}`; `{found:>을,를}` is it alone."""

    def __format__(self, pair: str) -> str:
        if pair.startswith(">"):
            return particle(self, *pair[1:].split(",", 1))
        return josa(self, pair) if pair else str(self)


# What may be said of a file, by its code.
FILE_TEXTS = {
    # The file as a whole
    "file_too_large": _("The file is too large: {size}. The limit is {limit}."),
    "empty_file": _("The file is empty."),
    "not_csv": _("This is not CSV but {kind}. Export it as CSV and upload that."),
    "nul_bytes": _("There are NUL characters in the text. Save the file as UTF-8."),
    "bad_encoding": _("A character here is neither UTF-8 nor CP949. Save the file as UTF-8."),
    "bad_utf16": _("A character here is not valid UTF-16. Save the file as UTF-8."),
    "bad_unicode": _("A character here is a lone surrogate, which is not valid Unicode."),
    "cut_off": _("The last character is incomplete. Was the file cut off?"),
    "too_many_rows": _("Too many rows. The limit is {limit:,}; reading stopped here."),
    "too_many_columns": _("Too many columns (limit {limit:,}). Reading stopped here."),
    "total_too_long": _("All summaries together have {length:,} characters, over {limit:,}."),
    "id_too_long": _("The id is too long: {length:,} of {limit:,} characters."),
    # The header
    "no_header": _("There is no header line. Columns {needed} are needed."),
    "missing_column": _("Column {missing} is missing. Needed: {needed}. Found: {found}.{hint}"),
    "duplicate_column": _("Column {column} appears twice or more."),
    "wrong_delimiter": _("Columns are separated by {delimiter}. Use commas."),
    "blank_at_quote": _(
        "A space next to a cell's quotes makes the quotes count as text. Delete the space."
    ),
    "sep_line": _("The line `sep=` is for Excel only. Delete the first line."),
    # The structure of a row
    "too_few_fields": _("{found} field, {expected} expected. Is this a stray line break?"),
    "too_many_fields": _(
        "{found} fields, {expected} expected. Quote a summary that contains a comma."
    ),
    "unclosed_quote": _("The quote opened here is never closed. Nothing after it could be read."),
    "text_after_quote": _('There is text after a closing quote. Write an inner quote twice ("").'),
    "bad_csv": _("This line cannot be read as CSV."),
    # Ids
    "empty_id": _("The id is empty."),
    "unknown_id": _("Unknown id {shown}"),
    "rounded_id": _(
        "A spreadsheet turned this id into a number: {shown}. Set the column to text and paste "
        "the ids again."
    ),
    "dev_split": _(
        "These are predictions for the dev set: {shown}. Submit predictions for the test set here."
    ),
    "duplicate_id": _("The same id is on several lines: {shown} ({same})."),
    "missing_ids": _("Missing ids: {count:,}. {shown}"),
    # Summaries
    "empty_summary": _("The summary is empty."),
    "blank_summary": _("The summary has only invisible characters."),
    "cell_too_long": _("The summary is too long: {length:,} of {limit:,} characters."),
    "nul_character": _("NUL character at column {position} of the cell."),
    "long_repeat": _(
        "{shown} is repeated {count:,} times in a row, which the tokenizer cannot process. "
        "Shorten it to {limit:,}."
    ),
    # Notices
    "read_as_cp949": _("Read as CP949. Please save as UTF-8 next time."),
    "read_as_utf16": _("Read as UTF-16. Please save as UTF-8 next time."),
    "few_hangul": _("Under half of the letters are Hangul. Is the encoding right?"),
    "unnamed_column": _("The unnamed column is ignored."),
    "extra_column": _("Ignored: {columns}."),
    # xgettext:no-python-brace-format  its Korean chooses particles
    "header_spelling": _("The header {found} was read as {read}."),
    "other_delimiter": _("Columns are separated by {delimiter}. The file was read that way."),
    "sep_line_skipped": _("The line `sep=` was skipped."),
    "blank_line": _("Blank line skipped{where}."),
    "id_spaces": _("Spaces around the id trimmed{where}."),
    "literal_nan": _("The summary is the text {shown}. Is that intended?{where}"),
    "sample_text": _("The sample file's sentence was left in {count:,} rows."),
    "same_text": _("{count:,} summaries are the same text. Is that intended?"),
    "set_to_nfc": _(
        "{count:,} cells were converted to Unicode NFC. The score is that of the NFC text."
    ),
    "invisible_characters": _("Invisible characters count as text{where}."),
    "control_characters": _("There are control characters{where}."),
    "direction_marks": _("There are text direction marks. They are shown escaped{where}."),
    "scores_zero": _("An empty summary scores 0{where}."),
    # Repairs
    # xgettext:no-python-brace-format  its Korean chooses particles
    "fixed_encoding": _("{encoding} was changed to UTF-8."),
    "fixed_header": _("The columns were reduced to fname, summary."),
    "fixed_separator_line": _("The line `sep=` was deleted."),
    "fixed_delimiter": _("The delimiter was changed to commas."),
    "fixed_blanks": _("Spaces next to quotes were deleted{where}."),
    "fixed_commas": _("Summaries with commas were quoted{where}."),
    "fixed_blank_line": _("Blank lines were deleted{where}."),
    "fixed_duplicate": _("Repeated equal rows were deleted{where}."),
    # Golds
    "no_gold": _("The row has no reference."),
    "blank_gold": _("{column} has only invisible characters."),
    "nul_in_gold": _("{column} contains a NUL character."),
    "bad_split": _("split must be public or private."),
    "split_missing": _("This row has no split while others have one."),
    "column_disagrees": _("The files disagree about {column}."),
    "no_rows": _("There are no rows."),
    "no_files": _("There is no file."),
    "several_files_wide": _("With several files, each needs exactly one reference column."),
    "equal_golds": _("{count:,} rows have the same reference twice{where}."),
    "literal_nan_gold": _(
        "{count:,} references are only nan, null or similar, which is scored as text{where}."
    ),
    "gold_count_varies": _("The number of references varies by row: {low} to {high}."),
    "long_golds": _("{count:,} references are far longer than the others{where}."),
    "one_sided_split": _("Every row is {split}."),
    # Dialogues
    "no_dialogues": _("There are no dialogues."),
    "blank_dialogue": _("The dialogue is empty."),
    "dialogue_too_long": _("The dialogue is too long: {length:,} of {limit:,} characters."),
}
TEXTS = FILE_TEXTS | {
    # Parts of the others
    "same_summary": _("same summary"),
    "different_summaries": _("different summaries"),
    "check_both": _("check both"),
    "meant": _(" Did you mean {shown}?"),
    "dialogues_sent": _(" These are dialogues, not summaries."),
    "places": _(" ({count:,} places: lines {shown})"),
    "semicolons": _("semicolons"),
    "tabs": _("tabs"),
    "bars": _("bars"),
    "either": _("{first} or {second}"),
}


def say(language: Language, english: str, **values: object) -> str:
    """A text of the catalogue, filled in; what is passed as `english` is found by the catalogue.

    >>> say("ko", "The header {found} was read as {read}.", found="이름", read="fname")
    '열 이름 이름을 fname로 읽었습니다.'
    """
    text = _KOREAN.gettext(english) if language == "ko" else english
    return text.format(**{name: _shown(value, language) for name, value in values.items()})


def write(code: str, values: Mapping[str, object], language: Language) -> str:
    """The sentence of one code, filled in; a `hint` may be wanting."""
    return say(language, TEXTS[code], **{"hint": "", **values})


def part(code: str, **values: object) -> Part:
    """A value that is said in the language of the sentence it stands in."""
    return code, tuple(values.items())


def _shown(value: object, language: Language) -> object:
    if isinstance(value, Spoken):
        value = value.message(language)
    elif isinstance(value, list | tuple):
        code, values = value
        value = write(code, dict(values), language)
    return Word(value) if isinstance(value, str) else value


def size(octets: int) -> str:
    """Bytes for people, in steps of a thousand.

    >>> size(1_234_567), size(834_000), size(12)
    ('1.2 MB', '834 KB', '12 B')
    """
    if octets >= 1_000_000:
        return f"{octets / 1_000_000:.1f} MB".replace(".0 MB", " MB")
    if octets >= 1_000:
        return f"{octets / 1_000:.0f} KB"
    return f"{octets} B"


# How a digit or a Latin letter ends, read aloud: 0 영, 1 일, 3 삼, 6 육, 7 칠, 8 팔; l 엘, r 알.
_CLOSED = frozenset("013678lmnrLMNR")
_ENDS_IN_L = frozenset("178lrLR")
_CLOSERS = " .\"')]’”"
_L = 8  # the place of ㄹ among the final consonants


def particle(word: str, closed: str, opened: str) -> str:
    """`closed` after a final consonant, `opened` after a vowel; 으로 becomes 로 after ㄹ too.

    Digits and Latin letters go by their sound.

    >>> particle("가나다", "이", "가"), particle("서울", "으로", "로"), particle("v3", "으로", "로")
    ('가', '로', '으로')
    """
    last = word.rstrip(_CLOSERS)[-1:]
    if "가" <= last <= "힣":
        final = (ord(last) - ord("가")) % 28
        is_closed, ends_in_l = final != 0, final == _L
    else:
        is_closed, ends_in_l = last in _CLOSED, last in _ENDS_IN_L
    return closed if is_closed and not (ends_in_l and closed == "으로") else opened


def josa(word: str, pair: str) -> str:
    """The word with the particle of the pair that fits it.

    >>> josa("alice", "이,가"), josa("두괄식", "을,를")
    ('alice가', '두괄식을')
    """
    return f"{word}{particle(word, *pair.split(',', 1))}"
