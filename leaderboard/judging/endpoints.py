"""The servers that the operator lets judges be asked at, by name. Addresses and keys stay there."""

from django.conf import settings


def endpoint_names() -> tuple[str, ...]:
    """Names of the operator's servers, `default` first; none: the feature is off."""
    names = sorted(settings.JUDGE_ENDPOINTS)
    return tuple(sorted(names, key=lambda name: name != "default"))
