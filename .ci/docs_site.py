"""What mkdocs does besides: CONTRIBUTING.md is a page of the site, too."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page, whose links to docs/ are links to its neighbours."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").replace("](docs/", "](")
    files.append(File.generated(config, "contributing.md", content=text))
    return files
