"""A plan as lines for the console."""

from collections.abc import Iterator

from leaderboard.contest_file import layout
from leaderboard.contest_file.check import Plan
from leaderboard.contest_file.rows import Finding


def explained(plan: Plan) -> Iterator[str]:
    """Problems with their places, or what would be made."""
    for problem in plan.problems:
        yield f"problem: {problem.place}: {problem.message_en}{_more(problem)}"
    if left := plan.unlisted_problems:
        yield f"and {left} more problems"
    if plan.contest is None:
        return
    yield f"contest: {plan.slug} ({plan.title}), {'full' if plan.full else 'plain'}"
    counts = ", ".join(f"{layout.WORDS[name][1]}: {n}" for name, n in plan.rows.items() if n)
    yield f"rows: {counts or 'none'}"
    if plan.full:
        yield f"accounts that are here: {', '.join(plan.known_people) or 'none'}"
        yield f"accounts to make, without a password: {', '.join(plan.new_people) or 'none'}"
        yield f"to be scored: {plan.scorings}"
    for notice in plan.notices:
        yield f"note: {notice.place}: {notice.message_en}"


def _more(problem: Finding) -> str:
    return f" (the same in {problem.times - 1} more places)" if problem.times > 1 else ""
