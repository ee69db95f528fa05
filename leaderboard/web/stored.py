"""Forms that change what is stored, where two people may do so at once and neither loses anything.

Such a form carries what it was opened with, a digest of each field. When it is sent, a field that
this person left alone takes what is stored now; one that somebody else changed meanwhile, too, is
refused with both values.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from django import forms
from django.http import QueryDict
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

OPENED = "opened"
Values = Mapping[str, list[str]]  # by a field's name, as a browser sends them


def _tidy(values: Iterable[str]) -> list[str]:
    """As they are compared: browsers send two characters for a line break."""
    found = (value.replace("\r\n", "\n").strip() for value in values)
    return sorted(value for value in found if value)


def _digest(values: Iterable[str]) -> str:
    return hashlib.sha256(json.dumps(_tidy(values)).encode()).hexdigest()[:16]


def opened_with(stored: Values, name: str = OPENED) -> SafeString:
    """The hidden field of a form that is opened with these values."""
    said = json.dumps({name: _digest(values) for name, values in stored.items()})
    return format_html('<input type="hidden" name="{}" value="{}">', name, said)


@dataclass
class Meanwhile:
    """A form's values as they were sent, brought together with what is stored now.

    `kept`: the fields that somebody else changed and this person did not. `both`: those that both
    changed, with what is stored now.
    """

    data: QueryDict
    kept: list[str] = field(default_factory=list)
    both: dict[str, list[str]] = field(default_factory=dict)


def brought_together(sent: QueryDict, stored: Values, name: str = OPENED) -> Meanwhile:
    """What was sent over what is stored. A form that does not say with what it was opened, which
    is no page's, changes every field that it names."""
    found = Meanwhile(sent.copy())
    try:
        opened = json.loads(sent.get(name, "{}"))
    except (ValueError, RecursionError):
        opened = {}
    if not isinstance(opened, dict):
        opened = {}
    for name, values in stored.items():
        now, typed = _digest(values), _digest(sent.getlist(name))
        before = opened.get(name, now)
        if before == now or typed == now:
            continue
        if typed == before:
            found.kept.append(name)
            found.data.setlist(name, values)
        else:
            found.both[name] = values
    return found


def said_now(values: Iterable[str]) -> str:
    """What to say at a field that two people changed."""
    return _(
        "Somebody else changed this field while you were editing. Its value is now “{now}”. Save "
        "again to replace it with yours."
    ).format(now=", ".join(_tidy(values)) or "–")


def in_words(one: forms.Field, value: object) -> str:
    """A field's value as the page calls it: a choice by its label, a box by yes or no."""
    if isinstance(value, bool):
        return pgettext("yes or no", "yes") if value else pgettext("yes or no", "no")
    labels = {str(key): str(label) for key, label in getattr(one, "choices", ())}
    return labels.get(str(value), str("–" if value in (None, "") else value))


class StoredForm(forms.Form):
    """A form about what is stored, its `initial`. Its template shows `opened` beside the token."""

    meanwhile: Meanwhile | None = None

    @classmethod
    def over(cls, sent: QueryDict, stored: Mapping[str, Any] | None, **options: Any) -> Self:
        """The form as it was sent, over what is stored now."""
        form = cls(sent, initial=dict(stored or {}), **options)
        form.meanwhile = brought_together(sent, form.as_stored(), form.add_prefix(OPENED))
        form.data = form.meanwhile.data
        return form

    def as_stored(self) -> Values:
        """The values of `initial` as a browser would send them."""
        return {self.add_prefix(name): self._as_sent(name) for name in self.fields}

    def _as_sent(self, name: str) -> list[str]:
        one = self.fields[name]
        value = one.prepare_value(self.get_initial_for_field(one, name))
        if isinstance(one.widget, forms.CheckboxInput):
            return ["on"] if value else []
        if isinstance(value, (list, tuple)):
            return [str(each) for each in value]
        shown = one.widget.format_value(value)
        return [str(each) for each in (shown if isinstance(shown, list) else [shown]) if each]

    @property
    def opened(self) -> SafeString:
        return opened_with(self.as_stored(), self.add_prefix(OPENED))

    @property
    def kept(self) -> list[str]:
        """The labels of the fields that somebody else changed and this person did not."""
        names = self.meanwhile.kept if self.meanwhile else ()
        shown = {self.add_prefix(name): one.label or name for name, one in self.fields.items()}
        return [str(shown[name]) for name in names if name in shown]

    @property
    def touched(self) -> set[str]:
        """The fields that were sent with another value than is stored."""
        sent: Any = self.data
        return {
            name
            for name in self.fields
            if _tidy(sent.getlist(self.add_prefix(name))) != _tidy(self._as_sent(name))
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        both = self.meanwhile.both if self.meanwhile else {}
        for name, one in self.fields.items():
            if (values := both.get(self.add_prefix(name))) is not None:
                said = [bool(values)] if isinstance(one, forms.BooleanField) else values
                self.add_error(name, said_now(in_words(one, value) for value in said))
        return cleaned
