"""Signs of life that a health check reads without Django, and a child's sign for its parent."""

import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from leaderboard.evaluation.health import SIGN_SECONDS
from leaderboard.evaluation.models import Worker
from leaderboard.operations import alive, signs
from tests.servers import ROOT


def asked(folder: Path, which: str) -> int:
    command = [sys.executable, "-IS", "leaderboard/operations/alive.py", which]
    return subprocess.run(command, cwd=ROOT, env={"DATA_DIR": str(folder)}).returncode


def test_a_process_lives_as_long_as_it_said(tmp_path: Path) -> None:
    assert (asked(tmp_path, "worker"), alive.lives(tmp_path, "worker")) == (1, False)
    alive.show(tmp_path, "celery", 30)
    alive.show(tmp_path, "celery", 30)
    assert (asked(tmp_path, "worker"), asked(tmp_path, "judge")) == (0, 1)
    (sign,) = tmp_path.iterdir()
    os.utime(sign, (time.time() - 31,) * 2)
    assert not alive.lives(tmp_path, "worker")
    alive.show(tmp_path, "celery", 60)
    os.utime(sign, (time.time() - 31,) * 2)
    assert alive.lives(tmp_path, "worker"), "what the process says now counts"


def test_signs_of_containers_that_are_gone_do_not_stay(tmp_path: Path) -> None:
    for name, age in (("celery@gone.sign", alive.FORGOTTEN_SECONDS + 60), ("celery@b.sign", 60)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    alive.show(tmp_path, "celery", 30)
    assert {file.name for file in tmp_path.iterdir()} == {
        "celery@b.sign",
        alive.sign_of(tmp_path, "worker").name,
    }


@pytest.mark.django_db
def test_a_child_signs_late_for_its_parent_and_never_first() -> None:
    signs.vouch("celery@a:1")
    assert not Worker.objects.exists()
    signs.show("celery@a:1", "score")
    for seconds, is_renewed in ((SIGN_SECONDS, False), (2 * SIGN_SECONDS, True)):
        told = timezone.now() - timedelta(seconds=seconds)
        Worker.objects.update(last_sign_at=told)
        signs.vouch("celery@a:1")
        assert (Worker.objects.get().last_sign_at != told) is is_renewed
