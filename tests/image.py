"""The image of the Dockerfile, built and run by buildah or by Docker, whichever is there.

Where no registry answers, the base image is made here: a Debian by debootstrap with the Python that
runs this. Containers share the machine's network, so servers of a test are reached on loopback.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.servers import ROOT, missing, need

BASE = "python:3.11.14-slim-trixie"
# What a Python of another machine needs of the system, by its names in that Debian.
LIBRARIES = (
    "ca-certificates,netbase,tzdata,libbz2-1.0,libexpat1,libffi8,liblzma5,libncursesw6,"
    "libreadline8t64,libsqlite3-0,libssl3t64,libuuid1,zlib1g"
)
# As in the official image: nothing that apt downloaded stays in a layer.
CLEAN = (
    'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };\n'
    'Dir::Cache::pkgcache "";\nDir::Cache::srcpkgcache "";\n'
)


def output(*command: str | Path, cwd: Path = ROOT) -> str:
    """What a program prints. AssertionError with the end of its output if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {(done.stdout + done.stderr)[-3000:]}"
    return done.stdout.strip()


class Images:
    """Images and containers in a folder of their own (buildah), or of the engine (Docker)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        store = [f"--root={folder}/store", f"--runroot={folder}/run"]
        self.buildah = [shutil.which("buildah") or "", *store]
        engine = ["docker", "version", "--format={{.Server.Version}}"]
        if self.buildah[0]:
            return
        docker = shutil.which("docker")
        if docker is None or subprocess.run(engine, capture_output=True).returncode:
            missing("buildah, or Docker with its engine,", "buildah")
        self.buildah = []

    def build(self, name: str, context: Path) -> None:
        """Build the Dockerfile of a folder; the base image is pulled, or made here."""
        if not self.buildah:
            output("docker", "build", "--tag", name, context)
            return
        try:
            output(*self.buildah, "pull", f"docker.io/library/{BASE}")
        except AssertionError:
            self._make_base()
        registries = self.folder / "registries.conf"
        registries.write_text('unqualified-search-registries = ["localhost", "docker.io"]\n')
        own = ["--isolation=chroot", "--pull=never", f"--registries-conf={registries}"]
        output(*self.buildah, "build", *own, "--tag", name, context)

    def _make_base(self) -> None:
        if sys.version_info[:2] != (3, 11):
            pytest.fail("the image's Python is 3.11: run this with one, or let a registry answer")
        root = self.folder / "base"
        include = f"--include={LIBRARIES}"
        output(need("debootstrap", "debootstrap"), "--variant=minbase", include, "trixie", root)
        _copy_python(root / "usr/local")
        output("cp", "-a", "/etc/ssl/certs/.", root / "etc/ssl/certs")  # a proxy's, if there is one
        (root / "etc/pip.conf").write_text("[global]\ncert=/etc/ssl/certs/ca-certificates.crt\n")
        (root / "etc/apt/apt.conf.d/docker-clean").write_text(CLEAN)
        for downloaded in ("var/cache/apt", "var/lib/apt/lists"):
            shutil.rmtree(root / downloaded)
            (root / downloaded).mkdir()
        output("chroot", root, "ldconfig")
        container = output(*self.buildah, "from", "scratch")
        output(*self.buildah, "add", "--quiet", container, root, "/")
        output(*self.buildah, "commit", "--quiet", container, BASE)

    def command(
        self,
        image: str,
        *words: str,
        env: Mapping[str, str] | None = None,
        volumes: Mapping[Path, str] | None = None,
    ) -> list[str]:
        """The command line that runs these words in a new container of the image."""
        options = [f"--env={name}={value}" for name, value in (env or {}).items()]
        options += [f"--volume={here}:{there}" for here, there in (volumes or {}).items()]
        if not self.buildah:
            return ["docker", "run", "--rm", "--network=host", *options, image, *words]
        container = output(*self.buildah, "from", "--pull-never", image)
        return [*self.buildah, "run", "--isolation=chroot", *options, container, "--", *words]

    def megabytes(self, image: str) -> float:
        """The size of an image with all its layers, in 10⁶ bytes."""
        if not self.buildah:
            return int(output("docker", "inspect", "--format={{.Size}}", image)) / 1e6
        container = output(*self.buildah, "from", "--pull-never", image)
        mounted = output(*self.buildah, "mount", container)
        files = output("find", mounted, "-xdev", "-type", "f", "-printf", "%s\n")
        return sum(map(int, files.split())) / 1e6

    def close(self) -> None:
        """Delete what buildah made; Docker's cache is its own."""
        if self.buildah:
            for command in (["umount", "--all"], ["rm", "--all"], ["rmi", "--all", "--force"]):
                subprocess.run([*self.buildah, *command], capture_output=True, check=False)


def _copy_python(target: Path) -> None:
    """This interpreter without packages, tests and headers, for another root."""
    prefix, library = Path(sys.base_prefix), "lib/python3.11"
    left_out = shutil.ignore_patterns("site-packages", "test", "config-3.11*", "__pycache__")
    shutil.copytree(prefix / library, target / library, symlinks=True, ignore=left_out)
    (target / library / "site-packages").mkdir()
    for shared in prefix.glob("lib/libpython3*"):
        shutil.copy(shared, target / "lib", follow_symlinks=False)
    shutil.copy(prefix / "bin/python3.11", target / "bin")
    for name in ("python3", "python"):
        os.symlink("python3.11", target / "bin" / name)
