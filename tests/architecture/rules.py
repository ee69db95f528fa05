"""The rules that the build holds, as functions that return what breaks them.

Each is shown able to fail in test_rules.py, on a planted fault.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FILE_NAMES = {"utils.py", "helpers.py", "common.py", "constants.py"}
FOLDER_NAMES = {"core", "common", "utils", "helpers"}
CSV_WRITERS = {"writer", "DictWriter", "to_csv"}
CLASS_ENDINGS = ("Manager", "Handler", "Helper", "Service")


def layers(pyproject: Path = ROOT / "pyproject.toml") -> dict[str, int]:
    """Each app's layer, the highest number at the top, from import-linter's own contract."""
    contracts = tomllib.loads(pyproject.read_text())["tool"]["importlinter"]["contracts"]
    [layers] = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    return {
        app.strip(" ()"): height
        for height, layer in enumerate(reversed(layers))
        for app in layer.split("|")
    }


def app_of(app: str) -> str | None:
    """`leaderboard.teams` → `teams`; None for an app that is not ours."""
    parts = app.split(".")
    return parts[1] if parts[0] == "leaderboard" and len(parts) > 1 else None


def upward_relations(
    relations: Iterable[tuple[str, str, str]], heights: dict[str, int]
) -> list[str]:
    """Relations (field, from app, to app) that point to a higher layer or a neighbour's app."""
    found = []
    for field, source, target in relations:
        here, there = app_of(source), app_of(target)
        if here is None or there is None or here == there:
            continue
        if heights[there] >= heights[here]:
            found.append(f"{field}: {here} must not point to {there}")
    return found


def folders_without_init(package: Path) -> list[str]:
    """Folders that hold Python but no `__init__.py`: import-linter would not see them."""
    folders = {file.parent for file in package.rglob("*.py")}
    return sorted(str(folder) for folder in folders if not (folder / "__init__.py").exists())


@cache
def parsed(source: str) -> ast.Module:
    """The tree of a file, which many rules ask for and none changes."""
    return ast.parse(source)


def modules(package: Path) -> Iterator[tuple[Path, ast.Module]]:
    """Every Python file under `package`, parsed; migrations are Django's."""
    for file in sorted(package.rglob("*.py")):
        if "migrations" not in file.parts:
            yield file, parsed(file.read_text())


def banned_names(package: Path) -> list[str]:
    """Files and classes whose names say nothing about what they do."""
    found = [
        str(file)
        for file in package.rglob("*.py")
        if file.name in FILE_NAMES or FOLDER_NAMES & set(file.relative_to(package).parts)
    ]
    for file, tree in modules(package):
        found += [
            f"{file}:{node.lineno} class {node.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef) and node.name.endswith(CLASS_ENDINGS)
        ]
    return found


def local_imports(package: Path, own: Sequence[str] = ("leaderboard", "scoring")) -> list[str]:
    """Imports of our own code inside functions: the sign of a circle that was dodged."""
    found = []
    for file, tree in modules(package):
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                continue
            for node in ast.walk(function):
                names: list[str] = []
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom):
                    names = [node.module or ""]
                if any(name.split(".")[0] in own for name in names):
                    found.append(f"{file}:{node.lineno}")
    return found


PUBLISHING = {"delay", "delay_on_commit", "apply_async", "apply_async_on_commit", "send_task"}
WORKER = "leaderboard.worker"
ENTRIES = ("tasks.py", "sweep.py")  # an app's own, of messages and of time
_TASKS = re.compile(r"leaderboard\.\w+\.tasks(\.\*)?")  # of whatever app


def bare_publishes(package: Path) -> list[str]:
    """Celery's own ways to publish: inside a transaction they race, and a broker's error escapes.

    The method counts whether it is called or handed on; `delay` alone, which also is a word, only
    when called.
    """
    found = []
    for file, tree in modules(package):
        if file.name == "celery.py":
            continue
        called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        found += [
            f"{file}:{node.lineno} .{node.attr}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and node.attr in PUBLISHING
            and (node.attr != "delay" or id(node) in called)
        ]
    return found


def unbounded_inserts(package: Path) -> list[str]:
    """`bulk_create` and `bulk_update` without `batch_size`: a parameter for each value of each row.

    PostgreSQL takes 65,535. (Long lists of `__in` are bounded by construction, in `long_lists`.)
    """
    return [
        f"{file}:{node.lineno} {node.func.attr}"
        for file, tree in modules(package)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("bulk_create", "bulk_update")
        and not any(keyword.arg == "batch_size" for keyword in node.keywords)
    ]


def early_wakes(package: Path) -> list[str]:
    """Tasks that are named elsewhere than in `with waking(task):`, and not by entry points.

    A worker that is woken before the change is committed finds nothing. The block has to call
    something or answer: what was done stands in it, not behind it. A task is imported by its own
    name, never as a part of its module, which could be called anything; and nobody calls `wake`.
    (No import is relative: ruff.)
    """
    found = []
    for file, tree in modules(package):
        if file.relative_to(package).parts[0] in ("worker", "celery.py") or file.name in ENTRIES:
            continue
        tasks = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and _TASKS.fullmatch(node.module or "")
            for alias in node.names
        }
        waking = {
            id(item.context_expr.args[0])
            for node in ast.walk(tree)
            if isinstance(node, ast.With)
            and any(isinstance(part, ast.Call | ast.Return) for part in _within(node.body))
            for item in node.items
            if isinstance(item.context_expr, ast.Call)
            and isinstance(item.context_expr.func, ast.Name)
            and item.context_expr.func.id == "waking"
            and len(item.context_expr.args) == 1
        }
        lines = {
            node.lineno
            for node in ast.walk(tree)
            if (isinstance(node, ast.Name) and node.id in tasks and id(node) not in waking)
            or (isinstance(node, ast.Attribute) and node.attr == "wake")
            or _imports_the_module(node)
        }
        found += [f"{file}:{line}" for line in sorted(lines)]
    return found


def _imports_the_module(node: ast.AST) -> bool:
    """Whether this is an import of some app's `tasks`, or of `worker`, whole."""
    if isinstance(node, ast.Import):
        names = {alias.name for alias in node.names}
        return any(name.startswith(WORKER) or _TASKS.fullmatch(name) for name in names)
    if not isinstance(node, ast.ImportFrom):
        return False
    names = {f"{node.module}.{alias.name}" for alias in node.names}
    return any(name in (WORKER, f"{WORKER}.*") or _TASKS.fullmatch(name) for name in names)


def _within(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)


def locks_elsewhere(package: Path, home: str = "competitions/locking.py") -> list[str]:
    """Row locks that are not taken by `lock`, which knows their kind and their order."""
    return [
        f"{file}:{node.lineno}"
        for file, tree in modules(package)
        if file != package / home
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "select_for_update"
    ]


# Our own linear functions; and the client, one file without imports of ours, which normalizes the
# names of files alone.
MAY_NORMALIZE = ("scoring/characters.py", "leaderboard/api/client/leaderboard_client.py")


def bare_normalizations(package: Path, allowed: Sequence[str] = MAY_NORMALIZE) -> list[str]:
    """Normal forms by `unicodedata`, whose time is quadratic in a text's combining marks."""
    return [
        f"{file}:{node.lineno}"
        for file, tree in modules(package)
        if str(file.relative_to(package.parent)) not in allowed
        for node in ast.walk(tree)
        if _may_normalize(node)
    ]


def _may_normalize(node: ast.AST) -> bool:
    """Whether this names one of the two functions, or imports the module so that others could."""
    if isinstance(node, ast.Attribute):
        of = node.value.id if isinstance(node.value, ast.Name) else ""
        return of == "unicodedata" and node.attr in ("normalize", "is_normalized")
    if isinstance(node, ast.Import):
        return any(each.name == "unicodedata" and each.asname for each in node.names)
    return isinstance(node, ast.ImportFrom) and node.module == "unicodedata"


def csv_written_elsewhere(
    package: Path, homes: Sequence[str] = ("table.py", "api/client/leaderboard_client.py")
) -> list[str]:
    """Writers of CSV beside `scoring.table.written`: what they leave unquoted may not come back."""
    return [
        f"{file}:{node.lineno}"
        for file, tree in modules(package)
        if file.relative_to(package).as_posix() not in homes
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr in CSV_WRITERS)
        or (isinstance(node, ast.ImportFrom) and CSV_WRITERS & {one.name for one in node.names})
    ]


def logic_in_signals_or_save(package: Path) -> list[str]:
    """Overridden `save()` and connected signals: rules there run when nobody expects them."""
    found = []
    for file, tree in modules(package):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and file.name == "models.py":
                found += [
                    f"{file}:{child.lineno} {node.name}.save"
                    for child in node.body
                    if isinstance(child, ast.FunctionDef) and child.name == "save"
                ]
            if isinstance(node, ast.ImportFrom) and node.module == "django.db.models.signals":
                found.append(f"{file}:{node.lineno} signals")
    return found


def foreign_imports(
    imports: Iterable[tuple[str, str]], allowed: set[str], only_in: dict[str, set[str]]
) -> list[str]:
    """Imports (module, package) outside the standard library that the scoring may not make.

    `allowed` may be imported anywhere, the keys of `only_in` in the modules named there.
    """
    return sorted(
        f"{module} imports {package}"
        for module, package in imports
        if package not in sys.stdlib_module_names
        and package not in allowed
        and module not in only_in.get(package, set())
    )
