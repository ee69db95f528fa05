"""The forms of a page as a browser would send them, one for each of their buttons."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

Attributes = dict[str, str]
TYPED = ("text", "search", "")  # kinds of input that a person writes words into


@dataclass
class Form:
    """One form: where it goes, what its fields hold, which of them are seen or written by hand."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    buttons: list[tuple[str, str, str]] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self, page: str, address: str) -> None:
        super().__init__()
        self.forms: dict[str, Form] = {}
        self.address = address
        self.open = ""
        self.select = ""
        self.area = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given: Attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.open = given.get("id") or f"form {len(self.forms)}"
            if given.get("method", "").lower() == "post":
                self.forms[self.open] = Form(given.get("action") or self.address)
            return
        form = self.forms.get(given.get("form", self.open))
        if form is None or "disabled" in given:
            return
        name = given.get("name", "")
        if tag == "input":
            self._input(form, name, given)
        elif tag == "button" and given.get("type", "submit") == "submit":
            form.buttons.append((name, given.get("value", ""), given.get("formaction", "")))
        elif tag == "select":
            self.select = name
            form.seen.add(name)
        elif tag == "option" and self.select and "multiple" not in given:
            chosen = "selected" in given or self.select not in form.fields
            if chosen:
                form.fields[self.select] = given.get("value", "")
        elif tag == "textarea":
            self.area = name
            form.fields[name] = ""
            form.written.add(name)
            form.seen.add(name)

    def _input(self, form: Form, name: str, given: Attributes) -> None:
        kind = given.get("type", "text")
        if kind not in ("file", "hidden", "submit"):
            form.seen.add(name)
        if kind == "file":
            form.files.add(name)
        elif kind in ("checkbox", "radio"):
            if "checked" in given or "required" in given:
                form.fields[name] = given.get("value", "on")
        elif name:
            form.fields[name] = given.get("value", "")
            if kind in TYPED:
                form.written.add(name)

    def handle_data(self, data: str) -> None:
        if self.area and self.open in self.forms:
            self.forms[self.open].fields[self.area] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self.open in self.forms:
            fields = self.forms[self.open].fields
            # Browsers leave out a line break that follows the tag.
            fields[self.area] = fields[self.area].removeprefix("\n")
            self.area = ""
        elif tag == "form":
            self.open = ""
        elif tag == "select":
            self.select = ""


def forms_of(page: str, address: str) -> Iterator[Form]:
    """Every form of the page that is sent by POST."""
    yield from _Reader(page, address).forms.values()
