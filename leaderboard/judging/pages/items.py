"""The desk's review of what every submission will be asked, one dialogue a page."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from django.http import HttpResponse, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.judging.actions.items import approve_artefacts, counts, items_of, review_artefacts
from leaderboard.judging.models import Artefact, JudgeConfig
from leaderboard.judging.pages.config import JudgePage
from leaderboard.judging.plan import dialogues, ids_to_build
from leaderboard.web import lookups
from leaderboard.web.page import page
from leaderboard.web.stored import Values, brought_together, opened_with, said_now


@page("desk/judge/<uuid:judge_id>/items", "desk_judge_items")
class JudgeItems(JudgePage):
    """`/c/<slug>/desk/judge/<id>/items?page=1`: the sections' items, then dialogue by dialogue."""

    template = "judging/items.html"
    default = "save"
    changing = ("save",)

    @cached_property
    def sent(self) -> QueryDict:
        """What was sent, brought together with what others saved meanwhile."""
        return self.request.POST

    def address(self) -> str:
        return f"{self.request.path}?page={lookups.page_number(self.request)}"

    def do_approve(self) -> str:
        number = approve_artefacts(**self.who)
        return ngettext("%(n)d item approved.", "%(n)d items approved.", number) % {"n": number}

    def do_save(self) -> HttpResponse | str:
        found = brought_together(
            self.request.POST, self._stored(self.request.POST.get("example", ""))
        )
        self.sent = found.data
        self.tell_kept(["\n".join(found.data.getlist(name)) or "–" for name in found.kept])
        if found.both:
            return self.wrong("\n".join(map(said_now, found.both.values())))
        review_artefacts(
            example_id=self.request.POST.get("example", ""),
            decisions=list(self._decisions()),
            **self.who,
        )
        return _("The review is saved.")

    def _decisions(self) -> Iterator[Artefact]:
        for name, text in self.sent.items():
            if name.startswith("text-") and isinstance(text, str):
                item_id = name.removeprefix("text-")
                text = " ".join(text.split())
                yield Artefact(item_id=item_id, is_kept=self._keeps(item_id), text=text)

    def _keeps(self, item_id: str) -> bool:
        return self.sent.get(f"keep-{item_id}") == "on"

    def _stored(self, example_id: str) -> Values:
        """The fields of a dialogue's items, as they are stored."""
        items = items_of(self.config, example_id)
        texts = {f"text-{one.item_id}": [one.text] for one in items}
        return texts | {f"keep-{one.item_id}": ["on"] * one.is_kept for one in items}

    def _as_typed(self, items: Iterable[Artefact]) -> list[Artefact]:
        """The items as somebody changed them, where their form comes back; saved is nothing."""
        shown = list(items)
        for item in shown:
            text = self.sent.get(f"text-{item.item_id}")
            if text is not None:
                item.text, item.is_kept = text, self._keeps(item.item_id)
        return shown

    def context(self) -> dict[str, Any]:
        config = self.config
        places = ids_to_build(config)
        found = lookups.page_of(self.request, places, 1)
        (example_id,) = found.object_list
        rows = config.artefacts.filter(reviewed_by=None)
        open_ids = set(rows.values_list("example_id", flat=True))
        others = (n for n, one in enumerate(places, 1) if one in open_ids and n != found.number)
        return {
            "example_id": example_id,
            "opened": opened_with(self._stored(example_id)),
            "dialogue": dialogues(config, [example_id]).get(example_id),
            "items": self._as_typed(items_of(config, example_id)),
            "built": config.built_dialogues.filter(example_id=example_id).first(),
            "editable": config.state == JudgeConfig.State.REVIEWING,
            "counts": counts(config),
            "next_open": next(others, None),
            "page": found.number,
            "pages": len(places),
        }
