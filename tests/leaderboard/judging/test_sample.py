"""A sample is drawn once, is the same for everybody, and keeps boards and lengths in proportion."""

import pytest

from leaderboard.judging.identity import config_hash
from leaderboard.judging.plan import draw, ids_to_build, planned_ids
from tests.leaderboard.builders import competition, gold_csv, live, open_competition
from tests.leaderboard.judging.stage import dialogues, judge_config

LENGTHS = {f"row_{n:03}": 10 + n for n in range(100)}


def test_each_stretch_of_lengths_gives_one_row() -> None:
    drawn = sorted(draw(LENGTHS, 20, seed=7))
    assert len(drawn) == 20
    assert [int(name[-3:]) // 5 for name in drawn] == list(range(20))
    assert draw(LENGTHS, 20, seed=7) == frozenset(drawn) != draw(LENGTHS, 20, seed=8)
    assert draw(LENGTHS, 500, seed=7) == frozenset(LENGTHS)


@pytest.mark.django_db
def test_boards_keep_their_share_and_only_sampled_dialogues_are_built() -> None:
    contest = competition()
    golds = dict.fromkeys(LENGTHS, ("요약이다.",))
    # Every fourth row is private.
    splits = {name: "private" if n % 4 == 0 else "public" for n, name in enumerate(LENGTHS)}
    live(contest, gold_csv(golds, splits))
    texts = {name: "가" * length for name, length in LENGTHS.items()}
    config = judge_config(
        contest, dialogue_set=dialogues(contest, texts), sample_rows=20, sample_seed=7
    )
    public, private = planned_ids(config, "public"), planned_ids(config, "private")
    assert (len(public), len(private)) == (15, 5)
    assert public == planned_ids(config, "public")
    assert set(ids_to_build(config)) == {"", *public, *private}


@pytest.mark.django_db
def test_another_sample_is_another_column() -> None:
    config = judge_config(open_competition())
    everything = config_hash(config)
    config.sample_seed = 7
    assert config_hash(config) == everything
    config.sample_rows = 2
    first = config_hash(config)
    config.sample_seed = 8
    assert len({everything, first, config_hash(config)}) == 3
