"""An application that says what it was asked, for tests of what carries a request to it.

`/size` answers with so many bytes of the query, `/sleep` after so many seconds, `/file` with this
file; anything else with a JSON object of the request. `/unread` leaves the body where it is.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SCREEN = b"0123456789abcdef" * 4096


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    path, query = environ["PATH_INFO"], environ["QUERY_STRING"]
    if path == "/size":
        start_response("200 OK", [("Content-Length", query)])
        return (SCREEN[: int(query) - at] for at in range(0, int(query), len(SCREEN)))
    if path == "/file":
        file = Path(query).open("rb")  # noqa: SIM115 (closed by the server)
        start_response("200 OK", [("Content-Length", str(os.fstat(file.fileno()).st_size))])
        return environ["wsgi.file_wrapper"](file)
    if path == "/sleep":
        time.sleep(float(query))
    digest, size = hashlib.sha256(), 0
    while path != "/unread" and (block := environ["wsgi.input"].read(65536)):
        digest.update(block)
        size += len(block)
    said = {
        "pid": os.getpid(),
        "size": size,
        "sha256": digest.hexdigest(),
        "address": environ["REMOTE_ADDR"],
        "path": path,
        "script": environ["SCRIPT_NAME"],
        "scheme": environ["wsgi.url_scheme"],
        "fields": {name: value for name, value in environ.items() if name.startswith("HTTP_")},
    }
    answer = json.dumps(said).encode()
    length = ("Content-Length", str(len(answer)))
    heads = [("Content-Type", "text/html"), ("X-Request-ID", "the-answer-s")]
    start_response("200 OK", [length, *heads])
    return [answer]
