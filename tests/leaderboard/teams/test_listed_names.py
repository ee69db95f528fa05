"""Names of class lists: each contest's own, also those of before there was a place for them."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from leaderboard.teams.models import Membership
from tests.leaderboard.builders import NOON, OPENS


@pytest.mark.django_db(transaction=True)
def test_an_upgrade_leaves_the_names_with_the_contest_whose_list_had_them() -> None:
    executor = MigrationExecutor(connection)
    before = [("teams", "0007_teams_in_counting_order"), ("audit", "0002_ties_have_an_order")]
    executor.migrate(before)
    rest = [node for node in executor.loader.graph.leaf_nodes() if node[0] not in dict(before)]
    old = executor.loader.project_state([*before, *rest]).apps
    hana = old.get_model("accounts", "User").objects.create(
        username="20261234", first_name="김하나", skeleton="20261234"
    )
    for number, slug in enumerate(("side", "class", "later")):
        made = old.get_model("competitions", "Competition").objects.create(
            slug=slug, title=slug, opens_at=OPENS, closes_at=NOON, reveals_at=NOON
        )
        team = old.get_model("teams", "Team").objects.create(
            competition=made, name="팀", skeleton="팀", created_at=OPENS
        )
        old.get_model("teams", "Membership").objects.create(
            team=team, competition=made, user=hana, joined_at=OPENS
        )
        if slug != "side":
            old.get_model("audit", "AuditEvent").objects.create(
                kind="class.enrolled",
                at=OPENS.replace(minute=number),
                competition=made.pk,
                subject=made.pk,
                after={"usernames": ["20261234"]},
            )
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    names = Membership.objects.values_list("competition__slug", "listed_name")
    assert dict(names) == {"side": "", "class": "김하나", "later": ""}
