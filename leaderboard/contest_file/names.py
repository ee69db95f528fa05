"""Names of people and teams in a package: who is here stays so, all others follow the policy."""

from collections.abc import Container

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.accounts import name_taken
from leaderboard.accounts.names import NameProblem, reserved_problem, team_name_problem, tidy
from leaderboard.accounts.skeletons import skeleton
from leaderboard.actions.teams import team_name_of
from leaderboard.contest_file.document import Path, Wrong
from leaderboard.contest_file.rows import ContestRows
from leaderboard.contest_file.values import USERNAME, refused_by
from leaderboard.teams.models import JoinRequest, Team


def check_new_people(reading: ContestRows, here: Container[str]) -> None:
    """That each account which is not `here` under exactly its name could be made by signing up.

    Only whether a closed account holds the name is the import's to ask, for it depends on the time.
    """
    looks: set[str] = set()
    for name, place in sorted(reading.people.items()):
        if name in here:
            continue
        try:
            USERNAME.run_validators(name)
        except ValidationError as error:
            reading.wrong(place, refused_by(error))
            continue
        problem: NameProblem | Wrong | None = _untidy(name) or reserved_problem(
            name, closed=name in reading.closed
        )
        if problem is None and skeleton(name) in looks:
            problem = name_taken()
        looks.add(skeleton(name))
        _note(reading, place, problem)


def check_team_names(reading: ContestRows, here: Container[str]) -> None:
    """That each team could be called so today, and each that is asked for.

    A team may be called as its captain, as it is if one joins without a name; so who is `here`
    under a name from before the policy still has it.
    """
    for number, row in enumerate(reading.of(Team)):
        captain, name = row["captain"], row["name"]
        baseline = row["kind"] == Team.Kind.BASELINE
        if not (captain in here and name == team_name_of(captain)):
            closed = captain is None
            problem = _team_problem(name, baseline=baseline, closed=closed)
            _note(reading, ("teams", number, "name"), problem)
    for number, row in enumerate(reading.of(JoinRequest)):
        user, name = row["user"], row["team_name"]
        if not (user in here and name == team_name_of(user)):
            _note(reading, ("join_requests", number, "team_name"), _team_problem(name))


def _team_problem(
    name: str, *, baseline: bool = False, closed: bool = False
) -> NameProblem | Wrong | None:
    problem: NameProblem | Wrong | None = _untidy(name) or team_name_problem(name)
    if problem is None and not baseline:
        problem = reserved_problem(name, closed=closed)
    return problem


def _untidy(name: str) -> Wrong | None:
    kept = tidy(name)
    if kept == name:
        return None
    # xgettext:no-python-brace-format  its Korean chooses a particle
    return Wrong(_("It must be written “{kept}”."), kept=kept)


def _note(reading: ContestRows, place: Path, problem: NameProblem | Wrong | None) -> None:
    if isinstance(problem, NameProblem):
        problem = Wrong("{said}", said=problem)
    if problem is not None:
        reading.wrong(place, problem)
