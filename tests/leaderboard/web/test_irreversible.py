"""What cannot be taken back has a button in the warning colour, on every page that has one."""

import re
from pathlib import Path

TEMPLATES = Path(__file__).parents[3] / "templates"
# The words that a button for good has, whatever page it is on.
FOR_GOOD = re.compile(
    r"(?:Close the accounts?|Delete|Discard the rehearsal|Disqualify|Leave the team|Remove |Revoke"
    r"|Withdraw)"
)
BUTTON = re.compile(
    r"<button[^>]*>.*?</button>|\{% verb .*?%\}|\{% include \"parts/decide.html\".*?%\}"
)


def test_a_button_for_good_has_the_warning_colour() -> None:
    buttons = [
        (str(file.relative_to(TEMPLATES)), button)
        for file in TEMPLATES.rglob("*.html")
        for button in BUTTON.findall(" ".join(file.read_text("utf-8").split()))
        if FOR_GOOD.search(button)
    ]
    assert len(buttons) > 12
    assert [one for one in buttons if "danger" not in one[1]] == []
