"""Names of teams as actions take them: the policy's refusals, and names made of usernames."""

from leaderboard.accounts.names import (
    TEAM_LENGTH,
    NameProblem,
    may_be_number,
    reserved_problem,
    team_name_problem,
    tidy,
    without_unreadable,
)
from leaderboard.actions.refusals import Refused

NO_NAME = "팀"  # of a person whose name has no character that a team's may have
NOT_NAMED = "참가자"  # a team of one whose person's username is not for everybody to read


def clean_team_name(name: str, *, by_organizer: bool = False) -> str:
    """The name as it is kept. Raises Refused, with cause and next step.

    An organizer's baseline may be called what no team may be called, such as 기준선.
    """
    clean = tidy(name)
    problem = team_name_problem(clean)
    if problem is None and not by_organizer:
        problem = reserved_problem(clean)
    if problem is not None:
        raise refused_name(problem)
    return clean


def team_name_of(username: str) -> str:
    """What a team is called as its person is: in 40 characters that a team's name may have."""
    return tidy(without_unreadable(username)[:TEAM_LENGTH]) or NO_NAME


def name_for_all(username: str) -> str:
    """What the team of somebody who chose no name is called, for everybody to read.

    As the person, but never by what may be a student number.
    """
    return NOT_NAMED if may_be_number(username) else team_name_of(username)


def refused_name(problem: NameProblem, *, of: str = "") -> Refused:
    """A name's problem as a refusal, which says `of` which name where there are many."""
    prefix = f"{of}: " if of else ""
    return Refused(
        problem.code,
        ko=prefix + problem.ko,
        en=prefix + problem.en,
        next_ko=problem.next_ko,
        next_en=problem.next_en,
    )


def team_name_taken() -> Refused:
    """For a name that a team or a baseline of the contest has, or one that looks like it."""
    return Refused(
        "name_taken",
        ko="같은 이름이나 비슷해 보이는 이름의 팀이나 기준선이 이미 있습니다.",
        en="A team or a baseline already has this name or one that looks like it.",
        next_ko="다른 이름을 적어 주세요.",
        next_en="Choose another name.",
    )
