"""docs/api.md says what there is: verbs, variables, exit codes, and the action."""

import re

import yaml

from leaderboard.api.client import leaderboard_client as client
from tests.servers import ROOT

TEXT = (ROOT / "docs/api.md").read_text()
ACTION = ROOT / "docs/github-action/action.yml"


def test_every_verb_variable_and_exit_code_is_told() -> None:
    assert [verb for verb in client.VERBS if f"`{verb}" not in TEXT] == []
    known = [client.ClientError, *client.ClientError.__subclasses__()]
    codes = {0, 130, *(kind.exit_code for kind in known)}
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", TEXT, re.M)} == codes
    source = (ROOT / "leaderboard/api/client/leaderboard_client.py").read_text()
    variables = set(re.findall(r'getenv\("(LEADERBOARD_\w+)"\)', source))
    assert set(re.findall(r"^\| `(LEADERBOARD_\w+)` \|", TEXT, re.M)) == variables
    assert {int(code) for code in re.findall(r"\b(\d+) [a-z]", client.__doc__ or "")} >= codes


def test_the_action_takes_what_people_type_by_the_environment_alone() -> None:
    action = yaml.safe_load(ACTION.read_text())
    steps = action["runs"]["steps"]
    assert (action["runs"]["using"], len(steps)) == ("composite", 2)
    for step in steps:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
    asked = set(re.findall(r"inputs\.([\w-]+)", ACTION.read_text()))
    assert asked == action["inputs"].keys()
    shown = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", TEXT, re.S)[0])
    assert shown["steps"][-1]["with"].keys() <= action["inputs"].keys()
    needed = {name for name, one in action["inputs"].items() if one.get("required")}
    assert needed <= shown["steps"][-1]["with"].keys()
