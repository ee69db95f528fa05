"""Two machines with one database, of which one has not mounted the folder of files."""

import pytest

from tests.faults.drive import upload
from tests.faults.test_killed_workers import states
from tests.person import Person
from tests.stack import Stack

pytestmark = pytest.mark.faults
FORM = "/c/faults/submit"


def test_who_has_not_mounted_the_folder_leaves_the_files_to_who_has() -> None:
    with Stack() as stack:
        stack.drive("faults.drive", "prepare", "0", "40")
        stack.kill("worker", tree=True)
        shared = {"DATABASE_URL": stack.env["DATABASE_URL"]}
        with Stack(env=shared, only=("worker",)) as unmounted:
            person = Person.signed_in(stack.url, "person0")
            token = person.token(FORM)
            for number in range(3):
                assert person.upload(FORM, token, upload(40, number).data).location
            for turn in (1, 2):
                stack.wait_for(
                    lambda goal=turn: unmounted.log("worker").count("store_not_mounted") >= goal,  # type: ignore[misc]
                    60,
                    "it looked, and had no files",
                )
            assert states(stack) == {"queued": 3}
            stack.restart("worker")
            stack.wait_for(lambda: states(stack)["done"] == 3, 60, "all scored by the other")
        after = stack.drive("faults.drive", "audit")
        assert after["attempts"] == [1, 1, 1]
        assert after["refunds"] == 0
