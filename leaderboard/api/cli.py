"""`/cli`: the command line and importable client, with this server's address filled in."""

import json
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

CLIENT = Path(__file__).parent / "client" / "leaderboard_client.py"
UNNAMED = '\nSERVER = ""'


@require_safe
def cli(request: HttpRequest) -> HttpResponse:
    """The one file, to be saved under its own name."""
    named = f"\nSERVER = {json.dumps(settings.BASE_URL)}"
    text = CLIENT.read_text(encoding="utf-8").replace(UNNAMED, named, 1)
    response = HttpResponse(text, content_type="text/x-python; charset=utf-8")
    response["Content-Disposition"] = f'inline; filename="{CLIENT.name}"'
    return response
