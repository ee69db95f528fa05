"""The list of a class: columns by many names, every problem with its line."""

import pytest

from leaderboard.accounts.class_list import MAX_PEOPLE, Person, read


def problems(text: str) -> list[tuple[int | None, str]]:
    found = read(text.encode()).problems
    assert all(problem.message("ko") and problem.message("en") for problem in found)
    return [(problem.line, problem.message("en")) for problem in found]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
def test_columns_have_korean_and_english_names_in_any_order(encoding: str) -> None:
    text = "이름,학번,조,메일\r\n하늘,20260001,1조,sky@school.example\r\n\r\n바다,20260002,,\r\n"
    listed = read(text.encode(encoding))
    assert listed.problems == []
    assert listed.people == [
        Person(2, "20260001", "하늘", "sky@school.example", "1조"),
        Person(4, "20260002", "바다", "", ""),
    ]


def test_a_cell_of_two_lines_does_not_move_the_numbers_of_those_after_it() -> None:
    text = 'username,name\nstudent1,"a\nb"\nstudent2,c\n'
    assert [person.line for person in read(text.encode()).people] == [2, 4]


@pytest.mark.parametrize(
    "text",
    [
        '"username";"team"\n"hana";"1조, 가"\n',
        '"username"\t"team"\n"hana"\t"1조, 가"\n',
        'sep=;\nusername;team\nhana;"1조, 가"\n',
        '\ufeff\ufeff"username","team"\n"hana","1조, 가"\n',
    ],
)
def test_any_delimiter_that_spreadsheets_write_is_read(text: str) -> None:
    listed = read(text.encode())
    assert listed.problems == []
    assert [(person.username, person.team) for person in listed.people] == [("hana", "1조, 가")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('username, name\nhana, "김민수"\n', (2, "file")),
        ("username,team\n2.03E+07,\n", (2, "rounded")),
        ("username,team\nhana,2.03E+07\n", (2, "rounded")),
        ('username\nhana\n"x"y\n', (3, "file")),
        ('[{"username": "hana"}]', (None, "file")),
    ],
)
def test_what_would_be_read_as_something_else_is_refused(
    text: str, found: tuple[int | None, str]
) -> None:
    (problem,) = read(text.encode()).problems
    assert (problem.line, problem.code) == found
    assert problem.message("ko") != problem.message("en")


def test_every_problem_is_told_with_its_line() -> None:
    text = (
        "username,email,team\n"
        "good.one,,\n"
        ",nobody@school.example,\n"
        "bad name,,\n"
        "student3,not-a-mail,\n"
        f"student4,,{'가' * 41}\n"
        "Good.One,,\n"
        "student5,,1\u202e조\n"
    )
    assert problems(text) == [
        (3, "The username is empty."),
        (4, "A username holds letters, digits and @ . + - _ only."),
        (5, "This is no e-mail address."),
        (6, "A team name has at most 40 characters."),
        (7, "Already on line 2: good.one"),
        (8, "There is an invisible character (U+202E). Type the name instead of pasting it."),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,team\nA,B\n", "The first line has no column username."),
        ("username,학번\na,b\n", "A column appears twice: 학번"),
        ("username\n", "There is nobody on the list."),
        ("", "The file is empty."),
        ("PK\x03\x04", "Excel or ZIP"),
        ('username\n"open\n', "never closed"),
        (
            "username\n" + "\n".join(f"s{n}" for n in range(MAX_PEOPLE + 1)),
            "At most 300 people at a time. Split the list.",
        ),
    ],
)
def test_a_list_that_cannot_be_used_says_why(text: str, said: str) -> None:
    assert said in problems(text)[0][1]
