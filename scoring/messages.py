"""Every sentence a file check can say, in Korean and English.

A message may hold numbers, ids and column names of the participant's own file. It never holds a
gold, and never text that only the organizer's files contain.
"""

from typing import Any

from scoring.korean import josa

# Of a remark that applies to many rows, this many lines are named.
LINES_SHOWN = 5


class _Word(str):
    """Text that takes the particle of a pair: `{found:을,를}`."""

    def __format__(self, pair: str) -> str:
        return josa(self, pair) if pair else str(self)


_TEXTS: dict[str, tuple[str, str]] = {
    # The file as a whole
    "file_too_large": (
        "파일이 너무 큽니다: {size} (한도 {limit}).",
        "The file is too large: {size}, where {limit} is the limit.",
    ),
    "empty_file": ("빈 파일입니다.", "The file is empty."),
    "not_csv": (
        "CSV가 아닌 파일입니다: {kind_ko}. CSV로 내보내 다시 올려 주세요.",
        "This is not CSV but {kind_en}. Export it as CSV and upload that.",
    ),
    "nul_bytes": (
        "글자 사이에 NUL이 있습니다. UTF-8로 저장해 주세요.",
        "There are NUL characters in the text. Save the file as UTF-8.",
    ),
    "bad_encoding": (
        "이 줄에 UTF-8로도 CP949로도 읽을 수 없는 글자가 있습니다. UTF-8로 저장해 주세요.",
        "A character here is neither UTF-8 nor CP949. Save the file as UTF-8.",
    ),
    "bad_utf16": (
        "이 줄에 UTF-16으로 읽을 수 없는 글자가 있습니다. UTF-8로 저장해 주세요.",
        "A character here is not valid UTF-16. Save the file as UTF-8.",
    ),
    "bad_unicode": (
        "이 줄에 올바르지 않은 유니코드(짝 없는 서로게이트)가 있습니다.",
        "A character here is a lone surrogate, which is not valid Unicode.",
    ),
    "cut_off": (
        "마지막 글자가 잘렸습니다. 파일이 중간에 끊긴 것 같습니다.",
        "The last character is incomplete. Was the file cut off?",
    ),
    "too_many_rows": (
        "행이 너무 많습니다. 한도는 {limit:,}행이고, 여기서 읽기를 멈췄습니다.",
        "Too many rows. The limit is {limit:,}; reading stopped here.",
    ),
    "too_many_columns": (
        "열이 너무 많습니다 (한도 {limit:,}열). 여기서 읽기를 멈췄습니다.",
        "Too many columns (limit {limit:,}). Reading stopped here.",
    ),
    "total_too_long": (
        "요약을 모두 더하면 {length:,}자로, 한도 {limit:,}자를 넘습니다.",
        "All summaries together have {length:,} characters, over {limit:,}.",
    ),
    "id_too_long": (
        "id가 너무 깁니다: {length:,}자 (한도 {limit:,}자).",
        "The id is too long: {length:,} of {limit:,} characters.",
    ),
    # The header
    "no_header": (
        "첫 줄에 열 이름이 없습니다. {needed} 열이 필요합니다.",
        "There is no header line. Columns {needed} are needed.",
    ),
    "missing_column": (
        "{missing} 열이 없습니다. 필요한 열: {needed}. 파일의 열: {found}.{hint_ko}",
        "Column {missing} is missing. Needed: {needed}. Found: {found}.{hint_en}",
    ),
    "duplicate_column": (
        "{column} 열이 두 번 이상 있습니다.",
        "Column {column} appears twice or more.",
    ),
    "wrong_delimiter": (
        "열이 {delimiter_ko} 기호로 나뉘어 있습니다. 쉼표(,)를 써 주세요.",
        "Columns are separated by {delimiter_en}. Use commas.",
    ),
    "sep_line": (
        "첫 줄 `sep=`은 엑셀 전용 표시입니다. 첫 줄을 지워 주세요.",
        "The line `sep=` is for Excel only. Delete the first line.",
    ),
    # The structure of a row
    "too_few_fields": (
        "칸이 {found}개뿐입니다 (필요 {expected}개). 잘못 들어간 줄바꿈이 아닌지 보세요.",
        "{found} field, {expected} expected. Is this a stray line break?",
    ),
    "too_many_fields": (
        "칸이 {found}개입니다 (필요 {expected}개). 쉼표가 든 요약은 큰따옴표로 감싸 주세요.",
        "{found} fields, {expected} expected. Quote a summary that contains a comma.",
    ),
    "unclosed_quote": (
        "여기서 열린 큰따옴표가 닫히지 않았습니다. 이 뒤는 읽지 못했습니다.",
        "The quote opened here is never closed. Nothing after it could be read.",
    ),
    "text_after_quote": (
        '닫는 큰따옴표 뒤에 글자가 있습니다. 안쪽 큰따옴표는 두 번("") 써 주세요.',
        'There is text after a closing quote. Write an inner quote twice ("").',
    ),
    "bad_csv": ("CSV로 읽을 수 없는 줄입니다.", "This line cannot be read as CSV."),
    "ambiguous_csv": (
        "프로그램마다 다르게 읽는 줄입니다. 모든 칸을 큰따옴표로 감싸 주세요.",
        "CSV readers disagree about this line. Quote all fields.",
    ),
    # Ids
    "empty_id": ("id가 비어 있습니다.", "The id is empty."),
    "unknown_id": (
        "모르는 id {shown}",
        "Unknown id {shown}",
    ),
    "dev_split": (
        "dev 묶음의 예측입니다: {shown}. 여기서는 시험 묶음의 예측을 받습니다.",
        "These are predictions of the dev split: {shown}. Here the test split is handed in.",
    ),
    "duplicate_id": (
        "id가 여러 줄에 있습니다: {shown} (요약은 {same_ko}).",
        "The same id is on several lines: {shown} ({same_en}).",
    ),
    "missing_ids": (
        "id {count:,}개가 없습니다: {shown}",
        "Missing ids: {count:,}. {shown}",
    ),
    # Summaries
    "empty_summary": ("요약이 비어 있습니다.", "The summary is empty."),
    "blank_summary": (
        "요약에 보이지 않는 문자만 있습니다.",
        "The summary has only invisible characters.",
    ),
    "cell_too_long": (
        "요약이 너무 깁니다: {length:,}자 (한도 {limit:,}자).",
        "The summary is too long: {length:,} of {limit:,} characters.",
    ),
    "nul_character": (
        "{position}번째 글자에 NUL 문자가 있습니다.",
        "NUL character at column {position} of the cell.",
    ),
    # Notices
    "read_as_cp949": (
        "CP949로 읽었습니다. 다음에는 UTF-8로 저장해 주세요.",
        "Read as CP949. Please save as UTF-8 next time.",
    ),
    "read_as_utf16": (
        "UTF-16으로 읽었습니다. 다음에는 UTF-8로 저장해 주세요.",
        "Read as UTF-16. Please save as UTF-8 next time.",
    ),
    "few_hangul": (
        "글자의 절반도 한글이 아닙니다. 인코딩이 깨지지 않았는지 확인해 주세요.",
        "Under half of the letters are Hangul. Is the encoding right?",
    ),
    "unnamed_column": (
        "이름 없는 열은 읽지 않습니다.",
        "The unnamed column is ignored.",
    ),
    "extra_column": ("{columns} 열은 읽지 않습니다.", "Ignored: {columns}."),
    "header_spelling": (
        "열 이름 {found:을,를} {read:으로,로} 읽었습니다.",
        "The header {found} was read as {read}.",
    ),
    "blank_line": ("빈 줄은 건너뛰었습니다{where_ko}.", "Blank line skipped{where_en}."),
    "id_spaces": (
        "id 앞뒤의 공백을 뗐습니다{where_ko}.",
        "Spaces around the id trimmed{where_en}.",
    ),
    "literal_nan": (
        "요약이 글자 그대로 {shown}입니다. 의도한 것인가요?{where_ko}",
        "The summary is the text {shown}. Is that meant?{where_en}",
    ),
    "sample_text": (
        "예제 파일의 문장이 그대로인 행이 {count:,}개입니다.",
        "The sample file's sentence was left in {count:,} rows.",
    ),
    "same_text": (
        "요약 {count:,}개가 모두 같은 문장입니다. 의도한 것인가요?",
        "{count:,} summaries are the same text. Is that meant?",
    ),
    "set_to_nfc": (
        "요약 {count:,}개를 유니코드 NFC로 바꿔 읽었습니다. 점수는 NFC 파일과 같습니다.",
        "{count:,} cells were set to Unicode NFC; the score is that of the NFC text.",
    ),
    "invisible_characters": (
        "보이지 않는 문자도 글자로 채점됩니다{where_ko}.",
        "Invisible characters count as text{where_en}.",
    ),
    "control_characters": (
        "제어 문자가 있습니다{where_ko}.",
        "There are control characters{where_en}.",
    ),
    "direction_marks": (
        "글자 방향을 바꾸는 문자가 있습니다. 화면에는 풀어 써서 보입니다{where_ko}.",
        "There are text direction marks; they are shown escaped{where_en}.",
    ),
    "scores_zero": (
        "빈 요약은 0점으로 채점됩니다{where_ko}.",
        "An empty summary scores 0{where_en}.",
    ),
    # Repairs
    "fixed_encoding": ("{encoding:을,를} UTF-8로 바꿨습니다.", "{encoding} was changed to UTF-8."),
    "fixed_header": (
        "열을 fname, summary로 정리했습니다.",
        "The columns were reduced to fname, summary.",
    ),
    "fixed_separator_line": ("`sep=` 줄을 지웠습니다.", "The line `sep=` was deleted."),
    "fixed_delimiter": ("구분 기호를 쉼표로 바꿨습니다.", "The delimiter was changed to commas."),
    "fixed_commas": (
        "쉼표가 든 요약을 큰따옴표로 감쌌습니다{where_ko}.",
        "Summaries with commas were quoted{where_en}.",
    ),
    "fixed_blank_line": ("빈 줄을 지웠습니다{where_ko}.", "Blank lines were deleted{where_en}."),
    "fixed_duplicate": (
        "똑같이 되풀이된 행을 지웠습니다{where_ko}.",
        "Repeated equal rows were deleted{where_en}.",
    ),
    # Golds
    "no_gold": ("정답이 하나도 없습니다.", "The row has no gold."),
    "blank_gold": (
        "{column} 칸에 보이지 않는 문자만 있습니다.",
        "{column} has only invisible characters.",
    ),
    "nul_in_gold": ("{column} 칸에 NUL 문자가 있습니다.", "{column} contains a NUL character."),
    "bad_split": (
        "split은 public이나 private이어야 합니다.",
        "split must be public or private.",
    ),
    "split_missing": (
        "다른 행에는 split이 있는데 이 행에는 없습니다.",
        "This row has no split while others have one.",
    ),
    "column_disagrees": (
        "{column} 값이 파일마다 다릅니다.",
        "The files disagree about {column}.",
    ),
    "no_rows": ("정답 행이 없습니다.", "There are no rows."),
    "no_files": ("파일이 없습니다.", "There is no file."),
    "several_files_wide": (
        "여러 파일로 올릴 때는 파일마다 정답 열이 하나여야 합니다.",
        "With several files, each has exactly one gold column.",
    ),
    "equal_golds": (
        "같은 정답이 두 번 있는 행이 {count:,}개 있습니다{where_ko}.",
        "{count:,} rows hold the same gold twice{where_en}.",
    ),
    "gold_count_varies": (
        "행마다 정답 개수가 다릅니다: {low}–{high}개.",
        "The number of golds varies by row: {low} to {high}.",
    ),
    "long_golds": (
        "다른 정답보다 훨씬 긴 정답이 {count:,}개 있습니다{where_ko}.",
        "{count:,} golds are far longer than the others{where_en}.",
    ),
    "one_sided_split": (
        "모든 행이 {split}입니다.",
        "Every row is {split}.",
    ),
    # Dialogues
    "no_dialogues": ("대화가 없습니다.", "There are no dialogues."),
    "blank_dialogue": ("대화가 비어 있습니다.", "The dialogue is empty."),
    "dialogue_too_long": (
        "대화가 너무 깁니다: {length:,}자 (한도 {limit:,}자).",
        "The dialogue is too long: {length:,} of {limit:,} characters.",
    ),
    # Labels that people give, to compare a judge with
    "no_labels": ("라벨이 없습니다.", "There are no labels."),
    "without_label": (
        "label이 빈 줄 {count:,}개는 건너뛰었습니다.",
        "Rows without a label were skipped: {count:,}.",
    ),
    "bad_kind": ("kind는 {allowed} 가운데 하나여야 합니다.", "kind is one of {allowed}."),
    "bad_label": (
        "{kind} 행의 label은 {allowed} 가운데 하나여야 합니다.",
        "The label of a {kind} row is one of {allowed}.",
    ),
    "bad_row_label": (
        "row 행의 label은 0부터 1까지의 수여야 합니다.",
        "The label of a row is a number from 0 to 1.",
    ),
    "bad_metric": (
        "row 행의 item_id는 {allowed} 가운데 하나여야 합니다.",
        "The item_id of a row label is one of {allowed}.",
    ),
    "bad_item_id": (
        "item_id는 1자부터 {limit}자까지, 보이는 글자만 씁니다.",
        "item_id has 1 to {limit} characters, none of them invisible.",
    ),
    "bad_rater": (
        "rater는 1자부터 {limit}자까지, 보이는 글자만 씁니다.",
        "rater has 1 to {limit} characters, none of them invisible.",
    ),
    "unknown_submission": (
        "이 설정으로 심사한 제출이 아닙니다: {shown}",
        "Not a submission that was judged under this config: {shown}",
    ),
    "which_submission": (
        "심사한 제출이 {count:,}개라 submission 칸이 필요합니다.",
        "{count:,} submissions were judged, so the submission cell is needed.",
    ),
    "labelled_twice": (
        "같은 사람이 같은 항목에 두 번 답했습니다: {first}줄.",
        "The same rater labelled the same item before, on line {first}.",
    ),
    "too_many_labelled_rows": (
        "row 라벨은 {limit:,}행까지 받습니다. 여기서 읽기를 멈췄습니다.",
        "Row labels are taken for {limit:,} rows. Reading stopped here.",
    ),
}


def write(code: str, **values: object) -> tuple[str, str]:
    """Both sentences of one code, filled in: (Korean, English)."""
    in_korean, in_english = _TEXTS[code]
    words = {name: _Word(one) if isinstance(one, str) else one for name, one in values.items()}
    return in_korean.format(**words), in_english.format(**words)


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


def where(lines: list[int], count: int) -> dict[str, Any]:
    """Where a repeated remark applies: the count and the first lines, in both languages."""
    if count < 2 or not lines:
        return {"where_ko": "", "where_en": ""}
    shown = ", ".join(map(str, lines)) + (" …" if count > len(lines) else "")
    return {
        "where_ko": f" ({count:,}곳: {shown}줄)",
        "where_en": f" ({count:,} places: lines {shown})",
    }
