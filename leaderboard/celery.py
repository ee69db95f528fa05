"""The Celery application: `celery -A leaderboard worker`.

Never run this file by its path: its folder would shadow the celery package.
"""

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

# Before Celery(): without it the Django fixup, the source of `delay_on_commit`, stays off.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

# kombu refuses a dotted path as a URL scheme, so the folder broker gets a short name.
TRANSPORT_ALIASES["folder"] = "leaderboard.worker.filesystem:Transport"

app = Celery("leaderboard", task_cls="leaderboard.worker.ring:Task")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["leaderboard.worker"])
