"""An application that says what it was asked, for tests of what carries a request to it."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    digest, size = hashlib.sha256(), 0
    while block := environ["wsgi.input"].read(65536):
        digest.update(block)
        size += len(block)
    said = {
        "size": size,
        "sha256": digest.hexdigest(),
        "path": environ["PATH_INFO"],
        "script": environ["SCRIPT_NAME"],
        "scheme": environ["wsgi.url_scheme"],
        "fields": {name: value for name, value in environ.items() if name.startswith("HTTP_")},
    }
    answer = json.dumps(said).encode()
    length = ("Content-Length", str(len(answer)))
    heads = [("Content-Type", "text/html"), ("X-Request-ID", "the-answer-s")]
    start_response("200 OK", [length, *heads])
    return [answer]
