"""What a server consists of, as CycloneDX, into the file named: packages with the hashes of their
files, as uv.lock has them, and their licences, as the installed packages say.

uv's export knows no licences. A package of another platform is not installed here, and has none.
"""

import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

EXPORT = "export --locked --no-dev --extra prod --extra judge --format cyclonedx1.5 --quiet -o"
OSI = "License :: OSI Approved :: "


def licences(name: str) -> list[dict[str, Any]]:
    """As the component's `licenses`; empty where nothing is known."""
    try:
        said = metadata(name)
    except PackageNotFoundError:
        return []
    if expression := said.get("License-Expression"):
        return [{"expression": expression}]
    named = [one.rpartition(" :: ")[2] for one in said.get_all("Classifier", []) if OSI in one]
    text = said.get("License") or ""
    found = named or ([text] if text and "\n" not in text else [])
    return [{"license": {"name": one}} for one in found]


def main(target: Path) -> int:
    """1 where a package has no hash."""
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([uv, *EXPORT.split(), target], check=True)
    found = json.loads(target.read_text())
    unhashed = []
    for one in found["components"]:
        if known := licences(one["name"]):
            one["licenses"] = known
        if not any(file.get("hashes") for file in one.get("externalReferences", ())):
            unhashed.append(one["name"])
    target.write_text(json.dumps(found, indent=1))
    without = [one["name"] for one in found["components"] if "licenses" not in one]
    print(f"{len(found['components'])} packages; no licence known: {', '.join(without) or 'none'}")
    print(f"no hash: {', '.join(unhashed) or 'none'}")
    return int(bool(unhashed))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
