"""Asking a judge again about what it answered, and counting which verdicts turn."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from leaderboard.judging.asking import claim as claims
from leaderboard.judging.asking.budget import Payer
from leaderboard.judging.asking.claim import Claimed
from leaderboard.judging.asking.walk import Walk, stored_calls
from leaderboard.judging.judge import count
from leaderboard.judging.labelling import ITEMS_OF
from leaderboard.judging.models import Judging, Judgment, Repeat
from leaderboard.judging.plan import dialogues, items, rows_of
from scoring.judges import flips, walking
from scoring.judges.flips import Flips
from scoring.judges.pipelines import PIPELINES
from scoring.judges.records import Asked, Status

ALL = "all"  # kinds together
STORED = "0"  # the pass of the answers that counted
SHUFFLED = "shuffled"  # the pass whose items stand in another order

Said = Mapping[str, Mapping[str, Mapping[str, Any]]]  # as `Repeat.said` has it
Item = tuple[str, list[bool], bool | None]  # kind, samples, in another order


def report(said: Said, example_ids: Sequence[str]) -> dict[str, Any]:
    """Flips by kind and over all. `lost`: answers that could not be read, in no sample."""
    passes = [STORED, *sorted(said.keys() - {STORED, SHUFFLED})]
    items = [item for each in example_ids for item in _items(said, passes, each)]
    kinds = list(dict.fromkeys(kind for kind, *_ in items))
    whole = flips.among(samples for _, samples, _ in items)
    moved = [(samples, again) for _, samples, again in items if again is not None]
    return {
        "rows": len(example_ids),
        "samples": len(passes),
        "kinds": [_line(name, items, len(passes)) for name in (ALL, *kinds)],
        "shuffled": {**_kept(flips.against(moved)), "lost": len(items) - len(moved)},
        "is_steady": whole.is_steady,
    }


def _items(said: Said, passes: Sequence[str], example_id: str) -> Iterator[Item]:
    def verdict(name: str, kind: str, item_id: str) -> bool | None:
        row = said.get(name, {}).get(example_id, {})
        found: bool | None = row.get("items", {}).get(kind, {}).get(item_id)
        return found

    for kind, those in said[STORED][example_id]["items"].items():
        for item_id in those:
            samples = [verdict(name, kind, item_id) for name in passes]
            read = [sample for sample in samples if sample is not None]
            yield kind, read, verdict(SHUFFLED, kind, item_id)


def _line(name: str, items: Sequence[Item], samples: int) -> dict[str, Any]:
    those = [each for kind, each, _ in items if name in (ALL, kind)]
    lost = sum(samples - len(each) for each in those)
    return {"kind": name, **_kept(flips.among(those)), "lost": lost}


def _kept(found: Flips) -> dict[str, Any]:
    return {**asdict(found), "rate": found.rate}


MOST_ROWS = 50
SAMPLES = 5  # of each item, with the stored one
CLAIMS = PIPELINES["shared"].calls[0]


def rows_to_repeat(judging: Judging) -> list[tuple[str, str, str]]:
    """(id, key of the answer that holds the claims, summary) of rows that were answered whole."""
    scored = Judgment.objects.filter(judging=judging, status=Status.SCORED)
    keys = {
        example_id: call_keys[CLAIMS.id]
        for example_id, call_keys in scored.values_list("example_id", "call_keys")
        if CLAIMS.id in call_keys
    }
    found = [(each, keys[each], text) for each, text in rows_of(judging).items() if each in keys]
    return found[:MOST_ROWS]


def first_pass(judging: Judging, example_ids: Collection[str]) -> dict[str, Any]:
    """What the stored answers say, as `Repeat.said` has it."""
    asked = items(judging.config)
    rows = Judgment.objects.filter(judging=judging, example_id__in=example_ids)
    said = {
        each: _said(those, asked[each].asked)
        for each, those in rows.values_list("example_id", "results")
    }
    return {STORED: said}


def _said(results: Mapping[str, Any], asked: Asked) -> dict[str, Any]:
    """Verdicts of a row after the check of evidence; those that no judge gives are left out."""
    verdicts = {
        kind: {
            item_id: verdict
            for item_id, verdict in results[metric].get("items", {}).items()
            if item_id not in asked.categorical
        }
        for kind, metric in ITEMS_OF.items()
        if metric in results and results[metric]["status"] == Status.SCORED
    }
    return {"items": {kind: those for kind, those in verdicts.items() if those}}


class RepeatWork:
    """See `chunk.Work`. Rows that may not be judged any more are passed over."""

    def __init__(self, claim: Claimed) -> None:
        rows = Repeat.objects.select_related(
            "config__competition", "config__dialogue_set", "judging__submission"
        )
        self.repeat = rows.get(pk=claim.pk)
        self.claim, self.config = claim, self.repeat.config
        self.payer = Payer(self.config, claim.owner, repeat=self.repeat)
        self.repeat.judging.config = self.config
        self.said: dict[str, dict[str, Any]] = self.repeat.said
        self.texts = rows_of(self.repeat.judging)
        keys = {example_id: key for example_id, key in self.repeat.rows if example_id in self.texts}
        stored = stored_calls(keys.values())
        self.claims = {each: stored[key].answer for each, key in keys.items() if key in stored}
        self.dialogues = dialogues(self.config, self.claims.keys())
        self.items = items(self.config)
        self._passes = [*(str(number) for number in range(1, self.repeat.samples)), SHUFFLED]
        self._pass_of: dict[Walk, str] = {}

    def walks(self) -> Iterator[Walk]:
        for name in self._passes:
            for example_id in self.claims:
                if example_id not in self.said.get(name, {}):
                    yield self._walk(name, example_id)

    def _walk(self, name: str, example_id: str) -> Walk:
        given = self.items[example_id].given(
            summary=self.texts[example_id], dialogue=self.dialogues[example_id]
        )
        values = walking.with_answer(given, CLAIMS, self.claims[example_id])
        if name == SHUFFLED:
            values = walking.reordered(values, seed=f"{self.repeat.pk}:{example_id}")
        scope = f"repeat:{self.repeat.pk}:{name}:{example_id}"
        pipeline = PIPELINES[self.config.pipeline]  # `shared:3` repeats its majority of three
        walk = Walk(example_id, pipeline, values, scope, over={CLAIMS.id})
        self._pass_of[walk] = name
        return walk

    def prepare(self, walks: Sequence[Walk]) -> list[tuple[Walk, dict[str, Any]]]:
        """Count the rows that are over, but for those that the server did not answer."""
        return [
            (walk, _said(count(self.config, walk).results, walk.values["asked"]))
            for walk in walks
            if Status.INFRA_ERROR not in {status for status, _ in walk.stopped.values()}
        ]

    def save(self, prepared: Sequence[tuple[Walk, dict[str, Any]]]) -> None:
        """Keep what was said and say how far it is. Raises JudgingLost."""
        for walk, said in prepared:
            self.said.setdefault(self._pass_of[walk], {})[walk.example_id] = said
        done = sum(len(self.said.get(name, {})) for name in self._passes)
        claims.write(self.claim, said=self.said, done=done)

    @property
    def is_done(self) -> bool:
        return next(self.walks(), None) is None
