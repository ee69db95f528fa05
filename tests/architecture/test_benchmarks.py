"""Each benchmark can be started by hand, from a shell that has named no settings."""

import os
import subprocess
import sys

import pytest

from tests.servers import ROOT

IMPORT = """
import importlib, pkgutil, sys
sys.path.insert(0, ".")
import benchmarks
for one in pkgutil.iter_modules(benchmarks.__path__):
    if one.name != "__main__":
        importlib.import_module(f"benchmarks.{one.name}")
"""


@pytest.mark.whole
def test_every_benchmark_finds_its_settings() -> None:
    env = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    subprocess.run([sys.executable, "-c", IMPORT], cwd=ROOT, env=env, check=True)
