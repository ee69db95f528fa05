"""Where files are kept: one address for all of them, as Django's STORAGES wants it."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

PLACES = {
    "default": "data",
    "submissions": "submissions",
    "golds": "golds",
    "tokens": "tokens",
}
REMADE = frozenset({"tokens"})  # where a file may be written again, and lost without harm
COMPRESSED = frozenset({"submissions"})  # in a bucket; a folder keeps every file as it was sent
OPTIONS = frozenset({"endpoint", "region", "prefix"})


def places(url: str, data_dir: Path) -> dict[str, dict[str, Any]]:
    """Django's name of each place, and how it is reached. `url` as STORAGE_URL says it.

    No address of ours or of the store leads to one: views hand files out after asking who wants
    them. Golds lie apart from all that is ever handed out.

    >>> places("", Path("/var/x"))["golds"]["OPTIONS"]["location"]
    PosixPath('/var/x/files/golds')
    >>> places("s3://key:p%2Fw@files?region=kr", Path("/x"))["golds"]["OPTIONS"]["location"]
    'golds'
    """
    parts = urlsplit(url)
    if parts.scheme == "s3":
        return {name: _bucket(url, place) for name, place in PLACES.items()}
    if parts.scheme not in ("", "file") or parts.netloc or (url and not parts.path.strip("/")):
        raise ImproperlyConfigured(
            "STORAGE_URL is file:///folder or s3://key:secret@bucket?endpoint=…&region=…"
        )
    folder = Path(unquote(parts.path)) if url else data_dir / "files"
    return {
        name: {
            "BACKEND": "leaderboard.competitions.storage.DurableFileSystemStorage",
            "OPTIONS": {"location": folder / place, "allow_overwrite": place in REMADE},
        }
        for name, place in PLACES.items()
    }


def _bucket(url: str, place: str) -> dict[str, Any]:
    parts = urlsplit(url)
    account, _, bucket = parts.netloc.rpartition("@")
    key, _, secret = account.partition(":")
    wanted = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    if unknown := sorted(wanted.keys() - OPTIONS):
        raise ImproperlyConfigured(f"STORAGE_URL does not know {', '.join(unknown)}.")
    if not bucket or parts.path.strip("/"):
        raise ImproperlyConfigured("STORAGE_URL names one bucket: s3://key:secret@bucket")
    if find_spec("storages") is None:
        raise ImproperlyConfigured(
            "STORAGE_URL=s3://… needs a package: pip install -r requirements-prod.txt"
        )
    prefix = wanted.get("prefix", "").strip("/")
    return {
        "BACKEND": "leaderboard.competitions.bucket.BucketStorage",
        "OPTIONS": {
            "bucket_name": bucket,
            # Without them boto3 looks where it always does: AWS_* variables, the machine's role.
            "access_key": unquote(key) or None,
            "secret_key": unquote(secret) or None,
            "endpoint_url": wanted.get("endpoint"),
            "region_name": wanted.get("region"),
            "location": f"{prefix}/{place}" if prefix else place,
            "compressed": place in COMPRESSED,
        },
    }
