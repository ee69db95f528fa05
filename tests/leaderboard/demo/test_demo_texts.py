"""The sample contests are what they claim to be; no number here is a score."""

from collections import Counter
from datetime import timedelta

import pytest

from leaderboard.demo import contests

RUNNING, FINISHED = contests.CONTESTS
SYSTEM_NAMES = contests.Mix._fields
SUMMARIES = ("summary1", "summary2", "summary3")
CONTESTS = [
    pytest.param(RUNNING, 20, {2}, id="running"),
    pytest.param(FINISHED, 64, {4, 6, 8, 10, 32}, id="finished"),
]
PLANS = [
    pytest.param(RUNNING, 6, (35, 45), id="running"),
    pytest.param(FINISHED, 8, (22, 26), id="finished"),
]


def by_name(file_name):
    return {row["fname"]: row for row in contests.load_csv(file_name)}


@pytest.mark.parametrize(("contest", "half", "sizes"), CONTESTS)
def test_files_of_a_contest_hold_the_same_rows(contest, half, sizes):
    """Once each, with a gap; halves of every topic; and no system repeats a gold of its row."""
    ids = [row["fname"] for row in contests.load_csv(contest.dialogues)]
    numbers = [int(fname.rpartition("_")[2]) for fname in ids]
    assert len(set(ids)) == len(ids) == 2 * half
    assert numbers == sorted(numbers)
    assert max(numbers) - min(numbers) + 1 > len(numbers)  # a reader must not count rows
    for other in (contest.golds, contest.systems):
        assert [row["fname"] for row in contests.load_csv(other)] == ids
    gold_rows, topics = by_name(contest.golds), by_name(contest.dialogues)
    counts = Counter((row["topic"], row["split"]) for row in gold_rows.values())
    assert all(counts[topic, "public"] == counts[topic, "private"] for topic, _ in counts)
    assert set(counts.values()) == sizes
    for name, row in by_name(contest.systems).items():
        assert topics[name]["topic"] == gold_rows[name]["topic"]
        texts = {row[system].strip() for system in SYSTEM_NAMES} - {""}
        assert len(texts) == len(SYSTEM_NAMES)
        assert not {gold_rows[name][column].strip() for column in SUMMARIES} & texts


@pytest.mark.parametrize(
    ("dialogues", "golds", "fewest"),
    [
        (RUNNING.dialogues, RUNNING.golds, 6),
        (RUNNING.dev_dialogues, RUNNING.dev_golds, 6),
        (FINISHED.dialogues, FINISHED.golds, 5),
    ],
)
def test_each_dialogue_has_three_different_golds(dialogues, golds, fewest):
    for row in contests.load_csv(golds):
        texts = [row[name].strip() for name in SUMMARIES]
        assert all(texts)
        assert len(set(texts)) == 3
    for row in contests.load_csv(dialogues):
        turns = row["dialogue"].split("\n")
        assert fewest <= len(turns) <= 14
        assert all(": " in turn for turn in turns)


@pytest.mark.parametrize(("contest", "teams", "size"), PLANS)
def test_a_plan_is_in_the_past_in_order_and_sends_no_file_twice(contest, teams, size):
    planned = contest.submissions()
    assert size[0] <= len(planned) <= size[1]
    assert len({one.team for one in planned}) == teams
    assert not {*RUNNING.teams()} & {*FINISHED.teams()}
    times = [one.after for one in planned]
    assert times == sorted(set(times))
    assert max(times) < timedelta()
    assert all(contest.texts(one).keys() == by_name(contest.systems).keys() for one in planned)
    assert len({tuple(contest.texts(one).items()) for one in planned}) == len(planned)
    assert len({(one.team, one.file_name) for one in planned}) == len(planned)
    assert max(Counter((one.team, one.after.days) for one in planned).values()) <= 8
    mixes = [mix for one in planned for mix in (one.mix, one.hidden) if mix]
    assert {sum(mix) for mix in mixes} == {100}
